"""Inference: every document fits its schema, and its classes read and write it."""

from __future__ import annotations

import sys
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.documents_data import DOCUMENTS, exact
from snooze._infer import names as _infer_names

jsonschema = pytest.importorskip("jsonschema")


def classes(source: str, name: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """Run a source as a module of its own, and return the type of that name."""
    module = types.ModuleType("inferred")
    monkeypatch.setitem(sys.modules, "inferred", module)
    exec(compile(source, "inferred.py", "exec"), vars(module))
    return vars(module)[name]


def valid(schema: dict, *documents: object) -> None:
    """Assert that a schema is one, and that the documents fit."""
    jsonschema.Draft202012Validator.check_schema(schema)
    for one in documents:
        jsonschema.Draft202012Validator(schema).validate(one)


def without_nulls(value: object) -> object:
    """Return a value without members that are null."""
    if isinstance(value, dict):
        return {
            key: without_nulls(one) for key, one in value.items() if one is not None
        }
    return [without_nulls(one) for one in value] if isinstance(value, list) else value


def reads_and_writes(found: snooze.Inference, *documents: object) -> None:
    """Assert that a Decoder of the source reads documents, and an Encoder writes them."""
    with pytest.MonkeyPatch.context() as patch:
        tp = classes(found.source("Root"), "Root", patch)
        decoder, encoder = snooze.Decoder(tp), snooze.Encoder(tp, omit_none=True)
        for one in documents:
            value = decoder.decode(snooze.encode(one))
            again = snooze.decode(encoder.encode(value))
            assert exact(without_nulls(again)) == exact(without_nulls(one))


_NAMES = st.text(
    st.characters(exclude_categories=["Cs"]), max_size=5
) | st.sampled_from(
    [
        "class",
        "int",
        "str",
        "list",
        "None",
        "Root",
        "root",
        "self",
        "mro",
        "Any",
        "snooze",
        "dataclass",
        "field_1",
        "_a",
        "__init__",
        "a-b",
        "a_b",
        "ﬁ",
        "fi",
        "1",
        'q"',
        "\\",
        "\n",
    ]
)
NAMED = st.dictionaries(
    _NAMES, DOCUMENTS | st.dictionaries(_NAMES, st.integers() | st.none()), max_size=6
)


@given(st.lists(DOCUMENTS | NAMED, min_size=1, max_size=4))
def test_every_document_fits(documents):
    found = snooze.infer(*documents)
    assert found.documents == len(documents)
    valid(found.schema(), *documents)
    reads_and_writes(found, *documents)


@pytest.mark.parametrize("name", ["twitter", "github", "citm_catalog", "canada"])
def test_real_documents(documents, name):
    document = snooze.loads(documents[name])
    found = snooze.infer(document)
    valid(found.schema(title=name), document)
    reads_and_writes(found, document)


def schema(*documents: object) -> dict:
    """Return the schema without its first member."""
    found = snooze.infer(*documents).schema()
    assert found.pop("$schema").endswith("2020-12/schema")
    return found


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([], {}),
        ([1], {"type": "integer"}),
        ([1.5], {"type": "number"}),
        ([1, 1.5], {"type": "number"}),
        ([True, "a", None], {"type": ["boolean", "string", "null"]}),
        ([None], {"type": "null"}),
        ([[]], {"type": "array"}),
        ([[1, None]], {"type": "array", "items": {"type": ["integer", "null"]}}),
        ([{}], {"type": "object"}),
        (
            [{"a": 1}, {"a": 2, "b": "x"}],
            {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
                "required": ["a"],
            },
        ),
        (
            [{"1": 1, "2": 2}, [True]],
            {
                "type": ["array", "object"],
                "items": {"type": "boolean"},
                "additionalProperties": {"type": "integer"},
            },
        ),
        (
            [{f"user{number}": number for number in range(60)}],
            {"type": "object", "additionalProperties": {"type": "integer"}},
        ),
    ],
)
def test_schemas(documents, expected):
    assert schema(*documents) == expected


def test_title():
    assert snooze.infer(1).schema(title="Number")["title"] == "Number"
    assert "title" not in snooze.infer(1).schema()


def body(found: snooze.Inference, name: str = "Document") -> str:
    """Return the source after its docstring and imports."""
    return found.source(name).split("import annotations\n\n")[1]


def test_source():
    first = {"id": 1, "class": "a", "by": {"id": 1}, "tags": ["x"], "at": {"1": 2.5}}
    found = snooze.infer(first, {"id": 2, "by": {"id": None}, "rest": []})
    assert (
        body(found, "Post")
        == """\
from dataclasses import dataclass
from typing import Annotated, Any

import snooze


@dataclass(kw_only=True, slots=True)
class By:
    id: int | None


@dataclass(kw_only=True, slots=True)
class Post:
    id: int
    class_: Annotated[str | None, snooze.Field("class")] = None
    by: By
    tags: list[str] | None = None
    at: dict[str, float] | None = None
    rest: list[Any] | None = None
"""
    )


@pytest.mark.parametrize(
    ("documents", "text"),
    [
        ([1, None], "Document = int | None\n"),
        ([[1.5]], "Document = list[float]\n"),
        ([{}], "from typing import Any\n\nDocument = dict[str, Any]\n"),
    ],
)
def test_types_that_are_no_classes(documents, text):
    assert body(snooze.infer(*documents)) == text


def test_equal_classes_are_one():
    by = {"id": 1}
    text = snooze.infer({"by": by, "x": {"by": by}, "y": {"by": {"name": ""}}}).source()
    assert text.count("class By:") == 1
    assert text.count("class By2:") == 1


def test_sources_pass_the_linter_of_this_project():
    """They are formatted, too, as long as names are short."""
    ruff = pytest.importorskip("ruff")
    import subprocess

    text = snooze.infer(
        [{"a b": 1, "c": {"d": [None]}}, {"c": {"d": [{"e": 1.5}]}}]
    ).source()
    for command in (
        ["check", "--isolated", "--select=E,F,I,UP,D1", "--ignore=D101,D100", "-"],
        ["format", "--isolated", "--check", "-"],
    ):
        done = subprocess.run(
            [ruff.find_ruff_bin(), *command],
            input=text,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr + text


@pytest.mark.parametrize("name", ["", "1a", "class", "a b", "_A", "int", "Any", "ﬁ"])
def test_names_of_classes_are_checked(name):
    with pytest.raises(ValueError, match="expected a name that a class can have"):
        snooze.infer({"a": 1}).source(name)


@pytest.mark.parametrize("wrong", [{1, 2}, b"x", object(), [1j], {"a": {1: 2}}])
def test_only_documents_are_described(wrong):
    with pytest.raises(TypeError, match="expected"):
        snooze.infer(wrong)


def test_deep_documents():
    """What lies deeper than 40 levels may be anything."""
    document: object = 1
    for number in range(50_000):
        document = [document] if number % 2 else {"a": document}
    found = snooze.infer(document)
    assert "Any" in found.source()
    short = snooze.jsonpath.find(document, "$" + "[*]" * 49_900)[0]
    valid(snooze.infer(short).schema(), short)


def test_repr():
    assert repr(snooze.infer(1)) == "<Inference of 1 document>"
    assert repr(snooze.infer(1, 2)) == "<Inference of 2 documents>"


def test_names_that_clean_to_one_identifier():
    """Thousands of them take time in proportion, and stay apart."""
    import itertools

    parts = itertools.islice(itertools.product("-./:+ ", repeat=6), 20_000)
    names = ["a" + "".join(part) for part in parts]
    fields = _infer_names.fields(names)
    assert len(set(fields.values())) == len(names)
    assert all(field.isidentifier() for field in fields.values())
    assert max(map(len, fields.values())) < 10
    found = _infer_names.fields(["a-", "a.", "a_", "a b"])
    assert found == {"a-": "a", "a.": "a__", "a_": "a_", "a b": "a_b"}
