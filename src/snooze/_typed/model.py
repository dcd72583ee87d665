"""The model: what a Python type means as JSON, as nodes that refer to each other.

Separate from introspection, because decoding, encoding and JSON Schema are three
readings of the same model. Invariants: a node is filled once, by `introspect`, and
never changed afterwards; recursion goes only through `Record`, `Alias` and `Via`, which
are made before what is inside them. Made by `introspect` and its helpers, read by
`lower_decode`, `lower_encode`, `unions` and `schema`.
"""

from __future__ import annotations

import dataclasses
import sys
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclasses.dataclass(eq=False, slots=True)
class Node:
    """What a type means; the classes below say which."""


@dataclasses.dataclass(eq=False, slots=True)
class Anything(Node):
    """`Any` and `object`: whatever `loads` makes."""


@dataclasses.dataclass(eq=False, slots=True)
class Nothing(Node):
    """`Never`: no value at all."""


@dataclasses.dataclass(eq=False, slots=True)
class Raw(Node):
    """The bytes of a value, not decoded."""

    cls: type


@dataclasses.dataclass(eq=False, slots=True)
class Scalar(Node):
    """A value without constraints, or with a time zone's."""

    kind: Literal["null", "bool", "datetime", "date", "time", "timedelta", "uuid"]
    tz: Literal["aware", "naive"] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a number; None where there is none."""

    gt: Any = None
    ge: Any = None
    lt: Any = None
    le: Any = None
    multiple: Any = None

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return self != _NO_LIMITS


_NO_LIMITS = Limits()


@dataclasses.dataclass(frozen=True, slots=True)
class Length:
    """Least and greatest number of items, code points or bytes."""

    least: int = 0
    most: int | None = None

    def __bool__(self) -> bool:
        """Tell whether it excludes anything."""
        return self.least > 0 or self.most is not None

    def rule(self) -> tuple[int, int | None] | None:
        """Return the form of it that plans have: no longer than anything can be."""
        if not self:
            return None
        most = None if self.most is None else min(self.most, sys.maxsize)
        return (min(self.least, sys.maxsize), most)


@dataclasses.dataclass(eq=False, slots=True)
class Number(Node):
    """int, float or Decimal."""

    kind: Literal["int", "float", "decimal"]
    limits: Limits = dataclasses.field(default_factory=Limits)


@dataclasses.dataclass(eq=False, slots=True)
class Text(Node):
    """A str."""

    length: Length = dataclasses.field(default_factory=Length)
    pattern: str | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Binary(Node):
    """Bytes or bytearray, base64 in JSON."""

    kind: Literal["bytes", "bytearray"]
    length: Length = dataclasses.field(default_factory=Length)


@dataclasses.dataclass(eq=False, slots=True)
class Choice(Node):
    """Literal values and members of enums: pairs of JSON value and Python value."""

    pairs: tuple[tuple[Any, Any], ...]
    cls: type | None = None
    #: An enum that accepts more than its members: its `_missing_` decides.
    open: bool = False


@dataclasses.dataclass(eq=False, slots=True)
class Items(Node):
    """An array of any length, all of one type; `make` turns list or set into `cls`."""

    cls: type
    base: Literal["list", "set", "frozenset", "tuple"]
    item: Node
    length: Length = dataclasses.field(default_factory=Length)
    make: Callable[[Any], Any] | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Fixed(Node):
    """A tuple that has one type for each place."""

    items: tuple[Node, ...]


@dataclasses.dataclass(eq=False, slots=True)
class Entries(Node):
    """An object with any names; `make` turns the dict into `cls`."""

    cls: type
    key: Node
    value: Node
    length: Length = dataclasses.field(default_factory=Length)
    make: Callable[[Any], Any] | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Array(Node):
    """A numpy array; dtype as its name, or None."""

    cls: type
    dtype: Any = None


@dataclasses.dataclass(eq=False, slots=True)
class Field:
    """A member of a record."""

    #: Name in the instance; `init` is the constructor's name for it.
    attribute: str
    init: str
    #: Name in JSON, and further names that are read.
    name: str
    aliases: tuple[str, ...]
    node: Node
    presence: Literal["required", "default", "factory", "absent"]
    default: Any = None
    #: Whether documents may have it, and whether it is written.
    reads: bool = True
    writes: bool = True
    omit_none: bool = False
    omit_default: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are read."""
        return (self.name, *self.aliases) if self.reads else ()


Kind = Literal["dataclass", "attrs", "typeddict", "namedtuple"]


@dataclasses.dataclass(eq=False, slots=True)
class Record(Node):
    """A class with fields; an object in JSON, or an array if `array`."""

    cls: Any
    kind: Kind
    name: str
    fields: list[Field] = dataclasses.field(default_factory=list)
    make: tuple[Any, ...] = ()
    unknown: Literal["ignore", "forbid"] = "ignore"
    #: Index of the field that collects unknown members, with the type of these.
    rest: tuple[int, Node] | None = None
    tag: tuple[str, str | int] | None = None
    array: bool = False
    sort: bool = False
    #: Whether the cyclic collector sees instances that a Decoder makes.
    gc: bool = True


@dataclasses.dataclass(eq=False, slots=True)
class Union(Node):
    """One of several."""

    options: tuple[Node, ...]


@dataclasses.dataclass(eq=False, slots=True)
class Alias(Node):
    """A named type; what it stands for may lead back to it."""

    name: str
    target: Node | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Via(Node):
    """A class that travels as another type, with a function for each direction."""

    cls: type
    name: str
    wire: Node | None = None
    decode: Callable[[Any], Any] | None = None
    encode: Callable[[Any], Any] | None = None
    #: The `format` of JSON Schema.
    format: str | None = None


@dataclasses.dataclass(eq=False, slots=True)
class Custom(Node):
    """A class that only the user's hooks know."""

    type: Any
    name: str


@dataclasses.dataclass(frozen=True, slots=True)
class Check:
    """A condition on the decoded value, with the words for it."""

    holds: Callable[[Any], Any]
    words: str


@dataclasses.dataclass(eq=False, slots=True)
class Checked(Node):
    """A type with conditions that only Python can test."""

    target: Node
    checks: tuple[Check, ...]
