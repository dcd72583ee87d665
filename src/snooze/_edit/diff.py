"""The patch from one document to another.

Separate from patch.py, which applies patches. Two ideas: `Classes` gives equal values
the same key, so that any two parts are compared in one step; and the items of two
lists are aligned by the values that occur once in both (a patience diff), which takes
n log n steps where the longest common subsequence would take n². Invariant: applied in
order, the operations make the new document. Called by `snooze.diff`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Any

from snooze._edit import merge_patch as merging
from snooze._edit import numbers
from snooze._edit.places import Place, member, pointer
from snooze._edit.values import DEEPEST, copied, too_deep
from snooze.pointer import quoted

_CONTAINERS = (dict, list, tuple)
_WORD = 2**64


def json_patch(old: Any, new: Any) -> list[dict[str, Any]]:
    """Return the operations of RFC 6902."""
    return _Diff(old, new).operations()


def merge_patch(old: Any, new: Any) -> Any:
    """Return the merge patch of RFC 7396."""
    classes = _learned(old, new)
    return merging.made(
        old, new, lambda one, other: classes.of(one) == classes.of(other)
    )


class Classes:
    """Keys for values: two values have one key if and only if they are equal.

    Equal means of the same type, and the same JSON apart from the order of members. Any
    two keys can be compared at once, however large the values are. Strings and most
    integers are their own keys; that of a container is an object without contents.
    """

    def __init__(self) -> None:
        """Start without values."""
        #: The keys of containers, by the keys of what is in them and by `id`.
        self._known: dict[Any, object] = {}
        self._containers: dict[int, object] = {}

    def learn(self, value: Any) -> None:
        """Give keys to a value and everything inside, which must stay alive."""
        if not isinstance(value, _CONTAINERS):
            hash(_scalar(value))
            return
        waiting: list[tuple[Any, int]] = [(value, 1)]
        while waiting:
            one, depth = waiting.pop()
            if depth < 0:
                contents = self._contents(one)
                self._containers[id(one)] = self._known.setdefault(contents, object())
                continue
            if id(one) in self._containers:
                continue
            if depth > DEEPEST:
                raise too_deep()
            waiting.append((one, -depth))
            inside = one.values() if isinstance(one, dict) else one
            waiting += [
                (each, depth + 1) for each in inside if isinstance(each, _CONTAINERS)
            ]

    def of(self, value: Any) -> Any:
        """Return the key of a scalar, or of a container that was learned."""
        if type(value) is int and -_WORD < value < _WORD:
            return value
        if isinstance(value, _CONTAINERS):
            return self._containers[id(value)]
        return _scalar(value)

    def _contents(self, value: Any) -> Any:
        """Return the keys of what is directly inside."""
        of = self.of
        if isinstance(value, dict):
            # Most members are strings, and a call takes longer than the test.
            return frozenset(
                [
                    (key, one if type(one) is str else of(one))
                    for key, one in value.items()
                ]
            )
        return tuple([one if type(one) is str else of(one) for one in value])


def _scalar(value: Any) -> Any:
    """Return a key by which scalars are told apart as JSON tells them apart."""
    kind = type(value)
    if kind is str:
        return value
    if kind is int:
        # Long integers could be chosen to have one hash; their text cannot.
        return value if -_WORD < value < _WORD else (kind, hex(value))
    if kind is float:
        if math.isnan(value):
            return (kind, "nan")
        return (kind, value, math.copysign(1.0, value) < 0)
    if isinstance(value, numbers.EXACT):
        return numbers.key(value)
    return (kind, value)


def _learned(old: Any, new: Any) -> Classes:
    """Return the keys of two documents.

    TypeError for a value without a hash, which is none of JSON: sets, arrays of numpy.
    """
    classes = Classes()
    for document in (old, new):
        try:
            classes.learn(document)
        except TypeError:
            found = _without_hash(document)
            if found is None:
                raise
            raise found from None
    return classes


def _without_hash(document: Any) -> TypeError | None:
    """Return the error that names the first value without a hash, and its place."""
    waiting: list[tuple[Any, Place]] = [(document, None)]
    known = set()
    while waiting:
        one, place = waiting.pop()
        if not isinstance(one, _CONTAINERS):
            try:
                hash(one)
            except TypeError:
                at = "" if place is None else f" at {quoted(pointer(place))}"
                return TypeError(
                    f"expected a JSON value{at}, found {type(one).__name__}"
                )
        elif id(one) not in known:
            known.add(id(one))
            inside = (
                [(its, (place, member(key))) for key, its in one.items()]
                if isinstance(one, dict)
                else [(its, (place, at)) for at, its in enumerate(one)]
            )
            waiting += reversed(inside)
    return None


class _Diff:
    """The differences of two documents."""

    def __init__(self, old: Any, new: Any) -> None:
        self._old, self._new = old, new
        self._classes = _learned(old, new)
        self._found: list[dict[str, Any]] = []
        #: Pairs to compare, with the pointer; or operations to append, for afterwards.
        self._waiting: list[tuple[Any, Any, Place] | list[dict[str, Any]]] = []

    def operations(self) -> list[dict[str, Any]]:
        """Return the operations, those inside a container before its own."""
        self._pair(self._old, self._new, None)
        while self._waiting:
            one = self._waiting.pop()
            if isinstance(one, list):
                self._found += one
                continue
            old, new, place = one
            if isinstance(old, dict):
                self._objects(old, new, place)
            else:
                self._arrays(old, new, place)
        return self._found

    def _pair(self, old: Any, new: Any, place: Place) -> None:
        """Compare two values: replace, or look into them later."""
        if self._same(old, new):
            return
        if isinstance(old, dict):
            inside = isinstance(new, dict) and (
                place is None or self._is_alike(old, new)
            )
        else:
            lists = (list, tuple)
            inside = isinstance(old, lists) and isinstance(new, lists)
        if inside:
            self._waiting.append((old, new, place))
        else:
            self._found.append(
                {"op": "replace", "path": pointer(place), "value": copied(new)}
            )

    def _same(self, old: Any, new: Any) -> bool:
        return bool(self._classes.of(old) == self._classes.of(new))

    def _is_alike(self, old: dict[Any, Any], new: dict[Any, Any]) -> bool:
        """Tell whether two objects have anything in common."""
        return any(
            key in new and (isinstance(one, _CONTAINERS) or self._same(one, new[key]))
            for key, one in old.items()
        )

    def _objects(self, old: dict[Any, Any], new: dict[Any, Any], place: Place) -> None:
        later = len(self._waiting)
        for key, value in old.items():
            at = (place, member(key))
            if key in new:
                self._pair(value, new[key], at)
            else:
                self._found.append({"op": "remove", "path": pointer(at)})
        for key, value in new.items():
            if key not in old:
                self._found.append(_addition((place, member(key)), value))
        self._waiting[later:] = reversed(self._waiting[later:])

    def _arrays(self, old: Any, new: Any, place: Place) -> None:
        """Change items while indexes are old; then remove and add, from the end."""
        later = len(self._waiting)
        self._waiting.append([])
        moving: list[dict[str, Any]] = []
        for start, end, from_, to in reversed(self._gaps(old, new)):
            common = min(end - start, to - from_)
            for step in range(common):
                self._pair(old[start + step], new[from_ + step], (place, start + step))
            moving += [
                {"op": "remove", "path": pointer((place, at))}
                for at in range(end - 1, start + common - 1, -1)
            ]
            moving += [
                _addition((place, start + step), new[from_ + step])
                for step in range(common, to - from_)
            ]
        self._waiting[later] = moving

    def _gaps(self, old: Any, new: Any) -> list[tuple[int, int, int, int]]:
        """Return the parts that differ: from and to in the old and in the new list."""
        ours = list(map(self._classes.of, old))
        theirs = list(map(self._classes.of, new))
        gaps = []
        start = from_ = 0
        for at, its in [*_anchors(ours, theirs), (len(ours), len(theirs))]:
            end, to = at, its
            while start < end and from_ < to and ours[start] == theirs[from_]:
                start, from_ = start + 1, from_ + 1
            while start < end and from_ < to and ours[end - 1] == theirs[to - 1]:
                end, to = end - 1, to - 1
            if start < end or from_ < to:
                gaps.append((start, end, from_, to))
            start, from_ = at + 1, its + 1
        return gaps


def _addition(place: Place, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": pointer(place), "value": copied(value)}


def _anchors(old: list[Any], new: list[Any]) -> list[tuple[int, int]]:
    """Return positions of values that occur once in both, increasing in both."""
    places = _once(new)
    pairs = [(at, places[one]) for one, at in _once(old).items() if one in places]
    pairs.sort()
    # The longest increasing subsequence of the positions in the new list.
    ends: list[int] = []
    tops: list[int] = []
    before: list[int] = []
    for number, (_, its) in enumerate(pairs):
        pile = bisect_left(ends, its)
        before.append(tops[pile - 1] if pile else -1)
        if pile == len(ends):
            ends.append(its)
            tops.append(number)
        else:
            ends[pile], tops[pile] = its, number
    found = []
    at = tops[-1] if tops else -1
    while at >= 0:
        found.append(pairs[at])
        at = before[at]
    return found[::-1]


def _once(values: list[Any]) -> dict[Any, int]:
    """Return the position of each value that occurs once."""
    found: dict[Any, int] = {}
    for at, one in enumerate(values):
        found[one] = -1 if one in found else at
    return {one: at for one, at in found.items() if at >= 0}
