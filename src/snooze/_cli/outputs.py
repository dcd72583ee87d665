"""Where a command writes: standard output, a file, or the file that it read.

Separate because every command writes. Invariant: a file is replaced as a whole when all
of its new text is written, or not at all. Used by the commands.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from snooze._cli.inputs import InputError
from snooze._files import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

STANDARD_OUTPUT = "-"
#: Documents that are read and written in less time need no bar.
_LARGE = 20_000_000


class NoReaderError(Exception):
    """Nobody reads what is written any more, as in `snooze format big.json | head`."""


def file_of(name: str | None) -> str | None:
    """Return the file that a command line names; None for standard output."""
    return None if name == STANDARD_OUTPUT else name


def write(pieces: Iterable[bytes], path: str | None, *, newline: bool = True) -> None:
    """Write to a file, or to standard output for None; usually with a newline.

    None is written where there are no pieces, as for no lines.
    """

    def fill(file: IO[bytes]) -> None:
        for piece in ended(pieces) if newline else pieces:
            file.write(piece)

    if path is None:
        try:
            fill(sys.stdout.buffer)
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            raise NoReaderError from None
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"standard output: {reason}") from None
        return

    try:
        replace(path, fill)
    except BrokenPipeError as error:
        raise _no_reader(error) from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise InputError(str(error)) from None


def _no_reader(error: BaseException | None) -> NoReaderError:
    """Return the error for a pipe that nobody reads, and free what wrote to it.

    A GzipFile of CPython 3.14 that could not write complains once more when it is
    freed, and the tracebacks keep it until then.
    """
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        while error is not None:
            error.__traceback__ = None
            error = error.__context__
    finally:
        sys.unraisablehook = hook
    return NoReaderError()


def ended(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces and a newline after them, if there are any."""
    has_any = False
    for piece in pieces:
        has_any = True
        yield piece
    if has_any:
        yield b"\n"


def is_coloured() -> bool:
    """Tell whether standard output is a terminal that shows colours."""
    return sys.stdout.isatty() and wants_colours()


def wants_colours() -> bool:
    """Tell whether a terminal shows colours; see no-color.org."""
    return not os.environ.get("NO_COLOR")


def with_progress(
    length: int,
    make: Callable[[Callable[[int], None] | None], Iterator[bytes]],
) -> Iterator[bytes]:
    """Yield pieces, with a bar on the terminal if the text is long.

    There is none where standard output is the terminal, too.
    """
    with bar(length, is_shown=not sys.stdout.isatty()) as progress:
        yield from make(progress)


@contextmanager
def bar(
    length: int, *, is_shown: bool = True
) -> Iterator[Callable[[int], None] | None]:
    """Show a bar on the terminal while a long text is read; removed in the end.

    Gives the function that is told the offset that was reached; None without a bar.
    """
    if length < _LARGE or not is_shown or not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=length, file=sys.stderr, width=0) as shown:
        done = 0

        def progress(offset: int) -> None:
            nonlocal done
            shown.update(offset - done)
            done = offset

        yield progress
        shown.update(length - done)
    # The bar has ended its line.
    click.echo("\x1b[A\r\x1b[K", err=True, nl=False)
