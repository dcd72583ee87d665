"""What fuzzing has found: inputs that reach each part of the readers and writers.

Separate from the campaigns (`make fuzz TARGET=typed`), which need a compiler: here their
smallest corpora are replayed on every CPython, in every tier and build. Each line of a
corpus is an input as a JSON string, whose characters are its bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import snooze
from helpers import fuzzed_json, fuzzed_types
from helpers.equality import same

CORPORA = Path(__file__).resolve().parent / "corpora"
PROPERTIES: dict[str, Any] = {"json": fuzzed_json, "typed": fuzzed_types}


@pytest.mark.parametrize("target", PROPERTIES)
def test_the_property_holds(target: str) -> None:
    """For the first inputs of a campaign, and for those that it kept."""
    module = PROPERTIES[target]
    lines = (CORPORA / f"{target}.txt").read_text("ascii").splitlines()
    inputs = module.seeds() + [json.loads(line).encode("latin-1") for line in lines]
    assert len(inputs) > 100
    for data in inputs:
        try:
            module.check(data)
        except Exception as error:
            error.add_note(f"input: {data!r}")
            raise


@pytest.mark.parametrize("target", PROPERTIES)
def test_each_comparison_can_fail(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference that any one of them finds ends the check."""
    module = PROPERTIES[target]
    seed = module.seeds()[0]
    calls = failing = 0

    def differs(left: Any, right: Any) -> bool:
        nonlocal calls
        calls += 1
        return same(left, right) and calls != failing

    monkeypatch.setattr(module, "same", differs)
    module.check(seed)
    count = calls
    assert count > 2
    while failing < count:
        failing, calls = failing + 1, 0
        with pytest.raises(AssertionError):
            module.check(seed)


@pytest.mark.parametrize("function", ["loads", "dumps"])
def test_wrong_refusals_are_noticed(
    function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what `json` accepts, and `loads` has no reason to refuse."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise snooze.JSONDecodeError("refused", "", 0)

    monkeypatch.setattr(snooze, function, refuse)
    with pytest.raises(AssertionError):
        fuzzed_json.check(b"\x00[1, 2]")
