"""The descriptions that `_compile` of a decoder reads: nested tuples, checked completely.

Separate from the tests through `Decoder(T)`, because the Python modules never produce the
descriptions that are refused here. Every kind of rule and of record is described once, so
that each tuple of the format can be changed.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from snooze import Raw
from snooze._snooze import DecoderBase

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[int, ...]

OPTIONS = (True, None, False, ("a", "0"))


@dataclass
class Plain:
    """Values in the dict of the instance."""

    a: int
    b: int = 0


@dataclass(slots=True)
class Slotted:
    """Values in slots."""

    a: int
    b: int = 0


class Pair(NamedTuple):
    """Values in a tuple."""

    a: int
    b: int = 0


RULES: dict[str, Any] = {
    "any": ("any",),
    "raw": ("raw", Raw),
    "null": ("null",),
    "bool": ("bool", None),
    "only": ("bool", True),
    "int": ("int", None),
    "int bounds": ("int", (1, 9, 2)),
    "float": ("float", None),
    "float bounds": ("float", (0.0, 1.0, 8.0, 7.0, 0.5)),
    "decimal": ("decimal", Decimal),
    "str": ("str", None),
    "str bounds": ("str", (1, 9, str.strip)),
    "bytes": ("bytes", None),
    "bytes lengths": ("bytes", (1, 9)),
    "bytearray": ("bytearray", (1, None)),
    "datetime": ("datetime", None),
    "datetime zone": ("datetime", "aware"),
    "date": ("date",),
    "time": ("time", "naive"),
    "timedelta": ("timedelta",),
    "uuid": ("uuid", uuid.UUID),
    "strings": ("strings", {"a": 1}),
    "ints": ("ints", {1: "a"}),
    "floats": ("floats", {1.5: "a"}),
    "list": ("list", 0, (1, 9)),
    "set": ("set", 0, None),
    "frozenset": ("frozenset", 0, None),
    "tuple": ("tuple", 0, (0, None)),
    "fixed": ("fixed", (0, 0)),
    "ndarray": ("ndarray", list),
    "numbers": ("numbers", "i4", list),
    "array_record": ("array_record", 0),
    "dict": ("dict", 0, 0, (1, 9)),
    "record": ("record", 0),
    "tagged": ("tagged", "t", {"a": 0}, None),
    "keyed": ("keyed", {"a": 0}, 0),
    "via": ("via", ("via", ("int", None), str), repr),
}

FIELDS = (
    ("a", ("a", "A"), 0, "required", None),
    ("b", (), 0, "default", 5),
)

RECORDS: dict[str, Any] = {
    "slots": (
        "R",
        ("slots", Slotted, None),
        FIELDS,
        "ignore",
        ("t", "R"),
        (0, 1),
        False,
    ),
    "attributes": (
        "R",
        ("attributes", Plain, str),
        FIELDS,
        "forbid",
        None,
        (0, 1),
        True,
    ),
    "call": ("R", ("call", Plain), FIELDS, ("rest", 1, 0), None, (0, 1), False),
    "positional": ("R", ("positional", Pair), FIELDS, "ignore", None, (0, 1), False),
    "tuple": ("R", ("tuple", Pair), FIELDS, "ignore", None, (0, 1), False),
    "dict": (
        "R",
        ("dict",),
        (("a", ("a",), 0, "factory", list), ("b", ("b",), 0, "absent", None)),
        ("rest", -1, 0),
        None,
        (0, 1),
        False,
    ),
}

CASES = {
    **{f"rule {name}": (rule, RECORDS["slots"]) for name, rule in RULES.items()},
    **{f"record {name}": (RULES["record"], record) for name, record in RECORDS.items()},
}

#: Paths to the tuples that are lists: nodes, records, rules, the tokens of `at`, parts of
#: a fixed tuple, fields and their names. All others have a fixed number of items.
NODES, RECORD_LIST, POINTER = (1,), (2,), (4, 3)
FIXED_PARTS, FIELD_LIST = (1, 1, 1, 0, 1), (2, 0, 2)


def described(rule: Any, record: Any) -> Any:
    """The description of a decoder with a node of one rule, and one record."""
    nodes = (("any", (("any",),)), ("label", (rule,)))
    return (1, nodes, (record,), 1, OPTIONS, print)


def compile_description(description: Any) -> None:
    """Compile into a new decoder."""
    DecoderBase()._compile(description)


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of each tuple within a description, itself included."""
    if isinstance(value, tuple):
        yield path
        for index, item in enumerate(value):
            yield from paths(item, (*path, index))


def at(value: Any, path: Path) -> Any:
    """What a path leads to."""
    for index in path:
        value = value[index]
    return value


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A copy with one part replaced."""
    if not path:
        return new
    first, *rest = path
    inner = replaced(value[first], tuple(rest), new)
    return (*value[:first], inner, *value[first + 1 :])


def is_list(path: Path, rule: Any) -> bool:
    """Tell a tuple that may have any number of items."""
    return (
        path in {NODES, RECORD_LIST, POINTER, FIELD_LIST}
        or (len(path) == 3 and path[0] == 1 and path[2] == 1)  # the rules of a node
        or (path == FIXED_PARTS and rule[0] == "fixed")
        or (len(path) == 5 and path[:3] == FIELD_LIST and path[4] == 1)  # names
    )


@pytest.mark.parametrize("case", CASES)
def test_descriptions_as_they_should_be(case: str) -> None:
    """So that the refusals below have one reason each."""
    compile_description(described(*CASES[case]))


@pytest.mark.parametrize("case", CASES)
def test_one_item_too_many(case: str) -> None:
    """In any tuple, at any depth."""
    description = described(*CASES[case])
    for path in paths(description):
        wrong = replaced(description, path, (*at(description, path), None))
        with pytest.raises(SystemError, match="internal description: expected"):
            compile_description(wrong)
            pytest.fail(f"accepted: {wrong!r}")


@pytest.mark.parametrize("case", CASES)
def test_one_item_too_few(case: str) -> None:
    """In any tuple that has a fixed number of items."""
    rule, record = CASES[case]
    description = described(rule, record)
    for path in paths(description):
        if not is_list(path, rule):
            wrong = replaced(description, path, at(description, path)[:-1])
            with pytest.raises(SystemError, match="internal description: expected"):
                compile_description(wrong)
                pytest.fail(f"accepted: {wrong!r}")


@pytest.mark.parametrize(
    "order", [(), (0,), (1, 0), (0, 0), (0, 2), (0, 1, 2), (0, "1"), [0, 1], None]
)
def test_the_order_of_fields_is_read(order: Any) -> None:
    """It is each field's number, from zero on."""
    record = RECORDS["slots"]
    with pytest.raises(SystemError, match="internal description: expected"):
        compile_description(described(RULES["record"], (*record[:5], order, record[6])))


@pytest.mark.parametrize("multiple", [0, -1, -(2**63)])
def test_multiples_of_nothing(multiple: int) -> None:
    """Bounds of a user's constraint, which may come from any package."""
    rule = ("int", (None, None, multiple))
    with pytest.raises(ValueError, match="MultipleOf needs a number greater than 0"):
        compile_description(described(rule, RECORDS["slots"]))


@pytest.mark.parametrize("field", [-2, 2, 2**63, "0"])
def test_the_field_of_unknown_members_exists(field: Any) -> None:
    """Its number, or -1 for the record itself."""
    record = (*RECORDS["call"][:3], ("rest", field, 0), *RECORDS["call"][4:])
    with pytest.raises(SystemError, match="internal description: expected"):
        compile_description(described(RULES["record"], record))
