"""The model: the JSON form of a Python type, as nodes that refer to each other.

Separate from introspection, because decoding, encoding and JSON Schema each read the
same model. Invariants: `introspect` fills a node once, and it never changes afterwards;
only `Record`, `Alias` and `Via` can be part of a cycle, and these are made before the
nodes inside them. Words: a *member* is a name and value of a JSON object, a *field* is
part of a Python class, a *wire name* is the name of a field's member, a *wire type* is
the type whose JSON form a `Via` uses. Made by `introspect` and the modules that it
calls, read by `lower_decode`, `lower_encode`, `unions`, `expected` and `schema`.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclasses.dataclass(frozen=True, slots=True)
class Notes:
    """What a schema says of a type beside its rules; None where nothing is said."""

    title: str | None = None
    description: str | None = None
    examples: tuple[Any, ...] | None = None
    deprecated: bool | None = None
    #: Further keywords, which replace others.
    extra: Mapping[str, Any] | None = None

    def __bool__(self) -> bool:
        """Return whether anything is said."""
        return self != _NO_NOTES

    def updated(self, more: Notes) -> Notes:
        """Return these notes with what `more` says in place of what they say."""
        given = {
            field.name: value
            for field in dataclasses.fields(more)
            if (value := getattr(more, field.name)) is not None
        }
        if self.extra and more.extra:
            given["extra"] = {**self.extra, **more.extra}
        return dataclasses.replace(self, **given)


_NO_NOTES = Notes()


@dataclasses.dataclass(eq=False, slots=True)
class Node:
    """The JSON form of a type; the base of the classes below."""


@dataclasses.dataclass(eq=False, slots=True)
class Anything(Node):
    """`Any` and `object`: the values that `loads` makes."""


@dataclasses.dataclass(eq=False, slots=True)
class OfKinds(Anything):
    """The values that `loads` makes of some kinds of JSON values."""

    kinds: tuple[str, ...]


@dataclasses.dataclass(eq=False, slots=True)
class Result(Anything):
    """What a hook of an Encoder returns: any value.

    Instances of the class, and of its base that has the hook, are written by the nodes
    of these, so that they do not go to the hook again.
    """

    own: tuple[Node, ...]


@dataclasses.dataclass(eq=False, slots=True)
class Nothing(Node):
    """`Never`: no value fits."""


@dataclasses.dataclass(eq=False, slots=True)
class Missing(Node):
    """`UnsetType`, which is only in a field's type: `records` takes it out of it."""

    #: `UNSET`, of snooze or of msgspec.
    value: Any


@dataclasses.dataclass(eq=False, slots=True)
class Kept(Node):
    """Instances of a class without a form in JSON, which a Converter keeps."""

    cls: type


@dataclasses.dataclass(eq=False, slots=True)
class Raw(Node):
    """The JSON text of any value, or of one of these kinds, not decoded."""

    cls: type
    kinds: tuple[str, ...] | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Scalar(Node):
    """A value with no other constraint than that of its time zone."""

    type_name: Literal["null", "bool", "datetime", "date", "time", "timedelta", "uuid"]
    tz: Literal["aware", "naive"] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """The bounds of a value; None where there is none."""

    gt: Any = None
    ge: Any = None
    lt: Any = None
    le: Any = None
    multiple: Any = None

    def __bool__(self) -> bool:
        """Return whether there is any bound."""
        return self != _NO_LIMITS


_NO_LIMITS = Limits()


@dataclasses.dataclass(frozen=True, slots=True)
class Length:
    """The least and greatest number of items, members, code points or bytes."""

    minimum: int = 0
    maximum: int | None = None

    def __bool__(self) -> bool:
        """Return whether any length is excluded."""
        return self.minimum > 0 or self.maximum is not None

    def in_plan(self) -> tuple[int, int | None] | None:
        """Return the form that plans have, with numbers that fit a Py_ssize_t."""
        if not self:
            return None
        maximum = None if self.maximum is None else min(self.maximum, sys.maxsize)
        return (min(self.minimum, sys.maxsize), maximum)


@dataclasses.dataclass(eq=False, slots=True)
class Number(Node):
    """An int, float or Decimal."""

    type_name: Literal["int", "float", "decimal"]
    limits: Limits = dataclasses.field(default_factory=Limits)


@dataclasses.dataclass(eq=False, slots=True)
class Text(Node):
    """A str."""

    length: Length = dataclasses.field(default_factory=Length)
    pattern: str | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Binary(Node):
    """A bytes or bytearray: a base64 string in JSON."""

    type_name: Literal["bytes", "bytearray"]
    length: Length = dataclasses.field(default_factory=Length)


@dataclasses.dataclass(eq=False, slots=True)
class Choice(Node):
    """A Literal or an enum: pairs of JSON value and Python value."""

    pairs: tuple[tuple[Any, Any], ...]
    enum_class: type | None = None
    #: Whether `_missing_` of the enum accepts further values.
    is_open: bool = False
    #: Further pairs of an enum, for reading: never written.
    aliases: tuple[tuple[Any, Any], ...] = ()
    #: The node that a `Format` replaced by this one.
    plain: Node | None = None

    @property
    def read_pairs(self) -> tuple[tuple[Any, Any], ...]:
        """The pairs for reading."""
        return self.pairs + self.aliases


@dataclasses.dataclass(eq=False, slots=True)
class Items(Node):
    """An array of any length with items of one type."""

    cls: type
    #: The class that Rust makes, and the conversion from it to `cls`, if needed.
    base: Literal["list", "set", "frozenset", "tuple"]
    item: Node
    length: Length = dataclasses.field(default_factory=Length)
    convert: Callable[[Any], Any] | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Fixed(Node):
    """A tuple with a type for each of its first items, and perhaps for all others."""

    items: tuple[Node, ...]
    rest: Node | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Entries(Node):
    """An object with any member names."""

    cls: type
    key: Node
    value: Node
    length: Length = dataclasses.field(default_factory=Length)
    #: The conversion from dict to `cls`, if needed.
    convert: Callable[[Any], Any] | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Array(Node):
    """A numpy array, of any dtype if None."""

    cls: type
    dtype: Any = None


@dataclasses.dataclass(eq=False, slots=True)
class Field:
    """A field of a record."""

    #: Its name in the instance, and as an argument of the constructor.
    attribute: str
    init_name: str
    #: Its name in JSON, and further names that are accepted when decoding.
    wire_name: str
    aliases: tuple[str, ...]
    node: Node
    presence: Literal["required", "default", "factory", "absent"]
    default: Any = None
    is_decoded: bool = True
    is_encoded: bool = True
    omit_none: bool = False
    omit_default: bool = False
    #: `UNSET`, of snooze or of msgspec, if it may be the value, which is then omitted.
    unset: Any = None
    notes: Notes = _NO_NOTES
    #: Whether the members of its class are members of the record.
    flatten: bool = False
    #: Whether it is a member of such a class, an instance of which need not be there.
    #: `split` then has its `unset` for it, or `UNSET`.
    may_be_missing: bool = False
    #: The attribute that such a class has in the record, if this one is required as
    #: soon as another of its members is there.
    required_in: str = ""

    @property
    def decoded_names(self) -> tuple[str, ...]:
        """All names that are accepted when decoding."""
        return (self.wire_name, *self.aliases) if self.is_decoded else ()


ClassKind = Literal["dataclass", "attrs", "typeddict", "namedtuple", "struct"]


@dataclasses.dataclass(eq=False, slots=True)
class Record(Node):
    """A class with fields: an object in JSON, or an array if `is_array`."""

    cls: Any
    class_kind: ClassKind
    name: str
    fields: list[Field] = dataclasses.field(default_factory=list)
    #: How a decoder makes instances: the tuple that `construction` returns.
    construction: tuple[Any, ...] = ()
    unknown: Literal["ignore", "forbid"] = "ignore"
    #: The index of the field that collects unknown members (-1: the TypedDict itself
    #: does), and the type of their values.
    rest: tuple[int, Node] | None = None
    #: The name and value of the tag member.
    tag: tuple[str, str | int] | None = None
    #: The name of the member, beside the tag, in which the fields are.
    content: str | None = None
    #: Whether it takes the objects of a union that no other class takes.
    is_fallback: bool = False
    is_array: bool = False
    #: If fields are flattened: returns the values of all fields, in a dict by name.
    split: Callable[[Any], dict[str, Any]] | None = None
    sort_keys: bool = False
    #: Whether the cyclic garbage collector tracks decoded instances.
    gc: bool = True
    notes: Notes = _NO_NOTES


@dataclasses.dataclass(eq=False, slots=True)
class Union(Node):
    """A value of any one of several types."""

    alternatives: tuple[Node, ...]


@dataclasses.dataclass(eq=False, slots=True)
class Ordered(Node):
    """A value of the first of several types that accepts it."""

    alternatives: tuple[Node, ...]


@dataclasses.dataclass(eq=False, slots=True)
class Alias(Node):
    """A named type, `type X = …`; its target may refer back to it."""

    name: str
    target: Node | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Via(Node):
    """A class with the JSON form of another type, and a function for each direction."""

    cls: type
    name: str
    #: The wire type.
    wire: Node | None = None
    decode: Callable[[Any], Any] | None = None
    encode: Callable[[Any], Any] | None = None
    #: The `format` keyword of JSON Schema.
    format: str | None = None
    #: The classes whose instances are encoded, if not only `cls`.
    classes: tuple[type, ...] = ()
    #: The node that a `Format` replaced by this one.
    plain: Node | None = None
    #: The wire type for encoding, if it is another.
    encoded_wire: Node | None = None
    #: How it is made of an object, if not of what the wire type makes of that.
    from_object: Callable[..., Any] | None = None
    #: Whether `instances` is looking at the wire type.
    is_open: bool = False


@dataclasses.dataclass(eq=False, slots=True)
class Custom(Node):
    """A class that only the hooks of the user can convert."""

    type: Any
    name: str
    #: Returns how it is converted without hooks, if it is a complex or a subclass of a
    #: built-in class. Called when that is needed: its items may not be defined.
    make_base: Callable[[], Via] | None = None
    #: Whether `enc_hook`, if there is one, gets it in place of `base`.
    is_hooked: bool = False
    #: Why an enum needs a hook or a format.
    refusal: str = "has values without a JSON form"


@dataclasses.dataclass(eq=False, frozen=True, slots=True)
class Check:
    """A condition on the decoded value, and its text in messages."""

    holds: Callable[[Any], Any]
    text: str


@dataclasses.dataclass(eq=False, slots=True)
class Checked(Node):
    """A type with conditions that Python functions check."""

    target: Node
    checks: tuple[Check, ...]


@dataclasses.dataclass(eq=False, slots=True)
class Noted(Node):
    """A type with notes, which only its schema shows."""

    target: Node
    notes: Notes
