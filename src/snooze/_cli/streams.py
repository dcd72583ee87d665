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
    from collections.abc import Callable, Iterator
    from typing import TextIO

#: A file cannot be read or written.
TROUBLE = 2
#: What a shell reports for a program that a signal ends: SIGINT, SIGPIPE.
INTERRUPTED, NO_READER = 130, 141


def guarded(command: Callable[[], Any]) -> Any:
    """Run a command; return its exit status, or that of the stream that failed it."""
    _complete()
    try:
        with _waiting_input():
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
    except BrokenPipeError:
        _discard(sys.stdout)
        status = status or NO_READER
    except OSError as error:
        _discard(sys.stdout)
        if not status:
            status = _told(f"standard output: {error.strerror}")
    try:
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)
    return status


def _discard(stream: TextIO) -> None:
    """Send what is left in the buffer nowhere; at exit it would be an error again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


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


@contextlib.contextmanager
def _waiting_input() -> Iterator[None]:
    """Let standard input wait for text, as another program may have changed that.

    Otherwise text that is not there yet would be taken for the end of the document.
    """
    try:
        descriptor = sys.stdin.fileno()
        waits = os.get_blocking(descriptor)
    except (OSError, ValueError, AttributeError):
        # No file: a stream of a program that calls the command line.
        waits = True
    if waits:
        yield
        return
    os.set_blocking(descriptor, True)
    try:
        yield
    finally:
        # A command may have closed it.
        with contextlib.suppress(OSError):
            os.set_blocking(descriptor, False)
