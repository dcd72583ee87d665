"""The race's group subinterpreters, with CPython's interpreters and with stand-ins.

The stand-ins run the same code in this interpreter, so that all of the group but the
import of `concurrent.interpreters` is tested on every CPython.
"""

from __future__ import annotations

import importlib.util
import random
import sys
import types
from typing import TYPE_CHECKING, Any

import pytest

from snooze_lab import contenders
from snooze_lab.contenders import Calls, Contender, UnsupportedError
from snooze_lab.race import cells, command, scaling, subinterpreters, table

if TYPE_CHECKING:
    from collections.abc import Iterator


class ExecutionFailedError(Exception):
    """As `concurrent.interpreters.ExecutionFailed`."""

    def __init__(self, error: Exception) -> None:
        """State the exception."""
        super().__init__(str(error))
        self.excinfo = types.SimpleNamespace(
            type=type(error),
            msg=str(error),
            formatted=f"{type(error).__name__}: {error}",
        )


class Interpreter:
    """As `concurrent.interpreters.Interpreter`."""

    open = 0

    def __init__(self) -> None:
        """Start with nothing."""
        self.names: dict[str, Any] = {}
        Interpreter.open += 1

    def prepare_main(self, **names: Any) -> None:
        """Bind names."""
        self.names |= names

    def exec(self, code: str) -> None:
        """Run code."""
        try:
            exec(code, self.names)
        except Exception as error:
            raise ExecutionFailedError(error) from error

    def close(self) -> None:
        """End it."""
        Interpreter.open -= 1


@pytest.fixture(params=["stand-ins", "CPython's"])
def ready(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Interpreters that can be made; none is left open."""
    if request.param == "stand-ins":
        module: Any = types.ModuleType(subinterpreters.MODULE)
        module.create, module.ExecutionFailed = Interpreter, ExecutionFailedError
        monkeypatch.setitem(sys.modules, subinterpreters.MODULE, module)
    elif importlib.util.find_spec(subinterpreters.MODULE) is None:
        pytest.skip(f"needs {subinterpreters.NEED}")
    before = Interpreter.open
    yield
    assert Interpreter.open == before


def task(direction: str) -> cells.Task:
    """The row of a small document."""
    rows = subinterpreters.rows([direction])
    return next(one for one in rows if one.name == "1 kB")


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("direction", ["loads", "dumps"])
def test_each_interpreter_checks_and_times_its_own_calls(direction: str) -> None:
    """The row has those of the group threads; a library that refuses is named."""
    refuses = Contender("refuses", "1", None, Calls(bytes, bytes, lambda _: len))
    entered, _ = contenders.enter(["json"])
    setting = cells.Setting(
        [*entered, refuses], 0.01, random.Random(1), reference="json"
    )
    found = subinterpreters.measure(task(direction), setting)
    one, both = found["nanoseconds"]["json"]
    value, low, high = found["scaling"]["json"]
    assert min(one, both) > 0
    assert 0 < low <= value <= high
    assert list(found["scaling"]) == ["json"]
    assert "refuses" in found["wrong"] | found["unable"]
    text = scaling.shown([found] * 4)
    assert text.startswith("2 interpreters / 1")
    text += "\n" + scaling.line(found, "json")
    assert max(map(len, text.splitlines())) <= table.WIDTH


@pytest.mark.usefixtures("ready")
def test_spans_are_of_all_that_ran() -> None:
    """One interpreter alone, then both; calls that fail end a slice, too."""
    team = subinterpreters.Team("json", task("loads"))
    try:
        assert team.timed(1, 3) > 0
        assert team.timed(2, 3) > 0
        team.check()
        team._run(1, "worker._job = None")
        with pytest.raises(RuntimeError, match="AttributeError.*'call'"):
            team.timed(2, 3)
        with pytest.raises(RuntimeError, match="AttributeError.*'fault'"):
            team.check()
        assert team.timed(1, 3) > 0
    finally:
        team.close()


@pytest.mark.usefixtures("ready")
def test_a_library_that_cannot_be_imported_is_refused() -> None:
    """With the reason of its ImportError."""
    with pytest.raises(UnsupportedError, match="no_such_library"):
        subinterpreters.Team("no_such_library:loads,dumps", task("loads"))


@pytest.mark.usefixtures("ready")
def test_a_wrong_result_at_the_end_costs_the_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As one before the race."""

    def check(_team: subinterpreters.Team) -> None:
        raise ValueError("another result")

    monkeypatch.setattr(subinterpreters.Team, "check", check)
    entered, _ = contenders.enter(["json"])
    setting = cells.Setting(entered, 0.01, random.Random(1), reference="json")
    found = subinterpreters.measure(task("loads"), setting)
    assert found["scaling"] == found["nanoseconds"] == {}
    assert found["wrong"] == {"json": "ValueError: another result"}


def test_a_wrong_result_is_no_result() -> None:
    """A worker checks before anything is timed."""
    worker = subinterpreters.Worker("json", "loads", "1 kB")
    worker._argument = b"[]"
    with pytest.raises(ValueError, match="differ"):
        worker.check()


def test_an_older_python_leaves_the_group_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It says what it needs."""
    monkeypatch.setattr(subinterpreters, "available", lambda: False)
    assert command.chosen(command.parse(["--group", "subinterpreters"])) == []
    said = capsys.readouterr().out
    assert "left out: subinterpreters (needs concurrent.interpreters of" in said
    assert max(map(len, said.splitlines())) <= table.WIDTH + len("\x1b[31m\x1b[0m")
