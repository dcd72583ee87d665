"""The other JSON forms of `Format`: Unix times, seconds, base64url, hex, enum names.

Separate from `builtin_types`, which has the one form that each class has by default.
Invariants: each form is exact in both directions, or the value is refused; a form keeps
the node that it replaces, so that it can be replaced again. Called by `introspect`.
"""

from __future__ import annotations

import binascii
import datetime as dt
import enum
from typing import TYPE_CHECKING, Any

from snooze._typed import choices, model
from snooze._typed.metadata import DEFAULT_FORMAT, FORMAT_NAMES, Format

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)
#: Microseconds in the unit of each format.
_UNITS = {
    "unix": 1_000_000,
    "unix_ms": 1_000,
    "unix_us": 1,
    "seconds": 1_000_000,
    "milliseconds": 1_000,
    "microseconds": 1,
}


class Formats:
    """Puts nodes into other forms; the same node gets the same form again."""

    def __init__(self) -> None:
        """Start without forms."""
        self.made: dict[tuple[model.Node, str], model.Node] = {}

    def chosen(self, chosen: Format, node: model.Node, place: str) -> model.Node:
        """Return a node whose parts have the format; TypeError if it fits none."""
        result, is_used = self._apply(chosen.name, node)
        if not is_used:
            raise TypeError(
                f"{place}: Format({chosen.name!r}) is for {chosen.classes_text()}"
            )
        return result

    def default(self, formats: Mapping[type, str], node: model.Node) -> model.Node:
        """Return a node in the format that `configure(formats=…)` gives for its class.

        For an enum, the nearest of its bases counts.
        """
        for base in getattr(_class_of(node), "__mro__", ()):
            # bool is no int here, and a datetime no date: only enums have bases.
            if base in formats and (base is _class_of(node) or _is_enum(base)):
                return self._apply(formats[base], node)[0]
        return node

    def _apply(  # noqa: PLR0911 - one case for each class of node
        self, name: str, node: model.Node, outer: tuple[model.Node, ...] = ()
    ) -> tuple[model.Node, bool]:
        """Return the node with the format, and whether it fits any part.

        `outer` are the aliases around it.
        """
        match node:
            case model.Union() | model.Ordered():
                found = [self._apply(name, one, outer) for one in node.alternatives]
                parts = tuple(part for part, _ in found)
                return type(node)(parts), any(is_used for _, is_used in found)
            case model.Alias(target=model.Node() as target) if node not in outer:
                inner, is_used = self._apply(name, target, (*outer, node))
                return (inner, True) if is_used else (node, False)
            case model.Noted():
                inner, is_used = self._apply(name, node.target, outer)
                return model.Noted(inner, node.notes), is_used
            case model.Checked():
                inner, is_used = self._apply(name, node.target, outer)
                return model.Checked(inner, node.checks), is_used
            case model.Via(plain=model.Node() as plain):
                return self._apply(name, plain)
            case model.Choice(plain=model.Node() as plain):
                return self._apply(name, plain)
        is_used = name in _names_for(node)
        if not is_used or name == DEFAULT_FORMAT:
            return node, is_used
        if (node, name) not in self.made:
            self.made[node, name] = _form(name, node)
        return self.made[node, name], True


def _class_of(  # noqa: PLR0911 - one case for each class of node
    node: model.Node,
) -> type | None:
    """Return the class that a node stands for, if it can have several formats."""
    match node:
        case model.Scalar(type_name="datetime"):
            return dt.datetime
        case model.Scalar(type_name="timedelta"):
            return dt.timedelta
        case model.Binary(type_name="bytes"):
            return bytes
        case model.Binary():
            return bytearray
        case model.Choice():
            enums = [one for _, one in node.pairs if isinstance(one, enum.Enum)]
            return type(enums[0]) if enums else None
        case model.Custom(type=type() as cls) | model.Via(cls=cls) if _is_enum(cls):
            return cls
        case _:
            return None


def _is_enum(cls: type) -> bool:
    """Return whether it is an enum; a combination of flags has no name."""
    return issubclass(cls, enum.Enum) and not issubclass(cls, enum.Flag)


def _names_for(node: model.Node) -> tuple[str, ...]:
    """Return the names of the formats of a node that is no union."""
    cls = _class_of(node)
    if cls is None:
        return ()
    if _is_enum(cls):
        return (*FORMAT_NAMES["enums"], DEFAULT_FORMAT)
    group = "bytes and bytearray" if cls in {bytes, bytearray} else cls.__name__
    return (*FORMAT_NAMES[group], DEFAULT_FORMAT)


def _form(name: str, node: model.Node) -> model.Node:
    match node:
        case model.Scalar(type_name="datetime"):
            return _unix(name, node)
        case model.Scalar():
            return _duration(name, node)
        case model.Binary():
            return _binary(name, node)
        case _:
            return choices.by_name(node)


def _number(unit: int) -> model.Node:
    """Return the wire type: integers stay exact, whatever their size."""
    if unit == 1:
        return model.Number("int")
    return model.Union((model.Number("int"), model.Number("float")))


def _microseconds(number: float, unit: int) -> int:
    """Return a number of units in microseconds, half to even.

    The exact value of a double is multiplied: a product of doubles is rounded, too.
    """
    exact = float if isinstance(number, float) else int
    numerator, denominator = exact.as_integer_ratio(number)
    whole, rest = divmod(numerator * unit, denominator)
    is_above = 2 * rest > denominator or (2 * rest == denominator and whole % 2 == 1)
    return whole + is_above


def _from_number(unit: int) -> Callable[[Any], dt.timedelta]:
    def decode(number: float) -> dt.timedelta:
        try:
            return dt.timedelta(microseconds=_microseconds(number, unit))
        except OverflowError as error:
            raise ValueError("out of range") from error

    return decode


def _to_number(value: dt.timedelta, unit: int) -> float | None:
    """Return the number of units; None if no double is exact."""
    microseconds = value // _MICROSECOND
    if not _is_whole(value):
        return None
    whole, rest = divmod(microseconds, unit)
    if not rest:
        return whole
    number = microseconds / unit
    return number if _microseconds(number, unit) == microseconds else None


def _is_whole(value: dt.timedelta) -> bool:
    """Return whether it has no nanoseconds, which only a Timedelta of pandas has."""
    return value == _MICROSECOND * (value // _MICROSECOND)


def _inexact(shown: str, value: dt.timedelta, name: str, finest: str) -> TypeError:
    """Return the exception for a value without a number in the format."""
    advice = f": {finest!r} is" if _is_whole(value) else ""
    return TypeError(f"{shown} is not exact in the format {name!r}{advice}")


def _is_nat(value: dt.datetime) -> bool:
    """Return whether it is the NaT of pandas, a datetime without a value."""
    return type(value) is not dt.datetime and value.isoformat() == "NaT"


def _unix(name: str, plain: model.Scalar) -> model.Node:
    unit = _UNITS[name]
    read = _from_number(unit)

    def decode(number: float) -> dt.datetime:
        try:
            return _EPOCH + read(number)
        except OverflowError as error:
            raise ValueError("out of range") from error

    def encode(value: dt.datetime) -> float | dt.datetime:
        if _is_nat(value):
            return value
        try:
            offset = value.utcoffset()
        except ValueError as error:
            raise TypeError(str(error)) from error
        if offset is None:
            raise TypeError("expected datetime with an offset, found one without")
        try:
            _EPOCH + (value - _EPOCH)
        except OverflowError as error:
            raise TypeError(f"{value} is outside the years 1 to 9999 in UTC") from error
        number = _to_number(value - _EPOCH, unit)
        if number is None:
            raise _inexact(str(value), value - _EPOCH, name, "unix_us")
        return number

    wire = _number(unit)
    node = model.Via(dt.datetime, "datetime", wire, decode, encode, plain=plain)
    # NaT is written as without a format: null, and an error as a key.
    node.encoded_wire = model.Union((wire, plain))
    return node


def _duration(name: str, plain: model.Scalar) -> model.Node:
    unit = _UNITS[name]

    def encode(value: dt.timedelta) -> float:
        number = _to_number(value, unit)
        if number is None:
            raise _inexact(repr(value), value, name, "microseconds")
        return number

    read, wire = _from_number(unit), _number(unit)
    return model.Via(dt.timedelta, "timedelta", wire, read, encode, plain=plain)


def _binary(name: str, plain: model.Binary) -> model.Node:
    cls = bytes if plain.type_name == "bytes" else bytearray
    read: Callable[[str], bytes]
    write: Callable[[bytes], str]
    if name == "base64url":
        read, write, encoding = _from_base64url, _to_base64url, "base64url"
    else:
        read, write, encoding = _from_hex, bytes.hex, "base16"
    node = model.Via(
        cls,
        cls.__name__,
        model.Noted(model.Text(), model.Notes(extra={"contentEncoding": encoding})),
        lambda text: cls(read(text)),
        lambda value: write(bytes(value)),
        plain=plain,
    )
    node.classes = (bytes, bytearray, memoryview)
    return node


def _from_base64url(text: str) -> bytes:
    """Return the bytes of base64url text, with padding or without (RFC 4648, 5)."""
    body = text.rstrip("=")
    if len(text) - len(body) not in {0, -len(body) % 4} or "+" in text or "/" in text:
        raise ValueError("not base64url")
    padded = body.translate(_FROM_URL) + "=" * (-len(body) % 4)
    try:
        found = binascii.a2b_base64(padded, strict_mode=True)
    except ValueError as error:
        raise ValueError("not base64url") from error
    if _to_base64url(found) != body:
        raise ValueError("not base64url: bits after the last byte are not zero")
    return found


def _to_base64url(value: bytes) -> str:
    text = binascii.b2a_base64(value, newline=False).decode("ascii")
    return text.rstrip("=").translate(_TO_URL)


_FROM_URL = str.maketrans("-_", "+/")
_TO_URL = str.maketrans("+/", "-_")


def _from_hex(text: str) -> bytes:
    return binascii.unhexlify(text)  # bytes.fromhex would skip spaces
