"""loads and the cyclic collector: the order in which containers are tracked."""

from __future__ import annotations

import gc
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

import pytest

import snooze

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = {
    "lists": b"[[1,[2,[]]],[[3.5,[4.5]],5],[[]]]",
    "dicts": b'{"a":{"b":{"c":{}},"d":[{"e":1},{"e":{"f":[]}}]},"g":[{}]}',
    "scalars first": b'{"a":1,"b":"two","c":[3,4],"d":{"e":5}}',
    "decimals": b"[[[1.5,2.5],[3.5,4.5]],[[5.5,[6.5]],[]]]",
    "equal names": b'{"a":[1],"a":[2],"b":[[3]]}',
    "large": b'{"a":[%s]}'
    % b",".join(b'{"n":[%d,{"m":[]}]}' % n for n in range(3_000)),
    "wide": b"{%s}" % b",".join(b'"k%d":[[%d]]' % (n, n) for n in range(30_000)),
}


def young_after_loads(document: bytes) -> tuple[Any, dict[int, int]]:
    """Return the value, and the position of each young object in the collector's list."""
    gc.collect()
    gc.disable()
    try:
        value = snooze.loads(document)
        young = gc.get_objects(generation=0)
        return value, {id(found): place for place, found in enumerate(young)}
    finally:
        gc.enable()


def nested_pairs(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container with each container directly inside it."""
    open_containers = [value]
    while open_containers:
        outer = open_containers.pop()
        for inner in outer.values() if isinstance(outer, dict) else outer:
            if isinstance(inner, dict | list):
                yield outer, inner
                open_containers.append(inner)


#: Builds on which a container is made when it closes, by the C-API.
BY_THE_C_API = (
    sysconfig.get_config_var("Py_GIL_DISABLED")
    or sysconfig.get_config_var("Py_DEBUG")
    or hasattr(sys, "gettotalrefcount")
    or sys.maxsize < 2**32
    or sys.byteorder != "little"
    # Where all processors have vectors, the scalar tier is for such builds alone.
    or snooze.cpu_tiers()["active"] == "scalar" != snooze.cpu_tiers()["compiled"][-1]
)


@pytest.mark.skipif(
    bool(BY_THE_C_API), reason="this build uses the C-API for containers"
)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_container_is_tracked_before_what_it_holds(name: str) -> None:
    """A young collection then moves no object to the unreachable list and back."""
    value, places = young_after_loads(DOCUMENTS[name])
    checked = 0
    for outer, inner in nested_pairs(value):
        if id(inner) in places:
            assert places[id(outer)] < places[id(inner)]
            checked += 1
    assert checked > 0


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_container_with_containers_is_tracked(name: str) -> None:
    """Cycles made through it can be collected."""
    value = snooze.loads(DOCUMENTS[name])
    for outer, _ in nested_pairs(value):
        assert gc.is_tracked(outer)


@pytest.mark.parametrize("eighth", range(1, 8))
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_fault_releases_what_is_open(name: str, eighth: int) -> None:
    """A document that ends early, at any depth, leaves nothing behind."""
    document = DOCUMENTS[name]
    document = document[: len(document) * eighth // 8] + b"!"

    def fail() -> None:
        with pytest.raises(snooze.JSONDecodeError):
            snooze.loads(document)

    for _ in range(3):
        fail()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(20):
        fail()
    gc.collect()
    assert sys.getallocatedblocks() <= before + 10
