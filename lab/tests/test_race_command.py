"""The race's command line: its options, records, and what becomes of a crash."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from snooze_lab import contenders
from snooze_lab.machine import env
from snooze_lab.race import cells, command, run
from snooze_lab.timing import heartbeat
from snooze_lab.worker.launch import SOURCE
from test_race import enter, made_cell

if TYPE_CHECKING:
    from pathlib import Path


def test_a_tier_is_a_restart_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """snooze chooses its tier when it is imported, so another process is needed."""
    restarted = []

    def execve(path: str, words: list[str], variables: dict[str, str]) -> None:
        restarted.append((path, words[3:], variables["SNOOZE_CPU"]))
        raise SystemExit

    monkeypatch.setattr(command.os, "execve", execve)
    monkeypatch.delenv("SNOOZE_CPU", raising=False)
    words = ["--tier", "avx2", "--quick"]
    for place in ([], ["--python", sys.executable]):
        monkeypatch.setattr(sys, "argv", ["race", *words, *place])
        with pytest.raises(SystemExit):
            command.main()
    assert restarted == [(sys.executable, words, "avx2")] * 2
    monkeypatch.setenv("SNOOZE_CPU", "avx2")
    monkeypatch.setattr(sys, "argv", ["race", *words])
    monkeypatch.setattr(run, "tier", lambda: "v128")
    with pytest.raises(SystemExit, match="no tier above v128"):
        command.main()
    assert len(restarted) == 2


def test_a_record_names_its_tier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its environment and in its file's name, so that tiers do not mix."""
    whole = run.Run(command.parse(["--group", "tiny"]), [], {})
    monkeypatch.setattr(run, "tier", lambda: "v128")
    path = run.write(tmp_path, whole)
    assert path.name.endswith(f"-py3.{sys.version_info[1]}-v128.json")
    found = json.loads(path.read_text("utf-8"))
    assert found["environment"]["tier"] == "v128"
    assert found["environment"]["processor"] == env.processor()
    assert found["footprint"] == {}
    monkeypatch.setattr(run, "tier", lambda: None)
    assert "-None" not in run.write(tmp_path, whole).name


def test_a_bad_place_for_the_record_is_found_before_the_race(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not after half an hour."""
    file = tmp_path / "file"
    file.write_text("")
    whole = run.Run(command.parse(["--group", "tiny"]), [], {})
    for good in (tmp_path, tmp_path / "x.json", tmp_path / "new" / "folder"):
        run.check(good)
        assert run.write(good, whole).exists()
    assert not list(tmp_path.rglob("*.part"))
    monkeypatch.setattr(run, "measure", lambda *_: pytest.fail("it was measured"))
    for bad in (tmp_path / "none" / "x.json", file, file / "folder"):
        words = ["race", "--group", "tiny", "--only", "null", "--record", str(bad)]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit, match=r"race: --record .*: no"):
            command.main()
    monkeypatch.setattr(run.os, "access", lambda *_: False)
    with pytest.raises(OSError, match="cannot be written to"):
        run.check(tmp_path)


@pytest.mark.parametrize("everyone", [True, False])
def test_a_race_that_is_stopped_shows_what_is_finished(
    tmp_path: Path, everyone: bool
) -> None:
    """Once, without tracebacks and a record, whoever gets the signal."""
    words = ["--group", "tiny", "--only", "1", "--contenders", "json", "--seconds"]
    code = (
        "import os, signal, sys, time\n"
        "from snooze_lab.race import cells, command\n"
        # A shell may have started the tests with the signal ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "race, main = cells.race, os.getpid()\n"
        "def slow(task, *rest):\n"
        "    if task.direction == 'loads':\n"
        "        return race(task, *rest)\n"
        f"    (os.killpg if {everyone} else os.kill)(main, signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "cells.race = slow\n"
        "command.main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words, "0.05", "--record", tmp_path],
        check=False,
        capture_output=True,
        text=True,
        timeout=50,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": str(SOURCE)},
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "INCOMPLETE" in done.stdout
    assert "tiny: speed relative to orjson" in done.stdout
    assert not list(tmp_path.iterdir())


def test_a_goal_over_a_group_needs_the_whole_group(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not the rows of --only, one direction, or what did not crash."""

    def race(task: Any, *_: Any, **__: Any) -> Any:
        if task.name in crashing:
            os._exit(3)
        figures = made_cell("a", "dumps", snooze=[10.0] * 4, orjson=[30.0] * 4)
        return dataclasses.replace(figures, task=task)

    def reached(*words: str) -> bool | None:
        options = command.parse(["--group", "tiny", *words])
        whole = run.Run(options, [], {})
        run.measure(whole, command.chosen(options))
        (found,) = [one for one in run.judged(whole) if one.name == "tiny calls"]
        return found.reached

    crashing: set[str] = set()
    monkeypatch.setattr(cells, "race", race)
    assert reached() is True
    assert reached("--only", "100 bytes") is None
    assert reached("--direction", "loads") is None
    crashing.add("null")
    assert reached() is None


def test_who_races_is_who_was_entered(capsys: pytest.CaptureFixture[str]) -> None:
    """The standard library is not named where it does not take part."""
    options = command.parse(["--group", "tiny", "--contenders", "orjson"])
    run.introduce(run.Run(options, enter(["orjson"]), {}), [])
    assert "racing orjson" in capsys.readouterr().out
    run.introduce(run.Run(options, enter(["json", "orjson"]), {}), [])
    assert "racing json, orjson" in capsys.readouterr().out


def test_a_crash_costs_one_row(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each row has a process of its own, and the next begins with the same memory."""
    assert cells.apart(os.getpid) != os.getpid()
    with pytest.raises(cells.EndedError, match="signal 9"):
        cells.apart(lambda: os.kill(os.getpid(), 9))

    def race(task: Any, *_: Any, **__: Any) -> Any:
        if task.direction == "loads":
            os._exit(3)
        return made_cell("a", "dumps", snooze=[10.0], orjson=[20.0])

    monkeypatch.setattr(cells, "race", race)
    options = command.parse(["--group", "tiny", "--only", "1", "--seconds", "0.01"])
    whole = run.Run(options, [], {})
    run.measure(whole, command.chosen(options))
    assert [cell.task.direction for cell in whole.cells] == ["dumps"]
    assert whole.cells[0].times["snooze"] == [10.0]
    assert "loads 1: the process ended with status 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("way", "said"),
    [("hangs", "gave no answer within 1 s"), ("crashes", "ended with status 3")],
)
@pytest.mark.parametrize("group", ["tiny", "latency", "threads"])
def test_who_ends_a_process_loses_its_own_row(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    group: str,
    way: str,
    said: str,
) -> None:
    """It is named, and the others have their figures."""
    end = {"hangs": lambda: time.sleep(60), "crashes": lambda: os._exit(3)}[way]
    calls = contenders.Calls(lambda _: end(), lambda _: end(), lambda _: len)
    bad = contenders.Contender("bad", "1", None, calls)
    monkeypatch.setattr(heartbeat, "CALL_S", 1.0)
    names = ["--group", group, "--only", "1 kB", "--direction", "loads"]
    options = command.parse([*names, "--seconds", "0.01", "--contenders", "json"])
    whole = run.Run(options, [bad, *enter(["orjson", "json"])], {})
    run.measure(whole, command.chosen(options))
    row = whole.cells[0].as_record() if group == "tiny" else whole.apart[group][0]
    assert row["wrong"] == {"bad": f"the process {said}"}
    assert row["nanoseconds"].keys() == {"orjson", "json"}
    assert f"left out: the process {said}" in capsys.readouterr().out


def test_options_are_understood() -> None:
    """Groups, files and times; a wrong name is an error."""
    assert command.parse([]).groups == list(command.USUAL)
    assert command.parse(["--file", "x.json"]).groups == []
    assert command.parse(["--quick"]).seconds == command.QUICK
    assert command.parse(["--contenders", "snooze"]).names == ["snooze", "orjson"]
    other = command.parse(["--contenders", "snooze", "--relative-to", "json"])
    assert other.names == ["snooze", "orjson", "json"]
    for words in (
        ["--contenders", "nobody"],
        ["--relative-to", "nobody"],
        ["--seconds", "0"],
        ["--pyth", "python3"],
    ):
        with pytest.raises(SystemExit):
            command.parse(words)


def test_a_race_without_orjson_has_another_reference(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As on free-threaded CPython: the message says how, and the noise is measured."""
    entered = contenders.enter

    def without(names: list[str]) -> tuple[list[Any], dict[str, str]]:
        there, absent = entered([one for one in names if "orjson" not in one])
        gone = {one: "no wheel" for one in names if "orjson" in one}
        return there, absent | gone

    monkeypatch.setattr(contenders, "enter", without)
    words = ["race", "--group", "tiny", "--only", "null", "--seconds", "0.01"]
    words += ["--direction", "loads", "--contenders", "snooze,json"]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit, match=r"orjson, the reference, .* --relative-to"):
        command.main()
    monkeypatch.setattr(sys, "argv", [*words, "--relative-to", "json"])
    command.main()
    printed = capsys.readouterr().out
    assert "not available: orjson (no wheel)" in printed
    assert "json again" in printed
    assert "speed relative to json" in printed
    assert "json raced against itself differs by" in printed
    assert "orjson raced" not in printed


def test_second_entries_are_no_rivals() -> None:
    """Of any library."""
    assert contenders.known("json again").module == contenders.known("json").module
    assert not cells.is_rival("json again")
    assert not cells.is_rival("snooze dict")
    assert cells.is_rival("json")
    with pytest.raises(contenders.UnknownContenderError):
        contenders.known("nobody again")


def test_rows_can_be_chosen_in_every_group() -> None:
    """Cold calls too; a name that is no row is an error, not everything or nothing."""
    words = ["--group", "cold", "--group", "latency", "--direction", "loads"]
    options = command.parse([*words, "--only", "cold 1 kB,1 kB"])
    assert [one.name for one in command.chosen(options)] == ["cold 1 kB", "1 kB"]
    for group in ("cold", "memory"):
        options = command.parse(["--group", group, "--only", "twiter"])
        with pytest.raises(SystemExit, match="no row twiter"):
            command.chosen(options)
