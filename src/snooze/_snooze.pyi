"""The extension module. Import from ``snooze`` instead."""

import json
from collections.abc import Callable
from typing import Any, Final, Self, TypedDict, final

from typing_extensions import disjoint_base

__version__: Final[str]
checked: Final[bool]

OPT_APPEND_NEWLINE: Final[int]
OPT_INDENT_2: Final[int]
OPT_NAIVE_UTC: Final[int]
OPT_NON_STR_KEYS: Final[int]
OPT_OMIT_MICROSECONDS: Final[int]
OPT_PASSTHROUGH_DATACLASS: Final[int]
OPT_PASSTHROUGH_DATETIME: Final[int]
OPT_PASSTHROUGH_SUBCLASS: Final[int]
OPT_SERIALIZE_DATACLASS: Final[int]
OPT_SERIALIZE_NUMPY: Final[int]
OPT_SERIALIZE_UUID: Final[int]
OPT_SORT_KEYS: Final[int]
OPT_STRICT_INTEGER: Final[int]
OPT_UTC_Z: Final[int]

JSONEncodeError = TypeError

class JSONDecodeError(json.JSONDecodeError):
    """A document that is not JSON: msg, doc, pos, lineno, colno."""

@final
class Fragment:
    """JSON that is already serialized, to be copied into the output as it is.

    The contents are checked when they are written: ``bytes`` are copied without a look
    at them, ``str`` must be valid UTF-8, anything else is a ``JSONEncodeError``.
    """

    def __new__(cls, contents: bytes | str, /) -> Fragment: ...

class _CpuTiers(TypedDict):
    compiled: tuple[str, ...]
    runnable: tuple[str, ...]
    active: str

def cpu_tiers() -> _CpuTiers:
    """Sets of processor features, slowest first.

    ``compiled``: those this build has code for; ``runnable``: those this processor has;
    ``active``: the one in use, which the environment variable ``SNOOZE_CPU`` can lower
    (``scalar``, ``v128``, ``avx2``, ``avx512``) before the first import.
    """

def dumps(
    obj: Any,
    /,
    default: Callable[[Any], Any] | None = None,
    option: int | None = None,
) -> bytes:
    """Serialize Python objects to JSON.

    Args:
        obj: ``str``, ``int``, ``float``, ``bool``, ``None``, ``list``, ``tuple``,
            ``dict``, dataclasses, enums, ``datetime``, ``date``, ``time``, ``UUID``,
            ``Fragment``, subclasses of ``str``, ``int``, ``list`` and ``dict``, and
            with ``OPT_SERIALIZE_NUMPY`` numpy's arrays and scalars.
        default: called with any other object; returns one that can be serialized.
        option: ``OPT_*`` constants joined with ``|``.

    Returns:
        UTF-8 (RFC 8259). NaN and infinities are written as ``null``.

    Raises:
        JSONEncodeError: an object, key, integer or string that JSON cannot carry, more
            than 254 nested containers, or an exception in ``default`` (its cause).
        MemoryError: no memory for the output.
    """

def loads(obj: bytes | bytearray | memoryview | str, /) -> Any:
    """Deserialize JSON to Python objects.

    Args:
        obj: one document, UTF-8 if not ``str`` (RFC 8259). At most 1024 nested
            containers.

    Returns:
        ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` or ``None``. Integers
        beyond 64 bits are returned as the nearest ``float``; of equal keys the last one
        wins.

    Raises:
        JSONDecodeError: the input is not one JSON document, or of another type.
        MemoryError: no memory for the objects.
    """

@disjoint_base
class DecoderBase:
    """What ``snooze.Decoder`` is made of: a compiled plan and the call that runs it."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def decode(self, buf: bytes | bytearray | memoryview | str, /) -> Any:
        """Decode one document into the type.

        Args:
            buf: one document, UTF-8 if not ``str`` (RFC 8259).

        Raises:
            ValidationError: JSON that does not fit the type.
            JSONDecodeError: the input is not one JSON document, or of another type.
        """

    def _compile(self, description: tuple[Any, ...], /) -> None: ...

@disjoint_base
class EncoderBase:
    """What ``snooze.Encoder`` is made of: a compiled plan and the calls that run it."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def encode(self, obj: Any, /) -> bytes:
        """Encode one value as UTF-8.

        Raises:
            JSONEncodeError: a value that does not fit the type or that JSON cannot
                carry.
        """

    def encode_str(self, obj: Any, /) -> str:
        """Encode one value as ``str``."""

    def encode_into(self, obj: Any, buffer: bytearray, offset: int = 0) -> int:
        """Encode one value into a bytearray from ``offset`` on; return its new end."""

    def _compile(self, description: tuple[Any, ...], /) -> None: ...
