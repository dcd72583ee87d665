"""What is raced as JSON text: groups of documents, each read and written.

Separate so that a new group is one function here and nothing elsewhere. A workload is
one text or many, and the values that the standard library reads from it; both
directions start from these. Invariant: `loads` gets bytes, `dumps` a value built by the
standard library's own types (so no contender meets objects of its own making, with keys
from its own cache). What is written only, classes and arrays, is in kinds.py. Used by
race.py, tasks.py, cold.py and memory.py.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab.race import generated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).resolve().parents[4]
ORIGINALS = ROOT / ".build" / "documents"
LOOK_ALIKES = ROOT / ".build" / "generated"
USUAL = ("twitter", "github", "citm_catalog", "canada")
#: What scripts/documents.py --all takes out of pinned packages besides those four.
FETCHED = (
    "mesh",
    "instruments",
    "apache_builds",
    "object_zh",
    "numbers",
    "random",
    "marine_ik",
    "gsoc-2018",
    "update-center",
    "twitterescaped",
)


@dataclass(frozen=True)
class Workload:
    """A document in both of its forms, or several that are handled one by one."""

    name: str
    texts: tuple[bytes, ...]
    values: tuple[Any, ...]
    note: str = ""

    @property
    def size(self) -> int:
        """Bytes of all its texts."""
        return sum(map(len, self.texts))

    @property
    def digest(self) -> str:
        """SHA-256 of its texts, for records."""
        return hashlib.sha256(b"\0".join(self.texts)).hexdigest()


class NoDocumentsError(Exception):
    """Nothing to race over; the text says how to get it."""


def seed() -> list[Workload]:
    """Return the four well-known documents, or else the generated look-alikes."""
    if all((ORIGINALS / f"{name}.json").exists() for name in USUAL):
        return [_read(ORIGINALS / f"{name}.json") for name in USUAL]
    paths = sorted(LOOK_ALIKES.glob("*.json"))
    if not paths:
        raise NoDocumentsError(
            "no documents below .build: run 'make documents', or "
            "'python scripts/documents.py --or-generated' without a network"
        )
    return [_read(path, note="look-alike") for path in paths]


def documents() -> list[Workload]:
    """Return the seed's four, those that were fetched, and those made here."""
    fetched = [ORIGINALS / f"{name}.json" for name in FETCHED]
    return [*seed(), *(_read(path) for path in fetched if path.exists()), *made()]


def missing() -> list[str]:
    """Return which of the fetched documents are not there."""
    names = (*USUAL, *FETCHED)
    return [name for name in names if not (ORIGINALS / f"{name}.json").exists()]


def made() -> list[Workload]:
    """Return the generated documents, each for one shape."""
    return [texts(name, make()) for name, make in generated.DOCUMENTS.items()]


def tiny() -> list[Workload]:
    """Return texts of a few bytes, where the cost of the call itself is what counts."""
    found = {
        "1": b"1",
        "null": b"null",
        "100 bytes": generated.message(100),
        "1 kB": generated.message(1_000),
    }
    return [texts(name, [text]) for name, text in found.items()]


def values() -> list[Workload]:
    """Return documents of one kind of value each, to see where time goes."""
    found: dict[str, Any] = {
        "small integers": [number % 100 for number in range(20_000)],
        "large integers": [number * 7_919_000_000_019 for number in range(20_000)],
        "short floats": [number / 8 for number in range(20_000)],
        "long floats": [(number + 0.1) ** 0.5 for number in range(20_000)],
        "booleans": [number % 3 == 0 for number in range(20_000)],
        "nulls": [None] * 20_000,
        "short words": [f"word{number % 500}" for number in range(20_000)],
        "long ASCII": ["The quick brown fox jumps. " * 200] * 50,
        "escapes": ['say "so"\n\t\\' * 20] * 500,
        "Cyrillic": ["Съешь же ещё этих мягких булок. " * 20] * 200,
        "Chinese": ["天地玄黄宇宙洪荒日月盈昃" * 20] * 200,
        "emoji": ["🎉🚀🌍😀🐍" * 20] * 200,
        "records": [
            {"id": number, "name": f"user{number}", "active": True, "score": 1.5}
            for number in range(4_000)
        ],
        "empty containers": [[], {}] * 10_000,
        "nested": _nested(200),
    }
    return [texts(name, [generated.compact(value)]) for name, value in found.items()]


GROUPS: dict[str, Callable[[], list[Workload]]] = {
    "seed": seed,
    "documents": documents,
    "tiny": tiny,
    "values": values,
}


def files(paths: Iterable[Path]) -> list[Workload]:
    """Return documents of the user's own."""
    return [_read(path) for path in paths]


def texts(name: str, found: list[bytes], note: str = "") -> Workload:
    """Return a workload of these texts."""
    # Read, not taken over: so no two places hold the same string object.
    return Workload(name, tuple(found), tuple(map(json.loads, found)), note)


def _read(path: Path, note: str = "") -> Workload:
    return texts(path.stem, [path.read_bytes()], note)


def _nested(depth: int) -> Any:
    value: Any = [1]
    for level in range(depth):
        value = [value, {"level": level}] if level % 2 else {"inner": value}
    return value
