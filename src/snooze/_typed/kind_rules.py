"""The decode rule for each kind of JSON value: scalars, choices, and unions of them.

Separate from `lower_decode`, which walks the model: this file decides which rule of a
union gets which kind. Invariant: each kind has at most one rule; where two alternatives
want the same kind, one yields by a rule that is written here, or the union is refused.
Called by `lower_decode`.
"""

from __future__ import annotations

import dataclasses
import math
import re
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._typed import model
from snooze._typed.choices import json_kind
from snooze._typed.constraint_merge import limits_check
from snooze._typed.errors import CheckFailed
from snooze._typed.expected import node_name

if TYPE_CHECKING:
    from collections.abc import Callable

#: A rule as the extension reads it: its name, and its parameters.
Rule = tuple[Any, ...]
JSON_KINDS = ("null", "bool", "int", "float", "string", "array", "object")
_I64 = range(-(2**63), 2**63)


@dataclasses.dataclass(slots=True)
class KindRule:
    """The rule for one kind; a weak one yields to that of another alternative."""

    rule: Rule
    node: model.Node
    is_weak: bool = False


#: The rule for each kind of JSON value that a type accepts.
KindRules = dict[str, KindRule]


def for_kinds(
    rule: Rule, node: model.Node, *kinds: str, weak: tuple[str, ...] = ()
) -> KindRules:
    """Return one rule for several kinds; it is weak for those in `weak`."""
    return {kind: KindRule(rule, node, kind in weak) for kind in kinds}


def then_call(
    by_kind: KindRules, function: Callable[[Any], Any], node: model.Node
) -> KindRules:
    """Call a function with the value of each rule; a shared rule stays shared."""
    wrapped: dict[int, Rule] = {}
    for one in by_kind.values():
        wrapped.setdefault(id(one.rule), ("via", one.rule, function))
    return {
        kind: KindRule(wrapped[id(one.rule)], node, one.is_weak)
        for kind, one in by_kind.items()
    }


def distinct_rules(by_kind: KindRules) -> tuple[Rule, ...]:
    """Return each rule once, in the order of the kinds."""
    found: list[Rule] = []
    for kind in JSON_KINDS:
        if kind in by_kind and not any(by_kind[kind].rule is rule for rule in found):
            found.append(by_kind[kind].rule)
    return tuple(found)


def decode_null_as_none(by_kind: KindRules) -> KindRules:
    """Make null None where one rule takes every other kind.

    Such a rule (`any`, `raw`) takes null as well, so None is decided after it.
    """
    rest = by_kind["bool"].rule if len(by_kind) == len(JSON_KINDS) else None
    if (
        rest is None
        or by_kind["null"].rule != ("null",)
        or any(by_kind[kind].rule is not rest for kind in JSON_KINDS[1:])
    ):
        return by_kind
    functions = []
    while rest[0] == "via":
        functions.append(rest[2])
        rest = rest[1]
    is_raw = rest[0] == "raw"

    def unless_null(value: Any) -> Any:
        if value is None or (is_raw and value == b"null"):
            return None
        for function in reversed(functions):
            value = function(value)
        return value

    rule = ("via", rest, unless_null)
    return {kind: KindRule(rule, by_kind[kind].node) for kind in JSON_KINDS}


def check_lax(by_kind: KindRules, place: str) -> None:
    """Refuse a union in which lax mode reads some numbers as times, and others not."""
    if "string" not in by_kind or {"int", "float"} <= by_kind.keys():
        return
    rule = by_kind["string"].rule
    while rule[0] == "via":
        rule = rule[1]
    if rule[0] not in {"datetime", "timedelta"}:
        return
    for kind in ("bool", "int", "float"):
        if kind in by_kind:
            name, other = rule[0], node_name(by_kind[kind].node)
            raise TypeError(
                f"{place}: with strict=False a union of {other} and {name} is "
                "ambiguous: numbers are read as both. Drop strict=False, or try them "
                f"in order with Annotated[{other} | {name}, FirstMatch()]"
            )


#: Rules that take every number of a kind, so that a weak rule has nothing left to take.
_EVERY_NUMBER: dict[str, Rule] = {"int": ("int", None), "float": ("float", None)}


def merge(by_kind: KindRules, more: KindRules, place: str) -> None:
    """Add the rules of another alternative of a union."""
    for kind, new in more.items():
        old = by_kind.get(kind)
        if old is None:
            by_kind[kind] = new
        elif old.is_weak and new.is_weak:
            # float | Decimal: the numbers become floats. An equal rule is that of the
            # other kinds, too, which keep the first one.
            if new.rule[0] == "float" and new.rule != old.rule:
                by_kind[kind] = new
        elif old.is_weak or new.is_weak:
            strong = new if old.is_weak else old
            takes_all = strong.rule == _EVERY_NUMBER.get(kind, strong.rule)
            if not (takes_all or _have_same_limits(old.node, new.node)):
                # The weak rule would take what the strong one refuses: 2 for
                # float | Literal[3].
                raise TypeError(_ambiguity(old.node, new.node, kind, place))
            by_kind[kind] = strong
        else:
            rule = _merged(old.rule, new.rule)
            if rule is None:
                raise TypeError(_ambiguity(old.node, new.node, kind, place))
            by_kind[kind] = KindRule(rule, old.node)


def _have_same_limits(one: model.Node, two: model.Node) -> bool:
    """Return whether two numbers have the same bounds, so that neither takes more."""
    match one, two:
        case model.Number(), model.Number():
            return one.limits == two.limits
        case _:
            return False


def _merged(old: Rule, new: Rule) -> Rule | None:
    """Return one rule that accepts what both accept, or None."""
    if old[0] == new[0] == "bool":
        return old if old == new else ("bool", None)
    if old[0] == new[0] and old[0] in {"strings", "ints", "floats"}:
        merged = {**old[1], **new[1]}
        agree = all(merged[key] is value for key, value in old[1].items())
        return (old[0], merged) if agree else None
    for one, two in ((old, new), (new, old)):
        if (one[0], two[0]) in {("str", "strings"), ("int", "ints")} and (
            one[1] is None and _maps_to_itself(two[1])
        ):
            return one
    return old if old == new and old[0] not in {"via", "record"} else None


def _maps_to_itself(values: dict[Any, Any]) -> bool:
    return all(type(v) in {str, int} and v == k for k, v in values.items())


def for_scalar(node: model.Scalar) -> KindRules:
    """Return the rule of a value without limits."""
    match node.type_name:
        case "null":
            return for_kinds(("null",), node, "null")
        case "bool":
            return for_kinds(("bool", None), node, "bool")
        case "datetime" | "time":
            return for_kinds((node.type_name, node.tz), node, "string")
        case "uuid":
            return for_kinds(("uuid", uuid.UUID), node, "string")
        case _:
            return for_kinds((node.type_name,), node, "string")


def for_number(node: model.Number) -> KindRules:
    """Return the rule of an int, float or Decimal."""
    limits = node.limits
    if node.type_name == "decimal":
        rule: Rule = ("decimal", Decimal)
        if limits:
            rule = ("via", rule, check_function(limits_check(limits)))
        kinds = ("string", "int", "float")
        return for_kinds(rule, node, *kinds, weak=("int", "float"))
    if node.type_name == "float":
        return for_kinds(_float_rule(limits), node, "float", "int", weak=("int",))
    return for_kinds(_int_rule(limits), node, "int")


def _int_rule(limits: model.Limits) -> Rule:
    if not limits:
        return ("int", None)
    lows = [math.ceil(limits.ge)] if _is_finite(limits.ge) else []
    lows += [math.floor(limits.gt) + 1] if _is_finite(limits.gt) else []
    highs = [math.floor(limits.le)] if _is_finite(limits.le) else []
    highs += [math.ceil(limits.lt) - 1] if _is_finite(limits.lt) else []
    low = max(lows) if lows else None
    high = min(highs) if highs else None
    multiple = limits.multiple
    fits = all(bound is None or bound in _I64 for bound in (low, high))
    whole = multiple is None or (multiple == int(multiple) and int(multiple) in _I64)
    infinite = any(
        bound is not None and not _is_finite(bound)
        for bound in (limits.gt, limits.ge, limits.lt, limits.le)
    )
    if fits and whole and not infinite:
        return ("int", (low, high, None if multiple is None else int(multiple)))
    return ("via", ("int", None), check_function(limits_check(limits)))


def _is_finite(bound: Any) -> bool:
    if isinstance(bound, Decimal):
        return bound.is_finite()  # math.isfinite converts to float, which may overflow
    return bound is not None and (isinstance(bound, int) or math.isfinite(bound))


def _float_rule(limits: model.Limits) -> Rule:
    if not limits:
        return ("float", None)
    bounds = (limits.gt, limits.ge, limits.lt, limits.le, limits.multiple)
    try:
        floats = tuple(None if bound is None else float(bound) for bound in bounds)
    except OverflowError:
        floats = ()
    if floats != bounds:  # a Decimal or a large int that is not exact as a float
        return ("via", ("float", None), check_function(limits_check(limits)))
    return ("float", floats)


def for_text(node: model.Text) -> KindRules:
    """Return the rule of a str."""
    search = None if node.pattern is None else re.compile(node.pattern).search
    length = node.length
    if not length and search is None:
        return for_kinds(("str", None), node, "string")
    least, most = length.in_plan() or (0, None)
    return for_kinds(("str", (least, most, search)), node, "string")


def for_choice(node: model.Choice) -> KindRules:
    """Return the rules of an enum or a Literal, one for each kind of its values."""
    kinds: dict[str, dict[Any, Any]] = {}
    for json_value, value in node.pairs:
        kinds.setdefault(json_kind(json_value), {})[json_value] = value
    if node.is_open and node.enum_class is not None:
        scalars: dict[str, Rule] = {
            "null": ("null",),
            "bool": ("bool", None),
            "int": ("int", None),
            "float": ("float", None),
            "string": ("str", None),
        }
        enum_class = node.enum_class
        return {
            kind: KindRule(("via", scalars[kind], enum_class), node) for kind in kinds
        }
    return {
        kind: KindRule(_lookup_rule(kind, values), node)
        for kind, values in kinds.items()
    }


def add_aliases(by_kind: KindRules, alternatives: list[model.Node]) -> None:
    """Add the aliases of enums to the lookup tables of a type.

    A value of any alternative comes first, and an alias of two members is of neither:
    other types keep what they read without aliases.
    """
    found: dict[str, dict[Any, Any]] = {}
    for node in alternatives:
        for alias, member in node.aliases if isinstance(node, model.Choice) else ():
            members = found.setdefault(json_kind(alias), {})
            members[alias] = member if members.get(alias, member) is member else None
    for kind, members in found.items():
        old = by_kind.get(kind)
        if old is not None and old.rule[0] in {"strings", "ints", "floats"}:
            only = {alias: one for alias, one in members.items() if one is not None}
            rule = (old.rule[0], {**only, **old.rule[1]})
            by_kind[kind] = dataclasses.replace(old, rule=rule)


def _lookup_rule(kind: str, values: dict[Any, Any]) -> Rule:
    """Return a rule that maps the JSON values of one kind to Python values."""
    same = all(value is json_value for json_value, value in values.items())
    match kind:
        case "null":
            none = values[None]
            return ("null",) if same else ("via", ("null",), lambda _: none)
        case "bool":
            only = next(iter(values)) if len(values) == 1 else None
            rule: Rule = ("bool", only)
            return rule if same else ("via", rule, values.__getitem__)
        case "int" if all(value in _I64 for value in values):
            return ("ints", values)
        case "int":
            return ("via", ("int", None), _lookup_function(values))
        case "float":
            return ("floats", values)
        case _:
            return ("strings", values)


def _lookup_function(values: dict[Any, Any]) -> Callable[[Any], Any]:
    def looked_up(value: Any) -> Any:
        if value in values:
            return values[value]
        raise CheckFailed

    return looked_up


def _ambiguity(old: model.Node, new: model.Node, kind: str, place: str) -> str:
    plurals = {"string": "strings", "object": "objects", "array": "arrays"}
    for node in (old, new):
        if kind == "object" and checked_record(node) is not None:
            return (
                f"{place}: a union of {node_name(old)} and {node_name(new)} is "
                f"ambiguous, because {node_name(node)} has a condition (Predicate) "
                "here, and only classes without one are told apart. Check the "
                "condition in __post_init__, or try them in order with "
                "Annotated[…, FirstMatch()]"
            )
    return (
        f"{place}: a union of {node_name(old)} and {node_name(new)} is ambiguous: both "
        f"are {plurals.get(kind, kind)} in JSON. Keep one of them, or try them in "
        "order with Annotated[…, FirstMatch()]"
    )


def checked_record(node: model.Node) -> model.Record | None:
    """Return the class of a node that is a class with conditions, or None."""
    target = node
    while isinstance(target, (model.Checked, model.Noted)):
        target = target.target
    is_record = isinstance(target, model.Record) and target is not node
    return target if is_record else None  # type: ignore[return-value]


def record_check_function(check: model.Check) -> Callable[[Any], Any]:
    """Return the same for instances of a class, where the message names the class."""
    holds = check.holds

    def checked(value: Any) -> Any:
        if not holds(value):
            raise ValueError(f"expected one {check.text}")
        return value

    return checked


def check_function(check: model.Check) -> Callable[[Any], Any]:
    """Return a function that returns a value that passes, and else raises."""
    holds = check.holds

    def checked(value: Any) -> Any:
        if not holds(value):
            raise CheckFailed
        return value

    return checked
