"""The judge of readers: its metrics, its oracle, and the errors that it catches."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from types import SimpleNamespace

import pytest

from snooze_lab import contenders, workloads
from snooze_lab.contenders.base import Calls, Contender, UnsupportedError
from snooze_lab.model import Factors
from snooze_lab.workloads import WorkloadError
from snooze_lab.workloads import conformance as judged


def reader(loads, dumps=None) -> Contender:
    def write(value):
        return json.dumps(value).encode()

    calls = Calls(loads, dumps or write, lambda _: write)
    return Contender("made", "1", SimpleNamespace(), calls)


def case(name: str, text: bytes) -> judged.Case:
    return judged.case(name, text)


def corpus() -> list[judged.Case]:
    try:
        return judged.cases()
    except WorkloadError as reason:
        pytest.skip(str(reason))


FILES = [
    case("y_one.json", b"[1.5]"),
    case("n_open.json", b"[1"),
    case("n_latin.json", b'["\xe9"]'),
    case("i_string_lone.json", b'["\\ud800"]'),
    case("i_number_huge.json", b"[1e999]"),
    case("fail1.json", b'"top"'),
    case("fail2.json", b"['a']"),
    case("pass1.json", b'{"a":[]}'),
]


def test_what_must_become_of_a_file_is_in_its_name():
    assert [(one.rfc, one.seed) for one in FILES] == [
        (True, True),
        (False, False),
        (False, False),
        (None, False),
        (None, None),
        (True, True),
        (False, False),
        (True, True),
    ]
    with pytest.raises(WorkloadError, match="expected a name"):
        case("other.json", b"")


def test_the_standard_library_is_judged_by_both_metrics():
    found = judged.judge(reader(json.loads), FILES, floats=50)
    assert (found.seed.judged, found.rfc.judged) == (7, 6)
    assert found.seed.invalid_accepted == ["i_string_lone.json"]
    assert found.rfc.invalid_accepted == []
    assert found.seed.valid_rejected == found.rfc.valid_rejected == []
    assert found.choices == {
        "i_string_lone.json": "accepts",
        "i_number_huge.json": "accepts",
    }
    assert (found.floats, found.floats_wrong) == (50, 0)
    assert found.values_wrong == []


def test_a_reader_that_takes_everything_is_found_out():
    found = judged.judge(reader(lambda _: None), FILES, floats=1)
    assert found.rfc.invalid_accepted == ["n_open.json", "n_latin.json", "fail2.json"]
    assert "y_one.json" in found.values_wrong


def test_a_reader_that_takes_nothing_is_found_out():
    def never(_):
        raise KeyError("no")

    found = judged.judge(reader(never), FILES, floats=3)
    assert found.rfc.valid_rejected == ["y_one.json", "fail1.json", "pass1.json"]
    assert found.floats_wrong == 3


def test_a_reader_that_rejects_one_form_only_is_found_out():
    def bytes_only(text):
        if type(text) is str:
            raise TypeError("no str")
        return json.loads(text)

    found = judged.judge(reader(bytes_only), FILES, floats=1)
    assert found.rfc.valid_rejected == ["y_one.json", "fail1.json", "pass1.json"]


def test_a_reader_that_runs_out_of_stack_is_noted():
    def deep(_):
        raise RecursionError

    found = judged.judge(reader(deep), FILES[:2], floats=1)
    assert found.errors == {
        "y_one.json": "RecursionError",
        "n_open.json": "RecursionError",
    }


def test_a_float_that_is_off_by_one_bit_is_found_out():
    def off(text):
        value = json.loads(text)
        return (
            [math.nextafter(value[0], math.inf)] if type(value[0]) is float else value
        )

    found = judged.judge(reader(off), FILES[:1], floats=20)
    assert found.values_wrong == ["y_one.json"]
    assert found.floats_wrong == 20
    assert found.floats_example


def test_a_writer_that_rounds_is_found_out():
    def rounding(value):
        return f"[{value[0]:.12g}]".encode()

    assert judged.judge(reader(json.loads, rounding), [], floats=50).floats_wrong > 40


def test_patterns_are_finite_seeded_and_of_all_magnitudes():
    found = list(judged.patterns(2_000))
    assert found == list(judged.patterns(2_000))
    assert all(map(math.isfinite, found))
    assert min(map(abs, found)) < 1e-250
    assert max(map(abs, found)) > 1e250
    assert 0.4 < sum(one < 0 for one in found) / len(found) < 0.6


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("0.1", 0.1),
        ("9007199254740993", 9007199254740992.0),
        ("9007199254740995", 9007199254740996.0),
        ("1.7976931348623158e308", 1.7976931348623157e308),
        ("1.7976931348623159e308", math.inf),
        ("-1e999999", -math.inf),
        ("1e-999999", 0.0),
        ("4.9e-324", 5e-324),
        ("2e-324", 0.0),
        # Exactly between the greatest double and 2^1024, of which 2^1024 is even.
        (str(2**1024 - 2**970), math.inf),
        # Exactly between two doubles of the greatest exponent.
        (str(2**1023 + 2**970), 2.0**1023),
    ],
)
def test_the_nearest_double_is_the_only_right_one(text, nearest):
    assert judged.nearest(nearest, Decimal(text))
    assert float(text) == nearest
    for other in (
        math.nextafter(nearest, math.inf),
        math.nextafter(nearest, -math.inf),
    ):
        if other != nearest:
            assert not judged.nearest(other, Decimal(text))
    assert not judged.nearest(math.nan, Decimal(text))


@pytest.mark.parametrize(
    ("value", "text", "right"),
    [
        ([1], "[1]", True),
        ([1.0], "[1]", False),
        ([1], "[1.0]", False),
        ([True], "[1]", False),
        ([1e20], "[100000000000000000000]", True),
        ([1.5e20], "[100000000000000000000]", False),
        ({"a": 2}, '{"a":1,"a":2}', True),
        ({"a": 1}, '{"a":1,"a":2}', False),
        ([None], "[false]", False),
        ((1,), "[1]", False),
        ([], "[1]", False),
        ({}, '{"a":1}', False),
    ],
)
def test_values_agree_with_the_oracle_or_do_not(value, text, right):
    wanted = judged.oracle(text.encode())
    assert judged.agrees(value, wanted[0]) is right


@pytest.mark.parametrize("text", [b"[NaN]", b"[1", b"\xff", b"[" * 100_000])
def test_what_is_not_json_has_no_oracle(text):
    assert judged.oracle(text) is None


def test_the_suites_are_whole():
    files = corpus()
    assert len(files) == 354
    assert sum(one.seed is not None for one in files) == 342
    assert sum(one.rfc is not None for one in files) == 319


def test_the_standard_library_has_the_seeds_count():
    ready, _ = contenders.enter(["json"])
    found = judged.judge(ready[0], corpus(), floats=200)
    assert len(found.seed.invalid_accepted) == 17
    assert len(found.rfc.invalid_accepted) == 3
    assert len(found.as_json()["rfc"]["invalid_accepted"]) == 3


@pytest.mark.parametrize("name", ["snooze", "orjson"])
def test_strict_readers_have_no_fault(name):
    ready, absent = contenders.enter([name])
    if absent:
        pytest.skip(absent[name])
    found = judged.judge(ready[0], corpus(), floats=2_000)
    assert found.seed.invalid_accepted == found.seed.valid_rejected == []
    assert found.values_wrong == []
    assert found.floats_wrong == 0


def test_conformance_is_a_workload_with_one_operation():
    corpus()
    workload = workloads.find("conformance")
    ready, _ = contenders.enter(["json", "pickle5"])
    job = workload.job("conformance", ready[0], Factors())
    result = job.call(job.argument())
    assert job.fault(result) == ""
    assert job.digest(result) == job.digest(result)
    assert result.contender == "json"
    with pytest.raises(UnsupportedError, match="not JSON"):
        workload.job("conformance", ready[1], Factors())
    with pytest.raises(ValueError, match="no operation"):
        workload.job("loads", ready[0], Factors())


def test_the_digest_is_that_of_earlier_versions():
    """A run of theirs may be continued, and compares it with the verified one."""
    found = judged._digest(judged.Judgement("json", "1"))
    assert found == "64d9c3486bf022fcfd0bd37f0ac749c658bb8f294883ff606fe783574682cf15"


def test_missing_suites_say_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    with pytest.raises(WorkloadError, match="data get conformance"):
        judged.cases()
