"""The comparison of two builds measures both, and refuses what is not comparable."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import snooze

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "compare_builds.py"
SITE = str(Path(snooze.__file__).parents[1])


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script."""
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """Return a small file."""
    path = tmp_path / "a document.json"
    path.write_bytes(snooze.dumps([{"id": 1, "name": "mira"}] * 20))
    return path


@pytest.mark.parametrize("cold", [(), ("--cold",)])
@pytest.mark.parametrize("operation", ["loads", "dumps"])
def test_a_build_beside_itself(
    document: Path, operation: str, cold: tuple[str, ...]
) -> None:
    arguments = ("--seconds", "0.02", "--operation", operation, *cold)
    done = run(SITE, SITE, str(document), str(document), *arguments)
    assert done.returncode == 0, done.stderr
    head, first, second, mean = done.stdout.splitlines()
    assert head.startswith(operation)
    assert first.startswith("a document.json")
    ratios = [float(row[54:63]) for row in (first, second, mean)]
    assert mean.startswith("geometric mean")
    assert ratios[2] == pytest.approx((ratios[0] * ratios[1]) ** 0.5, abs=0.001)
    assert all(len(row) <= 80 for row in done.stdout.splitlines())


def test_cold_evicts_before_each_timed_call() -> None:
    """Every call but those that warm up comes right after the caches were evicted."""
    events: list[str] = []

    class Evicting(bytes):
        def count(self, *_: object) -> int:
            events.append("evict")
            return 0

    rounds = runpy.run_path(str(SCRIPT))["rounds"]
    calls = (lambda: events.append("old"), lambda: events.append("new"))
    _, ratios = rounds(*calls, 0.0, Evicting(b"1"))
    timed = events[events.index("evict") :]
    assert timed[::2] == ["evict"] * (2 * len(ratios))
    assert sorted(timed[1::2]) == ["new"] * len(ratios) + ["old"] * len(ratios)


def test_two_packages_are_two(tmp_path: Path, document: Path) -> None:
    """The second is not the first again: it returns something else here."""
    other = tmp_path / "snooze"
    other.mkdir()
    source = "import json\n\ndef loads(text):\n    return [json.loads(text)]\n"
    (other / "__init__.py").write_text(source)
    done = run(SITE, str(tmp_path), str(document))
    assert done.returncode == 1
    assert "do not agree on what loads returns" in done.stderr


def test_equal_values_of_other_types_are_a_difference(tmp_path: Path) -> None:
    """1.0 is not 1 here."""
    other = tmp_path / "snooze"
    other.mkdir()
    (other / "__init__.py").write_text("def loads(text):\n    return [1.0]\n")
    document = tmp_path / "one.json"
    document.write_text("[1]")
    done = run(SITE, str(tmp_path), str(document))
    assert done.returncode == 1
    assert "do not agree" in done.stderr


def test_a_folder_without_the_package_is_named(tmp_path: Path, document: Path) -> None:
    done = run(SITE, str(tmp_path), str(document))
    assert done.returncode == 1
    assert f"{tmp_path}: expected a folder that holds the package" in done.stderr
