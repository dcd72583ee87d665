"""What people ask beside the studies: tails, threads, start-up, features."""

from __future__ import annotations

import json
import sys

import pytest

import report_sample
from snooze_lab import contenders
from snooze_lab.race import practical
from snooze_lab.report.page import render
from snooze_lab.report.practical import section
from snooze_lab.worker.launch import Launcher

#: Answers that a change of these libraries should be noticed by.
KNOWN = {
    "json": {
        "writes datetime (RFC 3339)": "no",
        "writes NaN as null": "as NaN",
        "writes int over 64 bits": "yes",
        "refuses NaN and Infinity": "accepts 3 of 3",
        "option: sorted keys": "yes",
        "writes Decimal": "no",
    },
    "orjson": {
        "writes datetime (RFC 3339)": "yes",
        "writes NaN as null": "yes",
        "writes int over 64 bits": "no",
        "refuses NaN and Infinity": "yes",
        "option: int keys": "yes",
        "writes Decimal": "no",
    },
    "snooze": {
        "writes datetime (RFC 3339)": "yes",
        "reads int over 64 bits exactly": "as 1.1805916207174113e+21",
        "refuses invalid UTF-8": "yes",
    },
}


@pytest.mark.parametrize("name", KNOWN)
def test_answers_are_what_the_library_does(name):
    found = practical.asked(name)
    assert found.keys() == practical.QUESTIONS.keys()
    assert {text: found[text] for text in KNOWN[name]} == KNOWN[name]


def test_a_library_that_is_not_installed_has_no_answers():
    assert practical.asked("cjson") == {}


def contender(loads=None, dumps=None):
    calls = contenders.Calls(
        loads or (lambda text: None), dumps or repr, lambda _: repr
    )
    return contenders.Contender("own", "1", None, calls)


def test_a_wrong_text_is_shown_and_not_called_a_yes():
    ask = practical.QUESTIONS["writes date"]
    assert ask(contender(dumps=lambda _: b'"2024-05-06"')) == "yes"
    assert ask(contender(dumps=lambda _: b'"6 May 2024"')) == 'as "6 May 2024"'
    assert ask(contender(dumps=lambda _: b"{")) == "as {"
    when = practical.QUESTIONS["writes datetime (RFC 3339)"]
    assert when(contender(dumps=lambda _: b'"2024-05-06T07:08:09Z"')) == "yes"
    assert when(contender(dumps=lambda _: b"1714979289")) == "as 1714979289"
    exact = practical.QUESTIONS["reads int over 64 bits exactly"]
    assert exact(contender(loads=lambda _: float(practical.BIG))).startswith("as 1.18")


def test_everything_is_measured_with_the_workers_python():
    said = []
    found = practical.measure("smoke", ["json", "orjson"], Launcher(), said.append)
    assert found["failed"] == []
    assert list(found["features"]) == ["orjson", "json"]
    race = found["race"]
    assert {len(race[group]) > 0 for group in ("latency", "threads")} == {True}
    assert race["footprint"]["own_ms"].keys() >= {"orjson", "json"}
    assert said[0] == "latency, threads and start-up"
    shown = section(json.loads(json.dumps(found)))
    names = [part.name for part in shown.parts]
    assert names == [
        f"practical-{name}" for name in ("latency", "threads", "footprint", "features")
    ]
    (file,) = shown.files
    values = {row[5] for row in file.rows}
    one = race["latency"][0]["nanoseconds"]["orjson"]["p50"]
    assert one in values


def test_where_orjson_cannot_run_json_is_the_reference(tmp_path):
    (tmp_path / "orjson.py").write_text("raise ImportError('free-threaded')\n")
    launch = Launcher(path=(str(tmp_path),))
    found = practical.measure("smoke", ["json", "orjson"], launch, print)
    assert found["failed"] == []
    assert list(found["features"]) == ["json"]
    assert found["race"]["absent"] == {"orjson": "ImportError: free-threaded"}
    assert list(found["race"]["threads"][0]["scaling"]) == ["json", "json again"]
    shown = section(json.loads(json.dumps(found)))
    (threads,) = (part for part in shown.parts if part.name == "practical-threads")
    assert threads.head == ("document", "json")


def test_what_fails_is_named_and_the_rest_is_kept(monkeypatch, tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho no such module >&2\nexit 3\n")
    broken.chmod(0o755)
    found = practical.measure("smoke", ["json"], Launcher(python=str(broken)), print)
    assert found["features"] == {}
    assert found["failed"] == [
        "latency, threads and start-up: no such module",
        "features of json: no such module",
    ]
    crash = tmp_path / "crash"
    crash.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import os; os.abort()'\n")
    crash.chmod(0o755)
    found = practical.measure("smoke", ["json"], Launcher(python=str(crash)), print)
    assert found["failed"][1] == "features of json: ended by signal 6"
    small = report_sample.small() | {"practical": found}
    render(tmp_path, small, {}, {})
    text = report_sample.shown(tmp_path)
    assert "Not measured: features of json: ended by signal 6." in text


def test_a_run_without_it_has_no_such_section():
    assert section({}) is None
