"""The model to the plan of a Decoder: at most one rule for each kind of JSON.

Separate from introspection, which knows types, and from Rust, which knows neither types
nor unions: here unions become rules, and clashes are found. Invariant: a plan that is
returned is unambiguous; every index in it is within it. Called by `codecs`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze._typed import arrays, kind_rules, model, unions
from snooze._typed.expected import described, label
from snooze._typed.kind_rules import Claims, Rule, claim

if TYPE_CHECKING:
    from collections.abc import Callable


def lower(
    root: model.Node, options: tuple[Any, ...], dec_hook: Any = None
) -> tuple[Any, ...]:
    """Return the plan of a model."""
    lowering = _Lowering(dec_hook)
    index = lowering.node(root, "the type")
    for record in lowering.pending:  # grows while records lead to others
        lowering.records.append(lowering.fields_of(record))
    return (1, tuple(lowering.nodes), tuple(lowering.records), index, options)


class _Lowering:
    def __init__(self, dec_hook: Any) -> None:
        self.dec_hook = dec_hook
        self.opening: list[model.Via] = []
        self.nodes: list[Any] = []
        self.records: list[Any] = []
        #: Records in the order of their indices.
        self.pending: list[model.Record] = []
        self.node_index: dict[tuple[model.Node, ...], int] = {}
        self.record_index: dict[model.Record, int] = {}

    def node(self, node: model.Node, place: str) -> int:
        """Return the index of a node, made if need be."""
        key = tuple(unions.flatten(node, place))
        if key in self.node_index:
            return self.node_index[key]
        index = self.node_index[key] = len(self.nodes)
        self.nodes.append(None)
        self.nodes[index] = (label(node), self._rules(node, place))
        return index

    def record(self, record: model.Record) -> int:
        """Return the index of a record."""
        if record in self.record_index:
            return self.record_index[record]
        index = self.record_index[record] = len(self.pending)
        self.pending.append(record)
        return index

    def fields_of(self, record: model.Record) -> tuple[Any, ...]:
        """Return the plan of a record."""
        if record.make[0] == "call" and getattr(record.cls, "__abstractmethods__", ()):
            missing = ", ".join(sorted(record.cls.__abstractmethods__))
            raise TypeError(f"{record.name} is abstract ({missing}): it cannot be made")
        by_name = record.make[0] == "call"
        fields: list[Any] = []
        places: dict[int, int] = {}
        for position, field in enumerate(record.fields):
            if by_name and not field.names and field.presence != "factory":
                continue
            if not field.names and field.presence == "absent":
                continue
            is_rest = record.rest is not None and record.rest[0] == position
            if by_name and not field.names and not is_rest:
                continue
            presence, default = field.presence, field.default
            if by_name and presence != "required" and not is_rest:
                presence, default = "absent", None
            place = f"{record.name}.{field.attribute}"
            attribute = field.init if by_name else field.attribute
            places[position] = len(fields)
            fields.append(
                (
                    attribute,
                    field.names,
                    self.node(field.node, place),
                    presence,
                    default,
                )
            )
        unknown: Any = record.unknown
        if record.rest is not None:
            at, inner = record.rest
            rest = self.node(inner, f"{record.name} (unknown members)")
            unknown = ("rest", places[at] if at >= 0 else -1, rest)
        order = tuple(range(len(fields)))
        # What is a dict shows itself to the collector, and hides, as it needs.
        hidden = not record.gc and record.kind != "typeddict"
        made = (record.name, record.make, tuple(fields))
        return (*made, unknown, record.tag, order, hidden)

    def _rules(self, node: model.Node, place: str) -> tuple[Rule, ...]:
        return kind_rules.rules(self._claims(node, place))

    def _claims(self, node: model.Node, place: str) -> Claims:
        """Return who takes which kind of JSON, for a type with its alternatives."""
        options = unions.flatten(node, place)
        if any(isinstance(one, model.Anything) for one in options) and all(
            _is_within_any(one) for one in options
        ):
            options = [model.Anything()]
        records = [one for one in options if _is_object(one)]
        found: Claims = {}
        for option in options:
            if len(records) < 2 or option not in records:
                kind_rules.join(found, self._one(option, place), place)
        if len(records) > 1:
            rule = self._choose(records, place)
            kind_rules.join(found, claim(rule, records[0], "object"), place)
        return kind_rules.or_none(found)

    def _choose(self, records: list[Any], place: str) -> Rule:
        chosen = unions.choose(records, place)
        by = {key: self.record(record) for key, record in chosen.by.items()}
        if chosen.how == "keys":
            return ("keyed", by)
        return ("tagged", chosen.name, by)

    def _one(self, node: model.Node, place: str) -> Claims:  # noqa: C901, PLR0911, PLR0912
        """Return what one alternative wants."""
        match node:
            case model.Anything():
                return claim(("any",), node, *kind_rules.KINDS)
            case model.Raw():
                return claim(("raw", node.cls), node, *kind_rules.KINDS, weak="null")
            case model.Scalar():
                return kind_rules.scalar(node)
            case model.Number():
                return kind_rules.number(node)
            case model.Text():
                return kind_rules.text(node)
            case model.Binary():
                return claim((node.kind, node.length.rule()), node, "string")
            case model.Choice():
                return kind_rules.choice(node)
            case model.Record() if node.array:
                _no_gaps(node)
                return claim(("array_record", self.record(node)), node, "array")
            case model.Record():
                return claim(("record", self.record(node)), node, "object")
            case model.Checked():
                found = self._claims(node.target, place)
                for check in node.checks:
                    found = kind_rules.behind(found, kind_rules.checker(check), node)
                return found
            case model.Via():
                return self._via(node, place)
            case model.Custom():
                if self.dec_hook is None:
                    raise TypeError(_unknown_class(node, place))
                rule: Rule = ("via", ("any",), _hooked(self.dec_hook, node))
                return claim(rule, node, *kind_rules.KINDS, weak="null")
            case _:
                return self._container(node, place)

    def _container(self, node: model.Node, place: str) -> Claims:
        """Return the claims of arrays, and of objects with any names."""
        match node:
            case model.Items():
                inner = self.node(node.item, f"{place}[…]")
                if node.base in {"set", "frozenset"}:
                    _need_hash(node.item, f"in a {node.base}", place)
                rule: Rule = (node.base, inner, node.length.rule())
                rule = rule if node.make is None else ("via", rule, node.make)
                return claim(rule, node, "array")
            case model.Fixed():
                parts = tuple(
                    self.node(item, f"{place}[{number}]")
                    for number, item in enumerate(node.items)
                )
                return claim(("fixed", parts), node, "array")
            case model.Entries():
                return self._entries(node, place)
            case model.Array():
                return claim(arrays.rule(node), node, "array")
            case _:
                raise AssertionError(node)

    def _via(self, node: model.Via, place: str) -> Claims:
        if node.decode is None:
            raise TypeError(f"{place}: Via of {node.name} has no decode= function")
        if node.wire is None or node in self.opening:
            raise TypeError(f"{place}: the wire type of {node.name} leads back to it")
        self.opening.append(node)
        try:
            inner = self._claims(node.wire, place)
        finally:
            self.opening.pop()
        return kind_rules.behind(inner, node.decode, node)

    def _entries(self, node: model.Entries, place: str) -> Claims:
        key = model.Text() if isinstance(node.key, model.Anything) else node.key
        where = f"{place} (keys)"
        kinds = self._claims(key, where)
        for kind in ("array", "object"):
            if kind in kinds:
                raise TypeError(
                    f"{place}: {described(kinds[kind].source)} cannot be the key of a "
                    "dict: names of members are strings in JSON"
                )
        if "string" in kinds and any(
            one.rule is not kinds["string"].rule for one in kinds.values()
        ):
            raise TypeError(
                f"{place}: the keys {label(key)} cannot be told apart: names of "
                "members are strings in JSON"
            )
        _need_hash(key, "the key of a dict", place)
        index = self.node(key, where)
        value = self.node(node.value, f"{place}[…]")
        rule: Rule = ("dict", index, value, node.length.rule())
        rule = rule if node.make is None else ("via", rule, node.make)
        return claim(rule, node, "object")


def _need_hash(item: model.Node, use: str, place: str) -> None:
    """Refuse what cannot be in a set."""
    for option in unions.flatten(item, place):
        match option:
            case model.Record(kind="typeddict") | model.Entries():
                hashed = False
            case model.Items():
                hashed = option.make is None and option.base in {"tuple", "frozenset"}
            case model.Binary(kind="bytearray") | model.Array():
                hashed = False
            case model.Record() | model.Via() if option.cls.__hash__ is None:
                hashed = False
            case _:
                hashed = True
        if not hashed:
            raise TypeError(
                f"{place}: {described(option)} cannot be {use}: it has no hash"
            )


def _is_within_any(node: model.Node) -> bool:
    """Tell a type whose values `Any` makes just the same."""
    match node:
        case model.Anything():
            return True
        case model.Scalar():
            return node.kind in {"null", "bool"}
        case model.Number():
            return node.kind != "decimal" and not node.limits
        case model.Text():
            return not node.length and node.pattern is None
        case _:
            return False


def _is_object(node: model.Node) -> bool:
    return isinstance(node, model.Record) and not node.array


def _no_gaps(record: model.Record) -> None:
    """Refuse arrays with a gap: optional fields come last."""
    optional = None
    for field in record.fields:
        if not field.reads:
            continue
        if field.presence != "required":
            optional = optional or field
        elif optional is not None:
            raise TypeError(
                f"{record.name}: array_like=True needs {field.attribute}, which has no "
                f"default, before {optional.attribute}, which has one"
            )


def _hooked(dec_hook: Any, node: model.Custom) -> Callable[[Any], Any]:
    """Return a call of the user's hook that makes sure of what comes back."""
    wanted = node.type

    def hooked(value: Any) -> Any:
        result = dec_hook(wanted, value)
        if isinstance(wanted, type) and not isinstance(result, wanted):
            raise TypeError(
                f"dec_hook returned {type(result).__name__}, not {node.name}"
            )
        return result

    return hooked


def _unknown_class(node: model.Custom, place: str) -> str:
    return (
        f"{place}: {node.name} is not a type that snooze knows; give dec_hook=…, a "
        "__snooze__ method in the class, or a wire type with Annotated[…, Via(…)]"
    )
