"""Read documents as values without losing anything in silence.

Separate from inputs.py, which reads text. Invariants: numbers are their text (`Raw`),
which the encoders write as it was; a member that occurs twice in one object is told
with its place, and is an error where the file would be replaced. Used by
value_commands.py and formats.py.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import snooze
from snooze._cli.inputs import DocumentError
from snooze._cli.problems import explained, show
from snooze.pointer import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snooze._cli.inputs import Source

#: By whether numbers are exact: the first one refuses members that occur twice.
_DECODERS = {
    True: (
        snooze.Decoder(numbers="raw", duplicates="error"),
        snooze.Decoder(numbers="raw"),
    ),
    False: (snooze.Decoder(duplicates="error"), snooze.Decoder()),
}


class Reader:
    """Reads the document of a file, or that of each line."""

    def __init__(
        self, source: Source, *, is_exact: bool = True, replaces: bool = False
    ) -> None:
        """Keep the file, and whether it will be replaced by what is read."""
        self.source = source
        self._strict, self._lenient = _DECODERS[is_exact]
        self._replaces = replaces
        self._has_told = False

    def value(self, text: bytes | None = None, line: int = 1) -> Any:
        """Return the value of the document."""
        if text is None:
            text = self.source.read()
        with _uncollected():
            try:
                return self._strict.decode(text)
            except snooze.JSONDecodeError as error:
                first = error
            try:
                value = self._lenient.decode(text)
            except snooze.JSONDecodeError as error:
                name = self.source.title
                raise DocumentError.in_text(name, error, line, text) from None
        self._tell(first, line)
        return value

    def values(self, *, lines: bool) -> Iterator[Any]:
        """Yield the value of the document, or that of each line."""
        if not lines:
            yield self.value()
            return
        for number, text in self.source.lines():
            yield self.value(text, number)

    def _tell(self, error: snooze.JSONDecodeError, line: int) -> None:
        """Say once that a member occurs twice, or raise it."""
        advice = f", at {quoted(error.pointer)}; "
        if self._replaces:
            advice += (
                "nothing is replaced, because one of the two would be lost: remove "
                "one, or write to another file with --output"
            )
            raise DocumentError.of(self.source.title, error, line, advice)
        if self._has_told:
            return
        self._has_told = True
        advice += "only the last one is read (snooze stats lists them)"
        found = DocumentError.of(self.source.title, error, line, advice)
        found.reason = f"warning: {found.reason}"
        show(explained(found))


@contextmanager
def _uncollected() -> Iterator[None]:
    """Pause the cyclic collector, which would look at each number again and again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
