"""Numbers and times of other formats that Python's own types would cut.

Separate because readers make them and writers know them. Invariant: a value of these
has all digits of the file. Used by readers.py, doubles.py, formats.py and csv_cells.py.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import snooze
from snooze._edit.numbers import compared

#: Digits of a second that Python has.
_MICROSECONDS = 6


class Moment(datetime):
    """A datetime that writes more digits of its second than Python keeps."""

    fraction: str

    def isoformat(self, sep: str = "T", timespec: str = "auto") -> str:
        """Return the text with all digits; `str` calls this, too."""
        del timespec
        text = super().isoformat(sep, "microseconds")
        before, point, after = text.partition(".")
        return f"{before}{point}{self.fraction}{after[_MICROSECONDS:]}"


#: How an Encoder writes a moment.
HOOKS: dict[type, Any] = {Moment: Moment.isoformat}


def moment(cut: datetime, fraction: str) -> datetime:
    """Return a time with all digits of its second; `cut` has the first six."""
    if not has_more(fraction):
        return cut
    made = Moment.combine(cut.date(), cut.timetz())
    made.fraction = fraction
    return made


def has_more(fraction: str) -> bool:
    """Tell whether Python would lose digits of a second."""
    return bool(fraction[_MICROSECONDS:].strip("0"))


def number(text: str) -> float | snooze.Raw:
    """Return a number in JSON: a float if that has all of its digits."""
    double = float(text)
    return double if holds(double, text) else snooze.Raw(text.encode())


def holds(double: float, text: str) -> bool:
    """Tell whether a double has the value of a number in JSON."""
    found = repr(double)
    if found == text:
        return True
    # Not by Decimal, which does not take every exponent.
    return compared(snooze.Raw(text.encode()), snooze.Raw(found.encode())) == 0


def name(value: Any) -> Any:
    """Return a key of a map: one that Python has not as it is becomes its text."""
    if isinstance(value, snooze.Raw):
        return bytes(value).decode()
    return value.isoformat() if isinstance(value, Moment) else value
