"""Types whose values cannot be hashed: no items of sets, and no keys of dicts.

Separate from `lower_decode`, because the answer needs no rules. Called by it.
"""

from __future__ import annotations

from snooze._typed import model, msgspec_types, unions
from snooze._typed.expected import node_name


def check_hashable(  # noqa: C901, PLR0912 - one case for each class of node
    item: model.Node, use: str, place: str, outer: tuple[model.Node, ...] = ()
) -> None:
    """Refuse types whose values cannot be hashed; `outer` are the types around it."""
    for one in unions.flatten(item, place):
        if one in outer:
            continue
        match one:
            case model.Ordered():
                for alternative in one.alternatives:
                    check_hashable(alternative, use, place, (*outer, one))
                continue
            case model.Record(class_kind="typeddict") | model.Entries():
                is_hashable = False
            case model.Items() if one.convert is None and one.base == "tuple":
                check_hashable(one.item, use, place, (*outer, one))
                continue
            case model.Items():
                is_hashable = one.convert is None and one.base == "frozenset"
            case model.Fixed():
                for part in (*one.items, *([one.rest] if one.rest else [])):
                    check_hashable(part, use, place, (*outer, one))
                continue
            case model.Record(class_kind="struct"):
                is_hashable = msgspec_types.is_hashable(one.cls)
            case model.Custom(type=type() as cls) if cls.__hash__ is None:
                is_hashable = False
            case model.Binary(type_name="bytearray") | model.Array():
                is_hashable = False
            case model.Record() | model.Via() if one.cls.__hash__ is None:
                is_hashable = False
            case _:
                is_hashable = True
        if not is_hashable:
            raise TypeError(
                f"{place}: {node_name(one)} cannot be {use}: it is not hashable"
            )
