"""JSON Pointer: the examples of RFC 6901, and every wrong pointer and place."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from snooze import pointer
from snooze.pointer import PointerError

#: RFC 6901 section 5.
DOCUMENT = {
    "foo": ["bar", "baz"],
    "": 0,
    "a/b": 1,
    "c%d": 2,
    "e^f": 3,
    "g|h": 4,
    "i\\j": 5,
    'k"l': 6,
    " ": 7,
    "m~n": 8,
}
#: Sections 5 and 6: the pointer, its URI fragment, the value.
EXAMPLES = [
    ("", "#", DOCUMENT),
    ("/foo", "#/foo", ["bar", "baz"]),
    ("/foo/0", "#/foo/0", "bar"),
    ("/", "#/", 0),
    ("/a~1b", "#/a~1b", 1),
    ("/c%d", "#/c%25d", 2),
    ("/e^f", "#/e%5Ef", 3),
    ("/g|h", "#/g%7Ch", 4),
    ("/i\\j", "#/i%5Cj", 5),
    ('/k"l', "#/k%22l", 6),
    ("/ ", "#/%20", 7),
    ("/m~0n", "#/m~0n", 8),
]


@pytest.mark.parametrize(("text", "fragment", "value"), EXAMPLES)
def test_examples_of_the_rfc(text, fragment, value):
    assert pointer.get(DOCUMENT, text) == value
    assert pointer.get(DOCUMENT, fragment) == value
    assert pointer.exists(DOCUMENT, text)
    assert pointer.join(pointer.parse(text)) == text


def test_escapes_are_decoded_in_the_order_of_the_rfc():
    """Section 4: `~01` is `~1`, not a slash."""
    assert pointer.parse("/~01/~10/~0~1") == ["~1", "/0", "~/"]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_join_is_the_reverse_of_parse(tokens):
    assert pointer.parse(pointer.join(tokens)) == tokens


@pytest.mark.parametrize("text", ["a", "a/b", " /a", "~", "0"])
def test_a_pointer_begins_with_a_slash(text):
    with pytest.raises(ValueError, match='expected "" or text that begins with "/"'):
        pointer.parse(text)


@pytest.mark.parametrize("text", ["/~", "/a~", "/~2", "/a~~0", "/a/b~/c"])
def test_a_tilde_needs_its_digit(text):
    with pytest.raises(ValueError, match='expected "~0" or "~1" after each "~"'):
        pointer.parse(text)


@pytest.mark.parametrize("text", ["#/%", "#/%4", "#/%zz", "#/%ff"])
def test_fragments_are_percent_encoded(text):
    with pytest.raises(ValueError, match="percent-encoded URI fragment"):
        pointer.parse(text)


def test_fragments_are_pointers():
    with pytest.raises(ValueError, match='begins with "/", found "#a"'):
        pointer.parse("#a")


@pytest.mark.parametrize("wrong", [None, 5, b"/a", ["a"]])
def test_pointers_are_str(wrong):
    with pytest.raises(TypeError, match="expected str, found"):
        pointer.get({}, wrong)


@pytest.mark.parametrize("wrong", [None, 1.5, True, b"a"])
def test_tokens_are_str_or_int(wrong):
    with pytest.raises(TypeError, match="expected str or int"):
        pointer.join(["a", wrong])


@pytest.mark.parametrize("text", ["abc", "", "/a"])
def test_a_text_is_not_several_tokens(text):
    with pytest.raises(TypeError, match="found a str; write ") as caught:
        pointer.join(text)
    assert str(caught.value).endswith(f"write [{text!r}]")


#: A document, a pointer, the place of the error and its message.
MISSING = [
    ({"a": {}}, "/a/b", "/a", 'expected a member "b" at "/a", found none'),
    ({}, "/a/b/c", "", 'expected a member "a" at "", found none'),
    ([1, 2], "/2", "", 'expected an index below 2 at "", found "2"'),
    ([1, 2], "/-", "", 'expected an array index at "", found "-"'),
    ([1, 2], "/01", "", 'expected an array index at "", found "01"'),
    ([1, 2], "/-1", "", 'expected an array index at "", found "-1"'),
    ([1, 2], "/1e0", "", 'expected an array index at "", found "1e0"'),
    ([1, 2], "/", "", 'expected an array index at "", found ""'),
    ([1, 2], "/٣", "", 'expected an array index at "", found "٣"'),
    ([1, 2], "/²", "", 'expected an array index at "", found "²"'),
    ([], "/0", "", 'the array at "" is empty, found the index "0"'),
    ([], "/x", "", 'expected an array index at "", found "x"'),
    ([], "/-", "", 'expected an array index at "", found "-"'),
    ({"a": "bc"}, "/a/0", "/a", 'expected an object or array at "/a", found str'),
    ({"a": None}, "/a/b", "/a", 'expected an object or array at "/a", found NoneType'),
    ({1: 2}, "/1", "", 'expected a member "1" at "", found none'),
]


@pytest.mark.parametrize(("document", "text", "place", "message"), MISSING)
def test_missing_places_are_named(document, text, place, message):
    with pytest.raises(PointerError) as caught:
        pointer.get(document, text)
    assert str(caught.value).startswith(message)
    assert caught.value.pointer == place
    assert pointer.get(document, text, default=7) == 7
    assert not pointer.exists(document, text)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.pointer) == (str(caught.value), place)


def test_a_default_may_be_anything():
    assert pointer.get({}, "/a", None) is None
    assert pointer.get({"a": None}, "/a", 5) is None
    assert pointer.exists({"a": None}, "/a")


def test_long_indexes_and_names_are_no_problem():
    """Python converts no text of more than 4300 digits; messages stay short."""
    for text in ("/" + "9" * 10_000, "/" + "x" * 10_000):
        with pytest.raises(PointerError) as caught:
            pointer.get([1], text)
        assert len(str(caught.value)) < 300


def test_messages_are_one_line():
    with pytest.raises(PointerError, match=r"found none$") as caught:
        pointer.get({}, '/a\nb"')
    assert str(caught.value) == r'expected a member "a\nb\"" at "", found none'


def test_set():
    document = {"a": [1, 2], "b": {}}
    assert pointer.set(document, "/b/c", 3) is document
    pointer.set(document, "/a/0", 0)
    pointer.set(document, "/a/-", 9)
    pointer.set(document, "/a~1b", None)
    assert document == {"a": [0, 2, 9], "b": {"c": 3}, "a/b": None}
    assert pointer.set(document, "", 5) == 5


@pytest.mark.parametrize("text", ["/x/y", "/a/2", "/a/b", "/a/0/c", "/a/-/0"])
def test_set_makes_no_containers(text):
    document = {"a": [1, 2]}
    with pytest.raises(PointerError):
        pointer.set(document, text, 3)
    assert document == {"a": [1, 2]}


def test_delete():
    document = {"a": [1, 2], "b": 3}
    assert pointer.delete(document, "/a/0") == 1
    assert pointer.delete(document, "/b") == 3
    assert document == {"a": [2]}


@pytest.mark.parametrize("text", ["", "/x", "/a/2", "/a/-", "/a/0/b"])
def test_delete_needs_a_place(text):
    document = {"a": [1, 2]}
    with pytest.raises(PointerError):
        pointer.delete(document, text)
    assert document == {"a": [1, 2]}


def test_tuples_are_read_only_arrays():
    assert pointer.get({"a": (1, 2)}, "/a/1") == 2
    message = (
        'expected an object or list at "/a", found a tuple, which cannot be changed'
    )
    for change in (
        lambda document: pointer.set(document, "/a/1", 3),
        lambda document: pointer.delete(document, "/a/1"),
    ):
        with pytest.raises(PointerError, match=f"^{message}$"):
            change({"a": (1, 2)})


def test_a_decoder_reads_the_same_pointers():
    """`Decoder(at=...)` and this module agree on the examples of the RFC."""
    text = snooze.dumps(DOCUMENT)
    for one, _, value in EXAMPLES:
        assert snooze.Decoder(at=one).decode(text) == value
