"""The contenders beyond JSON: each returns the value it was given, or says why not."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from pathlib import Path

import pytest

from snooze_lab import contenders
from snooze_lab.contenders.base import Contender, Need, UnsupportedError
from snooze_lab.model import Factors
from snooze_lab.workloads.base import Workload
from snooze_lab.workloads.operations import job

FORMATS = (
    "bson",
    "marshal2",
    "marshal4",
    "msgpack",
    "msgpack raw",
    "msgspec msgpack",
    "ormsgpack",
    "pickle2",
    "pickle5",
    "protobuf",
)
FLOORS = ("build only", "copy")
GENERAL = tuple(name for name in FORMATS if name != "protobuf")
VALUES = {
    "empty": {},
    "array": [1, "two", None],
    "scalar": "a word",
    "large integers": {
        "most": 2**63 - 1,
        "least": -(2**63),
        "id": 505_874_924_095_815_681,
    },
    "numbers": [0, -1, 255, 2**31, -(2**31) - 1, 0.1, -0.0, 1e308, 5e-324, 10.0],
    "names": {"": 1, "ключ": {"日本": []}, "a.b$c": {"x" * 300: False}, "0": [{}]},
    "text": ["", "é", "\u0000", "🎉", '\n\t"\\', "x" * 70_000],
    "deep": [[[[{"a": [{"b": [[]]}]}]]]],
    "repeated": [{"name": "ключ", "value": number} for number in range(300)],
    "its own wrapping": {"snooze-lab value": {"snooze-lab value": 1}},
}
PLAN = {
    "floats": [0.1, -2.5, 1e300],
    "events": [
        {"int": -5, "float": 0.25, "str": "ab"},
        {"int": 2**63 - 1, "float": 0.0, "str": ""},
    ],
}


def entered(name: str) -> Contender:
    ready, absent = contenders.enter([name])
    if absent:
        pytest.skip(f"{name}: {absent[name]}")
    return ready[0]


def workload(value: object) -> Workload:
    return Workload("made", [json.dumps(value).encode()])


@pytest.mark.parametrize("name", GENERAL)
@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("operation", ["loads", "dumps"])
def test_a_format_returns_what_it_was_given(name, kind, operation):
    contender = entered(name)
    made = job(operation, workload(VALUES[kind]), contender, Factors())
    result = made.call(made.argument())
    assert made.fault(result) == ""
    assert made.size(result) > 0


@pytest.mark.parametrize("name", GENERAL)
def test_a_wrong_result_is_noticed(name):
    made = job("loads", workload({"a": 1}), entered(name), Factors())
    other = job("loads", workload({"a": 2}), entered(name), Factors())
    assert made.fault(other.call(other.argument())) != ""


@pytest.mark.parametrize(
    "name", ["msgpack", "msgpack raw", "msgspec msgpack", "ormsgpack", "bson"]
)
@pytest.mark.parametrize("number", [2**64, -(2**63) - 1])
def test_integers_that_a_format_cannot_hold_are_refused_before_any_timing(name, number):
    contender = entered(name)
    for operation in ("loads", "dumps"):
        with pytest.raises(UnsupportedError, match="bits"):
            job(operation, workload([[{"a": number}]]), contender, Factors()).argument()


def test_bson_has_no_unsigned_integers_and_no_zero_in_names():
    contender = entered("bson")
    with pytest.raises(UnsupportedError, match="64 bits"):
        contender.calls.prepare([2**63])
    with pytest.raises(UnsupportedError, match="U\\+0000"):
        contender.calls.prepare({"a\0b": 1})


def test_integers_of_any_size_pass_through_pickle_and_marshal():
    for name in ("pickle2", "pickle5", "marshal2", "marshal4"):
        made = job("loads", workload([10**50]), entered(name), Factors())
        assert made.fault(made.call(made.argument())) == ""


def test_the_two_versions_of_marshal_differ_in_the_reuse_of_keys():
    value = json.loads('[{"name":1},{"name":2}]')
    shared = {}
    for name in ("marshal2", "marshal4"):
        calls = entered(name).calls
        first, second = calls.loads(calls.dumps(value))
        shared[name] = next(iter(first)) is next(iter(second))
    assert shared == {"marshal2": False, "marshal4": True}


def test_raw_msgpack_does_not_make_text():
    contender = entered("msgpack raw")
    assert contender.loads(contender.dumps({"a": ["b"]})) == {b"a": [b"b"]}
    assert contender.calls.plain({b"a": [b"b", 1, None]}) == {"a": ["b", 1, None]}


@pytest.mark.parametrize("operation", ["loads", "dumps", "touch"])
def test_protobuf_takes_the_plan(operation):
    made = job(operation, workload(PLAN), entered("protobuf"), Factors())
    assert made.fault(made.call(made.argument())) == ""


def test_protobuf_touches_every_field():
    calls = entered("protobuf").calls
    found = calls.touch(calls.loads(calls.dumps(calls.prepare(PLAN))))
    assert found == (PLAN["floats"], [tuple(one.values()) for one in PLAN["events"]])


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        {"floats": [], "events": [], "more": 1},
        {"events": [], "floats": []},
        {"floats": [1], "events": []},
        {"floats": [], "events": [{"int": 1, "float": 1.0}]},
        {"floats": [], "events": [{"int": True, "float": 1.0, "str": ""}]},
        {"floats": [], "events": [{"int": 2**63, "float": 1.0, "str": ""}]},
    ],
)
def test_protobuf_refuses_every_other_shape(value):
    contender = entered("protobuf")
    for operation in ("loads", "dumps"):
        with pytest.raises(UnsupportedError):
            job(operation, workload(value), contender, Factors()).argument()


def test_the_schema_is_protobufs_own_wire_format():
    calls = entered("protobuf").calls
    value = {"floats": [], "events": [{"int": 1, "float": 0.0, "str": "a"}]}
    assert calls.dumps(calls.prepare(value)) == b"\x12\x05\x08\x01\x1a\x01a"


def test_the_copy_is_a_new_object_each_time():
    contender = entered("copy")
    text = b'{"a": [1, 2]}'
    for operation, wanted in (("loads", text), ("dumps", b'{"a":[1,2]}')):
        made = job(operation, Workload("made", [text]), contender, Factors())
        argument = made.argument()
        first, second = made.call(argument), made.call(argument)
        assert first == second == wanted
        assert first is not second
        assert first is not argument


def test_the_builder_builds_the_tree_and_writes_nothing():
    contender = entered("build only")
    made = job("loads", workload(VALUES["repeated"]), contender, Factors())
    found = made.call(made.argument())
    assert found == VALUES["repeated"]
    assert next(iter(found[0])) is next(iter(found[1]))
    writing = job("dumps", workload([1]), contender, Factors())
    with pytest.raises(UnsupportedError, match="builds"):
        writing.call(writing.argument())
    with pytest.raises(UnsupportedError, match="builds"):
        contender.writer(Need())


@pytest.mark.parametrize("name", [*FORMATS, "copy"])
@pytest.mark.parametrize(
    "need",
    [
        Need(sort_keys=True),
        Need(indent=True),
        Need(non_str_keys=True),
        Need(numpy=True),
    ],
)
def test_an_option_that_a_format_has_not_is_refused(name, need):
    with pytest.raises(UnsupportedError, match="no option"):
        entered(name).writer(need)


def test_the_dead_library_keeps_its_row_with_a_reason():
    ready, absent = contenders.enter(["cjson"])
    assert not ready
    assert "Python 2" in absent["cjson"]


def test_every_contender_says_how_it_is_called():
    for name, library in contenders.libraries().items():
        assert len(library.call_path) > 20, name
        assert library.call_path.rstrip().endswith((".", ")")), name


def test_files_import_no_library_before_they_are_bound():
    package = importlib.import_module("snooze_lab.contenders")
    allowed = {"snooze_lab", *sys.stdlib_module_names}
    for path in sorted(Path(package.__file__).parent.glob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module]
            else:
                continue
            assert {name.split(".")[0] for name in names} <= allowed, path.name


@pytest.mark.parametrize("name", FLOORS)
def test_floors_are_no_library(name):
    assert contenders.known(name).format == "floor"


@pytest.mark.parametrize(
    ("name", "need", "wanted"),
    [
        ("rapidjson", Need(indent=True), b'{\n  "b": 1,\n  "a": []\n}'),
        ("rapidjson", Need(sort_keys=True), b'{"a":[],"b":1}'),
        ("ujson", Need(indent=True), b'{\n  "b": 1,\n  "a": []\n}'),
        ("ujson", Need(sort_keys=True), b'{"a":[],"b":1}'),
        ("simplejson", Need(sort_keys=True), b'{"a":[],"b":1}'),
    ],
)
def test_the_seeds_libraries_have_their_options(name, need, wanted):
    assert entered(name).writer(need)({"b": 1, "a": []}) == wanted


@pytest.mark.parametrize("name", ["rapidjson", "ujson", "simplejson"])
def test_the_seeds_libraries_take_other_keys_and_fallbacks(name):
    contender = entered(name)
    assert contender.writer(Need(non_str_keys=True))({7: 1}) == b'{"7":1}'
    assert contender.writer(Need(fallback=str))([complex(1)]) == b'["(1+0j)"]'
