"""A seeded source of choices, the same on every machine and Python.

Separate because every generated document is made with it: those of data/generate.py and
of workloads/. Invariant: it uses only `random.Random.random`, whose sequence is stable
by contract.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

T = TypeVar("T")


class Choices:
    """A sequence of choices; `unit()` is a float from 0 to 1."""

    def __init__(self, seed: int) -> None:
        """Start the sequence of `seed`."""
        self.unit = random.Random(seed).random

    def below(self, limit: int) -> int:
        """Return an integer from 0 to `limit` - 1."""
        return int(self.unit() * limit)

    def among(self, choices: Sequence[T]) -> T:
        """Return one of `choices`."""
        return choices[self.below(len(choices))]

    def shuffle(self, found: list[Any]) -> None:
        """Put a list in another order, in place."""
        for last in range(len(found) - 1, 0, -1):
            other = self.below(last + 1)
            found[last], found[other] = found[other], found[last]

    def hexadecimal(self, digits: int) -> str:
        """Return this many hexadecimal digits."""
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(digits))
