"""Copy and compare JSON values, as deep as they may be nested.

Separate because `copy.deepcopy` and `==` call themselves for each level, and because
Python has `True == 1`. Invariants: the walks are loops; a value that contains itself is
refused, because it is deeper than any limit. Used by patch.py, merge_patch.py and
diff.py, and by snooze._jsonpath and snooze._infer.
"""

from __future__ import annotations

from typing import Any

from snooze._edit import numbers

#: Nested containers in a document. A list or dict that contains itself reaches it soon.
DEEPEST = 100_000
_CONTAINERS = (dict, list, tuple)
_SCALARS = frozenset((str, int, float, bool, type(None)))


class Budget:
    """How many values may be copied before it is an error."""

    __slots__ = ("left",)

    def __init__(self, count: int) -> None:
        """Allow so many values."""
        self.left = count

    def take(self, count: int) -> bool:
        """Take some; False if they are not left."""
        self.left -= count
        return self.left >= 0


class BudgetError(Exception):
    """More values were copied than allowed."""


def too_deep() -> ValueError:
    """Return the error for a document that is too deep."""
    return ValueError(
        f"expected at most {DEEPEST} nested objects and arrays, found more, or one "
        "that contains itself"
    )


def check_depth(value: Any, depth: int) -> None:
    """Raise the ValueError for a value that is too deep, if it is at this depth."""
    waiting = [(value, depth)]
    while waiting:
        one, depth = waiting.pop()
        if not isinstance(one, _CONTAINERS):
            continue
        if depth > DEEPEST:
            raise too_deep()
        inside = one.values() if isinstance(one, dict) else one
        waiting += [(each, depth + 1) for each in inside if type(each) not in _SCALARS]


def copied(value: Any, budget: Budget | None = None) -> Any:
    """Return a value whose dicts and lists are new; everything else is shared.

    ValueError if it is too deep, BudgetError if the budget does not suffice.
    """
    if budget is not None and not budget.take(1):
        raise BudgetError
    if not isinstance(value, _CONTAINERS):
        return value
    root: list[Any] = [value]
    waiting: list[tuple[Any, Any, Any, int]] = [(root, 0, value, 1)]
    while waiting:
        owner, key, source, depth = waiting.pop()
        if depth > DEEPEST:
            raise too_deep()
        if budget is not None and not budget.take(len(source)):
            raise BudgetError
        new: Any
        if isinstance(source, dict):
            new = dict(source)
            entries: Any = source.items()
        else:
            new = list(source)
            entries = enumerate(source)
        owner[key] = new
        # Most lists hold scalars only or containers only; one call tests all items.
        if type(new) is list and _SCALARS.issuperset(map(type, new)):
            continue
        for at, one in entries:
            if type(one) not in _SCALARS and isinstance(one, _CONTAINERS):
                waiting.append((new, at, one, depth + 1))
    return root[0]


def equal(first: Any, second: Any) -> bool:
    """Tell whether two values are equal as JSON values.

    Numbers are compared as numbers, `1` and `1.0` are equal, and `true` is none (RFC
    6902 section 4.6, RFC 9535 section 2.3.5.2.2). The order of members does not count.
    """
    if not isinstance(first, _CONTAINERS):
        return equal_scalars(first, second)
    waiting = [(first, second, 1)]
    while waiting:
        one, other, depth = waiting.pop()
        if depth > DEEPEST:
            raise too_deep()
        pairs = _pairs(one, other)
        if pairs is None:
            return False
        for value, its in pairs:
            if isinstance(value, _CONTAINERS):
                waiting.append((value, its, depth + 1))
            elif not equal_scalars(value, its):
                return False
    return True


def _pairs(one: Any, other: Any) -> list[tuple[Any, Any]] | None:
    """Return what must be equal inside of two values; None if they differ already."""
    if isinstance(one, dict):
        if not isinstance(other, dict) or one.keys() != other.keys():
            return None
        return [(value, other[name]) for name, value in one.items()]
    if not isinstance(other, (list, tuple)) or len(one) != len(other):
        return None
    return list(zip(one, other, strict=True))


def equal_scalars(one: Any, other: Any) -> bool:
    """Compare two values of which the first is no container."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(other, _CONTAINERS):
        return False
    if isinstance(one, numbers.EXACT) or isinstance(other, numbers.EXACT):
        return numbers.is_equal(one, other)
    return bool(one == other)
