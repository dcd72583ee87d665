"""The model to the plan of an Encoder: which Python classes a node writes, and how.

Separate from `lower_decode`: there the kinds of JSON are told apart, here the classes
of Python. Invariant: no two rules of a node take the same class. Called by `codecs`.
"""

from __future__ import annotations

import enum
import json
import uuid
from collections import abc
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._snooze import EncoderBase
from snooze._typed import model, unions
from snooze._typed.expected import described, joined, label
from snooze._typed.raw import Raw

if TYPE_CHECKING:
    from collections.abc import Callable

Rule = tuple[Any, ...]
_SCALARS: dict[str, Rule] = {
    "null": ("none",),
    "bool": ("bool",),
    "datetime": ("datetime",),
    "date": ("date",),
    "time": ("time",),
    "timedelta": ("timedelta",),
    "uuid": ("uuid", uuid.UUID),
}


def lower(root: model.Node, options: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the plan of a model."""
    lowering = _Lowering(options)
    index = lowering.node(root, "the type")
    for record in lowering.pending:  # grows while records lead to others
        lowering.records.append(lowering.fields_of(record))
    return (1, tuple(lowering.nodes), tuple(lowering.records), index, options)


class _Lowering:
    def __init__(self, options: tuple[Any, ...]) -> None:
        self.options = options
        #: Records in the order of their indices.
        self.pending: list[model.Record] = []
        self.nodes: list[Any] = []
        self.records: list[Any] = []
        self.node_index: dict[tuple[model.Node, ...], int] = {}
        self.record_index: dict[model.Record, int] = {}

    def node(self, node: model.Node, place: str) -> int:
        """Return the index of a node, made if need be."""
        options = unions.flatten(node, place)
        key = tuple(options)
        if key in self.node_index:
            return self.node_index[key]
        index = self.node_index[key] = len(self.nodes)
        self.nodes.append(None)
        found: dict[Any, tuple[Rule, model.Node]] = {}
        dicts = [one for one in options if _is_typeddict(one)]
        if len(dicts) > 1:
            options = [one for one in options if one not in dicts]
            rule = self._typeddicts(dicts, place)
            found["dict"] = (rule, dicts[0])
        if any(isinstance(option, model.Anything) for option in options):
            self.nodes[index] = ("any value", (("any",),))
            return index
        for option in options:
            for rule in self._rules(option, place):
                takes = self._takes(rule)
                if takes in found and found[takes][0] != rule:
                    raise TypeError(
                        f"{place}: a union of {described(found[takes][1])} and "
                        f"{described(option)} is ambiguous: nothing but their items "
                        "tells them apart"
                    )
                found.setdefault(takes, (rule, option))
        rules = [rule for rule, _ in found.values()]
        # What takes anything comes last.
        rules.sort(key=lambda rule: rule[0] == "any")
        self.nodes[index] = (label(node), tuple(rules))
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
        fields = []
        is_tuple = record.kind == "namedtuple"
        for position, field in enumerate(record.fields):
            if not field.writes:
                continue
            place = f"{record.name}.{field.attribute}"
            node = self.node(field.node, place)
            attribute = position if is_tuple else field.attribute
            fields.append((attribute, field.name, node, _omit(record, field)))
        is_sorted = not record.array and (record.sort or self.options[4])
        if is_sorted:
            fields.sort(key=lambda field: str(field[1]))
        before = b""
        if record.tag is not None:
            name, value = record.tag
            before = f"{rendered(name)}:{rendered(value)}".encode()
        rest = None
        if record.rest is not None:
            at, inner = record.rest
            node = self.node(inner, f"{record.name} (unknown members)")
            rest = (record.fields[at].attribute if at >= 0 else "", node)
        how = {"typeddict": "dict", "namedtuple": "tuple"}.get(
            record.kind, "attributes"
        )
        cls = dict if how == "dict" else record.cls
        return (cls, how, tuple(fields), before, rest, is_sorted)

    def _rules(  # noqa: C901, PLR0911, PLR0912 - one line for each kind of node
        self, node: model.Node, place: str
    ) -> list[Rule]:
        match node:
            case model.Custom():
                return [("any",)]
            case model.Raw():
                return [("raw", node.cls)]
            case model.Scalar():
                return [_SCALARS[node.kind]]
            case model.Number(kind="decimal"):
                return [("decimal", Decimal)]
            case model.Number(kind="float"):
                return [("float",), ("int",)]
            case model.Number():
                return [("int",)]
            case model.Text():
                return [("str",)]
            case model.Binary():
                return [("bytes",)]
            case model.Choice():
                return _choice(node)
            case model.Items():
                return self._items(node, place)
            case model.Fixed():
                parts = tuple(
                    self.node(item, f"{place}[{number}]")
                    for number, item in enumerate(node.items)
                )
                return [("fixed", parts)]
            case model.Entries():
                key = self.node(node.key, f"{place} (keys)")
                value = self.node(node.value, f"{place}[…]")
                if node.cls is dict:
                    return [("dict", key, value)]
                return [("dict", key, value), ("mapping", node.cls, key, value)]
            case model.Array():
                return [("ndarray",)]
            case model.Record():
                how = "array_record" if node.array else "record"
                return [(how, self.record(node))]
            case model.Checked():
                return self._rules(node.target, place)
            case model.Via():
                if node.encode is None:
                    raise TypeError(
                        f"{place}: Via of {node.name} has no encode= function"
                    )
                if node.wire is None:
                    raise TypeError(
                        f"{place}: the wire type of {node.name} leads back to it"
                    )
                return [("via", node.cls, node.encode, self.node(node.wire, place))]
            case _:
                raise AssertionError(node)

    def _takes(self, rule: Rule) -> Any:
        """Return what a rule takes: a class of Python."""
        name = rule[0]
        if name in {"record", "array_record"}:
            record = self.pending[rule[1]]
            return "dict" if _is_typeddict(record) else ("record", id(record.cls))
        if name in {"iterable", "mapping", "members", "via"}:
            return (name, id(rule[1]))
        return {"fixed": "tuple"}.get(name, name)

    def _typeddicts(self, dicts: list[Any], place: str) -> Rule:
        """Return a rule that tells TypedDicts apart by what is in them.

        Python chooses, and the dict is written by a plan of its own.
        """
        chosen = unions.choose(dicts, place)
        if chosen.how == "tag":
            raise TypeError(
                f"{place}: a union of TypedDicts cannot be encoded by their tags, "
                "which are not in the dicts; give them a field with different "
                "Literal values"
            )
        names = {
            name: field.attribute
            for record in dicts
            for field in record.fields
            for name in (field.name, *field.aliases)
        }
        if chosen.how == "field":
            attribute = names[chosen.name]
            by_value = dict(chosen.by)

            def find(value: dict[str, Any]) -> Any:
                return by_value[getattr(value[attribute], "value", value[attribute])]
        else:
            by_name = {names[name]: record for name, record in chosen.by.items()}

            def find(value: dict[str, Any]) -> Any:
                return next(by_name[name] for name in value if name in by_name)

        encoders = {record: EncoderBase() for record in dicts}
        for record, encoder in encoders.items():
            encoder._compile(lower(record, self.options))  # noqa: SLF001 - our own

        def written(value: dict[str, Any]) -> Raw:
            try:
                record = find(value)
            except (LookupError, StopIteration, TypeError):
                names = joined([described(one) for one in dicts])
                raise TypeError(f"a dict that is neither {names}") from None
            return Raw(encoders[record].encode(value))

        raw = self.node(model.Raw(Raw), place)
        return ("via", dict, written, raw)

    def _items(self, node: model.Items, place: str) -> list[Rule]:
        inner = self.node(node.item, f"{place}[…]")
        if node.cls is list:
            return [("list", inner)]
        if node.cls is tuple:
            return [("tuple", inner)]
        rules: list[Rule] = []
        if issubclass(list, node.cls):
            rules.append(("list", inner))
        if issubclass(tuple, node.cls):
            rules.append(("tuple", inner))
        # Any iterable is enough for Container and the like: str is refused by Rust.
        cls = node.cls if issubclass(node.cls, abc.Iterable) else abc.Iterable
        return [*rules, ("iterable", cls, inner)]


def _is_typeddict(node: model.Node) -> bool:
    return isinstance(node, model.Record) and node.kind == "typeddict"


def _omit(record: model.Record, field: model.Field) -> Any:
    """Return when a member is left out."""
    if record.array:
        return None
    if record.kind == "typeddict" and field.presence != "required":
        return ("absent", True) if field.omit_none else ("absent",)
    if field.omit_default and field.presence == "default":
        return _equal(field, field.default)
    if field.omit_default and field.presence == "factory":
        empty = _empty(field.default)
        if empty is not None:
            return _equal(field, empty)
    if field.omit_none:
        return ("none",)
    return None


def _equal(field: model.Field, default: Any) -> Any:
    """Return "left out when equal to this", and when None if the field says so."""
    if field.omit_none and default is not None:
        return ("equal", default, True)
    return ("equal", default)


def _empty(factory: Callable[[], Any]) -> Any:
    """Return what a factory makes, of those that always make the same."""
    if factory in {list, dict, set, frozenset, tuple, str, bytes, int, float}:
        return factory()
    return None


def _choice(node: model.Choice) -> list[Rule]:
    """Return the rules of an enum, or of the classes of a Literal's values."""
    rules: list[Rule] = []
    members: dict[type, dict[Any, bytes]] = {}
    for value, member in node.pairs:
        if isinstance(member, enum.Enum):
            by = members.setdefault(type(member), {})
            by[member] = rendered(value).encode()
            continue
        rule = {type(None): ("none",), bool: ("bool",), int: ("int",)}.get(
            type(member), ("str",)
        )
        if rule not in rules:
            rules.append(rule)
    # A Literal of some members: an encoder writes whatever the enum has.
    for cls in members:
        every = {
            member: rendered(member.value).encode()
            for member in cls  # type: ignore[attr-defined]
            if isinstance(member.value, (str, int, float, type(None)))
        }
        rules.append(("members", cls, every))
    return rules


def rendered(value: Any) -> str:
    """Return the JSON of a name, a tag or an enum's value."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
