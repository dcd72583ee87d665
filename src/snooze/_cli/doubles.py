"""Numbers for formats that have doubles and integers, and those that lose digits.

Separate because such a format needs values, where the other commands keep the text of
each number. Invariant: no digit is lost without a warning. Used by value_commands.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import snooze
from snooze._cli.exact import holds
from snooze._cli.inputs import DataError
from snooze._cli.members import at, step
from snooze._cli.problems import tell

if TYPE_CHECKING:
    from snooze._edit.places import Place


class Doubles:
    """Replaces the texts of numbers in documents, and counts what is rounded."""

    def __init__(self, form: str, title: str) -> None:
        """Keep the names of the format and of the file, for messages."""
        self.form = form
        self.title = title
        self.rounded = 0
        self.example = ""
        #: The containers that were found: aliases of YAML repeat them.
        self._seen: set[int] = set()

    def values(self, document: Any) -> Any:
        """Return a document, changed in place: each number is a float or an int.

        Raises DataError for a number that no double comes near, and for an integer
        of more digits than Python reads.
        """
        root = [document]
        # Not a recursion, because documents may be deeper than Python's calls.
        inside: list[tuple[Any, Place]] = []
        self._replace(root, 0, document, None, inside)
        while inside:
            container, place = inside.pop()
            items = container if isinstance(container, dict) else range(len(container))
            for key in items:
                found = (place, step(key))
                self._replace(container, key, container[key], found, inside)
        return root[0]

    def _replace(
        self,
        container: Any,
        key: Any,
        value: Any,
        place: Place,
        inside: list[tuple[Any, Place]],
    ) -> None:
        if isinstance(value, snooze.Raw):
            container[key] = self._number(bytes(value).decode(), place)
            return
        if type(value) is tuple:  # a pair of YAML; an extension of msgpack is a class
            value = container[key] = list(value)
        if isinstance(value, (dict, list)) and id(value) not in self._seen:
            self._seen.add(id(value))
            inside.append((value, place))

    def _number(self, text: str, place: Place) -> int | float:
        if not set(text) & set(".eE"):
            try:
                return int(text)
            except ValueError as error:
                raise DataError(
                    f"{self.title}: cannot be written as {self.form}: {error}"
                ) from None
        number = float(text)
        if math.isinf(number):
            raise DataError(
                f"{self.title}: {_short(text)} {at(place)} is beyond the range of a "
                f"double, and {self.form} has no other numbers with a point or an "
                "exponent"
            )
        if not holds(number, text):
            self.rounded += 1
            self.example = self.example or f"{_short(text)} {at(place)}"
        return number

    def warn(self) -> None:
        """Say how many numbers of the file were rounded, if any were."""
        if self.rounded:
            numbers = "a number" if self.rounded == 1 else f"{self.rounded:,} numbers"
            tell(
                f"{self.title}: warning: {numbers} rounded to a double, the "
                f"only kind that {self.form} has: {self.example}"
            )


def _short(text: str, longest: int = 40) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
