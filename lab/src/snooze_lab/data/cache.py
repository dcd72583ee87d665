"""The folder for fetched and generated data, which the user may set.

Separate because workloads, downloads and commands must agree on it: SNOOZE_LAB_DATA, or
the user's cache folder according to platformdirs, or ~/.cache/snooze-lab. A file in it
is complete: it is written beside its place and moved there.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

VARIABLE = "SNOOZE_LAB_DATA"
NAME = "snooze-lab"


def folder(part: str = "") -> Path:
    """Return the cache folder, or a part of it: absolute; it need not exist yet."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute() / part
    try:
        found = importlib.import_module("platformdirs").user_cache_dir(NAME)
    except ImportError:
        return Path.home() / ".cache" / NAME / part
    return Path(found, part)


def write(path: Path, pieces: Iterable[bytes]) -> Path:
    """Write a file out of pieces, all or nothing, and return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.writelines(pieces)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


def shown(path: Path) -> str:
    """Return a path as a message should show it: below the working folder if it is."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
