"""Representative types and documents for typed decoding.

Separate because allocation failure, references, threads, interpreters and tiers all use
the same ones. `case` and `build` return a call that decodes one document; it returns a
value or raises.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import functools
import uuid
from dataclasses import dataclass, field
from decimal import Decimal  # noqa: TC003 - the type of a field, evaluated later
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

from snooze import Decoder, Field, Ge, Len, Pattern, Raw, Via, configure


@dataclass(slots=True)
class Slots:
    """Instances whose fields are all in slots."""

    a: int
    b: str
    c: list[float]


@dataclass(slots=True)
class SlotsDefaults:
    """Slots with default values and factories."""

    a: int = 1
    b: str = "default"
    c: list[int] = field(default_factory=list)
    d: Any = field(default_factory=lambda: "made")


@dataclass
class Plain:
    """Instances with a dict."""

    a: int
    b: dict[str, int] = field(default_factory=dict)
    next: Plain | None = None


@dataclass
class Posted:
    """A class whose `__post_init__` runs code."""

    a: int

    def __post_init__(self) -> None:
        if self.a < 0:
            raise ValueError("negative")


@dataclass
class Called:
    """A class that its constructor must create."""

    a: int
    b: dataclasses.InitVar[int] = 5
    c: int = field(init=False)

    def __post_init__(self, b: int) -> None:
        self.c = self.a + b


@dataclass
class Rest:
    """A class that collects unknown members."""

    a: int
    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


@configure(tag=True, rename="camel", unknown="forbid")
@dataclass
class Cat:
    """A tagged class."""

    life_count: Annotated[int, Field(alias="lives")] = 9


@configure(tag=True)
@dataclass(slots=True)
class Dog:
    """Another tagged class."""

    name: str
    friends: list[Cat | Dog] = field(default_factory=list)


class Pair(NamedTuple):
    """Decoded from an array."""

    a: int
    b: str = "b"


class Table(TypedDict, total=False):
    """Decoded into a dict."""

    a: int
    b: list[str]


class Colour(enum.Enum):
    """An enum with str and int values."""

    RED = "red"
    ONE = 1


class Opaque:
    """Only dec_hook can create it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"Opaque({self.value!r})"


def hook(cls: Any, value: Any) -> Any:
    """Create an instance: a dec_hook."""
    return cls(value)


@dataclass
class Formats:
    """One field for each format."""

    when: datetime.datetime
    day: datetime.date
    time: datetime.time
    span: datetime.timedelta
    id: uuid.UUID
    data: bytes
    buffer: bytearray
    price: Decimal
    colour: Colour
    word: Literal["a", "b"]
    raw: Raw
    limited: Annotated[int, Ge(0)]
    text: Annotated[str, Len(1, 5), Pattern("^x")]


FORMATS = (
    '{"when":"2024-01-02T03:04:05.678+01:30","day":"2024-01-02","time":"03:04:05Z",'
    '"span":"P1DT2S","id":"12345678-1234-5678-1234-567812345678","data":"AAEC","buffer":"/w==",'
    '"price":"1.50","colour":"red","word":"b","raw":[1, {"a":null}],"limited":5,"text":"x\u00e9"}'
)
doubled = Annotated[Any, Via(int, decode=lambda value: value * 2)]
#: name -> type, document, options.
PLANS: dict[str, tuple[Any, str, dict[str, Any]]] = {
    "any": (
        Any,
        '{"a":[1,2.5,"x",null,true,{"\u00e9":"\u8a9e"}],"b":123456789012345678901234567890}',
        {},
    ),
    "scalars": (
        list[int | float | str | bool | None],
        '[1,-2.5,"text",true,null,99999999999,""]',
        {},
    ),
    "slots": (
        list[Slots],
        '[{"a":1,"b":"x","c":[1,2.5]},{"c":[],"b":"\u00e9","a":300}]',
        {},
    ),
    "defaults": (list[SlotsDefaults], '[{},{"a":5},{"c":[1],"x":{"y":[null]}}]', {}),
    "plain": (Plain, '{"a":1,"b":{"x":1},"next":{"a":2,"next":{"a":3}}}', {}),
    "posted": (list[Posted], '[{"a":1},{"a":2}]', {}),
    "called": (list[Called], '[{"a":1},{"b":7,"a":2}]', {}),
    "rest": (list[Rest], '[{"a":1,"x":[1],"y":{"z":2}},{"a":2}]', {}),
    "tagged": (
        Cat | Dog,
        '{"type":"Dog","name":"d","friends":[{"lives":3,"type":"Cat"}]}',
        {},
    ),
    "pair": (list[Pair], '[[1],[2,"x"]]', {}),
    "table": (list[Table], '[{"a":1},{"b":["x"],"a":2},{}]', {}),
    "formats": (Formats, FORMATS, {}),
    "sets": (dict[str, set[int] | str], '{"a":[1,2,1],"b":"x"}', {}),
    "tuples": (tuple[int, tuple[str, ...], frozenset[int]], '[1,["a","b"],[5]]', {}),
    "keys": (
        dict[int, dict[uuid.UUID, int]],
        '{"1":{"12345678-1234-5678-1234-567812345678":2}}',
        {},
    ),
    "deque": (collections.deque[int], "[1,2,3]", {}),
    "via": (list[doubled], "[1,2,3]", {}),
    "hook": (list[Opaque], '[1,{"a":[2]}]', {"dec_hook": hook}),
    "lax": (list[int | None], '["1",2.0,"null"]', {"strict": False}),
    "lax times": (list[datetime.datetime], "[0,1.5]", {"strict": False}),
    "at": (
        Slots,
        '{"x":[0,{"y~":{"a":1,"b":"","c":[]}}],"z":"\u00e9"}',
        {"at": "/x/1/y~0"},
    ),
    "skip": (
        SlotsDefaults,
        '{"q":[{"w":["\\u00e9",{}]}],"a":3,"e":{"a":5}}',
        {"skip": "fast"},
    ),
    "no str": (list[str], '["a",5,["b"]]', {}),
    "no member": (Slots, '{"a":1,"b":"x"}', {}),
    "all": (
        list[Slots],
        '[{"a":"x","b":1},{"c":[null,"\u00e9"]},{"a":1,"b":"","c":[]},5]',
        {"errors": "all"},
    ),
    "all keys": (
        dict[int, Posted],
        '{"x":{"a":1},"1":{"a":-1},"2":{"a":[]}}',
        {"errors": "all"},
    ),
    "refused": (list[Posted], '[{"a":1},{"a":-1}]', {}),
    "forbidden": (Cat, '{"lifeCount":1,"x":[1],"type":"Dog"}', {"errors": "all"}),
    "no tag": (list[Cat | Dog], '[{"type":"Cow"},{},5]', {"errors": "all"}),
    "no hash": (set[Any], "[1,[2]]", {}),
    "no formats": (
        Formats,
        FORMATS.replace("2024", "2O24").replace("P1D", "D1").replace("x\u00e9", ""),
        {"errors": "all"},
    ),
    "no pointer": (int, '{"a":[1,2]}', {"at": "/a/5"}),
    "no json": (Slots, '{"a":1,"b":"x","c":[1,2}', {}),
    "no count": (tuple[int, int], "[1,2,3]", {}),
}


def case(name: str) -> Any:
    """Return a call that decodes."""
    tp, document, options = PLANS[name]
    data = document.encode()
    return functools.partial(Decoder(tp, **options).decode, data)


def build(name: str) -> Any:
    """Return a call that creates a Decoder and decodes."""
    tp, document, options = PLANS[name]
    data = document.encode()
    return lambda: Decoder(tp, **options).decode(data)
