"""What is wrong with a document: `ValidationError` and its problems.

Separate from the plans, because Rust knows only where and what; line, column, pointer
and wording are made here, once an error is certain. Invariant: `str(error)` names the
place in the document, and an error survives pickling. `fail` is called by Rust.
"""

from __future__ import annotations

import re
from collections import namedtuple

from snooze._snooze import JSONDecodeError
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NamedTuple, NoReturn

    class _Fields(NamedTuple):
        path: str
        expected: str
        found: str
        offset: int
        line: int
        column: int
        message: str

else:
    _Fields = namedtuple(  # noqa: PYI024 - not at import time
        "_Fields", "path expected found offset line column message"
    )

Path = tuple["str | int", ...]


class Refused(ValueError):  # noqa: N818 - not for users
    """A check in Python that failed; the label of the node says the rest."""


class Problem(_Fields):
    """One thing that is wrong.

    Attributes:
        path: where, as JSON Pointer (RFC 6901); "" is the whole document.
        expected: what the type wants, for example `int or null`.
        found: what is there instead.
        offset: byte of the UTF-8 document.
        line: from 1.
        column: in characters, from 1.
        message: all of it, as a sentence.
    """

    __slots__ = ()
    __module__ = "snooze"


class ValidationError(JSONDecodeError):
    """JSON that does not fit the type: `errors` has every problem, `path` the first's.

    A `JSONDecodeError`, whose `pos`, `lineno` and `colno` point at the first problem.
    """

    __module__ = "snooze"
    errors: list[Problem]

    def __init__(self, problems: Sequence[Problem], doc: str) -> None:
        """Take up the problems, of which there is at least one."""
        if not problems:
            raise ValueError("a ValidationError needs at least one Problem")
        first = problems[0]
        super().__init__(first.message, doc, _characters(doc, first.offset))
        self.errors = list(problems)
        # JSONDecodeError would say the place a second time.
        self.args = (_summary(first, len(problems)),)

    @property
    def path(self) -> str:
        """Where the first problem is, as JSON Pointer."""
        return self.errors[0].path

    def __reduce__(self) -> Any:
        """Pickle as what it was made of."""
        return type(self), (self.errors, self.doc)


def _summary(first: Problem, count: int) -> str:
    more = f" (and {count - 1} more)" if count > 1 else ""
    return first.message + more


def pointer(path: Path) -> str:
    """Return a path as JSON Pointer."""
    tokens = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return "".join(f"/{token}" for token in tokens)


def tokens(text: str) -> tuple[str, ...]:
    """Return the unescaped tokens of a JSON Pointer."""
    if not isinstance(text, str):
        raise TypeError(f"at needs a JSON Pointer such as '/users/0', not {text!r}")
    if text and not text.startswith("/"):
        raise ValueError(
            f"at={text!r} is no JSON Pointer: it is '' for the whole document, or "
            f"begins with '/', as in {'/' + text!r}"
        )
    if re.search(r"~(?![01])", text):
        raise ValueError(
            f"at={text!r} is no JSON Pointer: '~' is written '~0', '/' in a name '~1'"
        )
    return tuple(
        token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]
    )


def place(path: Path) -> str:
    """Return a path as messages show it: `$.users[3].age`."""
    shown = "$"
    for part in path:
        if isinstance(part, int):
            shown += f"[{part}]"
        elif part.isascii() and part.isidentifier():
            shown += f".{part}"
        else:
            escaped = part.replace("\\", "\\\\").replace('"', '\\"')
            shown += f'["{escaped}"]'
    return shown


def _characters(doc: str, offset: int) -> int:
    """Return the position in characters of a byte of the UTF-8 document."""
    if doc.isascii():
        return offset
    head = doc.encode("utf-8", "surrogatepass")[:offset]
    return len(head.decode("utf-8", "ignore"))


def _places(doc: str, offsets: set[int]) -> dict[int, tuple[int, int]]:
    """Return line and column of bytes of the UTF-8 document, in one pass."""
    is_ascii = doc.isascii()
    data = doc.encode("utf-8", "surrogatepass")
    found = {}
    at, line, column = 0, 1, 1
    for offset in sorted(offsets):
        line += data.count(b"\n", at, offset)
        newline = data.rfind(b"\n", at, offset)
        start = at
        if newline >= 0:
            start, column = newline + 1, 1
        passed = data[start:offset]
        column += len(passed if is_ascii else passed.decode("utf-8", "ignore"))
        found[offset] = (line, column)
        at = offset
    return found


def _difference(expected: str, found: str) -> str:
    """Say what is wrong; it can be more than the kind of JSON."""
    if expected == found:
        return f"{found} refused"
    return f"expected {expected}, found {found}"


def fail(
    document: str, problems: Sequence[tuple[Path, str, str, int, Any]]
) -> NoReturn:
    """Raise a `ValidationError`; what the extension calls."""
    places = _places(document, {problem[3] for problem in problems})
    made = []
    first_cause = None
    for path, expected, actual, offset, cause in problems:
        line, column = places[offset]
        words = str(cause) if cause is not None else ""
        message = (
            f"{_difference(expected, actual)} at {place(path)} "
            f"(line {line} column {column})"
        )
        if words:
            message += f": {words}"
        made.append(
            Problem(pointer(path), expected, actual, offset, line, column, message)
        )
        if first_cause is None and not isinstance(cause, Refused):
            first_cause = cause
    raise ValidationError(made, document) from first_cause
