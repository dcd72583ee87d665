"""Records of users, as a database exports them: the document of study s000.

Separate because it is made in any size: records go to the data cache piece by piece and
are never all in memory. Shape and layout are the seed's, 708 bytes a record on average,
of which a constant bio is two fifths; no float, no null, one shape. Invariants: the
same bytes on every machine and Python; a smaller document is the beginning of a larger
one, up to its last line; the digest of the first megabyte is checked whenever one is
made. Used through `workloads.find("crud?bytes=1000000")`.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from snooze_lab.data import cache
from snooze_lab.workloads.base import Workload
from snooze_lab.workloads.generated import Dice

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: Part of the data cache where documents are kept.
PART = "made"
#: Changes with the bytes; it is in the name of the file in the data cache.
VERSION = 1
SEED = 7_405_800
#: Bytes of a record in the array, with its comma and line end, on average.
RECORD = 708
#: SHA-256 of the first 1,000,000 bytes of any document of more than that.
FIRST = "6a210348c24f9fc0d21ed618d3170e964782e0e735f764ac2123197e7a643cac"
FIRST_BYTES = 1_000_000

BIO = (
    "Keeps the catalogue of a small library in order, answers letters from readers, "
    "and writes about old maps, railway timetables and the people who drew them by "
    "hand. Collects stamps with ships, walks along rivers on Sundays, and has never "
    "missed a choir meeting."
)


def _split(words: str) -> tuple[str, ...]:
    return tuple(words.split())


NAMES = _split(
    "Ada Boris Chloe Dmitri Elena Farid Grace Hiro Ines Jonas Katya Liam Mara Nils "
    "Olga Pavel Quinn Rosa Sven Tara Umar Vera Wanda Xenia Yusuf Zoe"
)
FAMILIES = _split(
    "Abbott Becker Costa Dvorak Eriksen Fischer Garcia Hansen Ivanova Jensen Kowalski "
    "Lindqvist Moreau Novak Okafor Petrov Quist Rossi Santos Tanaka Ueda Vasquez Weber"
)
ROLES = ("viewer", "editor", "admin", "auditor")
RIGHTS = ("read", "write", "delete", "share", "export")


def record(number: int, dice: Dice) -> dict[str, Any]:
    """Return record `number`; `dice` must have made all records before it."""
    key = dice.hexadecimal(32)
    first = dice.among(NAMES)
    last = dice.among(FAMILIES)
    user = f"{first}.{last}{dice.below(10_000)}".lower()
    rights = dice.below(31) + 1
    return {
        "id": number,
        "uuid": f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}",
        "username": user,
        "email": f"{user}@mail.example",
        "profile": {"first_name": first, "last_name": last, "bio": BIO},
        "role": dice.among(ROLES),
        "is_active": dice.below(4) != 0,
        "permissions": [right for bit, right in enumerate(RIGHTS) if rights >> bit & 1],
        "created_at": _moment(dice, 2024),
        "updated_at": _moment(dice, 2025),
    }


def _moment(dice: Dice, year: int) -> str:
    month, day = dice.below(12) + 1, dice.below(28) + 1
    second = dice.below(86_400)
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    return f"{year}-{month:02d}-{day:02d}T{clock}Z"


def pieces(size: int) -> Iterator[bytes]:
    """Yield the document of about `size` bytes: at least one record, then a piece each.

    It ends with the first record at which `size` is reached. ValueError if `size` is
    not positive.
    """
    if size < 1:
        raise ValueError(f"bytes of crud: expected 1 or more, found {size}")
    dice = Dice(SEED)
    indented = json.JSONEncoder(indent=2).encode
    done, number, before = 0, 0, "[\n"
    while done < size:
        number += 1
        text = indented(record(number, dice)).replace("\n", "\n  ")
        piece = f"{before}  {text}".encode()
        done += len(piece)
        before = ",\n"
        yield piece
    yield b"\n]"


def checked(size: int) -> Iterator[bytes]:
    """Yield the same pieces; RuntimeError if the first megabyte is not FIRST's."""
    first, missing = hashlib.sha256(), FIRST_BYTES
    for piece in pieces(size):
        yield piece
        if missing:
            first.update(piece[:missing])
            missing -= min(missing, len(piece))
    if not missing and first.hexdigest() != FIRST:
        raise RuntimeError(
            f"crud: the first {FIRST_BYTES} bytes have the SHA-256 "
            f"{first.hexdigest()}, expected {FIRST}: the generator has changed, so "
            "VERSION and FIRST must change with it"
        )


def file_of(size: int) -> Path:
    """Return where the document of about `size` bytes is, or will be."""
    return cache.folder(PART) / f"crud-{VERSION}-{size}.json"


def crud(bytes: int) -> Workload:  # noqa: A002 - the parameter's name in references
    """Return records of about this many bytes, as a file in the data cache."""
    if bytes < 1:
        raise ValueError(f"bytes of crud: expected 1 or more, found {bytes}")
    place = file_of(bytes)
    if not place.exists():
        cache.write(place, checked(bytes))
    return Workload("crud", file=place, note=f"about {RECORD} bytes a record")


WORKLOADS = {"crud": crud}
