"""Common code of the binary contenders: the range of their integers.

Separate from _shared.py, which is about JSON libraries and their options. Invariant: a
value that a format cannot hold is refused before any timing, so its cell says why.
Used by the contenders' files of this package.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.contenders.base import UnsupportedError


def check_integers(value: Any, least: int, most: int) -> None:
    """Raise UnsupportedError if an integer in a plain value is out of range."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
        elif type(one) is int and not least <= one <= most:
            raise UnsupportedError(
                f"the format holds integers from {least} to {most}; the document has "
                f"one of {one.bit_length()} bits"
            )
