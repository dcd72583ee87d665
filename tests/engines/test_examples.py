"""The example of each engine prints the rows of the loop by hand.

Separate from test_adapters.py because the examples are whole programs, as users run
them. Each is skipped where its engine is not installed.
"""

from __future__ import annotations

import importlib.util
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples" / "scale"
PACKAGES = {
    "dask": "dask",
    "datafusion": "datafusion",
    "datasets": "datasets",
    "duckdb": "duckdb",
    "polars": "polars",
    "ray": "ray",
    "spark": "pyspark",
}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a log whose failures the examples count."""
    rng = random.Random(15)
    path = tmp_path_factory.mktemp("log") / "log.ndjson"
    records: list[dict[str, Any]] = [
        {
            "service": f"service-{rng.randrange(9)}",
            "status": rng.choice((200, 404, 500, 503)),
            "duration_ms": round(rng.expovariate(0.05), 3),
            "message": "m" * rng.randrange(50),
        }
        for _ in range(5000)
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def printed(name: str, log: Path) -> str:
    """Run an example; return what it prints."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), str(log)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_every_example_is_tested() -> None:
    assert {path.stem for path in EXAMPLES.glob("on_*.py")} == {
        f"on_{name}" for name in PACKAGES
    }


@pytest.mark.parametrize("name", PACKAGES)
def test_equal_to_by_hand(name: str, log: Path) -> None:
    if importlib.util.find_spec(PACKAGES[name]) is None:
        pytest.skip(f"{name} is not installed: NOT tested")
    if name == "spark" and shutil.which("java") is None:
        pytest.skip("Java is not installed: NOT tested")
    expected = printed("by_hand", log)
    assert expected.count("\n") == 9
    assert printed(f"on_{name}", log) == expected
