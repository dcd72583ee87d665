"""Obtain the pinned pyright and print the path of its program, to be run with node.

Separate because pyright is no Python package: the one of that name on PyPI fetches it
when it is first run, at whatever version. Here it comes with npm, checked against
requirements/pyright.lock, and is unpacked into .build; after that no network is needed.
Called by tests/contract/test_type_checkers.py.

    node "$(python scripts/pyright.py)" typing_tests
"""

from __future__ import annotations

import os
import shutil
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORE = ROOT / ".build" / "pyright"
LOCK = ROOT / "requirements" / "pyright.lock"
os.environ["SNOOZE_LAB_DATA"] = str(ROOT / ".build")
sys.path.append(str(ROOT / "lab" / "src"))  # the laboratory knows how to fetch

from snooze_lab.data import FetchError, fetch  # noqa: E402


def pinned() -> fetch.Package:
    """Return the content of the lock file."""
    lines = LOCK.read_text("utf-8").splitlines()
    requirement, size, digest = next(one for one in lines if one[:1] != "#").split()
    name, _, version = requirement.partition("@")
    return fetch.Package(name, "npm", version, int(size), digest, "MIT", "")


def main() -> int:
    """Unpack the package unless it is there."""
    if shutil.which("node") is None:
        print("pyright needs the program node, which is not installed", file=sys.stderr)
        return 1
    try:
        package = fetch.obtain(pinned())
    except FetchError as reason:
        print(reason, file=sys.stderr)
        return 1
    folder = STORE / package.stem
    program = folder / "package" / "index.js"
    if not program.exists():
        shutil.rmtree(STORE, ignore_errors=True)
        scratch = STORE / "unpacked"
        with tarfile.open(package) as archive:
            if hasattr(tarfile, "data_filter"):
                archive.extractall(scratch, filter="data")
            else:  # it came with CPython 3.11.4
                archive.extractall(scratch)  # noqa: S202 - its hash has been checked
        scratch.rename(folder)
    print(program)
    return 0


if __name__ == "__main__":
    sys.exit(main())
