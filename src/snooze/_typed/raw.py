"""`Raw`: the JSON text of a value that is not decoded.

Separate, because plans, the model and users name it. Invariant: what a Decoder makes
has been validated; what users make themselves is copied as it is. Made by decode plans.
"""

from __future__ import annotations


class Raw(bytes):
    """The JSON text of one value, validated and not decoded.

    As a type in a class it puts off the decision what the value is: decode it later
    with `decode(raw, T)`, or encode it again as it came.
    """

    __slots__ = ()
    __module__ = "snooze"

    def __repr__(self) -> str:
        """Return what makes it."""
        return f"Raw({bytes(self)!r})"
