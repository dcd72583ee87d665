"""Standard streams that are closed, full, or no longer read; and Ctrl-C.

Separate because `tool` needs it, too, which does without click. Invariant: a command
ends with a message or without one, never with a traceback, and its exit status says how
it ended, as for other programs of a shell. Called by snooze.__main__.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

#: A file cannot be read or written.
TROUBLE = 2
#: What a shell reports for a program that a signal ends: SIGINT, SIGPIPE.
INTERRUPTED, NO_READER = 130, 141


def guarded(command: Callable[[], Any]) -> Any:
    """Run a command; return its exit status, or that of the stream that failed it."""
    _complete()
    try:
        status = command()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        status = NO_READER
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        status = _told(f"{name}{error.strerror or error}")
    except RecursionError as error:
        status = _told(str(error), 1)
    try:
        # json.tool closes it.
        if not sys.stdout.closed:
            sys.stdout.flush()
    except OSError as error:
        # What is left in the buffer goes nowhere; at exit it would be an error again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not status:
            status = _told(f"standard output: {error.strerror}")
    return status


def _told(message: str, status: int = TROUBLE) -> int:
    """Write a message; return the exit status."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"snooze: {message}\n")
    return status


def _complete() -> None:
    """Put streams that fail in the place of those that are closed.

    Otherwise the next file to be opened would get their number.
    """
    if sys.stdin is None:
        sys.stdin = open(os.open(os.devnull, os.O_WRONLY), encoding="utf-8")  # noqa: PTH123, SIM115 - as long as the process
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123, SIM115 - likewise
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - likewise
