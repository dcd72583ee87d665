"""The table of hostile documents: its calls, and what the script does with times."""

from __future__ import annotations

from helpers.scripts import ROOT, script

complexity = script("complexity")


def test_the_table_has_every_call() -> None:
    text = (ROOT / "SECURITY.md").read_text("utf-8")
    table = text.partition(complexity.BEGIN)[2].partition(complexity.END)[0]
    for name in complexity.cases():
        assert f"\n| {name} | " in table


def test_a_slow_call_fails_the_script(monkeypatch, capsys) -> None:
    """A call at the limit does not."""
    monkeypatch.setattr("sys.argv", ["complexity.py"])
    monkeypatch.setattr(complexity, "measure", lambda: {"a": 1.0, "b": 20.0})
    assert complexity.main() == 0
    monkeypatch.setattr(complexity, "measure", lambda: {"a": 1.0, "b": 21.0})
    assert complexity.main() == 1
    assert "b: 21.0 times as long" in capsys.readouterr().out


def test_refusals_are_timed_too() -> None:
    def refuse() -> None:
        raise ValueError

    assert 0 <= complexity.least(refuse, runs=1) < 1
