"""Where a command writes: standard output, a file, or the file that it read.

Separate because every command writes. Invariant: a file is replaced as a whole when all
of its new text is written, or not at all. Used by the commands.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from snooze._cli.inputs import InputError
from snooze._files import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

#: Documents that are read and written in less time need no bar.
_LARGE = 20_000_000


def write(pieces: Iterable[bytes], path: str | None, *, newline: bool = True) -> None:
    """Write to a file, or to standard output for None; usually with a newline."""

    def fill(file: IO[bytes]) -> None:
        for piece in pieces:
            file.write(piece)
        if newline:
            file.write(b"\n")

    if path is None:
        fill(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return

    try:
        replace(os.path.realpath(path), fill)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(str(error)) from None


def is_coloured() -> bool:
    """Tell whether standard output is a terminal that shows colours."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def with_progress(
    length: int,
    make: Callable[[Callable[[int], None] | None], Iterator[bytes]],
) -> Iterator[bytes]:
    """Yield pieces, with a bar on the terminal if the text is long.

    There is none where standard output is the terminal, too.
    """
    if length < _LARGE or not sys.stderr.isatty() or sys.stdout.isatty():
        yield from make(None)
        return
    with click.progressbar(length=length, file=sys.stderr, width=0) as bar:
        done = 0

        def progress(offset: int) -> None:
            nonlocal done
            bar.update(offset - done)
            done = offset

        yield from make(progress)
        bar.update(length - done)
