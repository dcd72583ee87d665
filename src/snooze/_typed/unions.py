"""Unions: their alternatives, and how an object selects one of several classes.

Separate, because decoding, encoding and JSON Schema need the same answer. Invariant:
the classes of a union are told apart in exactly one way, or the union is refused with
the names of two classes that clash. Called by `expected`, `lower_decode`,
`lower_encode` and `schema`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Literal

from snooze._typed import model
from snooze._typed.options import is_readable_tag

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


#: The presences of fields that a Decoder reads.
_READ = ("required", "default")


def flatten(node: model.Node, place: str) -> list[model.Node]:
    """Return the distinct alternatives of a node, with unions and aliases expanded."""
    found: list[model.Node] = []
    _flatten_into(found, node, place, [], ())
    return found


def _flatten_into(  # noqa: C901 - one case for each class of node
    found: list[model.Node],
    node: model.Node,
    place: str,
    open_aliases: list[model.Alias],
    checks: tuple[model.Check, ...],
) -> None:
    match node:
        case model.Union():
            for one in node.alternatives:
                _flatten_into(found, one, place, open_aliases, checks)
        case model.Alias():
            if node in open_aliases:
                raise TypeError(
                    f"{place}: the type {node.name} contains itself, without an array, "
                    "object or class in between"
                )
            if node.target is None:
                raise TypeError(f"{place}: the type {node.name} contains itself")
            _flatten_into(found, node.target, place, [*open_aliases, node], checks)
        case model.Checked():
            inner = (*node.checks, *checks)
            _flatten_into(found, node.target, place, open_aliases, inner)
        case model.Noted():
            _flatten_into(found, node.target, place, open_aliases, checks)
        case model.Missing():
            raise TypeError(
                f"{place}: UnsetType is for the fields of classes that are objects in "
                "JSON, with the default UNSET"
            )
        case model.Nothing():
            pass
        case _ if checks:
            found.append(model.Checked(node, checks))
        case _ if node not in found:
            found.append(node)


def identity(alternatives: Iterable[model.Node]) -> tuple[Any, ...]:
    """Return what is equal for alternatives that `flatten` found in the same nodes.

    It makes the nodes with conditions anew each time, and a recursive type refers to
    itself through them.
    """
    return tuple(
        (one.target, *one.checks) if isinstance(one, model.Checked) else one
        for one in alternatives
    )


def ordered_parts(node: model.Ordered) -> list[model.Node]:
    """Return the alternatives of a FirstMatch union, with unions in it expanded."""
    return [
        part
        for alternative in node.alternatives
        for part in flatten(alternative, "this type")
    ]


def without_missing(  # noqa: PLR0911 - one case for each class of node
    node: model.Node, outer: tuple[model.Node, ...] = ()
) -> tuple[model.Node, Any]:
    """Return a type without `UnsetType`, and `UNSET`, or None if it has none.

    `outer` are the aliases around it.
    """
    match node:
        case model.Missing():
            return model.Nothing(), node.value
        case model.Union() | model.Ordered():
            found = [without_missing(one, outer) for one in node.alternatives]
            unset = next((value for _, value in found if value is not None), None)
            parts = tuple(
                part for part, _ in found if not isinstance(part, model.Nothing)
            )
            if unset is None:
                return node, None
            return parts[0] if len(parts) == 1 else type(node)(parts), unset
        case model.Alias(target=model.Node() as target) if node not in outer:
            inner, unset = without_missing(target, (*outer, node))
            return (node if unset is None else inner), unset
        case model.Noted():
            inner, unset = without_missing(node.target, outer)
            return model.Noted(inner, node.notes), unset
        case model.Checked():
            inner, unset = without_missing(node.target, outer)
            return model.Checked(inner, node.checks), unset
        case _:
            return node, None


def check_key(node: model.Node, place: str) -> None:
    """Refuse a union with FirstMatch as the key of a dict."""
    if any(isinstance(one, model.Ordered) for one in flatten(node, place)):
        raise TypeError(f"{place}: a union with FirstMatch cannot be a key")


@dataclasses.dataclass(slots=True)
class Discriminator:
    """How an object selects one of several records."""

    #: By the tag of the classes, by a field that has a different Literal in each, or by
    #: a required member that no other record accepts.
    method: Literal["tag", "literal", "required"]
    #: The wire name of the tag or field; empty for "required".
    name: str
    #: The record for each value of that member, or for each required member.
    records: dict[Any, model.Record]
    #: The record of an object that these do not select.
    fallback: model.Record | None = None


def discriminator(records: list[model.Record], place: str) -> Discriminator:
    """Return how an object selects one of the records of a union."""
    fallbacks = [record for record in records if record.is_fallback]
    if len(fallbacks) > 1:
        raise TypeError(
            f"{place}: {fallbacks[0].name} and {fallbacks[1].name} both have "
            "configure(fallback=True); a union has one fallback"
        )
    fallback = fallbacks[0] if fallbacks else None
    others = [record for record in records if record is not fallback]
    for record in records:
        if record.is_array:
            raise TypeError(
                f"{place}: {record.name} is an array in JSON and cannot be told from "
                f"{_other(records, record).name} in a union"
            )
    found = _discriminator(others, fallback, place)
    found.fallback = fallback
    return found


def _discriminator(
    records: list[model.Record], fallback: model.Record | None, place: str
) -> Discriminator:
    if all(record.tag is not None for record in records):
        return _by_tag(records, place)
    found = _by_any_literal(records, ("required",))
    if found is not None:
        return found
    try:
        return _by_required(records, fallback, place)
    except TypeError:
        found = _by_any_literal(records, _READ)
        if found is None:
            raise
        return found


def _by_any_literal(
    records: list[model.Record], presences: tuple[str, ...]
) -> Discriminator | None:
    """Select by the first field that has a different Literal in each record."""
    for name in _shared_literals(records, presences):
        by_value = _by_literal(records, name, presences)
        if by_value is not None:
            _add_aliases(by_value, records, name)
            return Discriminator("literal", name, by_value)
    return None


def _add_aliases(
    by_value: dict[Any, model.Record], records: list[model.Record], name: str
) -> None:
    """Add the aliases of enums that only one record has."""
    found: dict[Any, model.Record | None] = {}
    for record in records:
        fields = [
            one for one in record.fields if one.wire_name == name and one.is_decoded
        ]
        parts = [part for field in fields for part in flatten(field.node, name)]
        choices = [part for part in parts if isinstance(part, model.Choice)]
        for value, _ in (pair for choice in choices for pair in choice.aliases):
            is_only = found.get(value, record) is record
            found[value] = record if is_only else None
    for value, only in found.items():
        if only is not None:
            by_value.setdefault(value, only)


def _other(records: list[model.Record], record: model.Record) -> model.Record:
    return next(other for other in records if other is not record)


def _by_tag(
    records: list[model.Record], place: str, *, needs_name: bool = True
) -> Discriminator:
    by_value: dict[Any, model.Record] = {}
    names = {record.tag[0]: record for record in records if record.tag is not None}
    if len(names) > 1 and needs_name:
        (one, first), (two, second) = list(names.items())[:2]
        raise TypeError(
            f"{place}: {first.name} has its tag in {one!r} and {second.name} in "
            f"{two!r}; give both the same configure(tag_field=…)"
        )
    for record in records:
        assert record.tag is not None  # noqa: S101 - for the type checker
        value = record.tag[1]
        if value in by_value:
            raise TypeError(
                f"{place}: {by_value[value].name} and {record.name} both have the tag "
                f"{value!r}; give one another with configure(tag=…)"
            )
        by_value[value] = record
    if len({type(value) for value in by_value}) > 1:
        raise TypeError(f"{place}: tags are all str or all int, not {list(by_value)!r}")
    return Discriminator("tag", next(iter(names)), by_value)


def tagged_arrays(
    alternatives: list[model.Node], place: str
) -> dict[model.Node, tuple[str | int, model.Record]]:
    """Return the classes that are arrays with a tag, if there are several."""
    records = [
        one
        for one in alternatives
        if isinstance(one, model.Record) and one.is_array and one.tag is not None
    ]
    if len(records) < 2:
        return {}
    # The name of a tag has no place in an array.
    by_tag = _by_tag(records, place, needs_name=False).records
    return {record: (tag, record) for tag, record in by_tag.items()}


def _literal_values(
    record: model.Record, name: str, presences: tuple[str, ...]
) -> list[Any] | None:
    """Return the values of a field whose type is a Literal of str or int."""
    if record.content is not None:
        return None
    for field in record.fields:
        if name != field.wire_name or not field.is_decoded:
            continue
        if field.presence not in presences:
            continue
        values: list[Any] = []
        for one in flatten(field.node, name):
            if not isinstance(one, model.Choice) or one.is_open:
                return None
            values += [value for value, _ in one.pairs]
        if all(isinstance(v, (str, int)) and v is not True for v in values):
            return [v for v in values if not isinstance(v, bool)] or None
    return None


def _shared_literals(
    records: list[model.Record], presences: tuple[str, ...]
) -> list[str]:
    """Return the wire names that are a Literal in each of the records."""
    return [
        field.wire_name
        for field in ([] if records[0].content else records[0].fields)
        if all(
            _literal_values(record, field.wire_name, presences) for record in records
        )
    ]


def _by_literal(
    records: list[model.Record], name: str, presences: tuple[str, ...]
) -> dict[Any, model.Record] | None:
    by_value: dict[Any, model.Record] = {}
    for record in records:
        for value in _literal_values(record, name, presences) or ():
            if value in by_value or not is_readable_tag(value):
                return None
            by_value[value] = record
    return by_value if len({type(value) for value in by_value}) == 1 else None


def _by_required(
    records: list[model.Record], fallback: model.Record | None, place: str
) -> Discriminator:
    """Find for each record the required members that no other record accepts."""
    everything = records if fallback is None else [*records, fallback]
    by_name: dict[Any, model.Record] = {}
    for record in records:
        elsewhere: set[str] = set()
        for other in everything:
            # What a fallback writes is checked, value by value.
            reads_only = other is fallback or other.content is not None
            if other is not record:
                elsewhere |= (_accepted_names if reads_only else reserved_names)(other)
        required = _required_names(record)
        unique = [names for names in required if elsewhere.isdisjoint(names)]
        if not unique:
            raise TypeError(_ambiguity(record, everything, place))
        for names in unique:
            by_name.update(dict.fromkeys(names, record))
    for record in records:
        taken = None if record.rest is None else _taken_by_rest(record, by_name)
        if taken is not None:
            is_dict = record.class_kind == "typeddict"
            rest = "extra_items" if is_dict else "Field(rest=True)"
            raise TypeError(
                f"{place}: a union of {record.name} and {by_name[taken].name} is "
                f"ambiguous: the {rest} of {record.name} takes {taken!r}, too. Give "
                "both a tag with configure(tag=True), or try them in order with "
                "Annotated[…, FirstMatch()]"
            )
    return Discriminator("required", "", by_name)


def _taken_by_rest(
    record: model.Record, by_name: dict[str, model.Record]
) -> str | None:
    """Return the first name that tells another record and may be in the rest."""
    return next((name for name, other in by_name.items() if other is not record), None)


def _required_names(record: model.Record) -> list[tuple[str, ...]]:
    """Return all names of each member that a record needs."""
    if record.content is not None and record.tag is not None:
        return [(record.tag[0],), (record.content,)]
    return [
        field.decoded_names
        for field in record.fields
        if field.presence == "required" and field.is_decoded
    ]


def _accepted_names(record: model.Record) -> set[str]:
    if record.content is not None and record.tag is not None:
        return {record.tag[0], record.content}
    found = {name for field in record.fields for name in field.decoded_names}
    return found | ({record.tag[0]} if record.tag else set())


def reserved_names(record: model.Record) -> set[str]:
    """Return the names that unknown members of a record cannot have."""
    written = {field.wire_name for field in record.fields if field.is_encoded}
    return _accepted_names(record) | written


def _ambiguity(record: model.Record, records: list[model.Record], place: str) -> str:
    """Return a message that names two records that cannot be told apart."""
    alike = [
        one for one in records if one is not record and _has_required_of(one, record)
    ]
    # To those that Literals tell apart, the advice would be to have such Literals.
    clash = next((one for one in alike if not _literal_of(record, one)), None)
    if alike and clash is None:
        message = _literal_not_in_all(record, alike[0], records, place)
        if message is not None:
            return message
        record, clash = _pair_alike(records) or (record, None)
    if not alike and len(records) > 2:
        return _no_own_member(record, records, place)
    other = clash or (alike or [_other(records, record)])[0]
    advice = _advice([record, other])
    return (
        f"{place}: a union of {record.name} and {other.name} is ambiguous: "
        f"{record.name} has no required member that {other.name} lacks. Give both "
        f"a tag with configure(tag=True), or {advice}"
    )


def _no_own_member(
    record: model.Record, records: list[model.Record], place: str
) -> str:
    """Return a message about a record whose members others have, none of them all."""
    names = ", ".join(one.name for one in records)
    others = " or ".join(one.name for one in records if one is not record)
    return (
        f"{place}: a union of {names} is ambiguous: each required member of "
        f"{record.name} is a member of {others}. Give each a tag with "
        f"configure(tag=True), or {_advice(records)}"
    )


def _pair_alike(
    records: list[model.Record],
) -> tuple[model.Record, model.Record] | None:
    """Return two that neither required members nor Literals tell apart, or None."""
    pairs = (
        (record, other)
        for record in records
        for other in records
        if record is not other and not record.is_fallback
    )
    return next(
        (
            (record, other)
            for record, other in pairs
            if _has_required_of(other, record) and not _literal_of(record, other)
        ),
        None,
    )


def _has_required_of(one: model.Record, record: model.Record) -> bool:
    """Return whether a record accepts all that another one needs."""
    accepted = _accepted_names(one)
    return all(
        field.presence != "required" or not accepted.isdisjoint(field.decoded_names)
        for field in record.fields
    )


def _literal_of(record: model.Record, other: model.Record) -> str | None:
    """Return the name of a Literal that tells two records apart, or None."""
    found = _by_any_literal([record, other], _READ)
    return None if found is None else found.name


def _literal_not_in_all(
    record: model.Record, other: model.Record, records: list[model.Record], place: str
) -> str | None:
    """Return the message for a Literal that tells two apart, and that a third lacks."""
    name = _literal_of(record, other) or ""
    for third in records:
        if third.is_fallback or _literal_values(third, name, _READ):
            continue
        return (
            f"{place}: a union of {record.name}, {other.name} and {third.name} is "
            f"ambiguous: {name!r} tells {record.name} from {other.name}, and "
            f"{third.name} has no Literal of this name. Give it one, or all of them a "
            "tag with configure(tag=True), or try them in order with Annotated[…, "
            "FirstMatch()]"
        )
    return None


def _advice(records: list[model.Record]) -> str:
    """Return what tells records apart: Literals, or other values of those there are."""
    for name, values in _distinct_literals(records):
        kinds = {type(value) for value in values}
        if len(kinds) > 1 or not kinds <= {str, int}:
            return f"values of one class, str or int, in the Literals of {name!r}"
        if not all(is_readable_tag(value) for value in values):
            return f"values of at most 64 bits in the Literals of {name!r}"
    return "a field of the same name with different Literal values"


def _distinct_literals(records: list[model.Record]) -> Iterator[tuple[str, list[Any]]]:
    """Yield names that are a Literal in each record, and their values.

    Those with one value in two records are left out.
    """
    for field in records[0].fields:
        name = field.wire_name
        found = [_choices(record, name) for record in records]
        values = [value for part in found for value in part]
        is_distinct = len({(type(one), one) for one in values}) == len(values)
        if all(found) and is_distinct:
            yield name, values


def _choices(record: model.Record, name: str) -> list[Any]:
    """Return the JSON values of a field whose type is a Literal or enum, or `[]`."""
    for field in record.fields:
        if name == field.wire_name and field.is_decoded:
            parts = flatten(field.node, name)
            if all(isinstance(one, model.Choice) for one in parts):
                pairs = [pair for one in parts for pair in one.pairs]  # type: ignore[attr-defined]
                return [value for value, _ in pairs]
    return []
