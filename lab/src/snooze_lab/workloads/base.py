"""The definition of a workload: JSON texts, their values, and their file.

Separate because every module of this package makes workloads. `values` are parsed from
the texts by the standard library (no contender gets objects that it made itself, and no
two places hold the same string object), and only on first use: a process that measures
`loads` holds no second copy of the document.
"""

from __future__ import annotations

import hashlib
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snooze_lab.data import cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

#: Version 1 of the layout of a workload's text in the data cache.
LAID = "workloads-1"


class WorkloadError(ValueError):
    """No such workload; the message lists the known ones, or how to fetch it."""


class Workload:
    """A document in both of its forms, or several that are handled one by one.

    `texts` are the documents, as bytes: a sequence, a function that makes it on first
    use, or None to read `file`. `note` says in a word or two what is special about
    them. `file` is the path of the one text, if it exists already.
    """

    def __init__(
        self,
        name: str,
        texts: Iterable[bytes] | Callable[[], Iterable[bytes]] | None = None,
        note: str = "",
        file: Path | None = None,
    ) -> None:
        """Keep the arguments; nothing is read or made yet."""
        if texts is None and file is None:
            raise ValueError(
                f"workload {name}: expected texts or a file, found neither"
            )
        self.name = name
        self.note = note
        self.file = file
        self._texts = texts if callable(texts) or texts is None else tuple(texts)

    def __repr__(self) -> str:
        """Return its name, as messages show it."""
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def texts(self) -> tuple[bytes, ...]:
        """The documents as JSON text."""
        if self._texts is None:
            if self.file is None:
                raise ValueError(f"workload {self.name} has neither texts nor a file")
            return (self.file.read_bytes(),)
        return tuple(self._texts()) if callable(self._texts) else self._texts

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The values that the standard library parses from the texts."""
        return tuple(map(json.loads, self.texts))

    @property
    def size(self) -> int:
        """The total bytes of the texts."""
        if self.file is not None and self._texts is None:
            return self.file.stat().st_size
        return sum(map(len, self.texts))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the texts, for records."""
        found = hashlib.sha256()
        for number, text in enumerate(self.texts):
            found.update(b"\0" * (number > 0))
            found.update(text)
        return found.hexdigest()

    def path(self) -> str:
        """Return a file that holds the one text; written if necessary.

        WorkloadError for several documents, which are not one file.
        """
        if self.file is not None:
            return str(self.file)
        if len(self.texts) != 1:
            raise WorkloadError(
                f"{self.name} has {len(self.texts)} documents, and one file is wanted: "
                "name a workload of one document"
            )
        place = cache.folder(LAID) / f"{self.digest}.json"
        return str(place if place.exists() else cache.write(place, self.texts))


def same(left: Any, right: Any) -> bool:
    """Tell whether both values are equal, with equal types all the way down."""
    return not difference(left, right)


def _equal(one: Any, other: Any) -> bool:
    return bool(one == other) and (one != 0 or str(one) == str(other))


def difference(
    found: Any, wanted: Any, equal: Callable[[Any, Any], bool] | None = None
) -> str:
    """Return where two plain values first differ, types included, or nothing.

    The order of members is no difference; minus zero and zero are two values. `equal`
    compares scalars, of other types too.
    """
    # A place is a chain of (the place above, member or index), spelled only if needed.
    pairs: list[tuple[Any, Any, Any]] = [(found, wanted, None)]
    while pairs:
        one, other, place = pairs.pop()
        reason = ""
        nested = isinstance(other, (dict, list))
        if type(one) is not type(other) and (nested or equal is None):
            reason = f"{type(one).__name__} instead of {type(other).__name__}"
        elif isinstance(other, dict):
            if one.keys() != other.keys():
                reason = "other members than the document's"
            else:
                pairs.extend((one[key], other[key], (place, key)) for key in other)
        elif isinstance(other, list):
            if len(one) != len(other):
                reason = f"{len(one)} elements instead of {len(other)}"
            else:
                both = enumerate(zip(one, other, strict=True))
                pairs.extend((*pair, (place, index)) for index, pair in both)
        elif not (equal or _equal)(one, other):
            reason = "another value than the document's"
        if reason:
            return f"{_spelled(place)}: {reason}"
    return ""


def _spelled(place: Any) -> str:
    parts: list[str] = []
    while place is not None:
        place, part = place
        parts.append(f"[{part}]" if isinstance(part, int) else f".{part}")
    return "$" + "".join(reversed(parts))
