"""What a workload is: texts of JSON, the values that they stand for, and where it lies.

Separate because every module of this package makes workloads and every instrument takes
them. Invariants: `values` are built by the standard library's own parser (so no
contender meets objects of its own making, with keys from its own cache), read anew from
the texts (so no two places hold the same string object), and only when they are asked
for: a process that measures `loads` holds no second copy of the document. Standard
library only. Used by this package's modules, operations.py, the worker and the race.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snooze_lab.data import cache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

#: Version 1 of how a workload's text is laid down in the data cache.
LAID = "workloads-1"


class WorkloadError(ValueError):
    """No such workload; the text names what there is, or what to do to get it."""


class Workload:
    """A document in both of its forms, or several that are handled one by one.

    `texts` are the documents, as bytes: a sequence, a function that makes it when it is
    first needed, or None to read `file`. `note` says in a word or two what is special
    about them. `file` is where the one text lies already, if it does.
    """

    def __init__(
        self,
        name: str,
        texts: Iterable[bytes] | Callable[[], Iterable[bytes]] | None = None,
        note: str = "",
        file: Path | None = None,
    ) -> None:
        """Keep what is given; nothing is read or made yet."""
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
        """Its documents as JSON text."""
        if self._texts is None:
            if self.file is None:
                raise ValueError(f"workload {self.name} has neither texts nor a file")
            return (self.file.read_bytes(),)
        return tuple(self._texts()) if callable(self._texts) else self._texts

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """What the standard library reads from the texts."""
        return tuple(map(json.loads, self.texts))

    @property
    def size(self) -> int:
        """Bytes of all its texts."""
        if self.file is not None and self._texts is None:
            return self.file.stat().st_size
        return sum(map(len, self.texts))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of its texts, for records."""
        found = hashlib.sha256()
        for number, text in enumerate(self.texts):
            found.update(b"\0" * (number > 0))
            found.update(text)
        return found.hexdigest()

    def path(self) -> str:
        """Return a file that holds its one text; written if need be.

        WorkloadError for several documents: those are no one file.
        """
        if self.file is not None:
            return str(self.file)
        if len(self.texts) != 1:
            raise WorkloadError(
                f"{self.name} has {len(self.texts)} documents, and one file is wanted: "
                "name a workload of one document"
            )
        place = cache.folder(LAID) / f"{self.digest}.json"
        if not place.exists():
            place.parent.mkdir(parents=True, exist_ok=True)
            partial = place.with_suffix(f".{os.getpid()}.partial")
            partial.write_bytes(self.texts[0])
            partial.replace(place)
        return str(place)


def same(left: Any, right: Any) -> bool:
    """Tell whether both values are equal, with equal types all the way down."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif one != other or (one == 0 and str(one) != str(other)):
            return False  # minus zero equals zero, and is another float
    return True
