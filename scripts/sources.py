"""Digests of the sources: of the library, and of the tests that are run with it.

Separate from build.py, whose digest also has the compiler and the features: these say
whether a record of an earlier run is about the files that are here now. Invariants: a
digest depends on names and contents only, not on the machine, on dates or on git; what
a run writes itself is left out. Used by test_matrix.py and matrix_page.py. Standard
library only.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What a wheel is made of. The texts of README.md are in it too, but run nothing.
LIBRARY = ("crates", "src", "Cargo.toml", "Cargo.lock", ".cargo", "pyproject.toml")
TESTS = ("tests", "typing_tests", "examples", "requirements")
#: Records of runs, what Python and cargo write beside the sources.
LEFT_OUT = {"__pycache__", "record", "target"}
LENGTH = 12


def digests(root: Path = ROOT) -> dict[str, str]:
    """Return the digest of the library and that of the tests."""
    return {"library": digest(root, LIBRARY), "tests": digest(root, TESTS)}


def digest(root: Path, names: tuple[str, ...]) -> str:
    """Return one digest of files and folders."""
    total = hashlib.sha256()
    for name in names:
        place = root / name
        found = sorted(place.rglob("*")) if place.is_dir() else [place]
        for path in found:
            inner = path.relative_to(root)
            if path.is_file() and not LEFT_OUT & set(inner.parts):
                total.update(inner.as_posix().encode() + b"\0")
                total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:LENGTH]
