"""The planted differences are what they say, and the command counts what runs say."""

from __future__ import annotations

import sys

import orjson
import pytest

import planted
import slower
import twins
from snooze_lab.planning import byob


@pytest.mark.parametrize("part", [0.0, 0.5])
def test_the_wrapper_works_for_its_share_longer(monkeypatch, part):
    """By a clock that advances 10 ns at each reading, and 1,000 in the call."""
    now = [0]

    def clock():
        now[0] += 10
        return now[0]

    def call(argument):
        now[0] += 1_000
        return argument

    monkeypatch.setattr(slower, "thread_time_ns", clock)
    start = now[0]
    assert slower._with(call, part)("x") == "x"
    own = 1_010  # what two readings saw
    assert part * own <= now[0] - start - own - 10 <= part * own + 20


def test_both_return_what_orjson_returns():
    text = twins.text(planted.DOCUMENT)
    value = orjson.loads(text)
    assert slower.loads(text) == slower.same(text) == value
    assert slower.dumps(value) == slower.same_dumps(value) == orjson.dumps(value)


def test_a_run_has_a_verdict_for_each_cell(tmp_path, monkeypatch):
    monkeypatch.setattr(byob, "BLOCKS", 1)
    monkeypatch.setattr(planted, "SECONDS", 0.02)
    found = list(planted.verdicts(planted.one(tmp_path, 1, 0.0)))
    assert sorted(key[:3] for key in found) == sorted(
        (operation, name, instrument)
        for operation in ("loads", "dumps")
        for name in (planted.SLOWER, planted.SAME)
        for instrument in ("isolated", "interleaved")
    )


def test_the_command_counts_what_runs_say(monkeypatch, capsys):
    cell = {"effects": {"isolated": {"time": {"verdict": "worse"}}}}
    row = {"operation": "loads", "cells": {planted.SLOWER: cell, planted.SAME: cell}}
    results = {"studies": [{"tables": [{"rows": [row]}]}]}
    monkeypatch.setattr(planted, "one", lambda *_: results)
    monkeypatch.setattr(sys, "argv", ["planted", "--runs", "3"])
    planted.main()
    assert capsys.readouterr().out.splitlines() == [
        "orjson, 5 % slower:",
        "  loads isolated     worse 3 of 3",
        "orjson, as fast:",
        "  loads isolated     worse 3 of 3",
    ]
