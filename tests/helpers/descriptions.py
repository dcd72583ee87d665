"""Hand-written descriptions of typed encoders, compiled without the Python model.

Separate because several modules encode through descriptions: that names each rule of the
contract between Python and Rust on its own. Invariant: nothing here goes through
`Encoder(T)`. Used by tests/typed/encode and tests/safety.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
from typing import Any

from snooze import _snooze

UTC = dt.UTC


def encoder(
    nodes: list[Any],
    records: list[Any] | None = None,
    *,
    root: int = 0,
    resolve: Any = None,
    hook: Any = None,
    nan: str = "null",
    decimals: str = "str",
    sort: bool = False,
    indent: int | None = None,
) -> Any:
    """Return an encoder of a description."""
    made = _snooze.EncoderBase()
    layout = None if indent is None else ("spaces", indent, False)
    options = (resolve, hook, nan, decimals, sort, layout)
    made._compile((1, tuple(nodes), tuple(records or ()), root, (*options, None)))
    return made


def node(label: str, *rules: Any) -> tuple[str, tuple[Any, ...]]:
    """Return a node: the label that messages show, and its rules."""
    return (label, rules)


ANY = node("any value", ("any",))
INT = node("int", ("int",))
STR = node("str", ("str",))


class Color(enum.Enum):
    """An enum whose members are rendered when the plan is made."""

    RED = "red"
    LONG = "x" * 40
    ODD = 'a"b'


COLORS = {one: json.dumps(one.value).encode() for one in Color}
