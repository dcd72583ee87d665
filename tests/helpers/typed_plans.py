"""Plans of types, unfolded so that tests can state what they expect.

Separate because several modules look at plans. Invariant: the result is what Rust is
given, with each index replaced by what it refers to; a record is replaced by its name,
and "…" marks a node that is already open.
"""

from __future__ import annotations

from typing import Any

from snooze._typed import lower_decode, lower_encode
from snooze._typed.introspect import build
from snooze._typed.options import Options

DECODE = (True, None, False, None)
ENCODE = (None, None, "null", "str", False, None, None)
INNER = {
    "list": (1,),
    "set": (1,),
    "frozenset": (1,),
    "tuple": (1,),
    "dict": (1, 2),
    "iterable": (2,),
    "mapping": (2, 3),
}


def decode_plan(tp: Any, dec_hook: Any = None, **options: Any) -> tuple[Any, ...]:
    """Return the plan of a Decoder."""
    return lower_decode.lower(build(tp, Options(**options)), DECODE, dec_hook)


def encode_plan(tp: Any, **options: Any) -> tuple[Any, ...]:
    """Return the plan of an Encoder."""
    return lower_encode.lower(build(tp, Options(**options)), ENCODE)


def reads(tp: Any, dec_hook: Any = None, **options: Any) -> Any:
    """Return the rules of a type for decoding, unfolded; a single rule without its tuple."""
    plan = decode_plan(tp, dec_hook, **options)
    return _node(plan, plan[3], ())


def writes(tp: Any, **options: Any) -> Any:
    """Return the rules of a type for encoding, unfolded."""
    plan = encode_plan(tp, **options)
    return _node(plan, plan[3], ())


def read_record(tp: Any, **options: Any) -> dict[str, Any]:
    """Return the first record of a type for decoding."""
    plan = decode_plan(tp, **options)
    name, make, fields, unknown, tag, order, hidden = plan[2][0]
    assert order == tuple(range(len(fields)))
    return {
        "name": name,
        "make": make,
        "fields": {field[0]: _read_field(plan, field) for field in fields},
        "unknown": unknown,
        "tag": tag,
        "hidden": hidden,
    }


def _read_field(plan: Any, field: Any) -> Any:
    _, names, node, presence, default = field
    return (names, _node(plan, node, ()), presence, default)


def written_record(tp: Any, **options: Any) -> dict[str, Any]:
    """Return the first record of a type for encoding."""
    plan = encode_plan(tp, **options)
    cls, how, fields, before, rest = plan[2][0]
    return {
        "cls": cls,
        "how": how,
        "fields": {f[0]: (f[1], _node(plan, f[2], ()), f[3]) for f in fields},
        "before": before,
        "rest": rest if rest is None else (rest[0], _node(plan, rest[2], ())),
    }


def label(tp: Any, **options: Any) -> str:
    """Return what error messages say is expected."""
    plan = decode_plan(tp, **options)
    return plan[1][plan[3]][0]


def _node(plan: Any, index: int, opened: tuple[int, ...]) -> Any:
    if index in opened:
        return "…"
    opened = (*opened, index)
    rules = tuple(_rule(plan, rule, opened) for rule in plan[1][index][1])
    return rules[0] if len(rules) == 1 else rules


def _rule(plan: Any, rule: Any, opened: tuple[int, ...]) -> Any:
    name = rule[0]
    if name == "via" and isinstance(rule[1], tuple):
        return ("via", _rule(plan, rule[1], opened), rule[2])
    if name == "via":
        return (*rule[:3], _node(plan, rule[3], opened))
    if name == "fixed":
        return ("fixed", *(_node(plan, index, opened) for index in rule[1]))
    if name in {"record", "array_record"}:
        record = plan[2][rule[1]]
        return (name, record[0])
    if name == "tagged":
        known = {key: plan[2][at][0] for key, at in rule[2].items()}
        return (name, rule[1], known, *_fallback(plan, rule[3]))
    if name == "keyed":
        known = {key: plan[2][at][0] for key, at in rule[1].items()}
        return (name, known, *_fallback(plan, rule[2]))
    places = INNER.get(name, ())
    shown = [
        _node(plan, part, opened) if place in places else part
        for place, part in enumerate(rule)
    ]
    return tuple(shown)


def _fallback(plan: Any, index: int | None) -> tuple[str, ...]:
    return () if index is None else (plan[2][index][0],)
