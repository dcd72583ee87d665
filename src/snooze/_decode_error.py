"""`JSONDecodeError`, the exception for a document that is not JSON.

Separate because it needs the standard library's `json` module, which takes longer to
load than the rest of snooze: the extension imports this when it raises its first error,
and so does the first program that names the class (see `_package`). Invariant: an error
is made of a message, a document and a position, and pickles as these and its notes.
"""

from __future__ import annotations

# Not from `json.decoder`: if one thread imports `json` and another its submodule, each
# waits for a lock that the other has, and CPython raises an error in one of them.
from json import JSONDecodeError as _StandardError

from snooze._snooze import name_decode_error, path_at
from snooze._typed.places import UNPRINTABLE, moved, place, pointer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from snooze._typed.places import Path

#: The most characters of a line that a snippet shows.
_WIDEST = 72


class JSONDecodeError(_StandardError):
    """The exception for a document that is not JSON.

    A subclass of ``json.JSONDecodeError``, and so of ``ValueError``.

    Attributes:
        msg: What is wrong, without the place.
        doc: The document as ``str``; empty if the input was empty, not UTF-8, or of a
            wrong type.
        pos: The position of the error in ``doc``, in characters from 0.
        lineno: The line of the error, from 1.
        colno: The column of the error, in characters from 1.
        pointer: The place of the error as a JSON Pointer (RFC 6901); "" is the
            document.
        snippet: The text around the error, and a line with a caret below it.

    Errors of a ``Decoder`` show place and snippet as a note (PEP 678).

    Examples:
        >>> import snooze
        >>> try:
        ...     snooze.loads('{"é": tru }')
        ... except snooze.JSONDecodeError as error:
        ...     print(error.msg, error.pos, error.pointer)
        invalid literal, expected 'true' 6 /é
    """

    __module__ = "snooze"

    #: Whether the document is part of another text, and `lineno` that of this text.
    _is_moved = False
    #: The steps from the document of that text to this one.
    _outer: Path = ()

    @property
    def pointer(self) -> str:
        """The place of the error as a JSON Pointer."""
        inner = path_at(self.doc, min(max(self.pos, 0), len(self.doc)))
        return pointer((*self._outer, *inner))

    @property
    def snippet(self) -> str:
        """The text around the error, and a line with a caret below it."""
        doc, pos = self.doc, min(max(self.pos, 0), len(self.doc))
        if not doc:
            return ""
        start = max(doc.rfind("\n", 0, pos) + 1, pos - _WIDEST // 2)
        end = doc.find("\n", pos, start + _WIDEST)
        if end < 0:
            end = min(len(doc), start + _WIDEST)
        # One character for each, so that the caret is below its own.
        line = UNPRINTABLE.sub(" ", doc[start:end])
        return f"{line}\n{' ' * (pos - start)}^"

    def __reduce__(self) -> Any:
        """Pickle as that of `json`, and with the notes."""
        return self._with_notes(type(self), (self.msg, self.doc, self.pos))

    def _with_notes(self, *parts: Any) -> tuple[Any, ...]:
        """Return what makes a copy, with the notes as its state if there are some."""
        state: dict[str, Any] = {}
        if self._is_moved:
            names = ("_is_moved", "_outer", "args", "pos", "lineno", "colno")
            state = {name: getattr(self, name) for name in names}
        notes = getattr(self, "__notes__", None)
        if isinstance(notes, list):
            state["__notes__"] = notes.copy()  # not shared by copies
        return (*parts, state) if state else parts

    def _move_to_line(self, number: int) -> None:
        """Name the line of a text that the document is; a Decoder of lines calls this.

        `doc` stays that line, and positions stay positions in it.
        """
        self._is_moved = True
        self.lineno = number
        place = f"line {number} column {self.colno} (char {self.pos})"
        self.args = (f"{self.msg}: {place}",)

    def _is_of(self, text: bytes) -> bool:
        """Tell whether this is an error of a text; a hook may raise that of another."""
        if self.doc:
            return bool(self.doc == text.decode(errors="replace"))
        # That of a document that is too long, or not UTF-8.
        return self.msg.startswith("document has ") or not is_utf8(text)

    def _move_into(
        self, path: Sequence[str | int], offset: int, start: tuple[int, int]
    ) -> None:
        """Name the place that the document has in a larger one.

        It is at `path` there, and begins at an offset in bytes, a line and a column.
        `doc` stays that part, and `pos` a position in it; `lineno` and `colno` do not.
        """
        self._is_moved = True
        self._outer = tuple(path)
        self.lineno, self.colno = moved(self.lineno, self.colno, start)
        where = f"line {self.lineno} column {self.colno}"
        if not self.doc:
            where += f" (byte {offset})"
        self.args = (f"{self.msg}: {where}",)

    def _add_place(self) -> None:
        """Add a note with the place and the snippet; the extension calls this."""
        if self.doc and not getattr(self, "__notes__", None):
            # No generator: 3.12 and 3.13 end the process where none can be allocated.
            lines = self.snippet.replace("\n", "\n    ")
            self.add_note(f"at {place(path_at(self.doc, self.pos))}\n    {lines}")
            if "\0" in self.doc[:4]:
                self._add_encoding()
            elif self.doc[0] == "\ufeff":
                self.add_note("A Decoder with encoding='utf-8-sig' skips it.")

    def _add_encoding(self) -> None:
        """Add a note about another encoding; the extension calls this."""
        self.add_note(
            "The input looks like UTF-16 or UTF-32. A Decoder with encoding='detect' "
            "reads these."
        )


def is_utf8(text: bytes) -> bool:
    """Tell whether a text is UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


name_decode_error(JSONDecodeError)
