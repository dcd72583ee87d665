"""The place of a value in a document, while the document is walked.

Separate because several walks need it: a place is linked to the place of its container,
so that a step takes no time however deep it is, and becomes text only where the text is
needed. Used by diff.py and merge_patch.py, and by snooze._jsonpath.
"""

from __future__ import annotations

from typing import Any

from snooze.pointer import join

#: The place of the container, and the name or index in it. None is the whole document.
Place = tuple["Place", str | int] | None


def steps(place: Place) -> list[str | int]:
    """Return the names and indexes from the root to a place."""
    found: list[str | int] = []
    while place is not None:
        place, step = place
        found.append(step)
    found.reverse()
    return found


def member(name: Any) -> str:
    """Return the name of a member; TypeError if it is none of JSON."""
    if not isinstance(name, str):
        raise TypeError(f"expected members with names of type str, found {name!r}")
    return name


def pointer(place: Place) -> str:
    """Return a place as a JSON Pointer."""
    return join(steps(place))
