"""The folder in which a test of the command line runs."""

from __future__ import annotations

import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of its own for a test, and a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path
