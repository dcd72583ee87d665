"""The model to the plan of an Encoder: which Python classes a node writes, and how.

Separate from `lower_decode`, where kinds of JSON value select a rule: here Python
classes do. Invariant: no two rules of a node take the same class. The plan is what
`_compile` of the extension reads: tuples whose first item names them. Called by
`plans`.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import uuid
from collections import abc
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._snooze import EncoderBase
from snooze._typed import (
    adjacent,
    arrays,
    encode_unions,
    model,
    omission,
    surrogates,
    unions,
)
from snooze._typed.expected import node_name, python_text
from snooze._typed.first_match import EncodeAttempts
from snooze._typed.one_shot import writes_twice
from snooze._typed.plan_tables import PlanTables
from snooze._typed.unset import UNSET

if TYPE_CHECKING:
    from collections.abc import Callable

Rule = tuple[Any, ...]
#: The key of the tag among the members of a flattened instance: no field has it.
_TAG = ""
_SCALARS: dict[str, Rule] = {
    "null": ("none",),
    "bool": ("bool",),
    "datetime": ("datetime",),
    "date": ("date",),
    "time": ("time",),
    "timedelta": ("timedelta",),
    "uuid": ("uuid", uuid.UUID),
}


def lower(
    root: model.Node,
    options: tuple[Any, ...],
    attempts: dict[model.Node, EncodeAttempts] | None = None,
    *,
    omits_none: bool = False,
) -> tuple[Any, ...]:
    """Return the plan of a model; `attempts` are those of the plan around it.

    With `omits_none`, members that are None are left out, whatever their default.
    """
    known = {} if attempts is None else attempts
    lowering = _Lowering(options, known, omits_none=omits_none)
    index = lowering.node(root, "the type")
    for record in lowering.pending:  # grows while records lead to others
        lowering.records.append(lowering.record_plan(record))
    return (1, tuple(lowering.nodes), tuple(lowering.records), index, options)


class _Lowering(PlanTables[EncodeAttempts]):
    """Makes the nodes and records of one plan."""

    def __init__(
        self,
        options: tuple[Any, ...],
        attempts: dict[model.Node, EncodeAttempts],
        *,
        omits_none: bool,
    ) -> None:
        super().__init__(attempts)
        self.options = options
        self.omits_none = omits_none
        #: What is written for surrogates in texts that are known now.
        self.surrogates = surrogates.of_policies(options[2])
        #: For each record with adjacent tags the one around it, and for each with
        #: flattened fields the dict of all members.
        self.outer: dict[model.Record, model.Record] = {}

    def node(self, node: model.Node, place: str) -> int:
        """Return the index of a node, which is added if it is new."""
        alternatives = unions.flatten(node, place)
        key = unions.identity(alternatives)
        if key in self.node_index:
            return self.node_index[key]
        index = self.node_index[key] = len(self.nodes)
        self.nodes.append(None)
        by_class: dict[Any, tuple[Rule, model.Node]] = {}
        typeddicts = [one for one in alternatives if encode_unions.is_typeddict(one)]
        if len(typeddicts) > 1:
            alternatives = [one for one in alternatives if one not in typeddicts]
            select, names = encode_unions.select_function(typeddicts, place)
            indices = tuple(self.node(record, place) for record in typeddicts)
            rule = ("select", select, indices, names)
            by_class["dict"] = (rule, typeddicts[0])
        if any(isinstance(one, model.Anything) for one in alternatives):
            self.nodes[index] = ("any value", self._any_rules(alternatives[0], place))
            return index
        alternatives = encode_unions.merged_orders(alternatives)
        fallback = encode_unions.fallback_check(alternatives, place, self._text_of)
        for one in alternatives:
            rules = self._rules(one, place)
            if (
                fallback is not None
                and isinstance(one, model.Record)
                and one.is_fallback
            ):
                taken = dict if encode_unions.is_typeddict(one) else one.cls
                rules = [("via", taken, fallback, self.node(one, place))]
            for rule in rules:
                self._add_rule(by_class, one, rule, place)
        found = [rule for rule, _ in by_class.values()]
        # A rule that takes any class comes last.
        found.sort(key=_takes_any_class)
        self.nodes[index] = (python_text(node), tuple(found))
        return index

    def _text_of(self, node: model.Node) -> Callable[[Any], bytes]:
        """Return a function that writes a value of a node as this plan does."""
        options, omits_none = self.options, self.omits_none

        @functools.cache
        def encoder() -> EncoderBase:
            # Only now: the node may lead back to the union that is being lowered.
            made = EncoderBase()
            made._compile(lower(node, options, omits_none=omits_none))  # noqa: SLF001
            return made

        return lambda value: encoder().encode(value)

    def _add_rule(
        self,
        by_class: dict[Any, tuple[Rule, model.Node]],
        one: model.Node,
        rule: Rule,
        place: str,
    ) -> None:
        """Add the rule of an alternative, or refuse a class that has another one."""
        cls = encode_unions.builtin_key(one, rule) or self._class_key(rule)
        if cls not in by_class:
            by_class[cls] = (rule, one)
            return
        old, other = by_class[cls]
        if encode_unions.are_two_forms(old, rule):
            raise TypeError(encode_unions.two_forms(rule, one, place))
        merged = _merged_literals(old, rule)
        if merged is not None:
            by_class[cls] = (merged, other)
        elif old != rule:
            raise TypeError(
                f"{place}: a union of {node_name(other)} and {node_name(one)} is "
                "ambiguous: nothing but their items tells them apart"
            )

    def _any_rules(self, node: model.Node, place: str) -> tuple[Rule, ...]:
        """Return the rules of a node for any value; a hook's result is alone in its."""
        nodes = node.own if isinstance(node, model.Result) else ()
        known = [one for one in nodes if not _is_refused(one)]
        rules = [rule for one in known for rule in self._rules(one, place)]
        # Those that no rule describes are written as if there were no hook.
        for one in nodes:
            match one:
                case model.Custom(type=type() as cls) | model.Array(cls=cls):
                    rules.append(("plain", cls))
        return (*(rule for rule in rules if rule != ("any",)), ("any",))

    def record_plan(  # noqa: C901 - one case for each part of a record
        self, record: model.Record
    ) -> tuple[Any, ...]:
        """Return the plan of a record."""
        fields: list[Any] = []
        is_sorted = not record.is_array and (record.sort_keys or self.options[4])
        tag, leading = self._tag(record, is_sorted=is_sorted)
        access = {"typeddict": "dict", "namedtuple": "tuple"}.get(
            record.class_kind, "attributes"
        )
        if record.cls is dict:
            access = "dict"
        if tag != leading and access == "tuple":
            access = "attributes"  # of which the class is one
        for position, field in enumerate(record.fields):
            # In an array, an item that the Decoder does not read displaces the rest.
            if not field.is_encoded or (record.is_array and not field.is_decoded):
                continue
            node = self.node(
                omission.with_default(field), f"{record.name}.{field.attribute}"
            )
            attribute = position if access == "tuple" else field.attribute
            omit = omission.condition(record, field)
            if self.omits_none and not record.is_array:
                omit = omission.or_none(omit)
            # An item of an array cannot be left out.
            if field.unset is not None:
                omit = ("unset", field.unset, omit)
            fields.append((attribute, field.wire_name, node, omit))
            if not record.is_array:
                self._check_name(field.wire_name, record.name)
        if record.tag is not None and tag != leading:
            # As a field, because only fields are sorted.
            name, value = record.tag
            fields.append(("__class__", name, self._tag_node(value), None))
        if is_sorted:
            fields.sort(key=lambda field: str(field[1]))
        fields = [(a, self.surrogates.name(name), *rest) for a, name, *rest in fields]
        rest = None
        if record.rest is not None:
            at, inner = record.rest
            place = f"{record.name} (unknown members)"
            key, value = self.node(model.Text(), place), self.node(inner, place)
            attribute = record.fields[at].attribute if at >= 0 else ""
            names = tuple(map(self.surrogates.name, unions.reserved_names(record)))
            rest = (attribute, key, value, names, is_sorted)
        cls = dict if access == "dict" else record.cls
        before = leading if tag == leading else (tag, leading)
        return (cls, access, tuple(fields), before, rest)

    def _tag(self, record: model.Record, *, is_sorted: bool) -> tuple[bytes, bytes]:
        """Return the tag as it is written, and what is written before the fields."""
        if record.tag is None:
            return b"", b""
        name, value = record.tag
        if record.is_array:  # the tag is the first item
            self._check_name(value, record.name)
            tag = self.surrogates.json(value) or b""
            return tag, tag
        colon = ": " if _has_spaces(self.options[5]) else ":"
        self._check_name(name, record.name)
        self._check_name(value, record.name)
        name_json, value_json = self.surrogates.json(name), self.surrogates.json(value)
        tag = (name_json or b"") + colon.encode() + (value_json or b"")
        names = [field.wire_name for field in record.fields if field.is_encoded]
        follows = record.rest is not None or any(one < name for one in names)
        # A dict has no attribute that could stand for the tag.
        is_dict = record.class_kind == "typeddict" or record.cls is dict
        moves = is_sorted and follows and not is_dict
        return tag, b"" if moves else tag

    def _check_name(self, name: Any, place: str) -> None:
        """Refuse a member name or a tag that the encoder could never write."""
        if self.surrogates.json(name) is None:
            raise ValueError(
                f"{place}: {name!a} has a surrogate, which is not valid UTF-8; "
                "surrogates='replace' writes U+FFFD, 'escape' an escape"
            )

    def _tag_node(self, value: str | int) -> int:
        """Return the index of a node that writes the tag in place of any class."""
        self.nodes.append((type(value).__name__, (("str",), ("int",))))
        inner = len(self.nodes) - 1
        self.nodes.append(("type", (("via", object, lambda _: value, inner),)))
        return len(self.nodes) - 1

    def _rules(  # noqa: C901, PLR0911, PLR0912 - one case for each class of node
        self, node: model.Node, place: str
    ) -> list[Rule]:
        """Return the rules of a type that is not a union, one for each class."""
        match node:
            case model.Custom() if node.make_base is not None and not (
                node.is_hooked and self.options[1] is not None
            ):
                return self._rules(node.make_base(), place)
            case model.Custom() if _is_refused(node) and self.options[1] is None:
                inner = self.node(model.Text(), place)
                refuse = functools.partial(_refuse_enum, node.refusal)
                return [("via", node.type, refuse, inner)]
            case model.Custom():
                return [("any",)]
            case model.Raw():
                return [("raw", node.cls)]
            case model.Scalar():
                return [_SCALARS[node.type_name]]
            case model.Number(type_name="decimal"):
                return [("decimal", Decimal)]
            case model.Number(type_name="float"):
                return [("float",), ("int",)]
            case model.Number():
                return [("int",)]
            case model.Text():
                return [("str",)]
            case model.Binary():
                return [("bytes",)]
            case model.Choice():
                return _choice_rules(node, self.surrogates)
            case model.Items():
                return self._item_rules(node, place)
            case model.Fixed():
                parts = tuple(
                    self.node(item, f"{place}[{number}]")
                    for number, item in enumerate(node.items)
                )
                if node.rest is None:
                    return [("fixed", parts)]
                return [("fixed", parts, self.node(node.rest, f"{place}[…]"))]
            case model.Entries():
                unions.check_key(node.key, place)
                is_odd = any(map(_is_refused, unions.flatten(node.key, place)))
                # Members of such an enum can be keys, if their own values can.
                key_node = model.Anything() if is_odd else node.key
                key = self.node(key_node, f"{place} (keys)")
                value = self.node(node.value, f"{place}[…]")
                if node.cls is dict:
                    return [("dict", key, value)]
                return [("dict", key, value), ("mapping", node.cls, key, value)]
            case model.Array():
                return [("ndarray", arrays.mismatch(node))]
            case model.Record() if node.content is not None:
                return [self._adjacent_rule(node, place)]
            case model.Record(split=split) if split is not None:
                members = self._members(node)
                if members.tag != node.tag:
                    split = _with_tag(split, node.tag)
                return [("via", node.cls, split, self.node(members, place))]
            case model.Record():
                layout = "array_record" if node.is_array else "record"
                return [(layout, self.record(node))]
            case model.Checked():
                return self._rules(node.target, place)
            case model.Ordered():
                return [self._ordered_rule(node, place)]
            case model.Via():
                if node.encode is None:
                    raise TypeError(
                        f"{place}: Via of {node.name} has no encode= function"
                    )
                if node.wire is None:
                    raise TypeError(
                        f"{place}: the wire type of {node.name} refers back to "
                        f"{node.name}"
                    )
                inner = self.node(node.encoded_wire or node.wire, place)
                classes = node.classes or (node.cls,)
                return [("via", cls, node.encode, inner) for cls in classes]
            case _:
                raise AssertionError(node)

    def _members(self, record: model.Record) -> model.Record:
        """Return the record of the dict of all members of a flattened one."""
        if record not in self.outer:
            fields = [
                dataclasses.replace(one, unset=UNSET)
                if one.may_be_missing and one.unset is None
                else one
                for one in record.fields
            ]
            tag = record.tag
            if tag is not None and (record.sort_keys or self.options[4]):
                # As a field, because only fields are sorted.
                self._check_name(tag[1], record.name)
                wire = model.Text() if isinstance(tag[1], str) else model.Number("int")
                fields.append(model.Field(_TAG, _TAG, tag[0], (), wire, "required"))
                tag = None
            self.outer[record] = dataclasses.replace(
                record, cls=dict, split=None, fields=fields, tag=tag
            )
        return self.outer[record]

    def _adjacent_rule(self, record: model.Record, place: str) -> Rule:
        """Return a rule that writes the object around the one with the fields."""
        if record not in self.outer:
            is_sorted = record.sort_keys or self.options[4]
            content = adjacent.inner(record)
            self.outer[record] = adjacent.outer(record, content, is_sorted=is_sorted)
        inner = self.node(self.outer[record], place)
        return ("via", record.cls, adjacent.outer_of(record.cls), inner)

    def _ordered_rule(self, node: model.Ordered, place: str) -> Rule:
        """Return a rule whose function finds the alternative that writes a value."""
        with self.inside(node, place):
            nodes = tuple(self.node(one, place) for one in node.alternatives)
        if node not in self.attempts:
            self.attempts[node] = EncodeAttempts(
                node,
                lambda one: lower(
                    one, self.options, self.attempts, omits_none=self.omits_none
                ),
                needs_index=writes_twice(self.options),
            )
        return ("first", self.attempts[node], nodes, python_text(node))

    def _class_key(self, rule: Rule) -> Any:
        """Return a key for the Python class that a rule takes."""
        name = rule[0]
        if name in {"record", "array_record"}:
            record = self.pending[rule[1]]
            return (
                "dict"
                if encode_unions.is_typeddict(record)
                else ("record", id(record.cls))
            )
        if name == "members" and rule[1] in {str, int, bool}:  # of a Literal
            return rule[1].__name__
        if name in {"iterable", "mapping", "members", "via"}:
            return (name, id(rule[1]))
        return {"fixed": "tuple"}.get(name, name)

    def _item_rules(self, node: model.Items, place: str) -> list[Rule]:
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
        # A Container need not be iterable, but must be one to be written. Rust refuses
        # str, although it is iterable.
        cls = node.cls if issubclass(node.cls, abc.Iterable) else abc.Iterable
        return [*rules, ("iterable", cls, inner)]


def _is_refused(node: model.Node) -> bool:
    """Return whether it is an enum that only hooks and formats can write."""
    return isinstance(node, model.Custom) and isinstance(node.type, enum.EnumMeta)


def _refuse_enum(refusal: str, member: Any) -> Any:
    name = type(member).__name__
    raise TypeError(
        f"{name} {refusal}; write Annotated[{name}, Format('name')] or formats={{Enum: "
        "'name'} for the names of the members, or give enc_hook=…"
    )


def _has_spaces(native: tuple[Any, ...] | None) -> bool:
    """Return whether a layout, as `native` returns it, has a space after each name.

    Where the text is read again for other white space, it does not matter.
    """
    kind = native if native is None or len(native) == 3 else native[5]
    return kind is not None and kind[0] != "compact"


def _with_tag(split: Callable[[Any], dict[str, Any]], tag: Any) -> Callable[[Any], Any]:
    """Return a function that adds the tag to the members of a flattened instance."""
    return lambda value: {**split(value), _TAG: tag[1]}


def _takes_any_class(rule: Rule) -> bool:
    return rule[0] in {"any", "first"} or rule[:2] == ("via", object)


def _merged_literals(one: Rule, two: Rule) -> Rule | None:
    """Return the rule for two rules of one scalar class, of which one is a Literal.

    The rule of the class takes all values of a Literal. None if neither is a Literal.
    """
    literals = [rule for rule in (one, two) if rule[0] == "members"]
    if len(literals) == 2:
        return ("members", one[1], one[2] | two[2])
    if literals:
        return two if one[0] == "members" else one
    return None


def _choice_rules(node: model.Choice, texts_of: surrogates.Policy) -> list[Rule]:
    """Return the rules of an enum, or of the classes of a Literal's values.

    A member is None in place of its JSON if the options refuse its surrogates.
    """
    rules: list[Rule] = []
    enum_classes: dict[type[enum.Enum], dict[Any, bytes | None]] = {}
    literals: dict[type, dict[Any, bytes | None]] = {}
    for form, value in node.pairs:
        if isinstance(value, enum.Enum):
            enum_classes.setdefault(type(value), {})[value] = texts_of.json(form)
        elif value is None:
            rules.append(("none",))
        else:
            texts = literals.setdefault(type(value), {})
            texts[value] = texts_of.json(value)
    rules += [("members", cls, texts) for cls, texts in literals.items()]
    rules += [("members", cls, texts) for cls, texts in enum_classes.items()]
    return rules
