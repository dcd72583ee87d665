"""Subinterpreters with their own GIL, under the module name that each CPython has.

Separate because untyped and typed codecs are both tested in them. Invariant: code that
raises inside an interpreter fails the test with that error. Used by tests/safety; needs
CPython 3.12 or newer.
"""

from __future__ import annotations

import importlib
from typing import Any

import pytest


class Interpreters:
    """Create, use and destroy isolated interpreters."""

    def __init__(self) -> None:
        for name in ("_interpreters", "_xxsubinterpreters"):
            try:
                self.module: Any = importlib.import_module(name)
            except ImportError:
                continue
            return
        pytest.skip("this Python comes without _interpreters: NOT tested")

    def create(self) -> Any:
        """Return a new interpreter with its own GIL."""
        if self.module.__name__ == "_xxsubinterpreters":
            return self.module.create(isolated=True)
        return self.module.create("isolated")

    def run(self, interpreter: Any, code: str) -> None:
        """Run a program in an interpreter."""
        failure = self.module.run_string(interpreter, code)
        assert failure is None, getattr(failure, "errdisplay", failure)

    def destroy(self, interpreter: Any) -> None:
        """End an interpreter."""
        self.module.destroy(interpreter)

    def run_once(self, code: str) -> None:
        """Run a program in a new interpreter, then destroy it."""
        interpreter = self.create()
        self.run(interpreter, code)
        self.destroy(interpreter)
