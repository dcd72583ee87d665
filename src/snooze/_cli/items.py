"""Split the text of a document into items, without making Python objects.

Separate because reformatting and statistics both walk the text: numbers keep their
digits and members that occur twice are seen. Invariant: the text has been validated, so
that one regular expression is enough to tell its parts. Used by reformat.py and
statistics.py.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANK = rb"[ \t\n\r]*+"
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_SCALAR = _STRING + rb'|[^ \t\n\r,:"\[\]{}]++'
#: A member name, then a scalar, an opening bracket (with the closing one if the
#: container is empty), or a closing bracket; and the comma after it.
ITEM = re.compile(
    _BLANK
    + rb"(?:("
    + _STRING
    + rb")"
    + _BLANK
    + rb":"
    + _BLANK
    + rb")?(?:("
    + _SCALAR
    + rb")|([\[{])"
    + _BLANK
    + rb"([\]}])?+|([\]}]))"
    + _BLANK
    + rb"(,)?+"
)
#: Text without white space outside of strings, at most so much that it fits anywhere.
PACKED = re.compile(rb'(?:[^ \t\n\r"]++|' + _STRING + rb"){1,4096}+")


def items(text: bytes) -> Iterator[re.Match[bytes]]:
    """Yield the items of a valid document in order.

    Groups: name, scalar, opening bracket, closing bracket of an empty container,
    closing bracket, comma.
    """
    return ITEM.finditer(text)
