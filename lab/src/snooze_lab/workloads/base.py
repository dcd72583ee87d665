"""The definition of a workload: JSON texts, or Python objects that no JSON text holds.

Separate because every module of this package makes workloads. `values` are parsed from
the texts by the standard library (no contender gets objects that it made itself, and no
two places hold the same string object), and only on first use: a process that measures
`loads` holds no second copy of the document. Of objects the reference defines the right
result: its text, or the value of its text where the order of members or the spelling of
instants may differ; it is imported only when something is judged, and each contender
gets equal objects.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import Need, UnsupportedError
from snooze_lab.contenders.json_libraries import like_orjson
from snooze_lab.data import cache
from snooze_lab.model import REFERENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from snooze_lab.contenders.base import Call, Contender
    from snooze_lab.model import Factors
    from snooze_lab.workloads.operations import Job

#: Version 1 of the layout of a workload's text in the data cache.
LAID = "workloads-1"


class WorkloadError(ValueError):
    """No such workload; the message lists the known ones, or how to fetch it."""


class Workload:
    """A document in both of its forms, or several that are handled one by one.

    `texts` are the documents, as bytes, or a function that makes them on first use;
    where the one text exists already, `file` is its path. `note` says in a word or two
    what is special about them.
    """

    def __init__(
        self,
        name: str,
        texts: Sequence[bytes] | Callable[[], Sequence[bytes]] = (),
        note: str = "",
        file: Path | None = None,
    ) -> None:
        """Keep the arguments; nothing is read or made yet."""
        self.name = name
        self.note = note
        self.file = file
        self._texts = texts

    def __repr__(self) -> str:
        """Return its name, as messages show it."""
        return f"{type(self).__name__}({self.name!r})"

    @cached_property
    def texts(self) -> tuple[bytes, ...]:
        """The documents as JSON text."""
        if self.file is not None:
            return (self.file.read_bytes(),)
        return tuple(self._texts() if callable(self._texts) else self._texts)

    @cached_property
    def values(self) -> tuple[Any, ...]:
        """The values that the standard library parses from the texts."""
        return tuple(map(json.loads, self.texts))

    @property
    def size(self) -> int:
        """The total bytes of the texts."""
        if self.file is not None:
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


#: The operations on objects: all of them write, with these options.
OPERATIONS: dict[str, dict[str, Any]] = {
    "dumps": {},
    "dataclass": {},
    "numpy": {"numpy": True},
    "nonstr": {"non_str_keys": True},
    "nonstr-sort": {"non_str_keys": True, "sort_keys": True},
    "sort": {"sort_keys": True},
    "indent": {"indent": True},
}


class Objects(Workload):
    """Objects to be written, and the expected text.

    `build` makes the value out of the contender's module, which may have its own class
    for it. `need` holds the options of `dumps`: an order or an indent requires exactly
    the bytes of the reference.
    """

    def __init__(
        self, name: str, build: Callable[[Any], Any], need: Need, note: str = ""
    ) -> None:
        """Keep the arguments; nothing is built yet."""
        super().__init__(name, self._wanted, note)
        self.build = build
        self.need = need
        self.layout = need.sort_keys or need.indent

    def _wanted(self) -> list[bytes]:
        reference = importlib.import_module(REFERENCE)
        write = like_orjson(reference).writer(self.need)
        return [write(self.build(reference))]

    @cached_property
    def _meaning(self) -> Any:
        return _normal(json.loads(self.texts[0]))

    def fault(self, result: Any) -> str:
        """Return what is wrong with a written text, or an empty string."""
        if type(result) is not bytes:
            return f"wrote {type(result).__name__}, not bytes"
        if result == self.texts[0]:
            return ""
        if self.layout:
            return "another layout or order than orjson's"
        try:
            found = _normal(json.loads(result))
        except ValueError as reason:
            return f"what it wrote cannot be read: {reason}"[:200]
        right = same(found, self._meaning)
        return "" if right else "means something else than orjson's"

    def asked(self, operation: str) -> Objects:
        """Return the objects with the options of an operation added to their own.

        ValueError for an operation that objects do not have.
        """
        if operation not in OPERATIONS:
            raise ValueError(
                f"workload {self.name}: no operation {operation!r} on Python objects; "
                f"there are: {', '.join(OPERATIONS)}"
            )
        need = dataclasses.replace(self.need, **OPERATIONS[operation])
        if need == self.need:
            return self
        return Objects(self.name, self.build, need, self.note)

    def job(self, operation: str, contender: Contender, factors: Factors) -> Job:
        """Return the job of a cell, as operations.job does for documents.

        UnsupportedError where the contender lacks a required option.
        """
        # Here, because operations.py imports this file.
        from snooze_lab.workloads.operations import Job, digest  # noqa: PLC0415

        if contender.format != "json":
            raise UnsupportedError(f"{contender.format} is measured over plain values")
        if factors.buffer != "fresh":
            raise UnsupportedError("objects are written to fresh output only")
        asked = self.asked(operation)
        call: Call = contender.writer(asked.need)
        return Job(
            call=call,
            argument=lambda: asked.build(contender.module),
            fault=asked.fault,
            digest=lambda result: digest(_normal(json.loads(result))),
            size=len,
        )


def layout_of(document: Workload, operation: str) -> Objects:
    """Return a document to be written with `sort` or `indent`: the bytes are judged.

    WorkloadError for several documents.
    """
    if len(document.texts) != 1:
        raise WorkloadError(
            f"{document.name}: expected one document to {operation}, found "
            f"{len(document.texts)}"
        )

    (text,) = document.texts
    found = Objects(document.name, lambda _: json.loads(text), Need(), document.note)
    return found.asked(operation)


def _normal(value: Any) -> Any:
    """Return a value with one spelling for equal instants and equal integer keys."""
    if isinstance(value, dict):
        return {key: _normal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_normal(one) for one in value]
    if isinstance(value, str) and len(value) > 19 and value.endswith("Z"):
        return value[:-1] + "+00:00"
    return value
