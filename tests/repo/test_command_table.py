"""The table of docs/command.md: its rows, how a process is measured, where it goes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from helpers.scripts import ROOT, script

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("resource", reason="the system counts no children")
command_table = script("command_table")


def test_the_table_has_every_command() -> None:
    text = command_table.PAGE.read_text("utf-8")
    table = text.partition(command_table.BEGIN)[2].partition(command_table.END)[0]
    rows = re.findall(r"^\| `(.*)` \| [\d.]+ s \| \d+ MB \|$", table, re.MULTILINE)
    assert rows == list(command_table.COMMANDS)
    found = dict.fromkeys(command_table.COMMANDS, (0.304, 24_400_000)) | {
        "jq .": (2.94, 383_000_000)
    }
    made = command_table.table(found, 101_000_000, "How.")
    assert made.splitlines()[:2] == table.strip().splitlines()[:2]
    assert "| `snooze format` | 0.30 s | 24 MB |\n| `jq .` | 2.9 s | 383 MB |" in made


def test_only_the_table_changes() -> None:
    page = f"before\n{command_table.BEGIN}\nold\n{command_table.END}\nafter\n"
    assert command_table.placed(page, "new") == page.replace("old", "new")
    with pytest.raises(SystemExit, match="command.md: expected <!-- table"):
        command_table.placed("no table", "new")


def test_without_jq_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(SystemExit, match=r"jq is not installed.*apt-get install jq"):
        command_table.version_of_jq()


def test_the_document_is_an_array_of_copies(tmp_path: Path) -> None:
    source, target = tmp_path / "one.json", tmp_path / "many.json"
    source.write_text('{\n  "a": 1\n}')
    size = command_table.write_document(source, target, 3)
    assert json.loads(target.read_bytes()) == [{"a": 1}] * 3
    assert size == target.stat().st_size


#: The script in a process of its own: the tests' has much memory itself.
ALONE = f"""
import json, sys
sys.path.insert(0, {str(ROOT / "scripts")!r})
import command_table
commands = {{
    "much": (sys.executable, "-c", "x = b'1' * 90_000_000; sum(range(2_000_000))"),
    "more": (sys.executable, "-c", "x = b'1' * 190_000_000"),
}}
print(json.dumps(command_table.measure(commands, "file", 2)))
"""


def alone(program: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", program]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_process_is_measured() -> None:
    done = alone(ALONE)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert list(found) == ["much", "more"]
    assert found["much"][0] > 0.01
    assert 90e6 < found["much"][1] < 190e6 < found["more"][1] < 290e6
    said = done.stderr.split("\n")
    assert sorted(said[:2]) == ["round 1 of 2: more", "round 1 of 2: much"]


def test_a_command_that_fails_ends_the_script() -> None:
    done = alone(ALONE.replace("x = b'1' * 190_000_000", "raise SystemExit(3)"))
    assert done.returncode == 1
    assert "to end with status 0, found 3" in done.stderr


def test_memory_of_the_script_itself_is_no_figure() -> None:
    large = "import command_table; y = b'1' * 300_000_000"
    done = alone(ALONE.replace("import command_table", large))
    assert done.returncode == 1
    assert "no more than this script has" in done.stderr.replace("\n", " ")
