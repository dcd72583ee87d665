"""Run only where the packages are installed: `make test-frameworks`.

The rest of the suite runs without them and collects nothing here but the test of what
happens then.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from helpers.scripts import script

#: One of requirements/frameworks.lock that no other environment has.
_HAS_PACKAGES = importlib.util.find_spec("rest_framework") is not None

collect_ignore = [
    path.name
    for path in Path(__file__).parent.glob("test_*.py")
    if path.name != "test_missing.py" and not _HAS_PACKAGES
]


@pytest.fixture(scope="session")
def postgresql_host():
    """Return the host of a running PostgreSQL; its user is snooze.

    Without a server the tests are skipped, and the summary says what to install.
    """
    postgresql = script("postgresql")
    running = postgresql.server()
    try:
        host = running.__enter__()
    except (postgresql.Unavailable, OSError) as error:
        pytest.skip(f"NOT TESTED: {error}")
    yield host
    running.__exit__(None, None, None)
