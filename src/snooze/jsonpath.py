"""JSONPath (RFC 9535): find the values of a document that a query selects.

The whole standard: every selector, filters, the functions ``length``, ``count``,
``match``, ``search`` and ``value``, and normalized paths. Documents are Python objects
as ``loads`` returns them. A query that RFC 9535 does not allow is an error.
"""

# Separate from snooze._jsonpath, which parses and evaluates: of that, `import snooze`
# loads nothing, and the first query everything. Unlike the package, this module may
# have a `__getattr__`, because no call of it takes nanoseconds.

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from snooze._jsonpath.query import Node, Path

__all__ = ("JSONPathError", "Node", "Path", "compile", "find", "nodes")


class JSONPathError(ValueError):
    """The exception for a query that is not one of RFC 9535.

    Also for a pattern of ``match`` or ``search`` in the document that is too large to
    be tried; see ``find``. A subclass of ``ValueError``.

    Attributes:
        query: The query.
        position: Where the problem is in the query, in characters from 0.

    Examples:
        >>> import snooze
        >>> snooze.jsonpath.compile("$.users[*].")
        Traceback (most recent call last):
            ...
        snooze.jsonpath.JSONPathError: expected a name or "*" after ".", found the end \
of the query at column 12 of "$.users[*]."
    """

    def __init__(self, message: str, query: str, position: int) -> None:
        """Keep the message and the place in the query."""
        super().__init__(message)
        self.query = query
        self.position = position

    def __reduce__(self) -> Any:
        """Pickle as the call that makes an equal exception, and with the notes."""
        return type(self), (self.args[0], self.query, self.position), vars(self)


def compile(query: str, /) -> Path:  # noqa: A001 - as re.compile
    """Compile a query, to use it more than once.

    Args:
        query: A JSONPath query, which begins with ``$``.

    Returns:
        The compiled query, with the methods ``find`` and ``nodes``.

    Raises:
        JSONPathError: The query is not one of RFC 9535, or nested deeper than 64 levels
            of parentheses, filters and functions.
        TypeError: The query is not a str.

    Examples:
        >>> import snooze
        >>> path = snooze.jsonpath.compile("$.users[?@.age >= 18].name")
        >>> path.find(
        ...     {"users": [{"name": "jo", "age": 17}, {"name": "mira", "age": 30}]}
        ... )
        ['mira']
    """
    from snooze._jsonpath.query import compiled  # noqa: PLC0415 - not at import time

    if not isinstance(query, str):
        raise TypeError(f"expected a query of type str, found {type(query).__name__}")
    return compiled(query)


def find(document: Any, query: str, /) -> list[Any]:
    """Return the values that a query selects, in the order of RFC 9535.

    The 256 queries that were used last stay compiled.

    Args:
        document: A document.
        query: A JSONPath query.

    Returns:
        The values themselves, not copies; empty if there are none.

    Raises:
        JSONPathError: As for ``compile``; or a pattern in the document needs more than
            2000 states, 64 nested parentheses or 999,999 repetitions.
        TypeError: The query is not a str.

    Examples:
        >>> import snooze
        >>> snooze.jsonpath.find({"a": [{"b": 1}, {"b": 2}]}, "$..b")
        [1, 2]
    """
    return compile(query).find(document)


def nodes(document: Any, query: str, /) -> list[Node]:
    """Return the values that a query selects, with their places.

    Args:
        document: A document.
        query: A JSONPath query.

    Returns:
        Nodes with the attributes ``value``, ``path`` (the normalized path, RFC 9535
        section 2.7) and ``pointer`` (the JSON Pointer).

    Raises:
        JSONPathError: As for ``find``.
        TypeError: The query is not a str.

    Examples:
        >>> import snooze
        >>> node = snooze.jsonpath.nodes({"a": [5, 6]}, "$.a[-1]")[0]
        >>> node.value, node.path, node.pointer
        (6, "$['a'][1]", '/a/1')
    """
    return compile(query).nodes(document)


def __getattr__(name: str) -> Any:
    """Return a class of the package, loaded when it is first asked for."""
    if name in ("Node", "Path"):
        from snooze._jsonpath import query  # noqa: PLC0415 - not at import time

        globals().update(Node=query.Node, Path=query.Path)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
