"""`ValidationError`: text, place, pointer, pickling; and `fail`, which Rust calls."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest

import snooze
from snooze._typed.errors import fail
from snooze._typed.places import place, pointer, tokens


def raised(document: str, *problems: Any) -> snooze.ValidationError:
    """Return the error that `fail` raises."""
    with pytest.raises(snooze.ValidationError) as caught:
        fail(document, list(problems), 0)
    return caught.value


def test_one_problem() -> None:
    """All attributes of the error and its problem."""
    document = '{\n "users": [\n  {"age": "x"}]}'
    offset = document.index('"x"')
    error = raised(document, (("users", 0, "age"), "int", "str", offset, None))
    message = "expected int, found str at $.users[0].age (line 3 column 11)"
    assert str(error) == message
    assert error.errors == [
        snooze.Problem("/users/0/age", "int", "str", offset, 3, 11, message)
    ]
    assert error.pointer == "/users/0/age"
    assert (error.msg, error.doc, error.pos) == (message, document, offset)
    assert (error.lineno, error.colno) == (3, 11)
    assert error.__cause__ is None
    assert isinstance(error, snooze.JSONDecodeError)
    assert isinstance(error, json.JSONDecodeError)
    assert isinstance(error, ValueError)


def test_several_problems() -> None:
    """The text shows the first and counts the others; each has its own place."""
    document = "[1,\n2,\n3]"
    error = raised(
        document,
        ((2,), "str", "int", 7, None),
        ((0,), "str", "int", 1, None),
        ((1,), "str", "int", 4, None),
    )
    assert (
        str(error) == "expected str, found int at $[2] (line 3 column 1) (and 2 more)"
    )
    assert [(p.line, p.column) for p in error.errors] == [(3, 1), (1, 2), (2, 1)]
    assert error.pointer == "/2"
    assert error.msg == error.errors[0].message


@pytest.mark.parametrize("document", ['["é", 1]', '["\U0001f600", 1]', '["é\n€", 1]'])
def test_columns_count_characters(document: str) -> None:
    """The offset counts bytes of UTF-8; line, column and pos count characters."""
    position = document.index("1")
    offset = len(document[:position].encode())
    error = raised(document, ((1,), "str", "int", offset, None))
    assert error.pos == position
    start = document.rfind("\n", 0, position) + 1
    problem = error.errors[0]
    assert problem.offset == offset
    assert (problem.line, problem.column) == (
        document.count("\n", 0, position) + 1,
        position - start + 1,
    )
    assert (error.lineno, error.colno) == (problem.line, problem.column)


def test_end_of_the_document() -> None:
    """An offset after the last character."""
    error = raised("[", ((), "int", "none", 1, None))
    assert str(error) == "expected int, found none at $ (line 1 column 2)"
    assert error.pointer == ""


def test_causes() -> None:
    """Their text follows the place; an exception without text adds nothing."""
    cause = ValueError("too small")
    error = raised('"1"', ((), "Port", '"1"', 0, cause))
    assert str(error) == 'expected Port, found "1" at $ (line 1 column 1): too small'
    assert error.__cause__ is cause
    error = raised("1", ((), "int > 5", "int", 0, ValueError()))
    assert str(error) == "expected int > 5, found int at $ (line 1 column 1)"
    error = raised("{}", ((), "object", "object", 0, cause))
    assert str(error) == "object refused at $ (line 1 column 1): too small"


class Silent(ValueError):  # noqa: N818 - short in the messages
    """An exception whose text is an error."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_a_cause_whose_text_is_an_error() -> None:
    """It is still the cause of a ValidationError."""

    def hook(_: object, value: object) -> object:
        raise Silent

    message = r"at \$\[0\] \(line 1 column 2\): Silent without a text$"
    for errors in ("first", "all"):
        with pytest.raises(snooze.ValidationError, match=message) as caught:
            snooze.decode(b"[5]", list[slice], dec_hook=hook, errors=errors)
        assert type(caught.value.__cause__) is Silent
    message = r"at \$\[0\]: Silent without a text$"
    with pytest.raises(snooze.ValidationError, match=message):
        snooze.convert([5], list[slice], dec_hook=hook)


def test_the_cause_of_a_later_problem() -> None:
    """It is the error's cause if the first problem has none."""
    cause = ValueError("x")
    error = raised("[]", ((), "int", "array", 0, None), ((), "a", "b", 0, cause))
    assert error.__cause__ is cause


@pytest.mark.parametrize(
    ("path", "shown", "escaped"),
    [
        ((), "$", ""),
        (("a",), "$.a", "/a"),
        (("a", 0, "b"), "$.a[0].b", "/a/0/b"),
        (("a b",), '$["a b"]', "/a b"),
        (("",), '$[""]', "/"),
        (("a/b", "m~n"), '$["a/b"]["m~n"]', "/a~1b/m~0n"),
        (("~1",), '$["~1"]', "/~01"),
        (('"\\',), '$["\\"\\\\"]', '/"\\'),
        (("0",), '$["0"]', "/0"),
        (("é",), '$["é"]', "/é"),
        (("a\n",), '$["a\\u000a"]', "/a\n"),
    ],
)
def test_paths(path: Any, shown: str, escaped: str) -> None:
    """As shown in messages, and as JSON Pointer (RFC 6901)."""
    assert place(path) == shown
    assert pointer(path) == escaped
    assert tokens(escaped) == tuple(map(str, path))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling(protocol: int) -> None:
    """The error and all its attributes survive."""
    error = raised('["é",\n1]', ((1,), "str", "int", 8, None), ((), "a", "b", 0, None))
    again = pickle.loads(pickle.dumps(error, protocol))
    assert type(again) is snooze.ValidationError
    for name in ("msg", "doc", "pos", "lineno", "colno", "args", "errors", "pointer"):
        assert getattr(again, name) == getattr(error, name)
    assert str(again) == str(error)


@pytest.mark.parametrize(
    "copied",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],
    ids=["copy", "deepcopy", "pickle"],
)
@pytest.mark.parametrize("tp", [Any, list[str]])
def test_notes_survive(copied: Any, tp: Any) -> None:
    """Those of snooze and of the user; a copy has a list of its own."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.Decoder(tp).decode("[1,")
    error = caught.value
    error.add_note("read from the queue")
    again = copied(error)
    assert type(again) is type(error)
    assert again.__notes__ == error.__notes__
    again.add_note("again")
    assert error.__notes__[-1] == "read from the queue"
    del error.__notes__
    assert not hasattr(copied(error), "__notes__")


def test_notes_of_a_validation_error_survive() -> None:
    error = raised("[1]", ((0,), "str", "int", 1, None))
    error.add_note("mine")
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (again.__notes__, again.errors) == (["mine"], error.errors)
    error.__notes__ = "wrong"
    assert not hasattr(copy.copy(error), "__notes__")


def test_construction_by_other_code() -> None:
    """Made from problems and a document; at least one problem is required."""
    problem = snooze.Problem("/a", "int", "str", 0, 1, 1, "a message")
    error = snooze.ValidationError([problem], '"x"')
    assert (str(error), error.errors, error.pos) == ("a message", [problem], 0)
    with pytest.raises(ValueError, match="at least one Problem"):
        snooze.ValidationError([], "")


def test_many_problems_take_linear_time() -> None:
    """Lines are counted once, not for each problem."""
    count = 20_000
    document = "[" + ",\n".join(["é"] * count) + "]"
    offsets = [1 + 4 * number for number in range(count)]
    problems = [((n,), "int", "str", at, None) for n, at in enumerate(offsets)]
    error = raised(document, *problems)
    last = error.errors[-1]
    assert (last.line, last.column) == (count, 1)
    assert str(error).endswith(f"(and {count - 1} more)")


DOCUMENTS = [
    (b'{"a": "x"}', "expected int, found str at $.a (line 1 column 7)"),
    (b"{}", 'expected member "a", found none at $ (line 1 column 1)'),
    (b"[]", "expected object, found array at $ (line 1 column 1)"),
    (b"null", "expected object, found null at $ (line 1 column 1)"),
    (
        b'{"a": 1, "b": [1, 2, null]}',
        "expected float, found null at $.b[2] (line 1 column 22)",
    ),
]


@pytest.mark.parametrize(("document", "text"), DOCUMENTS, ids=repr)
def test_from_document_to_message(document: bytes, text: str) -> None:
    """The whole way, with problems that Rust finds."""
    import dataclasses

    made = dataclasses.make_dataclass("Made", [("a", int), ("b", list[float], None)])
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(document, made)
    assert str(caught.value) == text


def test_errors_that_users_raise() -> None:
    """A text is enough; in a hook it becomes the cause of the problem."""
    error = snooze.ValidationError("no such user")
    assert (str(error), error.pointer, error.doc, error.lineno) == (
        "no such user",
        "",
        "",
        1,
    )
    assert [problem.message for problem in error.errors] == ["no such user"]
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.errors) == (str(error), error.errors)

    def hook(_: object, value: object) -> object:
        raise snooze.ValidationError(f"no user {value}")

    with pytest.raises(
        snooze.ValidationError, match=r"at \$\[0\] .*: no user 5"
    ) as caught:
        snooze.decode(b"[5]", list[slice], dec_hook=hook)
    assert isinstance(caught.value.__cause__, snooze.ValidationError)


def test_copies_keep_the_paths_and_places() -> None:
    """Indices stay numbers."""
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode('[["a"]]', list[list[int]])
    for copied in (
        copy.copy,
        copy.deepcopy,
        lambda one: pickle.loads(pickle.dumps(one)),
    ):
        again = copied(caught.value)
        assert again._paths == caught.value._paths == [(0, 0)]
        assert list(again._places) == list(caught.value._places)
