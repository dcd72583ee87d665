"""Unions: their parts, and how an object tells which class it is.

Separate, because decoding, encoding and JSON Schema ask the same question. Invariant: a
union of classes has exactly one way to be told apart, or is refused with the names of
the two that clash. Called by `expected`, `lower_decode`, `lower_encode` and `schema`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from snooze._typed import model


def flatten(node: model.Node, place: str) -> list[model.Node]:
    """Return the alternatives of a node: unions and aliases opened, each once."""
    found: list[model.Node] = []
    _open(node, place, found, [], ())
    return found


def _open(
    node: model.Node,
    place: str,
    found: list[model.Node],
    on_the_way: list[model.Alias],
    checks: tuple[model.Check, ...],
) -> None:
    match node:
        case model.Union():
            for option in node.options:
                _open(option, place, found, on_the_way, checks)
        case model.Alias():
            if node in on_the_way:
                raise TypeError(
                    f"{place}: the type {node.name} is made of itself, with no array, "
                    "object or class between"
                )
            if node.target is None:
                raise TypeError(f"{place}: the type {node.name} is made of itself")
            _open(node.target, place, found, [*on_the_way, node], checks)
        case model.Checked():
            _open(node.target, place, found, on_the_way, (*node.checks, *checks))
        case model.Nothing():
            pass
        case _ if checks:
            found.append(model.Checked(node, checks))
        case _ if node not in found:
            found.append(node)


@dataclasses.dataclass(slots=True)
class Chosen:
    """How one of several records is chosen."""

    how: str  # "tag" (their own tag), "field" (a Literal), "keys"
    name: str
    by: dict[Any, model.Record]


def choose(records: list[model.Record], place: str) -> Chosen:
    """Return how the records of a union are told apart."""
    for record in records:
        if record.array:
            raise TypeError(
                f"{place}: {record.name} is an array in JSON and cannot be told from "
                f"{_other(records, record).name} in a union"
            )
    if all(record.tag is not None for record in records):
        return _by_tag(records, place)
    for name in _shared_literals(records):
        by = _by_field(records, name)
        if by is not None:
            return Chosen("field", name, by)
    return _by_keys(records, place)


def _other(records: list[model.Record], record: model.Record) -> model.Record:
    return next(other for other in records if other is not record)


def _by_tag(records: list[model.Record], place: str) -> Chosen:
    by: dict[Any, model.Record] = {}
    names = {record.tag[0]: record for record in records if record.tag is not None}
    if len(names) > 1:
        (one, first), (two, second) = list(names.items())[:2]
        raise TypeError(
            f"{place}: {first.name} has its tag in {one!r} and {second.name} in "
            f"{two!r}; give both the same configure(tag_field=…)"
        )
    for record in records:
        assert record.tag is not None  # noqa: S101 - for the type checker
        value = record.tag[1]
        if value in by:
            raise TypeError(
                f"{place}: {by[value].name} and {record.name} both have the tag "
                f"{value!r}; give one another with configure(tag=…)"
            )
        by[value] = record
    if len({type(value) for value in by}) > 1:
        raise TypeError(f"{place}: tags are all str or all int, not {list(by)!r}")
    return Chosen("tag", next(iter(names)), by)


def _choice_of(record: model.Record, name: str) -> list[Any] | None:
    """Return the values of a field that is required and a choice of str or int."""
    for field in record.fields:
        if field.reads and field.name == name and field.presence == "required":
            options = flatten(field.node, name)
            values: list[Any] = []
            for option in options:
                if not isinstance(option, model.Choice) or option.open:
                    return None
                values += [value for value, _ in option.pairs]
            if all(isinstance(v, (str, int)) and v is not True for v in values):
                return [v for v in values if not isinstance(v, bool)] or None
    return None


def _shared_literals(records: list[model.Record]) -> list[str]:
    """Return the names that are a choice in all of the records."""
    return [
        field.name
        for field in records[0].fields
        if all(_choice_of(record, field.name) for record in records)
    ]


def _by_field(records: list[model.Record], name: str) -> dict[Any, model.Record] | None:
    by: dict[Any, model.Record] = {}
    for record in records:
        for value in _choice_of(record, name) or ():
            if value in by:
                return None
            by[value] = record
    return by if len({type(value) for value in by}) == 1 else None


def _by_keys(records: list[model.Record], place: str) -> Chosen:
    """Find for each record the required names that no other record accepts."""
    by: dict[Any, model.Record] = {}
    for record in records:
        others: set[str] = set()
        for other in records:
            if other is not record:
                others |= _accepted(other)
        own = [
            field.names
            for field in record.fields
            if field.presence == "required" and field.reads
        ]
        keys = [names for names in own if others.isdisjoint(names)]
        if not keys:
            raise TypeError(_ambiguous(record, records, place))
        for names in keys:
            by.update(dict.fromkeys(names, record))
    return Chosen("keys", "", by)


def _accepted(record: model.Record) -> set[str]:
    found = {name for field in record.fields for name in field.names}
    return found | ({record.tag[0]} if record.tag else set())


def _ambiguous(record: model.Record, records: list[model.Record], place: str) -> str:
    """Name two records that cannot be told apart."""
    other = _other(records, record)
    for candidate in records:
        if candidate is not record and all(
            field.presence != "required"
            or not {*field.names}.isdisjoint(_accepted(candidate))
            for field in record.fields
        ):
            other = candidate
            break
    return (
        f"{place}: a union of {record.name} and {other.name} is ambiguous: "
        f"{record.name} has no required member that {other.name} lacks. Give both "
        "a tag with configure(tag=True), or a field of the same name with different "
        "Literal values"
    )
