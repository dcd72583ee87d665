"""Names of classes and fields for members of any name.

Separate because the rules are those of Python and of snooze, not of documents.
Invariant: no name that is returned hides another that the source uses. Used by what
writes source: `Inference.source` and the command line.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Names that the source itself uses.
USED = frozenset(
    {"Annotated", "Any", "annotations", "bool", "dataclass", "dict", "float", "int"}
    | {"list", "snooze", "str"}
)
#: Names that a class has already.
_OF_CLASSES = {"self", "mro"}


def is_class_name(name: str) -> bool:
    """Tell whether a class of the source can have this name."""
    return (
        name.isidentifier()
        and unicodedata.normalize("NFKC", name) == name
        and not keyword.iskeyword(name)
        and not name.startswith("_")
        and name not in USED
    )


def is_field_name(name: str) -> bool:
    """Tell whether a field can have the name of its member."""
    return is_class_name(name) and name not in _OF_CLASSES


def fields(members: Iterable[str]) -> dict[str, str]:
    """Return the name of the field of each member."""
    members = list(members)
    found = {name: name for name in members if is_field_name(name)}
    taken = set(found)
    # For each identifier: how many names had to differ from it so far.
    added: dict[str, int] = {}
    for number, name in enumerate(members, 1):
        if name in found:
            continue
        cleaned = re.sub(r"\W", "_", unicodedata.normalize("NFKC", name)).strip("_")
        if not cleaned.isidentifier():
            cleaned = f"field_{number}"
        base = cleaned
        if base in taken or not is_field_name(base):
            times = added.get(base, 0)
            while cleaned in taken or not is_field_name(cleaned):
                times += 1
                # Up to three underscores are easy to tell apart; then a number.
                cleaned = f"{base}{'_' * times}" if times < 4 else f"{base}_{times}"
            added[base] = times
        taken.add(cleaned)
        found[name] = cleaned
    return found


class ClassNames:
    """The names of the classes of one module."""

    def __init__(self, taken: Iterable[str]) -> None:
        """Start with names that no class may have, those of all fields."""
        self._taken = set(taken)

    def new(self, member: str) -> str:
        """Return a name for the class of a member's values."""
        words = re.findall(r"[A-Za-z0-9]+", member)
        base = "".join(word[0].upper() + word[1:] for word in words)
        if not base[:1].isalpha():
            base = f"Class{base}"
        found, number = base, 1
        while found in self._taken or not is_class_name(found):
            number += 1
            found = f"{base}{number}"
        self._taken.add(found)
        return found
