"""The structures of the typed group, and classes of every family for them.

Separate from typed.py, which races: here a structure is written once, as data, and each
family of classes (dataclasses with slots or without, msgspec's Struct) and each plain
value is made from it, so that all contenders have the same fields. Invariant:
`projected`, `instance` and `read_back` walk along the structure, never along the result
of a contender. Used by typed.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.workloads.generated import Dice


@dataclass(frozen=True, eq=False)
class Record:
    """A class with fields."""

    name: str
    fields: dict[str, Any]


@dataclass(frozen=True)
class Many:
    """A list."""

    item: Any


@dataclass(frozen=True)
class Named:
    """A dict with any names."""

    value: Any


@dataclass(frozen=True)
class Maybe:
    """A value or None."""

    shape: Any


USER = Record(
    "User",
    {
        "id": int,
        "id_str": str,
        "name": str,
        "screen_name": str,
        "location": str,
        "description": str,
        "url": Maybe(str),
        "protected": bool,
        "followers_count": int,
        "friends_count": int,
        "listed_count": int,
        "created_at": str,
        "favourites_count": int,
        "statuses_count": int,
        "lang": str,
    },
)
STATUS = Record(
    "Status",
    {
        "created_at": str,
        "id": int,
        "id_str": str,
        "text": str,
        "source": str,
        "truncated": bool,
        "in_reply_to_status_id": Maybe(int),
        "in_reply_to_user_id": Maybe(int),
        "in_reply_to_screen_name": Maybe(str),
        "user": USER,
        "retweet_count": int,
        "favorite_count": int,
        "favorited": bool,
        "retweeted": bool,
        "lang": str,
    },
)
TWITTER = Record("TwitterData", {"statuses": Many(STATUS)})
PRICE = Record(
    "Price", {"amount": int, "audienceSubCategoryId": int, "seatCategoryId": int}
)
AREA = Record("Area", {"areaId": int, "blockIds": Many(int)})
SEATS = Record("SeatCategory", {"areas": Many(AREA), "seatCategoryId": int})
PERFORMANCE = Record(
    "Performance",
    {
        "eventId": int,
        "id": int,
        "logo": Maybe(str),
        "name": Maybe(str),
        "prices": Many(PRICE),
        "seatCategories": Many(SEATS),
        "seatMapImage": Maybe(str),
        "start": int,
        "venueCode": str,
    },
)
EVENT = Record(
    "Event",
    {
        "description": Maybe(str),
        "id": int,
        "logo": Maybe(str),
        "name": str,
        "subTopicIds": Many(int),
        "subjectCode": Maybe(str),
        "subtitle": Maybe(str),
        "topicIds": Many(int),
    },
)
CITM = Record(
    "CitmCatalog",
    {
        "areaNames": Named(str),
        "audienceSubCategoryNames": Named(str),
        "blockNames": Named(str),
        "events": Named(EVENT),
        "performances": Many(PERFORMANCE),
        "seatCategoryNames": Named(str),
        "subTopicNames": Named(str),
        "subjectNames": Named(str),
        "topicNames": Named(str),
        "topicSubTopics": Named(Many(int)),
        "venueNames": Named(str),
    },
)
CUSTOMER = Record(
    "Customer",
    {
        "id": int,
        "name": str,
        "email": str,
        "age": int,
        "active": bool,
        "balance": float,
        "tags": Many(str),
        "address": Named(str),
        "created": str,
        "score": Maybe(float),
    },
)
CRUD = Many(CUSTOMER)


class Family:
    """Classes of one kind for every structure, with limits on their fields or without.

    `make` makes a class from a name and fields, `limited` adds a constraint to a type
    (bool and classes take none).
    """

    def __init__(
        self,
        make: Callable[[str, dict[str, Any]], type],
        limited: Callable[[Any, Any], Any] | None = None,
    ) -> None:
        """Start without classes."""
        self._make = make
        self._limited = limited or (lambda _, tp: tp)
        self._classes: dict[Record, type] = {}

    def type_of(self, shape: Any) -> Any:
        """Return the Python type of a structure."""
        match shape:
            case Record():
                if shape not in self._classes:
                    types = {
                        name: self.type_of(one) for name, one in shape.fields.items()
                    }
                    self._classes[shape] = self._make(shape.name, types)
                return self._classes[shape]
            case Many():
                return self._limited(list, list[self.type_of(shape.item)])  # type: ignore[misc]
            case Named():
                return self._limited(dict, dict[str, self.type_of(shape.value)])  # type: ignore[misc]
            case Maybe():
                return self.type_of(shape.shape) | None
            case _:
                return self._limited(shape, shape)


def _walk(shape: Any, value: Any, record: Callable[[Record, Any], Any]) -> Any:
    """Rebuild a value along its structure; `record` converts a class."""
    match shape:
        case Record():
            return record(shape, value)
        case Many():
            return [_walk(shape.item, one, record) for one in value]
        case Named():
            return {
                name: _walk(shape.value, one, record) for name, one in value.items()
            }
        case Maybe():
            return None if value is None else _walk(shape.shape, value, record)
        case _:
            return value


def projected(shape: Any, value: Any, dice: Dice | None = None) -> Any:
    """Return the declared members of a plain value, in declared or any order."""

    def record(shape: Record, value: Any) -> Any:
        names = list(shape.fields)
        if dice is not None:
            for last in range(len(names) - 1, 0, -1):
                other = dice.below(last + 1)
                names[last], names[other] = names[other], names[last]
        return {name: _walk(shape.fields[name], value[name], record) for name in names}

    return _walk(shape, value, record)


def instance(shape: Any, value: Any, family: Family) -> Any:
    """Return a plain value as instances of a family."""

    def record(shape: Record, value: Any) -> Any:
        members = {
            name: _walk(one, value[name], record) for name, one in shape.fields.items()
        }
        return family.type_of(shape)(**members)

    return _walk(shape, value, record)


def read_back(shape: Any, value: Any, family: Family) -> Any:
    """Return instances of a family as a plain value; TypeError if one is not."""

    def record(shape: Record, value: Any) -> Any:
        if type(value) is not family.type_of(shape):
            raise TypeError(f"a {type(value).__name__} in the place of {shape.name}")
        return {
            name: _walk(one, getattr(value, name), record)
            for name, one in shape.fields.items()
        }

    return _walk(shape, value, record)


def look_alike(shape: Any, dice: Dice, extra: int = 0) -> Any:
    """Return a plain value of a structure, for use without its document.

    Classes get as many undeclared members as the original has.
    """
    match shape:
        case Record():
            found = {
                name: look_alike(one, dice, extra) for name, one in shape.fields.items()
            }
            for number in range(extra):
                found[f"further_{number}"] = {
                    "link": f"https://pbs.example/{dice.hexadecimal(24)}",
                    "indices": [dice.below(140), dice.below(140)],
                    "note": dice.text("ascii", 4) if number % 2 else None,
                }
            return found
        case Many():
            few = not isinstance(shape.item, Record)
            count = dice.below(4) if few else 1 + dice.below(12)
            return [look_alike(shape.item, dice, extra) for _ in range(count)]
        case Named():
            return {
                str(337_000_000 + dice.below(10**6)): look_alike(
                    shape.value, dice, extra
                )
                for _ in range(20 + dice.below(60))
            }
        case Maybe():
            return None if dice.below(3) else look_alike(shape.shape, dice, extra)
        case _:
            return _scalar(shape, dice)


def _scalar(kind: Any, dice: Dice) -> Any:
    if kind is bool:
        return dice.below(3) == 0
    if kind is int:
        return dice.below(10 ** (2 + dice.below(16)))
    if kind is float:
        return dice.unit() * 10_000
    script = ("ascii", "ascii", "latin", "cyrillic")[dice.below(4)]
    return dice.text(script, 1 + dice.below(9))
