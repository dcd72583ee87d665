"""A pytest plugin that writes the outcome of each test for `scripts/peers.py`.

Separate from the plugins that put snooze in the place of another library, because it is
the same for all of them. The file is named by the environment variable PEERS_OUTCOMES.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the outcome of each test; of a skipped one, the reason."""
    if report.skipped and isinstance(report.longrepr, tuple):
        _outcomes[report.nodeid] = report.longrepr[2].removeprefix("Skipped: ")
    elif report.when == "call" or report.failed:
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish() -> None:
    """Write the outcomes."""
    Path(os.environ["PEERS_OUTCOMES"]).write_text(json.dumps(_outcomes), "utf-8")
