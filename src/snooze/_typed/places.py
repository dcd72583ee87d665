"""The texts of places in a document: JSON Pointers, and the paths of messages.

Separate from `errors`, because `JSONDecodeError` names places too. Invariant: a path in
a message is short, and shows nothing that a terminal would not print. Used by `errors`,
by the codecs' `at`, by `items`, and by `_decode_error`.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Path = tuple["str | int", ...]


def pointer(path: Path) -> str:
    """Return a path as a JSON Pointer (RFC 6901)."""
    escaped = (str(part).replace("~", "~0").replace("/", "~1") for part in path)
    return "".join(f"/{token}" for token in escaped)


def tokens(text: str) -> tuple[str, ...]:
    """Return the unescaped tokens of a JSON Pointer."""
    if not isinstance(text, str):
        raise TypeError(f"at needs a JSON Pointer such as '/users/0', not {text!r}")
    if text and not text.startswith("/"):
        raise ValueError(
            f"at={text!r} is not a JSON Pointer: it is '' for the whole document, or "
            f"begins with '/', as in {'/' + text!r}"
        )
    if re.search(r"~(?![01])", text):
        raise ValueError(
            f"at={text!r} is not a JSON Pointer: '~' is written '~0', '/' in a name "
            "'~1'"
        )
    return tuple(
        token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]
    )


def moved(line: int, column: int, start: tuple[int, int]) -> tuple[int, int]:
    """Return the line and column in a text of a place in a part of it.

    Args:
        line: The line of the place, counted from the start of the part.
        column: Its column, likewise.
        start: The line and column of the part in the text.
    """
    if line == 1:
        column += start[1] - 1
    return line + start[0] - 1, column


#: The most characters of a member name that a message shows.
LONGEST_NAME = 60

#: The most steps of a path that a message shows.
LONGEST_PATH = 60


class _Unprintable:
    """A pattern, compiled when it is first used: that takes longer than an import.

    It is for what a terminal or a log would not show as it is: controls, separators of
    lines, marks that change the direction of text, characters without width, lone
    surrogates.
    """

    __slots__ = ()

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Replace each such character; `re` keeps the pattern."""
        return re.sub(
            "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f"
            "\ufeff\ud800-\udfff]",
            new,
            text,
        )


UNPRINTABLE = _Unprintable()


def place(path: Path) -> str:
    """Return a path in the form that messages use: `$.users[3].age`.

    Of a long path the first and the last steps are shown. Names come from the document:
    a long one is cut, and characters that a terminal or a log would not show as they
    are become escapes. `Problem.pointer` has the whole names.
    """
    text = "$"
    if len(path) > LONGEST_PATH:
        half = LONGEST_PATH // 2
        return f"{place(path[:half])} ... {place(path[-half:])[1:]}"
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        elif len(part) <= LONGEST_NAME and part.isascii() and part.isidentifier():
            text += f".{part}"
        else:
            text += f'["{_shown(part)}"]'
    return text


def _shown(name: str) -> str:
    """Return a name as messages show it between quotes."""
    cut = name[:LONGEST_NAME]
    escaped = cut.replace("\\", "\\\\").replace('"', '\\"')
    escaped = UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", escaped)
    return escaped if cut == name else escaped + "..."
