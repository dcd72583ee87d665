"""JSON Pointer (RFC 6901): get, set and delete one value of a document.

Documents are Python objects as ``loads`` returns them: dicts, lists and scalars. A
pointer is a string: ``""`` is the whole document, ``"/a/0"`` the first item of its
member ``a``. In a name, ``~1`` is a slash and ``~0`` a tilde. A pointer that begins
with ``#`` is the URI fragment form, ``"#/a%20b"``.
"""

# Separate from snooze._edit, because it is public, small, and a part of what `import
# snooze` loads. Invariants: nothing is changed if an error is raised; the work is
# proportional to the length of the pointer, apart from moving the items of a list.
# snooze._edit and snooze._jsonpath use it.

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = (
    "PointerError",
    "delete",
    "exists",
    "get",
    "join",
    "parse",
    "set",
)

#: Instead of a default: there is none.
_NONE: Any = object()
#: The default by which `exists` knows.
_ABSENT: Any = object()
#: No list is longer, and longer texts would take Python long to convert.
_LONGEST_INDEX = 18
_LONGEST_TEXT = 100


class PointerError(LookupError):
    """The exception for a place that a document does not have.

    A subclass of ``LookupError``.

    Attributes:
        pointer: The place where the search ended, as a JSON Pointer: the object or
            array without that member or item, or the scalar that has none.

    Examples:
        >>> import snooze
        >>> try:
        ...     snooze.pointer.get({"a": [1, 2]}, "/a/5")
        ... except snooze.pointer.PointerError as error:
        ...     print(error, error.pointer)
        expected an index below 2 at "/a", found "5" /a
    """

    def __init__(self, message: str, pointer: str) -> None:
        """Keep the message and the place."""
        super().__init__(message)
        self.pointer = pointer

    def __reduce__(self) -> Any:
        """Pickle as the call that makes an equal exception, and with the notes."""
        return type(self), (self.args[0], self.pointer), vars(self)


def parse(pointer: str, /) -> list[str]:
    """Split a pointer into the names and indexes that it consists of.

    Args:
        pointer: A JSON Pointer, also as a URI fragment (RFC 6901 section 6).

    Returns:
        The reference tokens, with ``~0`` and ``~1`` decoded.

    Raises:
        TypeError: The pointer is not a str.
        ValueError: It does not begin with a slash, or has a tilde without 0 or 1 after
            it, or is a URI fragment that is not percent-encoded UTF-8.

    Examples:
        >>> import snooze
        >>> snooze.pointer.parse("/a~1b/0")
        ['a/b', '0']
        >>> snooze.pointer.parse("#/caf%C3%A9")
        ['café']
    """
    if not isinstance(pointer, str):
        raise TypeError(
            f"JSON Pointer: expected str, found {type(pointer).__name__}: {pointer!r}"
        )
    text = _unquoted(pointer) if pointer.startswith("#") else pointer
    if not text:
        return []
    if text[0] != "/":
        raise no_pointer(pointer)
    tokens = text[1:].split("/")
    if "~" in text:
        for position, token in enumerate(tokens):
            if "~" in token:
                tokens[position] = _unescaped(token, pointer)
    return tokens


def join(tokens: Iterable[str | int], /) -> str:
    """Make a pointer of names and indexes, the reverse of ``parse``.

    Args:
        tokens: Member names, and indexes as int or str.

    Returns:
        The pointer, in which ``~`` and ``/`` of names are encoded.

    Raises:
        TypeError: A token is neither a str nor an int, or there is a str in place of
            several tokens.

    Examples:
        >>> import snooze
        >>> snooze.pointer.join(["a/b", 0])
        '/a~1b/0'
    """
    if isinstance(tokens, str):
        raise TypeError(f"expected several tokens, found a str; write [{tokens!r}]")
    parts = []
    for token in tokens:
        if isinstance(token, str):
            parts.append("/" + escaped(token))
        elif isinstance(token, int) and not isinstance(token, bool):
            parts.append(f"/{token}")
        else:
            raise TypeError(f"expected str or int, found {type(token).__name__}")
    return "".join(parts)


def get(document: Any, pointer: str, /, default: Any = _NONE) -> Any:
    """Return the value that a pointer names.

    Args:
        document: A document.
        pointer: A JSON Pointer.
        default: What to return if there is no such value. Default: an error is raised.

    Returns:
        The value itself, not a copy.

    Raises:
        PointerError: There is no such value, and no default.
        TypeError: The pointer is not a str.
        ValueError: It is no pointer; see ``parse``.

    Examples:
        >>> import snooze
        >>> snooze.pointer.get({"users": [{"name": "mira"}]}, "/users/0/name")
        'mira'
        >>> snooze.pointer.get({"users": []}, "/users/0", None)
    """
    tokens = parse(pointer)
    value = document
    try:
        for position, token in enumerate(tokens):
            value = child(value, token, tokens, position)
    except PointerError:
        if default is _NONE:
            raise
        return default
    return value


def exists(document: Any, pointer: str, /) -> bool:
    """Tell whether a document has the value that a pointer names.

    Args:
        document: A document.
        pointer: A JSON Pointer.

    Raises:
        TypeError: The pointer is not a str.
        ValueError: It is no pointer; see ``parse``.

    Examples:
        >>> import snooze
        >>> snooze.pointer.exists({"a": None}, "/a")
        True
    """
    return get(document, pointer, _ABSENT) is not _ABSENT


def set(document: Any, pointer: str, value: Any, /) -> Any:  # noqa: A001 - as get
    """Set the value that a pointer names, in the document itself.

    A member is added or replaced; an item is replaced; ``-`` in the place of an index
    appends to the array. The object or array must exist.

    Args:
        document: A document, which is changed.
        pointer: A JSON Pointer.
        value: The new value.

    Returns:
        The document, or ``value`` if the pointer is ``""``.

    Raises:
        PointerError: There is no such object or array, or the index is beyond its end.
        TypeError: The pointer is not a str.
        ValueError: It is no pointer; see ``parse``.

    Examples:
        >>> import snooze
        >>> snooze.pointer.set({"a": [1]}, "/a/-", 2)
        {'a': [1, 2]}
    """
    tokens = parse(pointer)
    if not tokens:
        return value
    parent = container(document, tokens)
    if isinstance(parent, dict):
        parent[tokens[-1]] = value
    elif tokens[-1] == "-":
        parent.append(value)
    else:
        parent[index(parent, tokens, len(tokens) - 1)] = value
    return document


def delete(document: Any, pointer: str, /) -> Any:
    """Remove the value that a pointer names, from the document itself.

    Args:
        document: A document, which is changed.
        pointer: A JSON Pointer, other than ``""``.

    Returns:
        The value that was removed.

    Raises:
        PointerError: There is no such value, or it is the whole document.
        TypeError: The pointer is not a str.
        ValueError: It is no pointer; see ``parse``.

    Examples:
        >>> import snooze
        >>> document = {"a": [1, 2]}
        >>> snooze.pointer.delete(document, "/a/0")
        1
        >>> document
        {'a': [2]}
    """
    tokens = parse(pointer)
    if not tokens:
        raise PointerError("the whole document cannot be removed", "")
    parent = container(document, tokens)
    if isinstance(parent, dict):
        removed = child(parent, tokens[-1], tokens, len(tokens) - 1)
        del parent[tokens[-1]]
        return removed
    return parent.pop(index(parent, tokens, len(tokens) - 1))


def child(value: Any, token: str, tokens: list[str], position: int) -> Any:
    """Return the member or item of a value; `token` is `tokens[position]`."""
    if isinstance(value, dict):
        if token in value:
            return value[token]
        raise PointerError(
            f"expected a member {quoted(token)} at {_place(tokens, position)}, found "
            "none",
            join(tokens[:position]),
        )
    if isinstance(value, (list, tuple)):
        return value[index(value, tokens, position)]
    raise _no_container(value, tokens, position)


def container(document: Any, tokens: list[str]) -> Any:
    """Return the dict or list that has the last token; PointerError for others."""
    value = document
    last = len(tokens) - 1
    for position in range(last):
        value = child(value, tokens[position], tokens, position)
    if isinstance(value, (dict, list)):
        return value
    if isinstance(value, tuple):
        raise PointerError(
            f"expected an object or list at {_place(tokens, last)}, found a tuple, "
            "which cannot be changed",
            join(tokens[:last]),
        )
    raise _no_container(value, tokens, last)


def index(
    items: list[Any] | tuple[Any, ...], tokens: list[str], position: int, more: int = 0
) -> int:
    """Return a token as an index below the length plus `more`; else PointerError."""
    token = tokens[position]
    has_zeros = len(token) > 1 and token.startswith("0")
    end = len(items) + more
    is_index = token.isascii() and token.isdigit() and not has_zeros
    if is_index and len(token) <= _LONGEST_INDEX and int(token) < end:
        return int(token)
    # Only now: the place is as long as the document may be deep.
    where = join(tokens[:position])
    at, found = quoted(where), quoted(token)
    if not is_index:
        message = f"expected an array index at {at}, found {found}"
    elif end:
        message = f"expected an index below {end} at {at}, found {found}"
    else:
        message = f"the array at {at} is empty, found the index {found}"
    raise PointerError(message, where)


def no_pointer(text: str) -> ValueError:
    """Return the error for text that does not begin as a pointer does."""
    return ValueError(
        f'JSON Pointer: expected "" or text that begins with "/", found {quoted(text)}'
    )


def escaped(name: str) -> str:
    """Return a member name as a reference token."""
    if "~" in name:
        name = name.replace("~", "~0")
    return name.replace("/", "~1") if "/" in name else name


def quoted(text: str) -> str:
    """Return text for a message: on one line, and of bounded length."""
    if len(text) > _LONGEST_TEXT:
        text = text[:_LONGEST_TEXT] + "…"
    inside = (
        text.encode("unicode_escape").decode("ascii")
        if not text.isprintable()
        else text
    )
    return '"' + inside.replace('"', '\\"') + '"'


def _no_container(value: Any, tokens: list[str], position: int) -> PointerError:
    from snooze._typed.raw import Raw  # noqa: PLC0415 - only this message needs it

    kind = "JSON text" if isinstance(value, Raw) else type(value).__name__
    return PointerError(
        f"expected an object or array at {_place(tokens, position)}, found {kind}",
        join(tokens[:position]),
    )


def _place(tokens: list[str], position: int) -> str:
    return quoted(join(tokens[:position]))


def _unescaped(token: str, pointer: str) -> str:
    if token.count("~") != token.count("~0") + token.count("~1"):
        raise ValueError(
            'JSON Pointer: expected "~0" or "~1" after each "~", found '
            + quoted(pointer)
        )
    # In this order, so that "~01" is "~1".
    return token.replace("~1", "/").replace("~0", "~")


def _unquoted(pointer: str) -> str:
    """Return the pointer of a URI fragment."""
    import re  # noqa: PLC0415 - only fragments need it
    from urllib.parse import unquote  # noqa: PLC0415 - likewise

    try:
        if not re.search("%(?![0-9A-Fa-f]{2})", pointer):
            return unquote(pointer[1:], errors="strict")
    except UnicodeDecodeError:
        pass
    raise ValueError(
        "JSON Pointer: expected a percent-encoded URI fragment in UTF-8, found "
        + quoted(pointer)
    )
