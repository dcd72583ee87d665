"""The document around an array that is written in pieces.

Separate from `item_writer`, because only calls with `at` need it. Invariant: the text
before the array, an array and the text behind it are what an Encoder with the same
options writes for the document with the array in its place.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from snooze._snooze import Fragment, JSONEncodeError
from snooze._typed.codecs import Encoder
from snooze._typed.places import place, tokens
from snooze.pointer import index

if TYPE_CHECKING:
    from snooze._typed.places import Path


#: The containers inside each other that an Encoder writes by default.
_DEEPEST = 1024


def frame(options: dict[str, Any], at: str, around: Any) -> tuple[bytes, bytes, Path]:
    """Return the text before an array, the text behind it, and its path.

    Args:
        options: Those of the Encoder that are not defaults.
        at: The place of the array, as a JSON Pointer.
        around: The document without the array, or with an empty one; None if nothing
            else is in it.

    Raises:
        JSONEncodeError: The document cannot be encoded.
        PointerError: A list on the way has no such item.
        TypeError: `at` is no str, or there is no container on the way.
        ValueError: `at` is not a JSON Pointer, or something else is at the place.
    """
    steps = tokens(at)
    if not steps:
        raise ValueError(
            "around needs at, the place of the array in it, such as at='/data'"
        )
    # No text of users has it, because it is random.
    mark = b'"' + os.urandom(16).hex().encode() + b'"'
    has_hooks = bool(options.get("hooks") or options.get("json_method"))
    document, path = _with_item(
        {} if around is None else around,
        list(steps),
        Fragment(mark),
        is_plain=has_hooks,
    )
    limit = options.get("max_depth", _DEEPEST)
    if len(path) >= limit:
        raise JSONEncodeError(
            f"Recursion limit reached: nested deeper than max_depth={limit}"
        )
    parts = Encoder(**options).encode(document).split(mark)
    if len(parts) != 2:
        raise ValueError(
            f"around: expected an array at {place(path)} in what the Encoder writes, "
            f"found {len(parts) - 1} of them; look at its hooks"
        )
    return parts[0], parts[1], path


def _with_item(
    around: Any, steps: list[str], item: Any, *, is_plain: bool
) -> tuple[Any, Path]:
    """Return a copy of a document that has an item at a place, and the path to it."""
    root: list[Any] = [around]
    container: Any = root
    key: str | int = 0
    path: list[str | int] = []
    for position, step in enumerate(steps):
        found = container[key] = _copy(container[key], path, is_plain=is_plain)
        if isinstance(found, list):
            key = index(found, steps, position)
        else:
            key = step
            found.setdefault(step, [] if position + 1 == len(steps) else {})
        container = found
        path.append(key)
    empty = container[key]
    if not isinstance(empty, (list, tuple)) or empty:
        kind = type(empty).__name__
        if isinstance(empty, (list, tuple)):
            kind += " with items"
        raise ValueError(
            f"around: expected an empty list or nothing at {place(tuple(path))}, "
            f"found {kind}"
        )
    container[key] = item
    return root[0], tuple(path)


def _copy(
    found: Any, path: list[str | int], *, is_plain: bool
) -> dict[str, Any] | list[Any]:
    """Return a copy of a container on the way, at a path.

    `is_plain` refuses subclasses, because a hook could write them in another way.
    """
    kinds = (list, dict)
    if not (type(found) in kinds if is_plain else isinstance(found, kinds)):
        only = "plain " if is_plain and isinstance(found, kinds) else ""
        raise TypeError(
            f"around: expected {only}dict or list at {place(tuple(path))}, found "
            f"{type(found).__name__}; to_builtins makes dicts of other objects"
        )
    if isinstance(found, list):
        return list.copy(found)
    for name in found:
        # Another name could become the text of the next step.
        if not isinstance(name, str):
            raise TypeError(
                f"around: expected names that are str at {place(tuple(path))}, found "
                f"{type(name).__name__}"
            )
    return dict.copy(found)
