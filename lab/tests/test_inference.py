"""The structure of a user's document: by the stated rules, and exact in every way."""

from __future__ import annotations

import json
from types import NoneType
from typing import Any

import pytest

from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.workloads import WorkloadError, find, generated, structs, ways
from snooze_lab.workloads.shapes import Choice, Many, Named, Record

HARD = {
    "scalar": 5,
    "numbers": [1, 2.5, -3, 1e300, 2**63, 0.0, -0.0],
    "empty list": [],
    "empty object": {},
    "only null": {"a": None, "b": [None, None]},
    "mixed": [1, "two", None, True, [3, [4.5]], {"five": 6}, {"five": None}],
    "missing": [{"a": 1, "b": {"c": []}}, {"a": 2}, {}, {"b": None}],
    "keywords": [{"class": 1, "from": "x", "None": None, "match": 0}],
    "no identifiers": [
        {"a-b": 1, "a_b": 2, "": 3, "1st": 4, "_id": 5, "__init__": 6, "x y": 7},
        {"a-b": 1.5},
    ],
    "other scripts": [{"名前": "a", "straße": 1, "ﬁx": 2, "é": {"ключ": True}}],
    "names of classes": {"self": 1, "json": 2, "copy": 3, "model_config": 4, "mro": 5},
    "nested of one name": {"a": {"a": {"a": [{"a": 1}]}}},
    "by number": {"12": {"x": 1}, "13": {"x": 2, "y": None}},
    "by path": {"/": [1], "/users": [], "/users/{id}": [2]},
    "many names": {f"name{n}": [n] for n in range(60)},
    "lists of lists": [[[0.5, 1.5], []], [], [[2.5]]],
    "text": ['"\\\n', "\U0001f40d", "\u0000"],
}


def shape_of(value: Any) -> Any:
    return structs.shape_of(value)


def checked(text: bytes, *only: str) -> dict[str, set[str]]:
    """Return the ways that are right, by operation; fail if one of ours is not."""
    right: dict[str, set[str]] = {}
    subject = ways.Subject(structs.shape_of(json.loads(text)), text)
    for operation in ways.OPERATIONS:
        right[operation] = set()
        for name, use in ways.uses(operation, ways.UNTYPED).items():
            if subject.absent(use) or (only and name not in only):
                continue
            try:
                job = subject.job(operation, use)
                fault = job.fault(job.call(job.argument()))
            except UnsupportedError:
                continue
            except Exception as error:
                if use.library in {"snooze", "json"}:
                    raise
                fault = str(error)
            assert use.library not in {"snooze", "json"} or fault == "", (name, fault)
            right[operation] |= set() if fault else {name}
    return right


@pytest.mark.parametrize("name", HARD)
def test_every_way_of_ours_is_exact(name):
    """Read into the classes and written from them, nothing is lost or converted."""
    pytest.importorskip("snooze")
    right = checked(json.dumps(HARD[name]).encode())
    assert {"snooze slots", "snooze dataclass", "json loads"} <= right["decode"]
    assert {"snooze slots", "json dumps dicts"} <= right["encode"]


@pytest.mark.parametrize(
    "name", ["missing", "mixed", "keywords", "no identifiers", "by number"]
)
def test_the_others_take_part(name):
    for module in ("snooze", "msgspec", "pydantic", "orjson"):
        pytest.importorskip(module)
    right = checked(json.dumps(HARD[name]).encode())
    for found in right.values():
        assert {"msgspec Struct", "pydantic"} <= found
    assert "orjson loads" in right["decode"]


@pytest.mark.parametrize("name", ["twitter", "github", "citm_catalog", "canada"])
def test_real_documents(name):
    for module in ("snooze", "msgspec", "pydantic", "orjson"):
        pytest.importorskip(module)
    try:
        text = find(name).texts[0]
    except WorkloadError as reason:
        pytest.skip(str(reason))
    wanted = {"snooze slots", "msgspec Struct", "pydantic"}
    right = checked(text, *wanted)
    assert wanted == right["decode"] == right["encode"]


def test_scalars_keep_their_types():
    assert shape_of([1, 2.5]) == Many(Choice((int, float)))
    assert shape_of([True, None, "a"]) == Many(Choice((bool, str, NoneType)))
    assert shape_of([None]) == Many(NoneType)
    assert shape_of([]) == Many(Any)
    assert shape_of({}) == Named(Any)


def test_members_that_are_missing_are_optional():
    shape = shape_of([{"a": 1, "b": 2}, {"a": None}]).item
    assert isinstance(shape, Record)
    assert shape.fields == {"a": Choice((int, NoneType)), "b": int}
    assert shape.optional == {"b"}


def test_names_that_are_data_make_a_dict():
    assert shape_of({"2024-01": 1, "2024-02": 2}) == Named(int)
    assert shape_of({f"n{n}": n for n in range(50)}).fields["n0"] is int
    assert shape_of({f"n{n}": n for n in range(51)}) == Named(int)
    mixed = shape_of({f"n{n}": n or "x" for n in range(51)})
    assert isinstance(mixed, Record)
    assert isinstance(shape_of({"content-type": 1, "x.y": 2}), Record)


def test_names_of_fields_are_identifiers_and_unique():
    shape = shape_of({"a-b": 1, "a_b": 2, "class": 3, "_id": 4, "9": 5, "b": 6})
    assert shape.attributes == {
        "a-b": "a_b_",
        "class": "class_",
        "_id": "id",
        "9": "field_4",
    }


def test_classes_are_named_for_their_member():
    shape = shape_of({"user": {"user": {"x": 1}}, "user_list": [{"y": 2}]})
    inner = shape.fields["user"]
    assert [shape.name, inner.name, inner.fields["user"].name] == [
        "Document",
        "User",
        "User2",
    ]
    assert shape.fields["user_list"].item.name == "UserList"


def test_what_is_too_deep_is_not_looked_into():
    value: Any = 1
    for _ in range(200):
        value = [value]
    text = generated.compact(value)
    assert "snooze slots" in checked(text)["decode"]


def test_libraries_that_cannot_rename_say_so():
    text = b'[{"a-b":1}]'
    subject = ways.Subject(structs.shape_of(json.loads(text)), text)
    known = ways.uses("encode", ways.UNTYPED)
    for name in ("orjson slots", "json asdict", "msgspec slots", "snooze dumps slots"):
        with pytest.raises(UnsupportedError, match="names that no field can have"):
            subject.job("encode", known[name])
    job = subject.job("encode", known["json dumps dicts"])
    assert job.fault(job.call(job.argument())) == ""


def test_a_document_of_ones_own_is_a_workload(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text('[{"id": 1, "tags": ["a"]}, {"id": 2}]')
    found = find(f"typed?path={path}")
    assert found.size == path.stat().st_size
    ready, absent = found.enter("decode", ["json loads", "nobody"])
    assert [one.name for one in ready] == ["json loads"]
    assert absent == {"nobody": "no such way to decode"}
    with pytest.raises(WorkloadError, match="one file"):
        find(f"typed?path={path},{path}")
