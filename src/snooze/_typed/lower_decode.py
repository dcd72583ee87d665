"""The model to the plan of a Decoder: at most one rule for each kind of JSON value.

Separate from introspection, which knows Python types, and from Rust, which knows
neither Python types nor unions: here unions become rules, and ambiguous ones are found.
Invariant: a plan that is returned is unambiguous, and every index in it is in range.
The plan is what `_compile` of the extension reads: tuples whose first item names them.
Called by `plans` and `schema`.
"""

from __future__ import annotations

import enum
import functools
from typing import TYPE_CHECKING, Any

from snooze._typed import (
    adjacent,
    arrays,
    expected,
    instances,
    kind_rules,
    model,
    unions,
)
from snooze._typed.errors import fail
from snooze._typed.expected import expected_text, node_name
from snooze._typed.first_match import ConvertAttempts, DecodeAttempts
from snooze._typed.generics import instance_classes
from snooze._typed.hashable import check_hashable
from snooze._typed.kind_rules import JSON_KINDS, KindRules, Rule, for_kinds
from snooze._typed.plan_tables import PlanTables
from snooze._typed.raw import Raw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Attempts = dict[model.Node, DecodeAttempts | ConvertAttempts]


def any_hook(_: Any, value: Any) -> Any:
    """Stand for a `dec_hook` where only the types matter."""
    return value


def lower(
    root: model.Node,
    options: tuple[Any, ...],
    dec_hook: Any = None,
    attempts: Attempts | None = None,
    *,
    readable: tuple[Any, ...] | None = None,
) -> tuple[Any, ...]:
    """Return the plan of a model; `attempts` are those of the plan around it.

    The plan of a Converter has a `readable`: see `instances`.
    """
    attempts = {} if attempts is None else attempts
    lowering = _Lowering(dec_hook, options, attempts, readable)
    index = lowering.node(root, "the type")
    for record in lowering.pending:  # grows while records lead to others
        is_adjacent = record.content is not None
        plan = lowering.adjacent_plan if is_adjacent else lowering.record_plan
        lowering.records.append(plan(record))
    return (1, tuple(lowering.nodes), tuple(lowering.records), index, options)


def _raw(cls: type, *mask: int) -> Rule:
    """Return the rule of `Raw`, or of a subclass, whose constructor is called."""
    rule: Rule = ("raw", Raw, *mask)
    return rule if cls is Raw else ("via", rule, cls)


class _Lowering(PlanTables["DecodeAttempts | ConvertAttempts"]):
    """Makes the nodes and records of one plan."""

    def __init__(
        self,
        dec_hook: Any,
        options: tuple[Any, ...],
        attempts: Attempts,
        readable: tuple[Any, ...] | None,
    ) -> None:
        super().__init__(attempts)
        #: What a Converter reads; None for a Decoder.
        self.readable = readable
        self.for_objects = readable is not None
        self.dec_hook = dec_hook
        self.options = options
        #: The Vias whose wire type is being lowered.
        self.open_vias: list[model.Via] = []

    def node(self, node: model.Node, place: str) -> int:
        """Return the index of a node, which is added if it is new."""
        alternatives = tuple(unions.flatten(node, place))
        key = unions.identity(alternatives)
        if key in self.node_index:
            return self.node_index[key]
        index = self.node_index[key] = len(self.nodes)
        self.nodes.append(None)
        by_kind = self._kind_rules(node, place)
        if not self.options[0]:
            kind_rules.check_lax(by_kind, place)
        rules = kind_rules.distinct_rules(by_kind)
        if self.for_objects:
            kept = instances.rule(alternatives, self.attempts)
            rules = rules if kept is None else (*rules, kept)
        words = expected.PYTHON if self.for_objects else expected.JSON
        self.nodes[index] = (expected.expected_text(node, words), rules)
        return index

    def record_plan(self, record: model.Record) -> tuple[Any, ...]:
        """Return the plan of a record."""
        is_called = record.construction[0] == "call"
        if is_called and getattr(record.cls, "__abstractmethods__", ()):
            missing = ", ".join(sorted(record.cls.__abstractmethods__))
            raise TypeError(
                f"{record.name} is abstract ({missing}): it cannot be instantiated"
            )
        _check_surrogates(record)
        fields: list[Any] = []
        indices: dict[int, int] = {}
        for position, field in enumerate(record.fields):
            names = field.decoded_names
            is_rest = record.rest is not None and record.rest[0] == position
            if not names and field.presence == "absent":
                continue
            # A constructor sets the defaults of the arguments that it is not given.
            if is_called and not names and not is_rest:
                continue
            presence, default = field.presence, field.default
            if is_called and presence != "required" and not is_rest:
                presence, default = "absent", None
            place = f"{record.name}.{field.attribute}"
            attribute = field.init_name if is_called else field.attribute
            indices[position] = len(fields)
            index = self.node(self._field_node(field), place)
            fields.append((attribute, names, index, presence, default))
        unknown: Any = record.unknown
        if record.rest is not None:
            at, inner = record.rest
            rest = self.node(inner, f"{record.name} (unknown members)")
            unknown = ("rest", indices[at] if at >= 0 else -1, rest)
        # An Encoder writes them; a Decoder can do nothing with them.
        skipped = tuple(
            field.wire_name
            for field in record.fields
            if field.is_encoded and not field.is_decoded
        )
        if skipped and unknown == "forbid" and not record.is_array:
            unknown = ("forbid", skipped)
        elif skipped and record.rest is not None:
            unknown = (*unknown, skipped)
        order = tuple(range(len(fields)))
        # CPython itself tracks and untracks dicts in the garbage collector.
        hidden = not record.gc and record.class_kind != "typeddict"
        plan = (record.name, record.construction, tuple(fields))
        tag: Any = record.tag
        if tag is not None and record.is_array:
            # The first item, before those of the fields.
            tag = (*tag, self.node(model.Choice(((tag[1], tag[1]),)), record.name))
        return (*plan, unknown, tag, order, hidden)

    def adjacent_plan(self, record: model.Record) -> tuple[Any, ...]:
        """Return the plan of the object around the one with the fields."""
        place = f"{record.name}.{record.content}"
        field = adjacent.decoded_field(record, self.node(adjacent.inner(record), place))
        construction = ("positional", adjacent.itself)
        plan = (record.name, construction, (field,), record.unknown)
        return (*plan, record.tag, (0,), False)

    def _field_node(self, field: model.Field) -> model.Node:
        """Return the node of a field; `UNSET` is an object that may be its value."""
        if not self.for_objects or field.unset is None:
            return field.node
        return model.Union((field.node, model.Kept(type(field.unset))))

    def _kind_rules(
        self, node: model.Node, place: str, *, is_alone: bool = True
    ) -> KindRules:
        """Return the rules of a type, merged over the alternatives of a union.

        If it is not alone, others of a union around it take other kinds of values.
        """
        alternatives = unions.flatten(node, place)
        # UNSET is an object, and no value of Any.
        kept = [one for one in alternatives if isinstance(one, model.Kept)]
        values = [one for one in alternatives if one not in kept]
        if any(isinstance(one, model.Anything) for one in values) and all(
            _is_within_any(one) for one in values
        ):
            alternatives = [model.Anything(), *kept]
        is_alone = is_alone and len(alternatives) == 1
        objects = [one for one in alternatives if _is_object(one)]
        found: KindRules = {}
        arrays = unions.tagged_arrays(alternatives, place)
        for one in alternatives:
            if one not in arrays and (len(objects) < 2 or one not in objects):
                more = self._alternative(one, place, is_alone=is_alone)
                kind_rules.merge(found, more, place)
        if arrays:
            by_tag = {tag: self.record(one) for tag, one in arrays.values()}
            rule: Rule = ("tagged_arrays", by_tag)
            first = next(iter(arrays))
            kind_rules.merge(found, for_kinds(rule, first, "array"), place)
        if len(objects) > 1:
            rule = self._object_union_rule(objects, place)
            kind_rules.merge(found, for_kinds(rule, objects[0], "object"), place)
        kind_rules.add_aliases(found, alternatives)
        return kind_rules.decode_null_as_none(found)

    def _object_union_rule(self, records: list[Any], place: str) -> Rule:
        found = unions.discriminator(records, place)
        by_key = {key: self.record(record) for key, record in found.records.items()}
        fallback = None if found.fallback is None else self.record(found.fallback)
        if found.method == "required":
            return ("keyed", by_key, fallback)
        return ("tagged", found.name, by_key, fallback)

    def _alternative(  # noqa: C901, PLR0911, PLR0912 - one case for each class of node
        self, node: model.Node, place: str, *, is_alone: bool
    ) -> KindRules:
        """Return the rules of a type that is not a union."""
        match node:
            case model.OfKinds(kinds=kinds):
                return for_kinds(_any_of(kinds), node, *kinds)
            case model.Anything():
                return for_kinds(("any",), node, *JSON_KINDS)
            case model.Raw() if self.for_objects:
                rule: Rule = ("via", ("any",), instances.raw_function(node.cls))
                return for_kinds(rule, node, *JSON_KINDS, weak=("null",))
            case model.Raw(kinds=tuple() as kinds):
                mask = sum(1 << JSON_KINDS.index(kind) for kind in kinds)
                return for_kinds(_raw(node.cls, mask), node, *kinds)
            case model.Raw():
                return for_kinds(_raw(node.cls), node, *JSON_KINDS, weak=("null",))
            case model.Scalar():
                return kind_rules.for_scalar(node)
            case model.Number():
                return kind_rules.for_number(node)
            case model.Text():
                return kind_rules.for_text(node)
            case model.Binary():
                return for_kinds(
                    (node.type_name, node.length.in_plan()), node, "string"
                )
            case model.Choice():
                return kind_rules.for_choice(node)
            case model.Record() if node.is_array:
                _check_optional_fields_last(node)
                return for_kinds(("array_record", self.record(node)), node, "array")
            case model.Record():
                return for_kinds(("record", self.record(node)), node, "object")
            case model.Checked():
                by_kind = self._kind_rules(node.target, place, is_alone=is_alone)
                is_record = kind_rules.checked_record(node) is not None
                for check in node.checks:
                    if is_record:
                        function = kind_rules.record_check_function(check)
                    else:
                        function = kind_rules.check_function(check)
                    by_kind = kind_rules.then_call(by_kind, function, node)
                return by_kind
            case model.Via():
                return self._via(node, place, is_alone=is_alone)
            case model.Kept():
                return {}
            case model.Ordered():
                return self._ordered(node, place, is_alone=is_alone)
            case model.Custom():
                if node.make_base is not None and self.dec_hook in {None, any_hook}:
                    return self._via(node.make_base(), place, is_alone=is_alone)
                if self.dec_hook is None:
                    if self.for_objects and object not in instance_classes(node.type):
                        return {}  # its instances are kept: see `instances`
                    raise TypeError(_unknown_class(node, place))
                rule = ("via", ("any",), _hook_function(self.dec_hook, node))
                return for_kinds(rule, node, *JSON_KINDS, weak=("null",))
            case _:
                return self._container(node, place)

    def _container(self, node: model.Node, place: str) -> KindRules:
        """Return the rules of arrays, and of objects with any member names."""
        match node:
            case model.Items():
                inner = self.node(node.item, f"{place}[…]")
                if node.base in {"set", "frozenset"}:
                    check_hashable(node.item, f"in a {node.base}", place)
                rule: Rule = (node.base, inner, node.length.in_plan())
                rule = rule if node.convert is None else ("via", rule, node.convert)
                return for_kinds(rule, node, "array")
            case model.Fixed():
                parts = tuple(
                    self.node(item, f"{place}[{number}]")
                    for number, item in enumerate(node.items)
                )
                rule = ("fixed", parts)
                if node.rest is not None:
                    rule = (*rule, self.node(node.rest, f"{place}[…]"))
                return for_kinds(rule, node, "array")
            case model.Entries():
                return self._entries(node, place)
            case model.Array():
                make = arrays.object_rule if self.for_objects else arrays.rule
                return for_kinds(make(node), node, "array")
            case _:
                raise AssertionError(node)

    def _ordered(self, node: model.Ordered, place: str, *, is_alone: bool) -> KindRules:
        """Return the rule that reads the text of a value by each alternative."""
        with self.inside(node, place):
            kinds = [
                kind
                for one in node.alternatives
                for kind in self._kind_rules(one, place, is_alone=False)
            ]
        if is_alone and not self.options[0]:
            kinds = list(JSON_KINDS)  # lax: "1" may be an int
        if node not in self.attempts:
            strict, _, fast, _ = self.options
            options = (strict, None, fast, None)
            self.attempts[node] = _attempts(
                node,
                self.readable,
                lambda one: lower(
                    one, options, self.dec_hook, self.attempts, readable=self.readable
                ),
            )
        taken = _any_of(kinds)
        inner: Rule = taken if self.for_objects else ("raw", Raw, taken[1])
        rule: Rule = ("via", inner, self.attempts[node])
        return for_kinds(rule, node, *dict.fromkeys(kinds))

    def _via(self, node: model.Via, place: str, *, is_alone: bool) -> KindRules:
        if node.decode is None:
            raise TypeError(f"{place}: Via of {node.name} has no decode= function")
        if self.for_objects and node.from_object is not None:
            function: Any = node.from_object
            if self.readable and self.readable[0] is not None:
                function = functools.partial(function, from_attributes=True)
            kinds = node.wire.kinds if isinstance(node.wire, model.Raw) else None
            if kinds is None:  # of any kind; in a union None is for null
                kinds = JSON_KINDS if is_alone else JSON_KINDS[1:]
                return for_kinds(("via", ("any",), function), node, *kinds)
            if is_alone:
                kinds = JSON_KINDS  # pydantic says what is wrong
            # In a union the other types are for the other kinds.
            return for_kinds(("via", _any_of(kinds), function), node, *kinds)
        if node.wire is None or node in self.open_vias:
            raise TypeError(
                f"{place}: the wire type of {node.name} refers back to {node.name}"
            )
        self.open_vias.append(node)
        try:
            inner = self._kind_rules(node.wire, place, is_alone=is_alone)
        finally:
            self.open_vias.pop()
        return kind_rules.then_call(inner, node.decode, node)

    def _entries(self, node: model.Entries, place: str) -> KindRules:
        is_any = isinstance(node.key, model.Anything)
        key = model.Text() if is_any else node.key
        key_place = f"{place} (keys)"
        by_kind = self._kind_rules(key, key_place)
        for kind in ("array", "object"):
            if kind in by_kind:
                raise TypeError(
                    f"{place}: {node_name(by_kind[kind].node)} cannot be the key of a "
                    "dict: member names are strings in JSON"
                )
        if "string" in by_kind and any(
            one.rule is not by_kind["string"].rule for one in by_kind.values()
        ):
            raise TypeError(
                f"{place}: the keys {expected_text(key)} cannot be told apart: member "
                "names are strings in JSON"
            )
        unions.check_key(key, place)
        check_hashable(key, "the key of a dict", place)
        if self.for_objects and is_any:
            key = node.key
        index = self.node(key, key_place)
        value = self.node(node.value, f"{place}[…]")
        rule: Rule = ("dict", index, value, node.length.in_plan())
        rule = rule if node.convert is None else ("via", rule, node.convert)
        return for_kinds(rule, node, "object")


def _attempts(
    node: model.Ordered,
    readable: tuple[Any, ...] | None,
    lower_one: Callable[[model.Node], tuple[Any, ...]],
) -> DecodeAttempts | ConvertAttempts:
    if readable is None:
        return DecodeAttempts(node, lambda one: (*lower_one(one), fail))
    return ConvertAttempts(node, lambda one: ((*lower_one(one), fail), readable))


def _check_surrogates(record: model.Record) -> None:
    """Refuse names of members that no document can have."""
    named: list[tuple[str, tuple[Any, ...]]] = [(record.name, record.tag or ())]
    named += [
        (f"{record.name}.{field.attribute}", field.decoded_names)
        for field in record.fields
    ]
    for place, names in named:
        for name in names:
            if not isinstance(name, str) or name.isascii():
                continue
            if any("\ud800" <= character <= "\udfff" for character in name):
                raise ValueError(
                    f"{place}: the name {name!a} has a surrogate, which no document "
                    "can have: it is not valid UTF-8"
                )


def _is_within_any(node: model.Node) -> bool:
    """Return whether `Any` makes the same value of everything that the type accepts."""
    match node:
        case model.Anything():
            return not isinstance(node, model.OfKinds)
        case model.Scalar():
            return node.type_name in {"null", "bool"}
        case model.Number():
            return node.type_name != "decimal" and not node.limits
        case model.Text():
            return not node.length and node.pattern is None
        case _:
            return False


def _is_object(node: model.Node) -> bool:
    return isinstance(node, model.Record) and not node.is_array


def _check_optional_fields_last(record: model.Record) -> None:
    """Refuse an array that needs an item after one that can be missing."""
    optional = None
    for field in record.fields:
        if not field.is_decoded:
            continue
        if field.presence != "required":
            optional = optional or field
        elif optional is not None:
            raise TypeError(
                f"{record.name}: array_like=True needs {field.attribute}, which has no "
                f"default, before {optional.attribute}, which has one"
            )


def _hook_function(dec_hook: Any, node: model.Custom) -> Callable[[Any], Any]:
    """Return a function that calls the user's hook and checks its result."""
    tp = node.type
    classes = instance_classes(tp)

    def call_hook(value: Any) -> Any:
        result = dec_hook(tp, value)
        if not isinstance(result, classes):
            raise TypeError(
                f"dec_hook returned {type(result).__name__}, not {node.name}"
            )
        return result

    return call_hook


def _any_of(kinds: Iterable[str]) -> tuple[str, int]:
    """Return the rule for any value of these kinds."""
    return ("any", sum(1 << JSON_KINDS.index(kind) for kind in set(kinds)))


def _unknown_class(node: model.Custom, place: str) -> str:
    if isinstance(node.type, enum.EnumMeta):
        return (
            f"{place}: {node.name} {node.refusal}; write Annotated[{node.name}, "
            "Format('name')] for the names of the members, or give dec_hook=… or a "
            "__snooze__ method in the class"
        )
    return (
        f"{place}: {node.name} is not a type that snooze knows; give dec_hook=…, a "
        "__snooze__ method in the class, or a wire type with Annotated[…, Via(…)]"
    )
