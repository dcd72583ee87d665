"""Compiled queries and the nodes that they select.

Separate from the parser, because users hold these objects. Invariant: a query that was
compiled can be used by several threads at once. Called by snooze.jsonpath.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from snooze._edit.places import Place, pointer, steps
from snooze._jsonpath.parser import Parser

_ESCAPES = {
    **{code: f"\\u{code:04x}" for code in range(0x20)},
    **{
        ord(one): f"\\{letter}"
        for one, letter in zip("\b\t\n\f\r'\\", "btnfr'\\", strict=True)
    },
}


class Node:
    """A value that a query selected, and its place in the document.

    Attributes:
        value: The value itself, not a copy.
        path: The place as a normalized path (RFC 9535 section 2.7).
        pointer: The place as a JSON Pointer (RFC 6901).

    Examples:
        >>> import snooze
        >>> snooze.jsonpath.nodes({"a": [5]}, "$.a[0]")
        [Node(value=5, path="$['a'][0]")]
    """

    __slots__ = ("_place", "value")
    __module__ = "snooze.jsonpath"

    def __init__(self, value: Any, place: Place) -> None:
        """Keep the value and its place."""
        self.value = value
        self._place = place

    @property
    def path(self) -> str:
        """The place as a normalized path."""
        return "$" + "".join(
            f"['{step.translate(_ESCAPES)}']" if isinstance(step, str) else f"[{step}]"
            for step in steps(self._place)
        )

    @property
    def pointer(self) -> str:
        """The place as a JSON Pointer."""
        return pointer(self._place)

    def __repr__(self) -> str:
        """Return the value and the normalized path."""
        return f"Node(value={self.value!r}, path={self.path!r})"


class Path:
    """A compiled JSONPath query; ``snooze.jsonpath.compile`` makes it.

    Attributes:
        query: The text of the query.

    Examples:
        >>> import snooze
        >>> path = snooze.jsonpath.compile("$[*].id")
        >>> path.find([{"id": 1}, {"id": 2}])
        [1, 2]
        >>> path
        compile('$[*].id')
    """

    __slots__ = ("_segments", "query")
    __module__ = "snooze.jsonpath"

    def __init__(self, query: str) -> None:
        """Compile a query; the same as ``snooze.jsonpath.compile``."""
        if not isinstance(query, str):
            raise TypeError(
                f"expected a query of type str, found {type(query).__name__}"
            )
        self.query = query
        self._segments = Parser(query).segments()

    def find(self, document: Any, /) -> list[Any]:
        """Return the values that the query selects.

        Args:
            document: A document.

        Returns:
            The values themselves, in the order of RFC 9535.
        """
        found = [document]
        for segment in self._segments:
            found = segment.values(found, document)
        return found

    def nodes(self, document: Any, /) -> list[Node]:
        """Return the values that the query selects, with their places.

        Args:
            document: A document.

        Returns:
            The nodes, in the order of RFC 9535.
        """
        found: list[tuple[Any, Place]] = [(document, None)]
        for segment in self._segments:
            found = segment.nodes(found, document)
        return [Node(value, place) for value, place in found]

    def __repr__(self) -> str:
        """Return the call that makes an equal query."""
        return f"compile({self.query!r})"

    def __reduce__(self) -> Any:
        """Pickle as the text."""
        return Path, (self.query,)


@lru_cache(256)
def compiled(query: str) -> Path:
    """Return a compiled query, of those that were used last."""
    return Path(query)
