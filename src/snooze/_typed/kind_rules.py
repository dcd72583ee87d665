"""Which rule takes which kind of JSON: scalars, choices, and unions of them.

Separate from `lower_decode`, which walks the model; here is the arithmetic. Invariant:
of two alternatives that want the same kind, one gives way by a rule that is written
here, or the union is refused. Called by `lower_decode`.
"""

from __future__ import annotations

import dataclasses
import math
import re
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._typed.constraint_merge import limits_check
from snooze._typed.errors import Refused
from snooze._typed.expected import described

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._typed import model

Rule = tuple[Any, ...]
KINDS = ("null", "bool", "int", "float", "string", "array", "object")
_I64 = range(-(2**63), 2**63)


@dataclasses.dataclass(slots=True)
class Claim:
    """A rule that wants a kind of JSON; a weak one gives way to one that is not."""

    rule: Rule
    source: model.Node
    weak: bool = False


#: For each kind of JSON, who takes it.
Claims = dict[str, Claim]


def claim(rule: Rule, source: model.Node, *kinds: str, weak: str = "") -> Claims:
    """Return a claim of one rule to some kinds, weak for those that `weak` names."""
    given_up = weak.split()
    return {kind: Claim(rule, source, kind in given_up) for kind in kinds}


def behind(
    claims: Claims, function: Callable[[Any], Any], source: model.Node
) -> Claims:
    """Put a function behind each rule; a rule of several kinds stays one rule."""
    wrapped: dict[int, Rule] = {}
    for one in claims.values():
        wrapped.setdefault(id(one.rule), ("via", one.rule, function))
    return {
        kind: Claim(wrapped[id(one.rule)], source, one.weak)
        for kind, one in claims.items()
    }


def rules(claims: Claims) -> tuple[Rule, ...]:
    """Return the rules, each once, in the order of the kinds."""
    found: list[Rule] = []
    for kind in KINDS:
        if kind in claims and not any(claims[kind].rule is rule for rule in found):
            found.append(claims[kind].rule)
    return tuple(found)


def or_none(claims: Claims) -> Claims:
    """Let null be None where one rule takes every other kind of JSON.

    Such a rule takes null too, so that None is told apart behind it.
    """
    rest = claims["bool"].rule if len(claims) == len(KINDS) else None
    if (
        rest is None
        or claims["null"].rule != ("null",)
        or any(claims[kind].rule is not rest for kind in KINDS[1:])
    ):
        return claims
    functions = []
    while rest[0] == "via":
        functions.append(rest[2])
        rest = rest[1]
    none: Any = b"null" if rest[0] == "raw" else None

    def unless_none(value: Any) -> Any:
        if value == none:
            return None
        for function in reversed(functions):
            value = function(value)
        return value

    rule = ("via", rest, unless_none)
    return {kind: Claim(rule, claims[kind].source) for kind in KINDS}


#: Rules that take all numbers of a kind, so that nothing is left for a weak one.
_WHOLE: dict[str, Rule] = {"int": ("int", None), "float": ("float", None)}


def join(claims: Claims, more: Claims, place: str) -> None:
    """Add the claims of another alternative of a union."""
    for kind, new in more.items():
        old = claims.get(kind)
        if old is None:
            claims[kind] = new
        elif old.weak and new.weak:
            if new.rule[0] == "float":
                claims[kind] = new  # float | Decimal: the numbers are floats
        elif old.weak or new.weak:
            strong = new if old.weak else old
            if kind in _WHOLE and strong.rule != _WHOLE[kind]:
                # What it refuses, the weak one would take: 2 for float | Literal[3].
                raise TypeError(_clash(old.source, new.source, kind, place))
            claims[kind] = strong
        else:
            rule = _joined(old.rule, new.rule)
            if rule is None:
                raise TypeError(_clash(old.source, new.source, kind, place))
            claims[kind] = Claim(rule, old.source)


def _joined(old: Rule, new: Rule) -> Rule | None:
    """Return one rule that does what both do, where there is one."""
    if old[0] == new[0] == "bool":
        return old if old == new else ("bool", None)
    if old[0] == new[0] and old[0] in {"strings", "ints", "floats"}:
        joined = {**old[1], **new[1]}
        same = all(joined[key] is value for key, value in old[1].items())
        return (old[0], joined) if same else None
    for one, two in ((old, new), (new, old)):
        if (one[0], two[0]) in {("str", "strings"), ("int", "ints")} and (
            one[1] is None and _is_plain(two[1])
        ):
            return one
    return old if old == new and old[0] not in {"via", "record"} else None


def _is_plain(members: dict[Any, Any]) -> bool:
    return all(type(v) in {str, int} and v == k for k, v in members.items())


def scalar(node: model.Scalar) -> Claims:
    """Return the claims of a value without constraints."""
    match node.kind:
        case "null":
            return claim(("null",), node, "null")
        case "bool":
            return claim(("bool", None), node, "bool")
        case "datetime" | "time":
            return claim((node.kind, node.tz), node, "string")
        case "uuid":
            return claim(("uuid", uuid.UUID), node, "string")
        case _:
            return claim((node.kind,), node, "string")


def number(node: model.Number) -> Claims:
    """Return the claims of int, float or Decimal."""
    limits = node.limits
    if node.kind == "decimal":
        rule: Rule = ("decimal", Decimal)
        if limits:
            rule = ("via", rule, checker(limits_check(limits)))
        return claim(rule, node, "string", "int", "float", weak="int float")
    if node.kind == "float":
        return claim(_float(limits), node, "float", "int", weak="int")
    return claim(_int(limits), node, "int")


def _int(limits: model.Limits) -> Rule:
    if not limits:
        return ("int", None)
    lows = [math.ceil(limits.ge)] if _finite(limits.ge) else []
    lows += [math.floor(limits.gt) + 1] if _finite(limits.gt) else []
    highs = [math.floor(limits.le)] if _finite(limits.le) else []
    highs += [math.ceil(limits.lt) - 1] if _finite(limits.lt) else []
    low = max(lows) if lows else None
    high = min(highs) if highs else None
    multiple = limits.multiple
    fits = all(bound is None or bound in _I64 for bound in (low, high))
    whole = multiple is None or (multiple == int(multiple) and int(multiple) in _I64)
    infinite = any(
        bound is not None and not _finite(bound)
        for bound in (limits.gt, limits.ge, limits.lt, limits.le)
    )
    if fits and whole and not infinite:
        return ("int", (low, high, None if multiple is None else int(multiple)))
    return ("via", ("int", None), checker(limits_check(limits)))


def _finite(bound: Any) -> bool:
    if isinstance(bound, Decimal):
        return bound.is_finite()  # math asks a float, which may not hold it
    return bound is not None and (isinstance(bound, int) or math.isfinite(bound))


def _float(limits: model.Limits) -> Rule:
    if not limits:
        return ("float", None)
    bounds = (limits.gt, limits.ge, limits.lt, limits.le, limits.multiple)
    try:
        floats = tuple(None if bound is None else float(bound) for bound in bounds)
    except OverflowError:
        floats = ()
    if floats != bounds:  # a Decimal or a big int that no float is equal to
        return ("via", ("float", None), checker(limits_check(limits)))
    return ("float", floats)


def text(node: model.Text) -> Claims:
    """Return the claims of a str."""
    search = None if node.pattern is None else re.compile(node.pattern).search
    length = node.length
    if not length and search is None:
        return claim(("str", None), node, "string")
    least, most = length.rule() or (0, None)
    return claim(("str", (least, most, search)), node, "string")


def choice(node: model.Choice) -> Claims:
    """Return the rule of an enum or a Literal; of several kinds if need be."""
    kinds: dict[str, dict[Any, Any]] = {}
    for value, member in node.pairs:
        kinds.setdefault(_kind(value), {})[value] = member
    if node.open and node.cls is not None:
        wires: dict[str, Rule] = {
            "null": ("null",),
            "bool": ("bool", None),
            "int": ("int", None),
            "float": ("float", None),
            "string": ("str", None),
        }
        return {kind: Claim(("via", wires[kind], node.cls), node) for kind in kinds}
    return {
        kind: Claim(_members(kind, members), node) for kind, members in kinds.items()
    }


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "bool", int: "int", float: "float", str: "string"}
    return names[type(value)]


def _members(kind: str, members: dict[Any, Any]) -> Rule:
    plain = all(member is value for value, member in members.items())
    match kind:
        case "null":
            value = members[None]
            return ("null",) if plain else ("via", ("null",), lambda _: value)
        case "bool":
            only = next(iter(members)) if len(members) == 1 else None
            rule: Rule = ("bool", only)
            return rule if plain else ("via", rule, members.__getitem__)
        case "int" if all(value in _I64 for value in members):
            return ("ints", members)
        case "int":
            return ("via", ("int", None), _lookup(members))
        case "float":
            return ("floats", members)
        case _:
            return ("strings", members)


def _lookup(members: dict[Any, Any]) -> Callable[[Any], Any]:
    def found(value: Any) -> Any:
        if value in members:
            return members[value]
        raise Refused

    return found


def _clash(old: model.Node, new: model.Node, kind: str, place: str) -> str:
    words = {"string": "strings", "object": "objects", "array": "arrays"}
    return (
        f"{place}: a union of {described(old)} and {described(new)} is ambiguous: both "
        f"are {words.get(kind, kind)} in JSON. Keep one of them, or join them in one "
        "type with Via, whose decode function tells them apart"
    )


def checker(check: model.Check) -> Callable[[Any], Any]:
    """Return a function that gives back what passes, and refuses the rest."""
    holds = check.holds

    def checked(value: Any) -> Any:
        if not holds(value):
            raise Refused
        return value

    return checked
