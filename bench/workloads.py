"""What is raced: groups of documents, each read and written.

Separate so that a new group is one function here and nothing elsewhere. A workload is
the JSON text and the value that the standard library reads from it; both directions
start from these. Invariant: `loads` gets bytes, `dumps` a value built by the standard
library's own types (so no contender meets objects of its own making, with keys from its
own cache). Used by race.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).resolve().parent.parent
ORIGINALS = ROOT / ".build" / "documents"
GENERATED = ROOT / ".build" / "generated"
USUAL = ("twitter", "github", "citm_catalog", "canada")


@dataclass(frozen=True)
class Workload:
    """One document in both of its forms."""

    name: str
    text: bytes
    value: Any
    note: str = ""


class NoDocumentsError(Exception):
    """Nothing to race over; the text says how to get it."""


def documents() -> list[Workload]:
    """Return the four well-known documents, or else the generated look-alikes."""
    if all((ORIGINALS / f"{name}.json").exists() for name in USUAL):
        return [_read(ORIGINALS / f"{name}.json") for name in USUAL]
    paths = sorted(GENERATED.glob("*.json"))
    if not paths:
        raise NoDocumentsError(
            "no documents below .build: run 'make documents', or "
            "'python scripts/documents.py --or-generated' without a network"
        )
    return [_read(path, note="generated") for path in paths]


def tiny() -> list[Workload]:
    """Return texts of a few bytes, where the cost of the call itself is what counts."""
    texts = {
        "null": b"null",
        "number": b"12345",
        "word": b'"hello"',
        "pair": b'{"id":1}',
        "triple": b"[1,2,3]",
        "message": b'{"type":"ping","id":42,"ok":true,"tags":["a","b"]}',
    }
    return [Workload(name, text, json.loads(text)) for name, text in texts.items()]


def kinds() -> list[Workload]:
    """Return documents of one kind of value each, to see where time goes."""
    values: dict[str, Any] = {
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
    return [_made(name, value) for name, value in values.items()]


GROUPS: dict[str, Callable[[], list[Workload]]] = {
    "documents": documents,
    "tiny": tiny,
    "kinds": kinds,
}


def files(paths: Iterable[Path]) -> list[Workload]:
    """Return documents of the user's own."""
    return [_read(path) for path in paths]


def _read(path: Path, note: str = "") -> Workload:
    text = path.read_bytes()
    return Workload(path.stem, text, json.loads(text), note)


def _made(name: str, value: Any) -> Workload:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    # Read back, so that no two places hold the same string object.
    return Workload(name, text, json.loads(text))


def _nested(depth: int) -> Any:
    value: Any = [1]
    for level in range(depth):
        value = [value, {"level": level}] if level % 2 else {"inner": value}
    return value
