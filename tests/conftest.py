"""Hypothesis profiles, fetched data and the report header of the whole suite.

HYPOTHESIS_PROFILE=long runs the property tests with more examples, =quick and =again
with fewer (default: normal). SNOOZE_SHARD=1/2 runs every other test, from the first.
The fetched documents and the conformance corpus are in .build/ of the checkout. A
missing folder is filled by snooze_lab.data; if that fails, so does the test that needs
it, and the failure names the command to run by hand.
"""

from __future__ import annotations

import gc
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build"
DOCUMENTS = ("twitter", "github", "citm_catalog", "canada")
LIBRARIES = ("orjson", "numpy", "pytz", "python-dateutil", "pendulum", "tzdata")

set_hypothesis_home_dir(BUILD / "hypothesis")
_COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("quick", max_examples=50, **_COMMON)
settings.register_profile("again", max_examples=100, **_COMMON)
settings.register_profile("normal", max_examples=300, **_COMMON)
settings.register_profile("long", max_examples=5_000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "normal"))


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "ABSENT, its tests are skipped"


def pytest_report_header() -> list[str]:
    """Name the Python, the library under test and every comparison library."""
    gil = "free-threaded" if sysconfig.get_config_var("Py_GIL_DISABLED") else "GIL"
    lines = [f"snooze: {_version('snooze')} on {platform.python_version()} ({gil})"]
    lines += [f"{name}: {_version(name)}" for name in LIBRARIES]
    lines.append(f"hypothesis profile: {settings.get_current_profile_name()}")
    return lines


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Keep the tests of one shard, from those that all other options select."""
    shard = os.environ.get("SNOOZE_SHARD", "1/1")
    match = re.fullmatch(r"(\d+)/(\d+)", shard)
    part, parts = map(int, match.groups()) if match else (0, 0)
    if not 1 <= part <= parts:
        raise pytest.UsageError(f"SNOOZE_SHARD={shard!r} is not of the form 1/2")
    others = [item for at, item in enumerate(items) if at % parts != part - 1]
    items[:] = items[part - 1 :: parts]
    config.hook.pytest_deselected(items=others)


@settings(derandomize=True, max_examples=1, database=None)
@given(st.none())
def _start_hypothesis(nothing: None) -> None:
    """Have Hypothesis make its random generator, which its first property does."""


@pytest.fixture(scope="session")
def started_hypothesis() -> None:
    """Start Hypothesis while `gc.get_referrers` can still see its objects.

    It warns about a generator without referrers, and those in a frozen heap are not
    found. Derandomized, as it runs by default where `CI` is set.
    """
    _start_hypothesis()


@pytest.fixture(scope="module", autouse=True)
def frozen_heap(started_hypothesis: None) -> None:
    """Keep everything from before a module out of each `gc.collect()` of its tests.

    Thousands of collected tests would make one collection take a second.
    """
    gc.collect()
    gc.freeze()


def _fetch(group: str, folder: Path) -> Path:
    """Return `folder`, filled with a group of the laboratory's data if it is missing."""
    if folder.is_dir() and any(folder.iterdir()):
        return folder
    command = [sys.executable, "-m", "snooze_lab.data", "get", group]
    places = {"PYTHONPATH": str(ROOT / "lab" / "src"), "SNOOZE_LAB_DATA": str(BUILD)}
    run = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode != 0 or not folder.is_dir():
        pytest.fail(
            f"{folder.relative_to(ROOT)} is missing and could not be fetched; "
            f"run `make documents` with network access.\n"
            f"{run.stdout}{run.stderr}",
            pytrace=False,
        )
    return folder


@pytest.fixture(scope="session")
def documents() -> dict[str, bytes]:
    """Return the four benchmark documents, by name without extension."""
    folder = _fetch("canon", BUILD / "documents")
    return {name: (folder / f"{name}.json").read_bytes() for name in DOCUMENTS}


@pytest.fixture(scope="session")
def conformance() -> dict[str, bytes]:
    """Return the JSONTestSuite corpus: name -> bytes (y_ accept, n_ reject, i_ either)."""
    return _corpus("JSONTestSuite", "[yni]_*.json")


@pytest.fixture(scope="session")
def json_checker() -> dict[str, bytes]:
    """Return the JSON_checker corpus: passN.json and failN.json, file name -> bytes."""
    return _corpus("JSON_checker", "*.json")


@pytest.fixture(scope="session")
def jsonpath_suite() -> list[dict[str, object]]:
    """Return the cases of the JSONPath compliance test suite."""
    return json.loads(_corpus("JSONPath", "cts.json")["cts.json"])["tests"]


def _corpus(name: str, pattern: str) -> dict[str, bytes]:
    folder = _fetch("conformance", BUILD / "conformance" / name)
    files = {path.name: path.read_bytes() for path in sorted(folder.glob(pattern))}
    assert files, f"no {pattern} in {folder}: run `make documents`"
    return files
