"""`ValidationError` and its problems, and their messages.

Separate from the plans, because Rust reports only byte offset, path, expected and found
text; line, column, JSON Pointer and message are made here, once decoding has failed.
Invariants: `str(error)` names the place in the document; an error survives pickling.
Rust calls `fail`.
"""

from __future__ import annotations

from collections import namedtuple

from snooze._decode_error import JSONDecodeError
from snooze._typed.lazy_typing import TYPE_CHECKING, Any
from snooze._typed.places import moved, place, pointer

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NamedTuple, NoReturn

    from snooze._typed.places import Path

    class _Fields(NamedTuple):
        pointer: str
        expected: str
        found: str
        offset: int
        line: int
        column: int
        message: str

else:
    _Fields = namedtuple(  # noqa: PYI024 - not at import time
        "_Fields", "pointer expected found offset line column message"
    )


class CheckFailed(ValueError):  # noqa: N818 - not for users
    """A built-in check failed; the expected text of the type describes the check."""


class Problem(_Fields):
    """One value of a document that does not fit its type; a named tuple.

    Attributes:
        pointer: The place as a JSON Pointer (RFC 6901); "" is the whole document.
        expected: What the type accepts there: `int or null`, `str of length 1 to 3`,
            `member "id"`.
        found: What the document has: null, bool, int, float, str, array, object, or an
            excerpt of the value. `iter_items` reports "number" where it does not read
            the value.
        offset: The byte offset in the UTF-8 document, from 0. Objects have no places:
            where they are converted, offset, line and column are 0, 1 and 1.
        line: The line, from 1.
        column: The column in characters, from 1.
        message: All of this as one line, followed by the text of the exception if user
            code rejected the value.

    Examples:
        >>> import snooze
        >>> try:
        ...     snooze.decode(b'{"a": [1, "2"]}', dict[str, list[int]])
        ... except snooze.ValidationError as error:
        ...     problem = error.errors[0]
        >>> problem.pointer, problem.expected, problem.found, problem.offset
        ('/a/1', 'int', 'str', 10)
        >>> problem.message
        'expected int, found str at $.a[1] (line 1 column 11)'
    """

    __slots__ = ()
    __module__ = "snooze"


class ValidationError(JSONDecodeError):
    """The exception for a document that is JSON, but does not fit the type.

    A subclass of `JSONDecodeError`, and so of `ValueError`. `str(error)` is the message
    of the first problem, followed by the number of further problems, all counted. If
    user code rejected a value, the first such exception is the `__cause__`.

    Your own code may raise one with a text, `ValidationError("no such user")`: its only
    problem has this message, the path "" and empty texts.

    Attributes:
        errors: A list of `Problem`, in the order in which they were found: one with
            `errors="first"`, all of them with `errors="all"`, up to `max_errors`.
        omitted: How many more problems `errors="all"` found than `errors` has.
        pointer: The place of the first problem, as a JSON Pointer (RFC 6901).
        doc: The document as str.
        pos: The position of the first problem in `doc`, in characters.
        lineno: The line of the first problem, from 1.
        colno: The column of the first problem, in characters from 1.
        snippet: The text around the first problem, and a line with a caret below it.

    Examples:
        >>> import snooze
        >>> decoder = snooze.Decoder(list[int], errors="all")
        >>> try:
        ...     decoder.decode(b'[1, "2", null]')
        ... except snooze.ValidationError as error:
        ...     print(error)
        ...     print([problem.pointer for problem in error.errors])
        expected int, found str at $[1] (line 1 column 5) (and 1 more)
        ['/1', '/2']
    """

    __module__ = "snooze"
    errors: list[Problem]
    omitted: int

    #: Where line and column begin in the message of each problem, if they are there.
    _places: Sequence[int] = ()
    #: The path of each problem with indices as int, if a Decoder found them.
    _paths: Sequence[Path] = ()

    def __init__(
        self, problems: Sequence[Problem] | str, doc: str = "", omitted: int = 0
    ) -> None:
        """Store the problems, at least one; a text makes one of the whole document."""
        if isinstance(problems, str):
            problems = [Problem("", "", "", 0, 1, 1, problems)]
        if not problems:
            raise ValueError("a ValidationError needs at least one Problem")
        first = problems[0]
        super().__init__(first.message, doc, _character_offset(doc, first.offset))
        self.errors = list(problems)
        self.omitted = omitted
        # JSONDecodeError would add the place, which the message has already.
        self.args = (_summary(first, len(problems), omitted),)

    @property
    def pointer(self) -> str:
        """The place of the first problem, as a JSON Pointer."""
        return self.errors[0].pointer

    def __reduce__(self) -> Any:
        """Pickle as problems and document, and with the notes."""
        arguments: tuple[Any, ...] = (self.errors, self.doc)
        if self.omitted:
            arguments = (*arguments, self.omitted)
        made, parts, *state = self._with_notes(type(self), arguments)
        inner = {"_places": self._places, "_paths": self._paths}
        kept = {name: list(value) for name, value in inner.items() if value}
        return (made, parts, {**kept, **(state[0] if state else {})} or None)

    def _move_to_line(self, number: int) -> None:
        """Name the line of a text that the document is, in all problems."""
        made = []
        # A text of your own has no place in it.
        for problem, at in zip(self.errors, self._places or (), strict=False):
            text, place = problem.message[:at], problem.message[at:]
            place = place.replace("(line 1 ", f"(line {number} ", 1)
            made.append(problem._replace(message=text + place))
        self.errors = [problem._replace(line=number) for problem in made or self.errors]
        self._is_moved = True
        self.lineno = number
        self.args = (_summary(self.errors[0], len(self.errors), self.omitted),)

    def _is_of(self, text: bytes) -> bool:
        """Tell whether this is an error of a text; one without a document is."""
        return not self.doc or super()._is_of(text)

    def _move_into(
        self, path: Sequence[str | int], offset: int, start: tuple[int, int]
    ) -> None:
        """Name the place that the document has in a larger one, in all problems."""
        count = len(self.errors)
        inner = self._paths or [()] * count
        # A text of your own has no place in it.
        places = self._places or [0] * count
        paths = [(*path, *steps) for steps in inner]
        made = []
        for problem, steps, at in zip(self.errors, paths, places, strict=True):
            line, column = moved(problem.line, problem.column, start)
            old = f" (line {problem.line} column {problem.column})"
            reason = problem.message[at:].removeprefix(old)
            message = _difference(problem.expected, problem.found)
            message += f" at {place(steps)} (line {line} column {column}){reason}"
            new = Problem(
                pointer=pointer(steps),
                expected=problem.expected,
                found=problem.found,
                offset=offset + problem.offset,
                line=line,
                column=column,
                message=message if at else f"{problem.message} at {place(steps)}",
            )
            made.append(new)
        self.errors, self._paths, self._places = made, paths, ()
        self._is_moved = True
        self._outer = tuple(path)
        self.lineno, self.colno = made[0].line, made[0].column
        self.args = (_summary(made[0], count, self.omitted),)


def _summary(first: Problem, count: int, omitted: int) -> str:
    if omitted:
        total = count + omitted
        return f"{first.message} (and {total - 1} more, {omitted} of them not listed)"
    more = f" (and {count - 1} more)" if count > 1 else ""
    return first.message + more


def _character_offset(doc: str, offset: int) -> int:
    """Convert a byte offset of the UTF-8 document to an offset in characters."""
    if doc.isascii():
        return offset
    head = doc.encode("utf-8", "surrogatepass")[:offset]
    return len(head.decode("utf-8", "ignore"))


def _lines_and_columns(doc: str, offsets: set[int]) -> dict[int, tuple[int, int]]:
    """Convert byte offsets of the UTF-8 document to lines and columns, in one pass."""
    is_ascii = doc.isascii()
    data = doc.encode("utf-8", "surrogatepass")
    found = {}
    previous, line, column = 0, 1, 1
    for offset in sorted(offsets):
        line += data.count(b"\n", previous, offset)
        newline = data.rfind(b"\n", previous, offset)
        start = previous
        if newline >= 0:
            start, column = newline + 1, 1
        passed = data[start:offset]
        column += len(passed if is_ascii else passed.decode("utf-8", "ignore"))
        found[offset] = (line, column)
        previous = offset
    return found


def _difference(expected: str, found: str) -> str:
    """Return what is wrong; with equal texts only a check can have failed."""
    if expected == found:
        return f"{found} refused"
    return f"expected {expected}, found {found}"


def _reason(cause: BaseException | None) -> str:
    """Return the end of a message: the text of an exception, if it has one."""
    if cause is None:
        return ""
    try:
        text = f": {cause!s}"
    except Exception:  # noqa: BLE001 - the text is made by a class of the user
        return f": {type(cause).__name__} without a text"
    return "" if text == ": " else text


def fail(
    document: str | None,
    problems: Sequence[tuple[Path, str, str, int, Any]],
    omitted: int,
) -> NoReturn:
    """Raise a `ValidationError` for the problems that the extension found.

    The document is None where objects are converted. Each problem is a path, the
    expected text, the found text, a byte offset, and the exception of the code that
    rejected the value, or None. `omitted` counts problems that are not among them.
    """
    text = "" if document is None else document
    positions = _lines_and_columns(text, {problem[3] for problem in problems})
    made = []
    places = []
    first_cause = None
    for path, expected, found, offset, cause in problems:
        line, column = positions[offset]
        message = f"{_difference(expected, found)} at {place(path)}"
        places.append(len(message))
        if document is not None:
            message += f" (line {line} column {column})"
        message += _reason(cause)
        made.append(
            Problem(pointer(path), expected, found, offset, line, column, message)
        )
        if first_cause is None and not isinstance(cause, CheckFailed):
            first_cause = cause
    error = ValidationError(made, text, omitted)
    error._places = places  # noqa: SLF001 - of this module
    error._paths = [problem[0] for problem in problems]  # noqa: SLF001 - the same
    try:
        raise error from first_cause
    finally:
        del error  # its traceback has this frame
