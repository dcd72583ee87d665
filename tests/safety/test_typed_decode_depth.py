"""Typed decoding has the depth limit of `loads`, on a thread with a small C stack.

Records, containers, skipped members and collected ones all count against one limit.
Runs in a child, because a stack overflow ends the process.
"""

# ruff: noqa: B023 - each lambda is called before its names change
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import snooze
from helpers.isolated import in_child
from helpers.threads import on_small_stack
from snooze import Decoder, Field

LIMIT = 1024


@dataclass
class Chain:
    """A record that nests in several ways."""

    next: Chain | None = None
    many: list[Chain] = field(default_factory=list)
    named: dict[str, Chain] = field(default_factory=dict)
    anything: Any = None


@dataclass
class Nothing:
    """No field: every member is skipped."""


@dataclass
class Rest:
    """Every member is collected."""

    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


Nested = list["Nested"]


WRAPS: dict[str, tuple[Any, str, str, int]] = {
    "records": (Chain, '{"next":', "}", 1),
    "lists of records": (Chain, '{"many":[', "]}", 2),
    "dicts of records": (Chain, '{"named":{"x":', "}}", 2),
    "any": (Any, "[", "]", 1),
    "any objects": (Any, '{"a":', "}", 1),
    "any in records": (Chain, '{"anything":', "}", 1),
    "skipped": (Nothing, '{"x":', "}", 1),
    "skipped arrays": (Nothing, '{"x":[', "]}", 2),
    "collected": (Rest, '{"x":', "}", 1),
    "raw": (snooze.Raw, "[", "]", 1),
}


def depths(name: str) -> str:
    """In a child: find the deepest document that is read and the first that is not."""
    tp, opening, closing, levels = WRAPS[name]
    for options in ({}, {"errors": "all"}, {"skip": "fast"}, {"strict": False}):
        decoder = Decoder(tp, **options)
        deepest = 0
        for depth in (
            1,
            100,
            LIMIT // levels - 1,
            LIMIT // levels,
            LIMIT // levels + 1,
            20_000,
        ):
            core = (
                "null"
                if tp in (Any, snooze.Raw) or name in {"collected", "any in records"}
                else "{}"
            )
            if core == "{}" and depth * levels >= LIMIT:
                core = "null" if name in {"records", "skipped"} else ""
            if name == "dicts of records" and not core:
                core = "{}"
            document = opening * depth + core + closing * depth
            try:
                on_small_stack(lambda document=document: decoder.decode(document))
                deepest = depth
                assert depth * levels <= LIMIT, depth
            except snooze.JSONDecodeError as error:
                assert "depth limit" in str(error), error
                assert depth * levels + (core == "{}") > LIMIT, (depth, error)
        assert deepest >= LIMIT // levels - 1, deepest
    return str(deepest)


@pytest.mark.parametrize("name", WRAPS)
def test_depth(name: str) -> None:
    """The limit holds for every kind of nesting."""
    assert int(in_child(depths, name)) > 500


def test_depth_is_counted_across_kinds() -> None:
    """Skipped parts and parts found by a pointer count the levels around them."""
    inner = "[" * 600 + "]" * 600
    outer = '{"anything":' * 600 + inner + "}" * 600
    with pytest.raises(snooze.JSONDecodeError, match="depth limit"):
        Decoder(Chain).decode(outer)
    document = '{"next":' * 600 + f'{{"unknown":{inner}}}' + "}" * 600
    for options in ({}, {"skip": "fast"}):
        with pytest.raises(snooze.JSONDecodeError, match="depth limit"):
            Decoder(Chain, **options).decode(document)
    deep = '{"x":' + "[" * 1030 + "]" * 1030 + ',"a":1}'
    with pytest.raises(snooze.JSONDecodeError, match="depth limit"):
        Decoder(int, at="/a").decode(deep)


def test_deep_results_can_be_dropped() -> None:
    """A chain of a thousand instances is released without a deep stack."""
    value = Decoder(Chain).decode('{"next":' * 1000 + "null" + "}" * 1000)
    on_small_stack(lambda: None)
    del value
