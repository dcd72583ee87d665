"""Columns: from classes, from Arrow schemas, and as text.

Separate because Rust knows columns only as tuples: `(name, format, nullable, extension,
children)`, with Arrow's format strings. Invariants: a type without a column is a
TypeError that names its place; what cannot be told apart in columns, such as a union,
is JSON text, so that nothing is lost. Called by `resolve` and `scan`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze._snooze import scan_fields
from snooze._typed import model

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Column = tuple[str, str, bool, str | None, tuple[Any, ...]]

#: Classes nested deeper than this are JSON text.
MAX_DEPTH = 60
#: The columns of scalars, and of Decimal: exact, with nine digits after the point.
_SCALARS = {
    "null": ("n", None),
    "bool": ("b", None),
    "date": ("tdD", None),
    "uuid": ("w:16", "arrow.uuid"),
}
_NUMBERS = {"int": "l", "float": "g", "decimal": "d:38,9"}
JSON = ("u", "arrow.json", ())

#: What a column is: format, extension, children.
_Form = tuple[str, "str | None", tuple[Column, ...]]


def columns_of(schema: Any, *, decides: bool) -> tuple[tuple[Column, ...], bool]:
    """Return the columns of a schema, and whether it forbids other members.

    Args:
        schema: A class, or an object with an Arrow schema.
        decides: Whether the classes say what happens to other members.

    Raises:
        TypeError: It is neither, or has a type without a column; or its classes say
            what a scan cannot do.
    """
    method = getattr(schema, "__arrow_c_schema__", None)
    if method is not None and not isinstance(schema, type):
        return scan_fields(method()), False
    if not isinstance(schema, type):
        raise TypeError(
            "schema: expected a dataclass, TypedDict or attrs class, or an object "
            f"with __arrow_c_schema__, found {type(schema).__name__}"
        )
    from snooze._typed import introspect  # noqa: PLC0415 - only classes need it

    node: model.Node | None = introspect.build(schema)
    while isinstance(node, (model.Alias, model.Checked, model.Noted)):
        node = node.target
    if not isinstance(node, model.Record) or node.is_array:
        raise TypeError(
            f"schema: expected a class with fields, found {schema.__name__}, which is "
            "no JSON object"
        )
    if node.content is not None:
        raise TypeError(
            f"schema: the members of {node.name} are inside of the member "
            f"{node.content!r}, so they are no columns; pass a class with that member"
        )
    form = _Forms()
    columns, forbids = tuple(form.fields(node, node.name)), node.unknown == "forbid"
    if decides:
        form.check_unknown(node)
    return columns, forbids


class _Forms:
    """The columns of one class and of those in it."""

    def __init__(self) -> None:
        self.open: list[model.Node] = []
        #: All classes whose fields are columns.
        self.records: list[model.Record] = []

    def check_unknown(self, root: model.Record) -> None:
        """Raise if one rule for the members that no class has is not that of each.

        A scan has one. That of the root may be stricter: an error loses nothing.
        """
        instead = 'pass drift="error", "ignore" or "rest" to read all classes alike'
        for record in self.records:
            if root.unknown != "forbid" and record.unknown == "forbid":
                raise TypeError(
                    f"schema: {record.name} forbids unknown members, and {root.name}, "
                    f"which contains it, does not; {instead}"
                )
            if root.unknown == "forbid" and record.tag is not None:
                raise TypeError(
                    f"schema: {root.name} forbids unknown members, and the tag "
                    f"{record.tag[0]!r} of {record.name} is no column; {instead}"
                )

    def fields(self, record: model.Record, place: str) -> Iterator[Column]:
        """Yield the columns of a class."""
        if record.rest is not None:
            raise TypeError(
                f"{place}: a field for all other members is no column; leave it out, "
                'and scan with drift="rest"'
            )
        self.open.append(record)
        self.records.append(record)
        for field in record.fields:
            where = f"{place}.{field.attribute}"
            if not field.is_decoded:
                continue
            if field.aliases:
                raise TypeError(f"{where}: a column cannot have several names")
            if field.flatten:
                yield from self.flattened(field.node, where)
                continue
            nullable, form = self.form(field.node, where)
            nullable = nullable or field.presence != "required"
            yield (field.wire_name, form[0], nullable, form[1], form[2])
        self.open.pop()

    def flattened(self, node: model.Node | None, where: str) -> Iterator[Column]:
        """Yield the columns of a class whose fields are those of another."""
        if not isinstance(node, model.Record):
            raise TypeError(f"{where}: only the fields of a class can be flattened")
        yield from self.fields(node, where)

    def item(self, name: str, node: model.Node, place: str) -> tuple[Column]:
        """Return the column of elements."""
        nullable, (form, extension, children) = self.form(node, place)
        return ((name, form, nullable, extension, children),)

    def form(self, node: model.Node | None, place: str) -> tuple[bool, _Form]:  # noqa: C901, PLR0911, PLR0912 - one branch for each kind of node
        """Return whether a value may be null, and its column's form."""
        match node:
            case model.Checked() | model.Noted():
                return self.form(node.target, place)
            case model.Alias() | model.Record() | model.Via() if (
                node in self.open or len(self.open) >= MAX_DEPTH
            ):
                # A recursive type has no finite column.
                return True, JSON
            case model.Alias():
                return self.inside(node, node.target, place)
            case model.Via():
                return self.inside(node, node.wire, place)
            case model.Union() | model.Ordered():
                return self.union(node.alternatives, place)
            case model.Scalar("datetime"):
                zone = "" if node.tz == "naive" else "UTC"
                return False, (f"tsu:{zone}", None, ())
            case model.Scalar() if node.type_name in _SCALARS:
                form, extension = _SCALARS[node.type_name]
                return node.type_name == "null", (form, extension, ())
            case model.Number():
                return False, (_NUMBERS[node.type_name], None, ())
            case model.Text():
                return False, ("u", None, ())
            case model.Binary():
                return False, ("z", None, ())
            case model.Choice():
                return self.choice(node)
            case model.Items():
                return False, ("+l", None, self.item("item", node.item, f"{place}[]"))
            case model.Entries():
                key = ("key", "u", False, None, ())
                value = self.item("value", node.value, f"{place}[]")
                entries = ("entries", "+s", False, None, (key, *value))
                return False, ("+m", None, (entries,))
            case model.Record() if not node.is_array and node.content is None:
                return False, ("+s", None, tuple(self.fields(node, place)))
            case model.Record() | model.Anything() | model.Raw() | model.Fixed():
                return True, JSON
        raise TypeError(
            f"{place}: JSON is not read into columns of this type; annotate the field "
            "as str, or as snooze.Raw for its JSON text"
        )

    def inside(
        self, outer: model.Node, node: model.Node | None, place: str
    ) -> tuple[bool, _Form]:
        """Return the form of what a named type stands for."""
        self.open.append(outer)
        form = self.form(node, place)
        self.open.pop()
        return form

    def union(
        self, alternatives: Iterable[model.Node], place: str
    ) -> tuple[bool, _Form]:
        """Return the form of the only alternative beside null, or JSON text."""
        before = len(self.records)
        forms = [self.form(node, place) for node in alternatives]
        nullable = any(nullable for nullable, _ in forms)
        kinds = {form for _, form in forms if form[0] != "n"}
        if kinds == {("l", None, ()), ("g", None, ())}:
            return nullable, ("g", None, ())
        if len(kinds) == 1:
            return nullable, kinds.pop()
        # The members of their classes are no columns.
        del self.records[before:]
        return nullable, JSON

    @staticmethod
    def choice(node: model.Choice) -> tuple[bool, _Form]:
        """Return the form of a Literal or an enum."""
        kinds = {type(value) for value, _ in node.pairs}
        nullable = type(None) in kinds
        kinds.discard(type(None))
        forms: dict[type, str] = {str: "u", int: "l", bool: "b", float: "g"}
        if node.is_open or len(kinds) != 1:
            return nullable, JSON
        form = forms.get(kinds.pop())
        return nullable, JSON if form is None else (form, None, ())


def chosen(
    columns: tuple[Column, ...], wanted: tuple[str, ...], known: str
) -> tuple[Column, ...]:
    """Return the wanted columns, in their order; `known` says what has columns."""
    by_name = {column[0]: column for column in columns}
    missing = [name for name in wanted if name not in by_name]
    if missing:
        there = ", ".join(map(repr, list(by_name)[:10])) or "none"
        raise ValueError(f"columns: no {known} has {missing[0]!r}; there are {there}")
    return tuple(by_name[name] for name in wanted)


def checked(columns: tuple[Column, ...], place: str = "") -> tuple[Column, ...]:
    """Return the columns if an Arrow schema can have them."""
    seen = set()
    for name, _, _, _, children in columns:
        if "\0" in name:
            raise ValueError(
                f"the member {name!r} cannot be a column: no Arrow name contains "
                "U+0000; choose others with columns="
            )
        if name in seen:
            raise ValueError(f"two columns have the name {place + name!r}")
        seen.add(name)
        checked(children, f"{place}{name}.")
    return columns


def can_be_tried(columns: tuple[Column, ...]) -> bool:
    """Return whether values that fit inferred columns would all give these columns.

    A decimal takes 1.0, too, which beside long integers makes JSON text.
    """
    return all(
        not form.startswith("d:") and can_be_tried(children)
        for _, form, _, _, children in columns
    )


_NAMES = {
    "n": "null",
    "b": "bool",
    "c": "int8",
    "s": "int16",
    "i": "int32",
    "l": "int64",
    "C": "uint8",
    "S": "uint16",
    "I": "uint32",
    "L": "uint64",
    "f": "float32",
    "g": "float64",
    "u": "utf8",
    "U": "large_utf8",
    "z": "binary",
    "tdD": "date32",
}


def type_text(column: Column) -> str:  # noqa: PLR0911 - one for each kind of type
    """Return the type of a column for people, such as `list<utf8>`."""
    _, form, _, extension, children = column
    if extension is not None:
        return extension
    match form:
        case "+l":
            return f"list<{type_text(children[0])}>"
        case "+s":
            fields = (f"{child[0]}: {type_text(child)}" for child in children)
            return f"struct<{', '.join(fields)}>"
        case "+m":
            return f"map<utf8, {type_text(children[0][4][1])}>"
    if form.startswith("ts"):
        unit = {"s": "s", "m": "ms", "u": "us", "n": "ns"}[form[2]]
        return f"timestamp[{', '.join(filter(None, (unit, form[4:])))}]"
    if form.startswith("d:"):
        return f"decimal128({form[2:].replace(',', ', ')})"
    return _NAMES[form]
