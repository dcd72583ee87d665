"""The user's own documents, by path: `file?path=/data/mine.json`.

Separate because nothing is known about them in advance. `check` tells whether they are
JSON at all; `file` itself does not parse them, because a worker that measures memory
must not have done so. Used through `workloads.find`, by the race and by `byob`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

from snooze_lab.workloads.base import Workload, WorkloadError


def file(path: str) -> Workload:
    """Return the documents at a path, or at several separated by commas.

    WorkloadError if one is missing. `check` tells whether they are JSON.
    """
    # A comma may also be a part of one file's name.
    names = [path] if Path(path).expanduser().is_file() else path.split(",")
    places = [Path(one).expanduser() for one in names if one]
    if not places:
        raise WorkloadError("file?path=: expected the path of a JSON file, found none")
    for place in places:
        if not place.is_file():
            raise WorkloadError(f"{place}: expected a JSON file, found none there")
    if len(places) == 1:
        return Workload(places[0].stem, file=places[0])
    texts = [place.read_bytes() for place in places]
    return Workload(places[0].stem, texts, note=f"{len(places)} files")


def check(place: Path) -> None:
    """Raise WorkloadError unless a file holds one JSON document in UTF-8.

    NaN and infinities, which Python's json reads, are not JSON.
    """
    try:
        text = place.read_bytes()
        json.loads(text.decode(), parse_constant=_refuse)
    except OSError as reason:
        raise WorkloadError(f"{place}: cannot be read: {reason.strerror}") from reason
    except UnicodeDecodeError as reason:
        raise WorkloadError(
            f"{place}: expected UTF-8, found byte 0x{text[reason.start]:02x} at offset "
            f"{reason.start}: convert it first"
        ) from reason
    except (ValueError, RecursionError) as reason:
        lines = text.strip().splitlines()
        many = len(lines) > 1 and all(one[:1] in b"{[" for one in lines[:2])
        hint = "; one document a line? name single documents" if many else ""
        raise WorkloadError(
            f"{place}: expected one JSON document: {reason}{hint}"
        ) from reason


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


WORKLOADS = {"file": file}
