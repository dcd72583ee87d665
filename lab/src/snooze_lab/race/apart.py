"""Run a measurement in a process of its own, forked from the race.

Separate because every group needs it: what is made first fills the holes that earlier
objects left in memory and is scattered, and reading it takes up to three times as long;
in a process whose history is the same small one, all contenders find the same memory.
Invariants: the parent makes nothing large between two measurements; a process that ends
early loses its measurement only; without fork there is one process. Used by run.py.
"""

from __future__ import annotations

import multiprocessing
import os
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

Result = TypeVar("Result")


class EndedError(Exception):
    """The process ended without a result; the message says how."""


def apart(work: Callable[[], Result]) -> Result:
    """Return the result of `work`, which must survive pickling.

    EndedError if its process crashed, or raised what its stderr shows.
    """
    if not hasattr(os, "fork"):
        return work()
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send, args=(sender, work))
    child.start()
    sender.close()
    try:
        found: Result = receiver.recv()
    except EOFError:
        child.join()
        code = child.exitcode or 0
        how = f"died of signal {-code}" if code < 0 else f"ended with status {code}"
        raise EndedError(f"the process {how}") from None
    finally:
        receiver.close()
    child.join()
    return found


def _send(sender: Connection, work: Callable[[], Result]) -> None:
    sender.send(work())
