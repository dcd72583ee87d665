"""JSON Merge Patch (RFC 7396): apply one, and make one of two documents.

Separate from patch.py, because a merge patch is a document and no list of operations.
Invariants: the walks are loops; no part of the result is part of the patch. Called by
`snooze.merge_patch` and `snooze.diff`.
"""

from __future__ import annotations

from typing import Any

from snooze._edit.places import Place, member, pointer
from snooze._edit.values import DEEPEST, copied, too_deep
from snooze.pointer import quoted


def apply(document: Any, patch: Any, *, in_place: bool) -> Any:
    """Return the merged document; see `snooze.merge_patch`."""
    # A patch may be a part of the document: it is read before that changes.
    patch = copied(patch)
    if not isinstance(patch, dict):
        return patch
    target = document if in_place else copied(document)
    root = target if isinstance(target, dict) else {}
    waiting = [(root, patch)]
    while waiting:
        owner, changes = waiting.pop()
        for name, value in changes.items():
            if value is None:
                owner.pop(name, None)
            elif isinstance(value, dict):
                inside = owner.get(name)
                if not isinstance(inside, dict):
                    inside = owner[name] = {}
                waiting.append((inside, value))
            else:
                owner[name] = value
    return root


def made(old: Any, new: Any, same: Any) -> Any:
    """Return the merge patch from one document to another.

    `same(old, new)` tells whether two values are equal. ValueError where the new
    document has a null that a merge patch cannot write.
    """
    if not isinstance(new, dict):
        return copied(new)
    root: dict[str, Any] = {}
    waiting: list[tuple[dict[str, Any], Any, dict[str, Any], Place, int]] = [
        (root, old, new, None, 1)
    ]
    while waiting:
        patch, before, after, place, depth = waiting.pop()
        if depth > DEEPEST:
            raise too_deep()
        known = before if isinstance(before, dict) else {}
        for name in known:
            if name not in after:
                patch[member(name)] = None
        for name, value in after.items():
            if name in known and same(known[name], value):
                continue
            at = (place, member(name))
            if value is None:
                raise ValueError(
                    "a merge patch cannot set a member to null, which removes it: "
                    f"found null at {quoted(pointer(at))}; make a JSON Patch instead"
                )
            if isinstance(value, dict):
                inside = patch[name] = {}
                waiting.append((inside, known.get(name), value, at, depth + 1))
            else:
                patch[name] = copied(value)
    return root
