"""The segments and selectors of a query, and how they select.

Separate from the parser, which makes them. Each selector has two methods: `values`
appends the selected values of one value, and `nodes` appends them with their places,
which costs more. Invariants: the order is that of RFC 9535 section 2.3 and 2.5; walks
of descendants are loops. Used by the parser and by filters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from snooze._edit.places import Place
from snooze._edit.values import DEEPEST, too_deep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_CONTAINERS = (dict, list, tuple)
_ARRAYS = (list, tuple)
#: A value and its place.
Located = tuple[Any, Place]


class Selector(Protocol):
    """What stands between the brackets, or after the dot."""

    def values(self, value: Any, root: Any, found: list[Any], /) -> None:
        """Append the selected children of a value."""

    def nodes(self, node: Located, root: Any, found: list[Located], /) -> None:
        """Append the selected children of a node, with their places."""


class Name:
    """A member: `'name'` (section 2.3.1)."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        """Keep the name."""
        self.name = name

    def values(self, value: Any, _: Any, found: list[Any]) -> None:
        """Append the member."""
        if isinstance(value, dict) and self.name in value:
            found.append(value[self.name])

    def nodes(self, node: Located, _: Any, found: list[Located]) -> None:
        """Append the member with its place."""
        value, place = node
        if isinstance(value, dict) and self.name in value:
            found.append((value[self.name], (place, self.name)))


class Index:
    """An item: `3` or `-1` (section 2.3.3)."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        """Keep the index."""
        self.index = index

    def values(self, value: Any, _: Any, found: list[Any]) -> None:
        """Append the item."""
        if isinstance(value, _ARRAYS) and -len(value) <= self.index < len(value):
            found.append(value[self.index])

    def nodes(self, node: Located, _: Any, found: list[Located]) -> None:
        """Append the item with its place."""
        value, place = node
        if isinstance(value, _ARRAYS) and -len(value) <= self.index < len(value):
            at = self.index % len(value)
            found.append((value[at], (place, at)))


class Wildcard:
    """All members or items: `*` (section 2.3.2)."""

    __slots__ = ()

    def values(self, value: Any, _: Any, found: list[Any]) -> None:
        """Append all children."""
        if isinstance(value, dict):
            found += value.values()
        elif isinstance(value, _ARRAYS):
            found += value

    def nodes(self, node: Located, _: Any, found: list[Located]) -> None:
        """Append all children with their places."""
        value, place = node
        found += [(one, (place, step)) for step, one in children(value)]


class Slice:
    """Items: `1:5:2` (section 2.3.4)."""

    __slots__ = ("slice",)

    def __init__(self, start: int | None, end: int | None, step: int | None) -> None:
        """Keep the bounds, which have the meaning of Python's."""
        self.slice = slice(start, end, step)

    def values(self, value: Any, _: Any, found: list[Any]) -> None:
        """Append the items."""
        if isinstance(value, _ARRAYS) and self.slice.step != 0:
            found += value[self.slice]

    def nodes(self, node: Located, _: Any, found: list[Located]) -> None:
        """Append the items with their places."""
        value, place = node
        if isinstance(value, _ARRAYS) and self.slice.step != 0:
            positions = range(*self.slice.indices(len(value)))
            found += [(value[at], (place, at)) for at in positions]


class Filter:
    """Members or items that pass a test: `?@.a > 1` (section 2.3.5)."""

    __slots__ = ("test",)

    def __init__(self, test: Callable[[Any, Any], bool]) -> None:
        """Keep the test, a function of the child and the document."""
        self.test = test

    def values(self, value: Any, root: Any, found: list[Any]) -> None:
        """Append the children that pass."""
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, _ARRAYS):
            test = self.test
            found += [one for one in value if test(one, root)]

    def nodes(self, node: Located, root: Any, found: list[Located]) -> None:
        """Append the children that pass, with their places."""
        value, place = node
        test = self.test
        found += [
            (one, (place, step)) for step, one in children(value) if test(one, root)
        ]


class Segment:
    """Selectors that are applied to each value, or to all its descendants."""

    __slots__ = ("descends", "has_blanks", "selectors")

    def __init__(
        self,
        selectors: Sequence[Selector],
        *,
        descends: bool,
        has_blanks: bool = False,
    ) -> None:
        """Keep the selectors, and whether blanks were between the brackets."""
        self.selectors = selectors
        self.descends = descends
        self.has_blanks = has_blanks

    @property
    def is_singular(self) -> bool:
        """Whether it selects one value at most, as the ABNF of 2.3.5.1 writes it."""
        return (
            not self.descends
            and not self.has_blanks
            and len(self.selectors) == 1
            and isinstance(self.selectors[0], (Name, Index))
        )

    def values(self, values: list[Any], root: Any) -> list[Any]:
        """Return what is selected of some values."""
        found: list[Any] = []
        for one in values:
            for value in descendants(one) if self.descends else (one,):
                for selector in self.selectors:
                    selector.values(value, root, found)
        return found

    def nodes(self, nodes: list[Located], root: Any) -> list[Located]:
        """Return what is selected of some nodes."""
        found: list[Located] = []
        for one in nodes:
            for node in located_descendants(one) if self.descends else (one,):
                for selector in self.selectors:
                    selector.nodes(node, root, found)
        return found


def children(value: Any) -> list[tuple[str | int, Any]]:
    """Return the names or indexes of a value's children, and the children."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, _ARRAYS):
        return list(enumerate(value))
    return []


def descendants(value: Any) -> Iterator[Any]:
    """Yield the containers among a value and its descendants, outer ones first."""
    if not isinstance(value, _CONTAINERS):
        return
    yield value
    open_: list[Iterator[Any]] = [_containers(value)]
    while open_:
        for one in open_[-1]:
            yield one
            open_.append(_containers(one))
            if len(open_) > DEEPEST:
                raise too_deep()
            break
        else:
            open_.pop()


def _containers(value: Any) -> Iterator[Any]:
    inside = value.values() if isinstance(value, dict) else value
    return iter([one for one in inside if isinstance(one, _CONTAINERS)])


def located_descendants(node: Located) -> Iterator[Located]:
    """Yield the same as `descendants`, with places."""
    if not isinstance(node[0], _CONTAINERS):
        return
    yield node
    open_: list[Iterator[Located]] = [_located_containers(node)]
    while open_:
        for one in open_[-1]:
            yield one
            open_.append(_located_containers(one))
            if len(open_) > DEEPEST:
                raise too_deep()
            break
        else:
            open_.pop()


def _located_containers(node: Located) -> Iterator[Located]:
    value, place = node
    return iter(
        [
            (one, (place, step))
            for step, one in children(value)
            if isinstance(one, _CONTAINERS)
        ]
    )
