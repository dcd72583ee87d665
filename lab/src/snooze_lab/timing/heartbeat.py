"""Which contender a worker is running, in memory that it shares with its manager.

Separate because both sides use it: a crash is attributed to the contender that the
worker stated last, and a call that does not return is noticed. A statement is no system
call and wakes nobody; without a manager it does nothing.
"""

from __future__ import annotations

import mmap
import struct
import tempfile
from dataclasses import dataclass
from typing import Self

#: Seconds in which one call must return: for a small document, and for each byte more.
CALL_S = 10.0
BYTE_S = 1e-6
#: The same for operations that have no document.
OBJECTS_S = 120.0
#: Seconds for work of the laboratory itself, such as making a document of gigabytes.
OWN_S = 600.0

#: How often something was stated, the seconds until the next time, bytes of the name.
_HEAD = struct.Struct("<QdH")
_SIZE = 512


@dataclass(frozen=True, slots=True)
class Beat:
    """What a worker stated last: `count` is how often it has stated anything.

    `running` is the contender, or "" for the laboratory's own work; `limit` is the time
    in seconds until it must state something again.
    """

    count: int
    limit: float
    running: str


class _Worker:
    """The worker's side: one for each process."""

    def __init__(self) -> None:
        self.memory: mmap.mmap | None = None
        self.count = 0
        self.limit = CALL_S
        self.last = ("", OWN_S)

    def write(self, name: str, limit: float) -> None:
        if self.memory is None:
            return
        self.last = name, limit
        self.count += 1
        said = name.encode("utf-8", "replace")[: _SIZE - _HEAD.size]
        self.memory[: _HEAD.size + len(said)] = (
            _HEAD.pack(self.count, limit, len(said)) + said
        )


_worker = _Worker()


def attach(descriptor: int) -> None:
    """Use the memory behind a file descriptor that the manager passed on."""
    _worker.memory = mmap.mmap(descriptor, _SIZE)


def allow(seconds: float) -> None:
    """Set the time that a contender has for each stretch of work from now on."""
    _worker.limit = seconds


def running(contender: str) -> None:
    """State that a contender's code runs next."""
    _worker.write(contender, _worker.limit)


def still() -> None:
    """State that the same code runs on, in another stretch of work."""
    _worker.write(*_worker.last)


def own() -> None:
    """State that the laboratory's own code runs next."""
    _worker.write("", OWN_S)


class Monitor:
    """The manager's side: memory for one worker, to be passed on as `descriptor`."""

    def __init__(self) -> None:
        """Make the memory; OSError if there is no room for it."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by __exit__
        self._file.truncate(_SIZE)
        self.descriptor = self._file.fileno()
        self._memory = mmap.mmap(self.descriptor, _SIZE)

    def __enter__(self) -> Self:
        """Return the monitor itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Give the memory back."""
        self._memory.close()
        self._file.close()

    def beat(self) -> Beat:
        """Return what the worker stated last."""
        count, limit, length = _HEAD.unpack(self._memory[: _HEAD.size])
        name = self._memory[_HEAD.size : _HEAD.size + length]
        return Beat(count, limit if count else OWN_S, name.decode("utf-8", "replace"))
