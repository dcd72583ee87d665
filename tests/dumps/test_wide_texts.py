"""Texts that are not ASCII among others in lists and dicts, and documents of one token."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

WIDE = ["é", "日本", "кириллица", "🙂", 'é"\\\n', "ü" * 70, "語" * 40]
OTHERS = ["", "plain", "x" * 200, 'a"b', 7, 1.5, None, True, [], ["é"], {}, {"é": "é"}]

texts = st.sampled_from([*WIDE, "", "plain", 'a"b']) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=40
)
values = st.recursive(
    texts | st.sampled_from([7, 1.5, None, True]),
    lambda inner: (
        st.lists(inner, max_size=8) | st.dictionaries(texts, inner, max_size=8)
    ),
    max_leaves=40,
)


def expected(value: Any, indent: int | None = None) -> bytes:
    """Return what the standard library writes."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, ensure_ascii=False, separators=separators, indent=indent)
    return text.encode()


@given(values)
def test_any_mixture_is_written_like_json(value: Any) -> None:
    # The second time and later, texts may have kept their UTF-8.
    for _ in range(12):
        assert snooze.dumps(value) == expected(value)
    assert snooze.dumps(value, option=snooze.OPT_INDENT_2) == expected(value, 2)


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_wide_texts_beside_any_other_value(other: Any) -> None:
    for count in (1, 2, 5):
        run = WIDE[:count]
        for items in ([*run, other], [other, *run], [*run, other, *run]):
            assert snooze.dumps(items) == expected(items)
            assert snooze.dumps([items, items]) == expected([items, items])
            members = {
                f"k{index}é" * (index % 2) + str(index): item
                for index, item in enumerate(items)
            }
            assert snooze.dumps(members) == expected(members)
            indented = snooze.dumps(members, option=snooze.OPT_INDENT_2)
            assert indented == expected(members, 2)


def test_members_that_were_deleted_are_passed_over() -> None:
    for gone in ([0], [1, 2], [3], [0, 1, 2], [4]):
        members = dict(enumerate("éabcdé"))
        members = {f"k{key}": value + "é" for key, value in members.items()}
        for key in gone:
            del members[f"k{key}"]
        assert snooze.dumps(members) == expected(members)


def test_a_key_that_is_no_str_among_wide_texts() -> None:
    members: dict[Any, str] = {"a": "é", "b": "é", 3: "é"}
    with pytest.raises(snooze.JSONEncodeError, match="Dict key must be str"):
        snooze.dumps(members)
    option = snooze.OPT_NON_STR_KEYS
    assert snooze.dumps(members, option=option) == '{"a":"é","b":"é","3":"é"}'.encode()


@pytest.mark.parametrize("text", ["\ud800", "é\udfff", "日" * 20 + "\ud800"])
def test_a_surrogate_among_wide_texts_is_an_error(text: str) -> None:
    for value in ([*WIDE, text], {"a": "é", "b": text}, {"a": "é", text: "é"}):
        with pytest.raises(snooze.JSONEncodeError, match="surrogates not allowed"):
            snooze.dumps(value)


def test_a_subclass_among_wide_texts() -> None:
    class Text(str):
        pass

    items = ["é", Text("é"), "é"]
    assert snooze.dumps(items) == expected(items)
    option = snooze.OPT_PASSTHROUGH_SUBCLASS
    found = snooze.dumps(items, default=lambda text: [len(text)], option=option)
    assert found == '["é",[1],"é"]'.encode()


@pytest.mark.parametrize("value", [None, True, False])
def test_literals(value: object) -> None:
    first = snooze.dumps(value)
    assert type(first) is bytes
    assert first == json.dumps(value).encode()
    assert snooze.dumps(value) == first
    assert snooze.dumps_str(value) == json.dumps(value)
    newline = snooze.dumps(value, option=snooze.OPT_APPEND_NEWLINE)
    assert newline == first + b"\n"
    assert snooze.dumps(value, default=repr) == first


@pytest.mark.parametrize(
    "text", ["null", "true", "false", "0", "9", "-1", "nul", "x", ""]
)
def test_documents_of_one_token(text: str) -> None:
    for document in (
        text.encode(),
        text,
        bytearray(text.encode()),
        memoryview(text.encode()),
    ):
        try:
            value = json.loads(text)
        except ValueError:
            with pytest.raises(snooze.JSONDecodeError):
                snooze.loads(document)
        else:
            found = snooze.loads(document)
            assert (type(found), found) == (type(value), value)
