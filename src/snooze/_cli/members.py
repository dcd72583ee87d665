"""What JSON cannot hold of the values of YAML, TOML and MessagePack.

Separate because documents in JSON have none of it. Invariants: a number that is no
number, and two keys that would be one name, are errors that say where; so are aliases
that expand to far more values than the file has; each container is looked at once,
however often an alias repeats it. Used by the other modules of `convert`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import snooze
from snooze._edit.places import pointer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from snooze._edit.places import Place

_ENCODER = snooze.Encoder()
#: The most values that a document may have because aliases repeat its containers.
MOST_VALUES = 1_000_000


def check(document: Any) -> None:
    """Raise ValueError if JSON would have null for a number, or a name twice."""
    # Not a recursion, because documents may be deeper than Python's calls.
    inside: list[tuple[Any, Place]] = [(document, None)]
    seen: set[int] = set()
    while inside:
        value, place = inside.pop()
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"JSON has no {value}, found one {at(place)}")
        if not isinstance(value, (dict, list, tuple)) or id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            _check_names(value, place)
            items: Iterable[tuple[Any, Any]] = value.items()
        else:
            items = enumerate(value)
        # The first is taken next, so that the first problem is the one that is named.
        found = [(one, (place, step(key))) for key, one in items]
        inside += reversed(found)
    check_aliases(document)


def check_aliases(document: Any) -> None:
    """Raise ValueError if aliases stand for far more values than the file has."""
    expanded, written = _counts(document)
    if expanded > max(MOST_VALUES, 100 * written):
        raise ValueError(
            f"its aliases would expand to {expanded} values; the file has {written}"
        )


def _counts(document: Any) -> tuple[int, int]:
    """Return how many values there are with aliases written out, and without."""
    sizes: dict[int, int] = {}
    written = 1
    left = [(document, False)]
    while left:
        value, is_done = left.pop()
        if not isinstance(value, (dict, list, tuple)):
            continue
        inside = value.values() if isinstance(value, dict) else value
        if is_done:
            sizes[id(value)] = 1 + sum(sizes.get(id(one), 1) for one in inside)
        elif id(value) not in sizes:
            sizes[id(value)] = 1  # while it is open: a container may contain itself
            written += len(value)
            left.append((value, True))
            left += ((one, False) for one in inside)
    return sizes.get(id(document), 1), written


def step(key: object) -> str | int:
    """Return a key as a part of a place."""
    return key if isinstance(key, (str, int)) else str(key)


def _check_names(value: dict[Any, Any], place: Place) -> None:
    """Raise ValueError if two keys are one name, as 1 and "1" are."""
    others = [key for key in value if not isinstance(key, str)]
    names = {key: key for key in value if isinstance(key, str)}
    for key in others:
        if isinstance(key, float) and not math.isfinite(key):
            raise ValueError(f"JSON has no {key}, found one as a key {at(place)}")
        try:
            [name] = snooze.loads(_ENCODER.encode({key: None}))
        except snooze.JSONEncodeError:
            continue  # writing says what is wrong with it
        if name in names:
            raise ValueError(
                f"the keys {names[name]!r} and {key!r} {at(place)} are one name in "
                "JSON, so one of the two members would be lost"
            )
        names[name] = key


def named(value: dict[Any, Any]) -> dict[str, Any]:
    """Return a map with the names that its keys have in JSON."""
    if all(isinstance(key, str) for key in value):
        return value
    made: dict[str, Any] = {}
    for key, one in value.items():
        [name] = snooze.loads(_ENCODER.encode({key: None}))
        made[name] = one
    return made


def pairs(found: list[tuple[Any, Any]]) -> dict[Any, Any]:
    """Return a map of pairs; ValueError if a key occurs twice."""
    made: dict[Any, Any] = {}
    for key, value in found:
        if key in made:
            raise ValueError(twice(key, made))
        made[key] = value
    return made


def twice(key: object, others: Iterable[object], line: int | None = None) -> str:
    """Return what is wrong with a map that has a key among others."""
    where = "" if line is None else f" in line {line}"
    first = next(other for other in others if other is key or other == key)
    if repr(first) == repr(key):
        wrong = f"the key {key!r} twice{where}"
    else:  # True and 1
        last = f", the latter{where}" if where else ""
        wrong = f"the keys {first!r} and {key!r}{last}, which Python has as one key"
    return f"a map has {wrong}, so one of the two would be lost"


def at(place: Place) -> str:
    """Return a place for a message."""
    found = pointer(place)
    return f"at {found}" if found else "at the root"
