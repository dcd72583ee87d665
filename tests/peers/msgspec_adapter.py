"""A pytest plugin that puts snooze in the place of msgspec in msgspec's own tests.

Replaced are `msgspec.json`, `msgspec.convert` and `msgspec.to_builtins`.

Separate from the tests of snooze: `scripts/peers.py` runs it over the test files of
msgspec's source distribution. Structs, `Meta` and `UNSET` stay those of msgspec.
Messages are not compared: those of snooze have other words. A test that needs what
snooze has no counterpart for is skipped, with the name of that.
"""

from __future__ import annotations

import functools
from typing import Any

import msgspec
import pytest

import snooze

_raises = pytest.raises


class Decoder:
    """`msgspec.json.Decoder`."""

    def __init__(
        self,
        type: Any = Any,  # noqa: A002 - as in msgspec
        *,
        strict: bool = True,
        dec_hook: Any = None,
        float_hook: Any = None,
    ) -> None:
        """Make a snooze Decoder."""
        if float_hook is not None:
            if not callable(float_hook):
                raise TypeError("float_hook must be callable")
            pytest.skip("no counterpart: float_hook")
        self.type, self.strict, self.dec_hook = type, strict, dec_hook
        self.float_hook = None
        self._decoder: Any = snooze.Decoder(type, strict=strict, dec_hook=dec_hook)

    @classmethod
    def __class_getitem__(cls, _: object) -> Any:
        """Return the class, for annotations."""
        return cls

    def decode(self, buf: Any, /) -> Any:
        """Decode one document."""
        return self._decoder.decode(buf)

    def decode_lines(self, _: object) -> Any:
        """Skip the test."""
        pytest.skip("no counterpart: decode_lines")


class Encoder:
    """`msgspec.json.Encoder`."""

    def __init__(
        self,
        *,
        enc_hook: Any = None,
        decimal_format: str = "string",
        uuid_format: str = "canonical",
        order: str | None = None,
    ) -> None:
        """Make a snooze Encoder."""
        if decimal_format not in {"string", "number"}:
            raise ValueError("decimal_format must be 'string' or 'number'")
        if uuid_format == "hex":
            pytest.skip("no counterpart: uuid_format")
        if uuid_format != "canonical":
            raise ValueError("uuid_format must be 'canonical' or 'hex'")
        if order not in {None, "deterministic", "sorted"}:
            raise ValueError("order must be None, 'deterministic' or 'sorted'")
        self.enc_hook, self.decimal_format = enc_hook, decimal_format
        self.uuid_format, self.order = uuid_format, order
        decimal: Any = {"string": "str", "number": "number"}[decimal_format]
        self._encoder: Any = snooze.Encoder(
            enc_hook=enc_hook, decimal=decimal, sort_keys=order is not None
        )

    def encode(self, obj: Any) -> bytes:
        """Encode one value."""
        encoded: bytes = self._encoder.encode(obj)
        return encoded

    def encode_into(self, obj: Any, buffer: Any, offset: int = 0) -> None:
        """Encode one value into a buffer."""
        if not isinstance(buffer, bytearray):
            raise TypeError("buffer must be a bytearray")
        if offset < -1:
            raise ValueError("offset must be >= -1")
        text = self._encoder.encode(obj)
        start = len(buffer) if offset == -1 else offset
        buffer[:] = buffer[:start].ljust(start, b"\0") + text

    def encode_lines(self, _: object) -> bytes:
        """Skip the test."""
        pytest.skip("no counterpart: encode_lines")


def decode(
    buf: Any,
    *,
    type: Any = Any,  # noqa: A002 - as in msgspec
    strict: bool = True,
    dec_hook: Any = None,
) -> Any:
    """Replace `msgspec.json.decode`."""
    return snooze.decode(buf, type, strict=strict, dec_hook=dec_hook)


def encode(obj: Any, *, enc_hook: Any = None, order: str | None = None) -> bytes:
    """Replace `msgspec.json.encode`."""
    return Encoder(enc_hook=enc_hook, order=order).encode(obj)


def convert(
    obj: Any,
    type: Any,  # noqa: A002 - as in msgspec
    *,
    strict: bool = True,
    from_attributes: bool = False,
    dec_hook: Any = None,
    builtin_types: Any = None,
    str_keys: bool = False,
) -> Any:
    """Replace `msgspec.convert`.

    snooze takes instances and their JSON forms alike, and keys in both forms, so two
    options have no counterpart.
    """
    del builtin_types, str_keys
    return snooze.convert(
        obj, type, strict=strict, from_attributes=from_attributes, dec_hook=dec_hook
    )


def to_builtins(
    obj: Any,
    *,
    str_keys: bool = False,
    builtin_types: Any = None,
    enc_hook: Any = None,
    order: str | None = None,
) -> Any:
    """Replace `msgspec.to_builtins`."""
    if order not in {None, "deterministic", "sorted"}:
        raise ValueError("order must be None, 'deterministic' or 'sorted'")
    return snooze.to_builtins(
        obj,
        keep=tuple(builtin_types or ()),
        str_keys=str_keys,
        enc_hook=enc_hook,
        sort_keys=order is not None,
    )


def raises(expected: Any, *args: Any, **options: Any) -> Any:
    """Return `pytest.raises` without the comparison of messages.

    Where a test means an error of either format, that of msgspec is accepted, too.
    """
    options.pop("match", None)
    return _raises(_EITHER.get(expected, expected), *args, **options)


#: Errors of snooze, and those of msgspec that they stand for.
_EITHER: dict[Any, Any] = {
    snooze.ValidationError: (snooze.ValidationError, msgspec.ValidationError),
    snooze.JSONDecodeError: (snooze.JSONDecodeError, msgspec.DecodeError),
}


def pytest_configure() -> None:
    """Replace the functions before the test files import them."""
    module: Any = msgspec.json
    module.Decoder, module.Encoder = Decoder, Encoder
    module.decode, module.encode = decode, encode
    package: Any = msgspec
    package.convert, package.to_builtins = convert, to_builtins
    package.ValidationError = snooze.ValidationError
    package.DecodeError = snooze.JSONDecodeError
    pytest.raises = functools.wraps(_raises)(raises)


def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> None:
    """Leave out the tests of other formats."""
    other = [item for item in items if "msgpack" in item.nodeid]
    config.hook.pytest_deselected(items=other)
    items[:] = [item for item in items if item not in other]
