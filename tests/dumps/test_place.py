"""The place of what `dumps` cannot write: attributes and a note, beside orjson's text."""

from __future__ import annotations

import collections
import dataclasses
import enum
import traceback
from typing import Any

import pytest

import snooze

LARGE = 2**70
TOO_LARGE = "Integer exceeds 64-bit range"
NOT_UTF8 = "str is not valid UTF-8: surrogates not allowed"
UNKNOWN = "Type is not JSON serializable: Unknown"
UNSUPPORTED_KEY = "Dict key must a type serializable with OPT_NON_STR_KEYS"
LARGE_KEY = "Dict integer key must be within 64-bit range"


class Unknown:
    """Nothing can write it."""


class Code(enum.Enum):
    """A value that is too large, and one of no type of JSON."""

    LARGE = LARGE
    UNKNOWN = Unknown()


@dataclasses.dataclass
class Plain:
    """Attributes in a dict."""

    a: Any
    b: Any = None


@dataclasses.dataclass(slots=True)
class Slots:
    """Attributes in slots; the first is left out."""

    _hidden: Any
    a: Any
    b: Any = None


def with_attributes(attributes: dict[Any, Any]) -> Plain:
    """Return an instance whose `__dict__` is another one."""
    one = Plain(1)
    one.__dict__ = attributes
    return one


def refused(value: Any, **options: Any) -> TypeError:
    """Return the error."""
    with pytest.raises(snooze.JSONEncodeError) as caught:
        snooze.dumps(value, **options)
    assert type(caught.value) is TypeError
    return caught.value


def place(error: TypeError) -> tuple[str, str | None, list[str]]:
    """Return the attributes and the notes."""
    return error.path, error.pointer, getattr(error, "__notes__", [])  # type: ignore[attr-defined]


CASES = [
    ({"users": [1, 2, 3, {"pet": Unknown()}]}, UNKNOWN, "$.users[3].pet"),
    ([[1, {2}]], "Type is not JSON serializable: set", "$[0][1]"),
    ({"a": ([], {}, LARGE)}, TOO_LARGE, "$.a[2]"),
    ([{"a": 1, "b": {"c": "\ud800"}}], NOT_UTF8, "$[0].b.c"),
    ([True, None, 1.5, "é", {"x": -(2**64)}], TOO_LARGE, "$[4].x"),
    ([Plain(1, Unknown())], UNKNOWN, "$[0].b"),
    ([Plain([LARGE])], TOO_LARGE, "$[0].a[0]"),
    ([Slots(1, 2, [LARGE])], TOO_LARGE, "$[0].b[0]"),
    ([Slots(1, 2, Plain(Slots(3, LARGE)))], TOO_LARGE, "$[0].b.a.a"),
    ({"code": [Code.LARGE]}, TOO_LARGE, "$.code[0]"),
    ({"code": [Code.UNKNOWN]}, UNKNOWN, "$.code[0]"),
    (collections.OrderedDict(a=1, b={2}), "Type is not JSON serializable: set", "$.b"),
    ([[[]] * 3, [[], [{}, LARGE]]], TOO_LARGE, "$[1][1][1]"),
    ([1] * 1000 + [Unknown()], UNKNOWN, "$[1000]"),
]


@pytest.mark.parametrize(("value", "text", "path"), CASES)
def test_places_of_values(value: Any, text: str, path: str) -> None:
    """The text is orjson's; the second call knows the types that the first met."""
    for _ in range(3):
        error = refused(value)
        assert str(error) == text
        assert error.path == path  # type: ignore[attr-defined]
        assert place(error)[2] == [f"at {path}"]


@pytest.mark.parametrize("option", [0, 1, 4, 16, 32, 36, 37, 1024])
@pytest.mark.parametrize(("value", "text", "path"), CASES)
def test_places_with_options(value: Any, text: str, path: str, option: int) -> None:
    """Sorted members, keys of any type and indentation have other walks."""
    error = refused(value, option=option)
    assert (str(error), error.path) == (text, path)  # type: ignore[attr-defined]


def test_the_order_of_sorted_members_counts() -> None:
    """The fault that is met first is in the first name, not in the first member."""
    value = [{"b": {"x": LARGE}, "a": {"y": 1, "x": LARGE}}]
    assert refused(value).path == "$[0].b.x"  # type: ignore[attr-defined]
    error = refused(value, option=snooze.OPT_SORT_KEYS)
    assert error.path == "$[0].a.x"  # type: ignore[attr-defined]


def test_pointers() -> None:
    """RFC 6901: `~` and `/` are escaped, and the empty name is a name."""
    value = {"": [{"a/b": {"~": {"x y": LARGE}}}]}
    error = refused(value)
    assert error.pointer == "/" + "/0/a~1b/~0/x y"  # type: ignore[attr-defined]
    assert snooze.pointer.get(value, error.pointer) == LARGE  # type: ignore[attr-defined]
    path = '$[""][0]["a/b"]["~"]["x y"]'
    assert error.path == path  # type: ignore[attr-defined]


def test_the_root_has_no_note() -> None:
    """There is nothing to say."""
    assert place(refused(Unknown())) == ("$", "", [])
    assert place(refused(LARGE)) == ("$", "", [])
    assert place(refused({1: 2})) == ("$", "", [])


def test_keys() -> None:
    """The place is that of the object; the note says what kind of key is the fault."""

    def note(kind: str) -> str:
        return f"in a key of type {kind} at $[0].a"

    any_keys, sort_keys = snooze.OPT_NON_STR_KEYS, snooze.OPT_SORT_KEYS
    for wrong, option, text, kind in [
        ({"b": 1, 2: 3}, 0, "Dict key must be str", "int"),
        ({"\udcff": 1}, 0, NOT_UTF8, "str"),
        ({"b": 1, (1,): 1}, any_keys, UNSUPPORTED_KEY, "tuple"),
        ({LARGE: 1}, any_keys, LARGE_KEY, "int"),
        ({"b": 1, 2: 3}, sort_keys, "Dict key must be str", "int"),
        ({"b": 1, "\udcff": 1}, sort_keys, NOT_UTF8, "str"),
        ({Code.UNKNOWN: 1}, any_keys | sort_keys, UNSUPPORTED_KEY, "Code"),
        (collections.OrderedDict([("a", 1), (2, 3)]), 0, "Dict key must be str", "int"),
        (with_attributes({"a": 1, 2: 3}), 0, "Dict key must be str", "int"),
        (with_attributes({"a": 1, "b": 2, 3: 4}), 0, "Dict key must be str", "int"),
        (with_attributes({"a": 1, "b": 2, "\udcff": 2}), 0, NOT_UTF8, "str"),
    ]:
        for _ in range(2):
            error = refused([{"a": wrong}], option=option)
            assert str(error) == text
            assert place(error) == ("$[0].a", "/0/a", [note(kind)])
    error = refused([{1: {None: [LARGE]}}], option=any_keys)
    assert place(error)[:2] == ('$[0]["1"].null[0]', "/0/1/null/0")
    assert place(error)[2] == ['at $[0]["1"].null[0]']


def test_values_before_a_wrong_key() -> None:
    """The fault is the value, although a key follows that is wrong."""
    ordered = collections.OrderedDict([("a", LARGE), (2, 3)])
    assert refused([ordered]).path == "$[0].a"  # type: ignore[attr-defined]
    assert refused([{"a": LARGE, 2: 3}]).path == "$[0].a"  # type: ignore[attr-defined]


BROKEN_KEY = {"a": Unknown(), "\ud800": 1}


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([BROKEN_KEY], "$[0]"),
        ([0, {"z": BROKEN_KEY}], "$[1].z"),
        ([0, Unknown(), {"z": BROKEN_KEY}], "$[2].z"),
        ({"z": [Unknown(), BROKEN_KEY]}, "$.z[1]"),
    ],
)
def test_a_wrong_key_after_an_object_for_default(value: Any, path: str) -> None:
    """The frames that were saved before the key was found do not count twice."""
    error = refused(value, default=lambda _: 1)
    assert str(error) == NOT_UTF8
    assert error.path == path  # type: ignore[attr-defined]


def test_default() -> None:
    """Its exception stays the cause; what it returns is at the object's place."""

    def fail(_: Any) -> Any:
        raise KeyError("lost")

    error = refused([1, {"k": Unknown()}], default=fail)
    assert str(error) == UNKNOWN
    assert isinstance(error.__cause__, KeyError)
    assert place(error) == ("$[1].k", "/1/k", ["at $[1].k"])
    assert not hasattr(error.__cause__, "path")
    for result, path in [
        (LARGE, "$[1].k"),
        ({"in": [0, LARGE]}, "$[1].k.in[1]"),
        ([Plain(LARGE)], "$[1].k[0].a"),
        ({1: 2}, "$[1].k"),
    ]:
        error = refused([1, {"k": Unknown()}], default=lambda _, r=result: r)
        assert error.path == path  # type: ignore[attr-defined]
    error = refused([Unknown()], default=lambda one: one)
    assert str(error) == "default serializer exceeds recursion limit"
    assert error.path == "$[0]"  # type: ignore[attr-defined]


def test_default_that_changes_what_is_written() -> None:
    """The place is as good as what is left; nothing breaks."""
    inner: dict[str, Any] = {"a": Unknown(), "b": 1}
    outer = [inner]

    def empty(_: Any) -> Any:
        inner.clear()
        outer.clear()
        raise ValueError

    error = refused(outer, default=empty)
    assert str(error) == UNKNOWN
    assert error.path in {"$[0].?", "$[0].a"}  # type: ignore[attr-defined]


def test_exceptions_of_users_stay_as_they_are() -> None:
    """Only errors of the library get a place."""

    def stop(_: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        snooze.dumps([Unknown()], default=stop)
    assert not hasattr(caught.value, "path")

    class Moody(enum.Enum):
        ONE = 1

        @property
        def value(self) -> Any:
            raise TypeError("mine")

    with pytest.raises(TypeError, match="^mine$") as other:
        snooze.dumps([Moody.ONE])
    assert not hasattr(other.value, "path")


def test_nesting() -> None:
    """The path of a cycle is long: the note has its ends, the attribute all of it."""
    circle: list[Any] = []
    circle.append(circle)
    error = refused([1, circle])
    assert str(error) == "Recursion limit reached"
    path, pointer, notes = place(error)
    assert path == "$[1]" + "[0]" * 253
    assert pointer == "/1" + "/0" * 253
    (note,) = notes
    assert note.startswith("at $[1][0][0]")
    assert " ... " in note
    assert len(note) < 150


def test_dumps_str_and_tracebacks() -> None:
    """A traceback shows the note after the text."""
    with pytest.raises(TypeError) as caught:
        snooze.dumps_str({"a": [Unknown()]})
    lines = traceback.format_exception_only(caught.value)
    assert "".join(lines) == f"TypeError: {UNKNOWN}\nat $.a[0]\n"


def test_encoders_have_the_attributes() -> None:
    """Their texts have the path already, so there is no note."""
    for call in (snooze.Encoder().encode, snooze.encode):
        with pytest.raises(TypeError) as caught:
            call({"a": [Unknown()]})
        assert str(caught.value) == f"{UNKNOWN} at $.a[0]"
        assert place(caught.value) == ("$.a[0]", "/a/0", [])
    with pytest.raises(TypeError) as caught:
        snooze.encode([Plain("x")], list[int])
    assert place(caught.value) == ("$[0]", "/0", [])
    with pytest.raises(TypeError) as caught:
        snooze.encode({"a": {(1, 2): 3}})
    assert place(caught.value) == ("$.a[tuple]", None, [])
    deep: list[Any] = []
    for _ in range(1030):
        deep = [deep]
    with pytest.raises(TypeError) as caught:
        snooze.encode(deep)
    assert caught.value.path == "$" + "[0]" * 1024  # type: ignore[attr-defined]
    assert len(caught.value.__notes__) == 1


def test_nested_calls() -> None:
    """An error inside `default` has its own place, that of the inner call."""

    def inner(_: Any) -> Any:
        return snooze.loads(snooze.dumps({"in": [LARGE]}))

    error = refused([Unknown()], default=inner)
    assert error.path == "$[0]"  # type: ignore[attr-defined]
    assert error.__cause__.path == "$.in[0]"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "name",
    [
        "a",
        "_",
        "a_1",
        "1a",
        "a-b",
        "a b",
        "",
        "gr\u00f6\u00dfe",
        "\u0434",
        "\u00aa",
        "a\u0661",
        "x" * 99,
    ],
)
def test_encoders_and_decoders_write_the_same_path(name: str) -> None:
    """After a dot only a word in ASCII, otherwise quoted in brackets."""
    path = refused({name: LARGE}).path  # type: ignore[attr-defined]
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(snooze.dumps({name: "x"}), dict[str, int])
    assert f"expected int, found str at {path} (" in str(caught.value)
