"""The other JSON forms of `Format`: Unix times, seconds, base64url, hex, enum names.

Separate from `builtin_types`, which has the one form that each class has by default.
Invariants: each form is exact in both directions, or the value is refused; a form is a
`Via`, which keeps the node that it replaces, so that it can be replaced again. Called
by `introspect`.
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


def apply(chosen: Format, node: model.Node, place: str) -> model.Node:
    """Return a node whose parts have the format; TypeError if it fits none."""
    result, is_used = _apply(chosen.name, node)
    if not is_used and chosen.name != DEFAULT_FORMAT:
        raise TypeError(
            f"{place}: Format({chosen.name!r}) is for {chosen.classes_text()}"
        )
    return result


def apply_default(formats: Mapping[type, str], node: model.Node) -> model.Node:
    """Return the node of a class in the format that `configure(formats=…)` gives."""
    for cls, name in formats.items():
        found = _class_of(node)
        # bool is no int here, and a datetime no date: only enums have subclasses.
        if found is cls or (
            found is not None and _is_enum(cls) and issubclass(found, cls)
        ):
            return _apply(name, node)[0]
    return node


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
        case model.Choice(enum_class=cls):
            return cls
        case model.Custom(type=type() as cls) | model.Via(cls=cls) if _is_enum(cls):
            return cls
        case _:
            return None


def _is_enum(cls: type) -> bool:
    """Return whether it is an enum; a combination of flags has no name."""
    return issubclass(cls, enum.Enum) and not issubclass(cls, enum.Flag)


def _apply(  # noqa: C901, PLR0911, PLR0912 - one case for each class of node
    name: str, node: model.Node
) -> tuple[model.Node, bool]:
    """Return the node with the format, and whether it fits any part."""
    match node:
        case model.Union() | model.Ordered():
            found = [_apply(name, one) for one in node.alternatives]
            parts = tuple(part for part, _ in found)
            return type(node)(parts), any(is_used for _, is_used in found)
        case model.Alias(target=model.Node() as target):
            inner, is_used = _apply(name, target)
            return (inner, True) if is_used else (node, False)
        case model.Noted():
            inner, is_used = _apply(name, node.target)
            return model.Noted(inner, node.notes), is_used
        case model.Checked():
            inner, is_used = _apply(name, node.target)
            return model.Checked(inner, node.checks), is_used
        case model.Via(plain=model.Node() as plain):
            if name == DEFAULT_FORMAT:
                return plain, True
            return _apply(name, plain)
        case model.Scalar(type_name="datetime") if name in FORMAT_NAMES["datetime"]:
            return _unix(name, node), True
        case model.Scalar(type_name="timedelta") if name in FORMAT_NAMES["timedelta"]:
            return _duration(name, node), True
        case model.Binary() if name in {"base64url", "hex"}:
            return _binary(name, node), True
        case model.Choice(plain=model.Node() as plain):
            return (plain, True) if name == DEFAULT_FORMAT else _apply(name, plain)
        case model.Choice(enum_class=type() as cls) if name == "name":
            return choices.by_name(cls, node), True
        case model.Custom(type=type() as cls) | model.Via(cls=cls) if (
            name == "name" and _is_enum(cls)
        ):
            return choices.by_name(cls, node), True
        case _:
            return node, False


def _number(unit: int) -> model.Node:
    return model.Number("int" if unit == 1 else "float")


def _from_number(unit: int) -> Callable[[Any], dt.timedelta]:
    def decode(number: float) -> dt.timedelta:
        try:
            # Exact: a double has 53 bits, and the product is rounded to the nearest.
            return dt.timedelta(microseconds=round(number * unit))
        except OverflowError as error:
            raise ValueError("out of range") from error

    return decode


def _to_number(unit: int) -> Callable[[dt.timedelta], float]:
    def encode(value: dt.timedelta) -> float:
        microseconds = value // _MICROSECOND
        if value != _MICROSECOND * microseconds:  # a Timedelta of pandas
            raise TypeError(f"expected whole microseconds, found {value!r}")
        whole, rest = divmod(microseconds, unit)
        if not rest:
            return whole
        number = microseconds / unit
        if round(number * unit) != microseconds:
            raise TypeError(f"{value!r} is not exact as a float; use microseconds")
        return number

    return encode


def _unix(name: str, plain: model.Scalar) -> model.Node:
    read, write = _from_number(_UNITS[name]), _to_number(_UNITS[name])

    def decode(number: float) -> dt.datetime:
        try:
            return _EPOCH + read(number)
        except OverflowError as error:
            raise ValueError("out of range") from error

    def encode(value: dt.datetime) -> float:
        if value.utcoffset() is None:
            raise TypeError("expected datetime with an offset, found one without")
        return write(value - _EPOCH)

    wire = _number(_UNITS[name])
    return model.Via(dt.datetime, "datetime", wire, decode, encode, plain=plain)


def _duration(name: str, plain: model.Scalar) -> model.Node:
    unit = _UNITS[name]
    read, write = _from_number(unit), _to_number(unit)
    wire = _number(unit)
    return model.Via(dt.timedelta, "timedelta", wire, read, write, plain=plain)


def _binary(name: str, plain: model.Binary) -> model.Node:
    cls = bytes if plain.type_name == "bytes" else bytearray
    read: Callable[[str], bytes]
    write: Callable[[bytes], str]
    if name == "base64url":
        read, write, encoding = _from_base64url, _to_base64url, "base64url"
    else:
        read, write, encoding = _from_hex, bytes.hex, "base16"
    wire = model.Noted(model.Text(), model.Notes(extra={"contentEncoding": encoding}))
    return model.Via(
        cls,
        cls.__name__,
        wire,
        lambda text: cls(read(text)),
        lambda value: write(bytes(value)),
        plain=plain,
    )


def _from_base64url(text: str) -> bytes:
    """Return the bytes of base64url text, with padding or without (RFC 4648, 5)."""
    body = text.rstrip("=")
    if len(text) - len(body) not in {0, -len(body) % 4} or {*"+/"} & {*text}:
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
