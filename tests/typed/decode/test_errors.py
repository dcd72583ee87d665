"""Errors of typed decoding: every attribute, every place, every input type.

Nothing is created from a document that fails.
"""

from __future__ import annotations

import copy
import gc
import json
import pickle
import time
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import snooze
from helpers.typed_tools import Decoder, decode, refusal, refuse
from snooze import Ge, Problem, ValidationError, Via


@dataclass
class User:
    """A record that nests in itself."""

    name: str
    age: int
    tags: list[str] = field(default_factory=list)
    friends: dict[str, User] = field(default_factory=dict)


DOCUMENT = """{
  "\u8a9e": [1, "\U0001f600\u00e9", {"name": "\u00e9\u00e9", "age": "x"}],
  "a/b~c": {"name": 5, "age": 1.5,
    "tags": ["\u00e9", null, [],\r\n\t"ok"], "friends": {"": {"name": "q"}, "two words": 7}}
}"""


def test_attributes_of_problems() -> None:
    """Path, texts, offset, line and column (in characters) in a long document."""
    tp = dict[str, list[int | User] | User]
    error = refusal(tp, DOCUMENT, errors="all")
    data = DOCUMENT.encode()
    expected = [
        ("/\u8a9e/1", "int or object", "str", '"\U0001f600'),
        ("/\u8a9e/2/age", "int", "str", '"x"'),
        ("/a~1b~0c/name", "str", "int", '5, "age"'),
        ("/a~1b~0c/age", "int", "float", "1.5"),
        ("/a~1b~0c/tags/1", "str", "null", "null"),
        ("/a~1b~0c/tags/2", "str", "array", "[],"),
        ("/a~1b~0c/friends/", 'member "age"', "none", '{"name": "q"}'),
        ("/a~1b~0c/friends/two words", "object", "int", "7}"),
    ]
    assert len(error.errors) == len(expected)
    for problem, (path, wanted, found, text) in zip(
        error.errors, expected, strict=True
    ):
        assert type(problem) is Problem
        offset = data.index(text.encode())
        assert (problem.pointer, problem.expected, problem.found) == (
            path,
            wanted,
            found,
        )
        assert problem.offset == offset
        before = data[:offset].decode()
        assert problem.line == before.count("\n") + 1
        assert problem.column == len(before) - before.rfind("\n")
    messages = [problem.message for problem in error.errors]
    assert (
        messages[1]
        == 'expected int, found str at $["\u8a9e"][2].age (line 2 column 40)'
    )
    assert (
        messages[4]
        == 'expected str, found null at $["a/b~c"].tags[1] (line 4 column 19)'
    )
    assert messages[6].endswith('at $["a/b~c"].friends[""] (line 5 column 25)')
    assert messages[7].endswith('at $["a/b~c"].friends["two words"] (line 5 column 53)')
    assert str(error) == f"{messages[0]} (and 7 more)"
    first = refusal(tp, DOCUMENT)
    assert first.errors == error.errors[:1]


def test_validation_error_class() -> None:
    """A JSONDecodeError and a ValueError, which can be copied and pickled."""
    error = refusal(list[int], '[1,\n"\u00e9",null]', errors="all")
    assert isinstance(error, snooze.JSONDecodeError)
    assert isinstance(error, ValueError)
    assert (error.pos, error.lineno, error.colno) == (4, 2, 1)
    for other in (
        pickle.loads(pickle.dumps(error)),
        copy.copy(error),
        copy.deepcopy(error),
    ):
        assert type(other) is ValidationError
        assert other.errors == error.errors
        assert str(other) == str(error)
        assert (other.doc, other.pos, other.pointer) == (
            error.doc,
            error.pos,
            error.pointer,
        )


@pytest.mark.parametrize("convert", [bytes, bytearray, memoryview, bytes.decode])
def test_input_types(convert: Any) -> None:
    """The problems are the same for every input type."""
    data = '{"name":"\u8a9e","age":"\u00e9","tags":[1]}'.encode()
    for errors, count in (("first", 1), ("all", 2)):
        error = refusal_of(User, convert(data), errors=errors)
        assert len(error.errors) == count
        assert error.errors[0] == Problem(
            pointer="/age",
            expected="int",
            found="str",
            offset=20,
            line=1,
            column=19,
            message="expected int, found str at $.age (line 1 column 19)",
        )
        assert error.doc == data.decode()
        assert error.pos == 18
    good = b'{"name":"x","age":1}'
    assert decode(convert(good), User) == User("x", 1)
    view = memoryview(bytearray(b"xx" + good + b"xx"))[2:-2]
    assert decode(view, User) == User("x", 1)


def refusal_of(tp: Any, document: Any, **options: Any) -> ValidationError:
    """Return the error, like `refusal`, without the checks that need the text."""
    with pytest.raises(ValidationError) as caught:
        decode(document, tp, **options)
    return caught.value


def test_wrong_input_types() -> None:
    """Refused as `loads` refuses them."""
    for value in (
        None,
        1,
        [],
        "",
        b"",
        bytearray(),
        memoryview(b""),
        "\ud800",
        b"\xff",
        b"\xef\xbb\xbf1",
    ):
        with pytest.raises(snooze.JSONDecodeError) as caught:
            decode(value, int)
        with pytest.raises(snooze.JSONDecodeError) as expected:
            snooze.loads(value)
        assert str(caught.value) == str(expected.value)
        assert type(caught.value) is type(expected.value)


def test_excerpts() -> None:
    """Short values are shown whole, long ones cut between characters, containers by kind."""
    tp = Annotated[str, snooze.Pattern("^$")]
    for text in ('"a"', '"\\u0041\\n"', '"' + "x" * 38 + '"'):
        assert refusal(tp, text).errors[0].found == text
    for unit in ("x", "\u00e9", "\u8a9e", "\U0001f600"):
        for pad in range(5):
            text = '"' + "y" * pad + unit * 60 + '"'
            found = refusal(tp, text).errors[0].found
            assert found.endswith("...")
            assert text.startswith(found[:-3])
            assert 36 < len(found[:-3].encode()) <= 40
    huge = Annotated[int, Ge(0)]
    assert refusal(huge, "-" + "1" * 100).errors[0].found == "-" + "1" * 39 + "..."
    assert refusal(list[huge], "[ -5 ]").errors[0].found == "-5"


MADE: list[Any] = []


@dataclass
class Counted:
    """Records each instance that is created."""

    a: int
    inner: Any = None

    def __post_init__(self) -> None:
        MADE.append(self.a)


def noted(value: Any) -> Any:
    """Record the values that the hook gets."""
    MADE.append(value)
    return value


def test_nothing_is_created_after_a_problem() -> None:
    """Constructors and hooks see complete and valid values only, never a placeholder."""
    hooked = Annotated[Any, Via(list[int], decode=noted)]
    scalar = Annotated[Any, Via(int, decode=noted)]
    cases: list[tuple[Any, str, list[Any], int]] = [
        (list[Counted], '[{"a":1},{"a":"x"},{"a":2}]', [1, 2], 1),
        (list[Counted], '[{"a":1},{"b":1},{"a":2}]', [1, 2], 1),
        (hooked, "[1,null,2]", [], 1),
        (list[hooked], "[[1],[null],[2]]", [[1], [2]], 1),
        (list[scalar], '[1,"x",null,2]', [1, 2], 2),
        (dict[str, scalar], '{"a":1,"b":[],"c":2}', [1, 2], 1),
        (tuple[Counted, int], '[{"a":1},"x"]', [1], 1),
        (dict[int, Counted], '{"1":{"a":1},"x":{"a":2}}', [1, 2], 1),
        (list[Counted | int], '[{"a":null},5,"x",{"a":7}]', [7], 2),
        (Annotated[Any, Via(Counted, decode=noted)], '{"a":"x"}', [], 1),
        (Annotated[Any, Via(dict[str, int], decode=noted)], '{"a":"x"}', [], 1),
        (Annotated[Any, Via(set[int], decode=noted)], '[1,"x"]', [], 1),
        (Annotated[Any, Via(tuple[int, int], decode=noted)], "[1]", [], 1),
        (Annotated[Any, Via(tuple[int, int], decode=noted)], '[1,"x"]', [], 1),
    ]
    for tp, document, made, count in cases:
        MADE.clear()
        error = refusal_of(tp, document, errors="all")
        assert made == MADE, (tp, MADE)
        assert len(error.errors) == count
        gc.collect()
        MADE.clear()
        refusal_of(tp, document)
        assert made[: len(MADE)] == MADE


def test_outer_instances_are_not_created() -> None:
    """A problem deep inside fails everything around it and is reported once."""

    @dataclass
    class Outer:
        inner: Counted
        more: list[Counted]
        other: Counted | None = None

        def __post_init__(self) -> None:
            MADE.append("outer")

    MADE.clear()
    refuse(
        Outer,
        '{"inner":{"a":1,"inner":{}},"more":[{"a":2},{"a":[]}],"other":{}}',
        "expected int, found array at $.more[1].a (line 1 column 50)",
        'expected member "a", found none at $.other (line 1 column 63)',
    )
    assert "outer" not in MADE


def test_factories_are_not_called_after_a_problem() -> None:
    """Factories are not called for an instance that will not be created."""

    @dataclass
    class Factory:
        a: int
        b: Any = field(default_factory=lambda: MADE.append("factory"))

    MADE.clear()
    refusal_of(Factory, '{"a":"x"}')
    refusal_of(Factory, '{"a":"x"}', errors="all")
    assert MADE == []


def test_problems_of_user_code() -> None:
    """The message of ValueError, TypeError and AssertionError is shown; each is the cause."""

    def refuses(value: Any) -> Any:
        if value == 0:
            raise ValueError("bad amount")
        if value == 1:
            raise TypeError
        assert value < 5, "too large"
        return value * 2

    tp = Annotated[Any, Via(int, decode=refuses)]
    assert decode(b"2", tp) == 4
    error = refusal(list[tp], "[2,0,1,2,9]", errors="all")
    assert [one.pointer for one in error.errors] == ["/1", "/2", "/4"]
    assert [one.found for one in error.errors] == ["0", "1", "9"]
    assert error.errors[0].message.endswith(": bad amount")
    assert type(error.__cause__) is ValueError
    assert error.__cause__.__traceback__ is not None
    error = refusal(tp, "9")
    assert type(error.__cause__) is AssertionError

    def raises(value: Any) -> Any:
        raise LookupError(value)

    for kind in ("first", "all"):
        with pytest.raises(LookupError):
            decode(
                b'["x",1]',
                list[Annotated[Any, Via(int, decode=raises)] | str],
                errors=kind,
            )


def test_unhashable_values() -> None:
    """Items of sets and keys of dicts."""
    error = refusal(set[Any], "[1,[2]]")
    assert error.errors[0].pointer == ""
    assert error.errors[0].found == "array"
    assert str(error.__cause__) in str(error)
    error = refusal(dict[str, frozenset[Any]], '{"a":[{}]}')
    assert error.errors[0].pointer == "/a"


def test_keys() -> None:
    """A wrong key is a problem at that key."""
    refuse(
        dict[int, str],
        '{"1":"a","x":"b","2":5}',
        'expected int, found "x" at $.x (line 1 column 10)',
        'expected str, found int at $["2"] (line 1 column 22)',
    )
    refuse(
        dict[float, int],
        '{"1.5":1,"":2}',
        'expected float, found "" at $[""] (line 1 column 10)',
    )


def test_counts() -> None:
    """Too few and too many items of tuples."""
    for text, count in (("[]", 0), ("[1]", 1), ("[1,2,3]", 3), ('[1,2,"x",null]', 4)):
        refuse(
            tuple[int, int],
            text,
            f"expected array of length 2, found array of {count} at $ (line 1 column 1)",
        )
    refuse(
        list[tuple[int, str]],
        '[[1,"a"],[1],["x"]]',
        "expected array of length 2, found array of 1 at $[1] (line 1 column 10)",
        "expected int, found str at $[2][0] (line 1 column 15)",
        "expected array of length 2, found array of 1 at $[2] (line 1 column 14)",
    )


def test_many_problems() -> None:
    """Thousands of problems are all reported, in the order of the document."""
    count = 5000
    error = refusal_of(list[int], f"[{','.join(['null'] * count)}]", errors="all")
    assert [problem.pointer for problem in error.errors] == [
        f"/{i}" for i in range(count)
    ]
    assert str(error).endswith(f"(and {count - 1} more)")


def test_many_problems_in_one_line() -> None:
    """Columns in characters do not cost a scan of the line for each problem."""
    count = 100_000
    document = "[" + ",".join(['"\u00e9"'] * count) + "]"
    start = time.perf_counter()
    error = refusal_of(list[int], document, errors="all", max_errors=1_000_000)
    assert time.perf_counter() - start < 30
    assert len(error.errors) == count
    assert [one.column for one in error.errors[:3]] == [2, 6, 10]
    assert error.errors[-1].column == 2 + 4 * (count - 1)
    assert error.errors[-1].offset == 1 + 5 * (count - 1)


def test_problems_before_malformed_json() -> None:
    """With errors="all" the whole document is read; malformed JSON takes precedence."""
    for document in ('[1,"x",2', '["x",]', '{"a":"x"} x', '["x" 1]', '["x", tru]'):
        tp = dict[str, int] if document[0] == "{" else list[int]
        with pytest.raises(snooze.JSONDecodeError) as caught:
            decode(document, tp, errors="all")
        with pytest.raises(snooze.JSONDecodeError) as expected:
            snooze.loads(document)
        assert type(caught.value) is snooze.JSONDecodeError
        assert str(caught.value) == str(expected.value)
        assert type(refusal_of(tp, document)) is ValidationError


def test_decoders_after_an_error() -> None:
    """A failed document leaves no state behind."""
    decoder = Decoder(User, errors="all")
    for _ in range(50):
        with pytest.raises(ValidationError):
            decoder.decode(
                '{"name":1,"age":[],"tags":[{"x":[1]}],"friends":{"a":{"name":[[]]}}}'
            )
        with pytest.raises(snooze.JSONDecodeError):
            decoder.decode('{"name":"x","tags":["a","b')
        assert decoder.decode('{"name":"x","age":1,"tags":["t"]}') == User(
            "x", 1, ["t"]
        )


@dataclass
class Tree:
    """A record that nests as deeply as the document."""

    child: Tree | None = None
    items: list[int] = field(default_factory=list)


def test_the_number_of_long_paths_is_bounded() -> None:
    """If each problem kept a path of maximal depth, they would take gigabytes."""
    depth, count = 1000, 2000
    inner = '{"items":[' + ",".join(['"x"'] * count) + "]}"
    document = '{"child":' * depth + inner + "}" * depth
    error = refusal(Tree, document, errors="all")
    assert 100 < len(error.errors) < 500
    assert error.errors[0].pointer == "/child" * depth + "/items/0"
    # Documents with short paths get all their problems.
    wide = "[" + ",".join(['"x"'] * 20_000) + "]"
    assert (
        len(refusal(list[int], wide, errors="all", max_errors=1_000_000).errors)
        == 20_000
    )


def test_positions_are_found_in_one_pass() -> None:
    """The time for the positions of many problems grows linearly."""

    def seconds(count: int) -> float:
        document = '["\u00e9",' + ",".join(['"x"'] * count) + "]"
        start = time.perf_counter()
        error = refusal(list[int], document, errors="all", max_errors=1_000_000)
        last = error.errors[-1]
        assert (last.line, last.column) == (1, len(document) - 3)
        return time.perf_counter() - start

    few = min(seconds(2_000) for _ in range(3))
    assert seconds(40_000) < 60 * few + 0.5


def test_positions_in_any_order() -> None:
    """A problem of a container is found after those inside it but starts before them."""
    document = (
        '{"a": ["\u00e9",\n "\u8a9e\U0001f600", 1],\n\n "b": [[],\r\n "\u00e9", {}]}'
    )
    tp = dict[str, Annotated[list[int], snooze.MaxLen(2)]]
    for problem in refusal(tp, document, errors="all").errors:
        head = document.encode()[: problem.offset].decode()
        assert problem.line == head.count("\n") + 1
        assert problem.column == len(head) - (head.rfind("\n") + 1) + 1


def test_all_problems_of_a_hostile_document_are_bounded() -> None:
    """By the bytes of the paths, not only by their number: names may be long."""
    name = "k" * 100_000
    document = json.dumps({name: ["x"] * 20_000})
    error = refusal(dict[str, list[int]], document, errors="all")
    assert 50 < len(error.errors) < 200
    assert error.errors[0].pointer == f"/{name}/0"
    assert len(error.errors[0].message) < 200
    assert error.omitted == 20_000 - len(error.errors)
    short = json.dumps(["x"] * 20_000)
    error = refusal(list[int], short, errors="all", max_errors=1_000_000)
    assert (len(error.errors), error.omitted) == (20_000, 0)


@pytest.mark.parametrize("most", [1, 2, 7, 8, 10_000])
def test_problems_beyond_max_errors_are_counted(most: int) -> None:
    """The first ones are those without a limit; the text has the number of all."""
    tp = list[dict[str, int] | tuple[int, str]]
    document = '[{"a":"","b":null},["",1],5,[1],{"c":1},{"a":[]},"",["",2]]'
    everything = refusal(tp, document, errors="all").errors
    count = len(everything)
    assert count == 10
    error = refusal(tp, document, errors="all", max_errors=most)
    assert error.errors == everything[:most]
    assert error.omitted == max(0, count - most)
    ending = f", {count - most} of them not listed)" if most < count else ")"
    assert str(error) == f"{everything[0].message} (and {count - 1} more{ending}"
    for other in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert (other.errors, other.omitted) == (error.errors, error.omitted)
        assert str(other) == str(error)


def test_ten_thousand_problems_without_max_errors() -> None:
    """The default, for decoding, converting, and missing members; with other syntax too."""
    document = "[" + ",".join(["{}"] * 15_000) + "]"
    for call in (
        lambda: snooze.decode(document, list[User], errors="all"),
        lambda: snooze.decode(document, list[User], errors="all", syntax="json5"),
        lambda: snooze.convert([{}] * 15_000, list[User], errors="all"),
    ):
        with pytest.raises(ValidationError) as caught:
            call()
        error = caught.value
        assert len(error.errors) == 10_000
        assert error.errors[0].expected == 'member "name"'
        assert error.omitted == 2 * 15_000 - 10_000
        assert str(error).endswith("(and 29999 more, 20000 of them not listed)")


@pytest.mark.parametrize("codec", [snooze.Decoder, snooze.Converter])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"errors": "all", "max_errors": 0},
            ValueError,
            "max_errors=0 is not possible: use 1 to 2**63 - 1",
        ),
        (
            {"errors": "all", "max_errors": 2**63},
            ValueError,
            f"max_errors={2**63} is not possible: use 1 to 2**63 - 1",
        ),
        (
            {"errors": "all", "max_errors": True},
            TypeError,
            "max_errors needs an int, not True",
        ),
        (
            {"errors": "all", "max_errors": None},
            TypeError,
            "max_errors needs an int, not None",
        ),
        (
            {"max_errors": 5},
            ValueError,
            "max_errors has no meaning without errors='all'",
        ),
    ],
)
def test_wrong_max_errors(codec: Any, options: Any, error: Any, message: str) -> None:
    """A number that has no meaning is refused when the codec is made."""
    with pytest.raises(error) as caught:
        codec(int, **options)
    assert str(caught.value) == message
