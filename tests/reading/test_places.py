"""Where an error is: `path`, `snippet` and the note of a `JSONDecodeError`."""

from __future__ import annotations

import json
import pickle
import traceback
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from snooze import Decoder, JSONDecodeError

DECODERS: list[Any] = [
    Decoder(),
    Decoder(object),
    Decoder(max_depth=5000),
    Decoder(list[int]),
    Decoder(encoding="utf-8-sig"),
]
DOCUMENT = '{"user": {"tags": ["a", "b", tru]}}'
NOTE = """\
at $.user.tags[2]
    {"user": {"tags": ["a", "b", tru]}}
                                 ^"""


def error_of(decoder: Any, document: Any) -> Any:
    """Return the exception of a document."""
    with pytest.raises(JSONDecodeError) as caught:
        decoder.decode(document)
    return caught.value


@pytest.mark.parametrize("decoder", DECODERS[:3])
def test_path_snippet_and_note(decoder: Any) -> None:
    """Of every Decoder, and in a traceback."""
    error = error_of(decoder, DOCUMENT)
    assert error.pointer == "/user/tags/2"
    assert error.snippet == f"{DOCUMENT}\n{' ' * 29}^"
    assert error.__notes__ == [NOTE]
    assert NOTE in "".join(traceback.format_exception(error))
    assert str(error) == "invalid literal, expected 'true': line 1 column 30 (char 29)"


def test_loads_has_the_attributes_and_no_note() -> None:
    """Its text and its notes are those of orjson."""
    with pytest.raises(JSONDecodeError) as caught:
        snooze.loads(DOCUMENT)
    assert caught.value.pointer == "/user/tags/2"
    assert caught.value.snippet.endswith("^")
    assert not hasattr(caught.value, "__notes__")


def test_every_decoder_adds_one_note() -> None:
    """Also where one prepares the document for another."""
    for decoder in DECODERS:
        assert len(error_of(decoder, "[1, 2").__notes__) == 1


def test_validation_errors_have_the_same_attributes() -> None:
    """The path is that of the value, not of the character."""
    with pytest.raises(snooze.ValidationError) as caught:
        Decoder(dict[str, list[int]]).decode('{\n "a~b": [1, "x"]}')
    assert caught.value.pointer == "/a~0b/1"
    assert caught.value.snippet == ' "a~b": [1, "x"]}\n            ^'
    assert snooze.ValidationError("no such user").snippet == ""


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ("", ""),
        ("tru", ""),
        ("[1, 2", "/1"),
        ("[1 2]", "/0"),
        ("[[], [[1], x]]", "/1/1"),
        ('{"a" 1}', "/a"),
        ('{"a": 1 "b": 2}', "/a"),
        ('{"a": 1, "b": }', "/b"),
        ('{"a/b": {"~": [x]}}', "/a~1b/~0/0"),
        ('{"\\u00e9\\n": x}', "/é\n"),
        ('{"a": "]}", "b": [",", x]}', "/b/1"),
        ("[1] 2", ""),
        ('{"a": [1], }', "/a"),
    ],
)
def test_paths(document: str, path: str) -> None:
    """The innermost value or member at the place of the error."""
    error = error_of(Decoder(), document or " ")
    assert error.pointer == path


def test_paths_of_json5() -> None:
    """Comments, both quotes and names without quotes."""
    text = "{a: 1, // ] }\n 'b\\x63': [0, /* , */ {$d: @}]}"
    error = error_of(Decoder(syntax="json5"), text)
    assert error.pointer == "/bc/1/$d"
    assert error.snippet.split("\n")[0] == " 'bc\\x63': [0, /* , */ {$d: @}]}".replace(
        "bc", "b"
    )


def test_snippets_of_long_lines_are_cut() -> None:
    """The place is in what is left, above the caret."""
    text = f"[{'1, ' * 1000}x{', 1' * 1000}]"
    line, caret = error_of(Decoder(), text).snippet.split("\n")
    assert len(line) == 72
    assert line[len(caret) - 1] == "x"


def test_snippets_are_safe_to_print() -> None:
    """Controls, marks of direction and surrogates become spaces, one for one."""
    error = error_of(Decoder(), '["\x7f\u202e\u2028", x]')
    line, caret = error.snippet.split("\n")
    assert line == '["   ", x]'
    assert line[len(caret) - 1] == "x"


def test_without_a_document_there_is_no_place() -> None:
    """Of input that is no document, or not UTF-8."""
    for wrong in (b"", 3, b'"\xff"'):
        error = error_of(Decoder(), wrong)
        assert (error.pointer, error.snippet) == ("", "")
        assert not hasattr(error, "__notes__")


def test_errors_that_users_make_and_pickle() -> None:
    """The attributes come from `doc` and `pos`."""
    error = JSONDecodeError("own", "[1, x]", 4)
    assert error.pointer == "/1"
    again = pickle.loads(pickle.dumps(error))
    assert (again.pointer, again.snippet) == (error.pointer, error.snippet)
    assert JSONDecodeError("own", "[1, \ud800]", 4).pointer == ""
    assert JSONDecodeError("own", "[1]", 100).pointer == ""


def test_an_error_of_a_hook_stays_as_it_is() -> None:
    """But for a note, if it is of this class."""

    def hook(found: Any) -> Any:
        return json.loads("[tru")

    with pytest.raises(json.JSONDecodeError) as caught:
        Decoder(object_hook=hook).decode("[{}]")
    assert type(caught.value) is json.JSONDecodeError
    assert not hasattr(caught.value, "__notes__")


VALUES = st.recursive(
    st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, min_size=1) | st.dictionaries(st.text(), inner, min_size=1)
    ),
    max_leaves=10,
)


@given(VALUES, st.randoms())
def test_paths_lead_to_the_value(value: Any, random: Any) -> None:
    """A leaf that is no JSON is found by the path of its error."""
    path, holder = "", [value]
    step: Any = 0
    at: Any = holder
    while isinstance(at[step], (list, dict)):
        at = at[step]
        names = list(at)
        step = (
            random.randrange(len(at)) if isinstance(at, list) else random.choice(names)
        )
        path += "/" + str(step).replace("~", "~0").replace("/", "~1")
    at[step] = "@@@"
    document = json.dumps(holder[0]).replace('"@@@"', "@")
    if document.count("@") == 1:
        error = error_of(Decoder(max_depth=2000), document)
        assert error.pointer == path
        assert document[error.pos] == "@"
