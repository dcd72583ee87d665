"""Descriptions of decoders, handed to `_compile` by hand: what Rust refuses.

Separate from the tests through `Decoder(T)`, because the Python model never makes these
descriptions. Invariant: a description that Rust does not understand is a SystemError; it
is never ignored and never read past its end.
"""

from __future__ import annotations

from typing import Any

import pytest

from snooze import Decoder
from snooze._snooze import DecoderBase


def test_a_second_plan_changes_nothing() -> None:
    """`_compile` compiles once, and refuses descriptions that it does not understand."""
    decoder = Decoder(int)
    decoder._compile(None)
    decoder._prepare()
    assert decoder.decode(b"5") == 5
    fresh: Any = Decoder.__new__(Decoder)
    for description in (
        None,
        (),
        (1,),
        (2, (), (), 0, (True, None, False, None), None),
        [1],
        (1, (), (), 0, (True, None, False, None), None),
    ):
        with pytest.raises((SystemError, TypeError)):
            fresh._compile(description)


def compile_plan(nodes: Any, records: Any, root: int = 0) -> DecoderBase:
    """Return a decoder of a description."""
    base = DecoderBase()
    base._compile((1, nodes, records, root, (True, None, False, None), print))
    return base


def test_invalid_descriptions() -> None:
    """Records that contradict their class, and attribute names that are not str."""

    def record(make: Any, fields: Any, unknown: Any) -> Any:
        return ("R", make, fields, unknown, None, ())

    anything = ("any", (("any",),))
    node = ("R", (("record", 0),))
    only = record(("call", dict), (), ("rest", -1, 0))
    with pytest.raises(SystemError):
        compile_plan((anything, node), (only,), 1)
    for attribute in (5, None, b"x", type("Str", (str,), {})("x")):
        fields = ((attribute, (), 0, "absent", None),)
        with pytest.raises(SystemError):
            compile_plan((anything, node), (record(("dict",), fields, "ignore"),), 1)
