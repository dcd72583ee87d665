"""The extension module. Import from ``snooze`` instead.

The docstrings here are the master copies: the extension module holds the same texts,
and tests/contract/test_docstrings.py compares them.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, Self, TypeAlias, TypedDict, final

from typing_extensions import disjoint_base

__version__: Final[str]
"""The version of snooze, such as "0.1.0"."""

checked: Final[bool]
"""Whether this build asserts each write; only test builds do."""

OPT_APPEND_NEWLINE: Final[int]
"""End the output with a newline."""

OPT_INDENT_2: Final[int]
"""Indent by two spaces, as ``json.dumps(indent=2)`` does."""

OPT_NAIVE_UTC: Final[int]
"""Write a ``datetime`` without ``tzinfo`` as UTC, with ``+00:00``."""

OPT_NON_STR_KEYS: Final[int]
"""Accept dict keys that are not ``str``.

They are ``int``, ``float``, ``bool``, ``None``, ``datetime``, ``date``, ``time``,
``UUID``, enums, and subclasses of ``str``.
"""

OPT_OMIT_MICROSECONDS: Final[int]
"""Leave out the fraction of a second of ``datetime`` and ``time``."""

OPT_PASSTHROUGH_DATACLASS: Final[int]
"""Pass dataclasses to ``default``."""

OPT_PASSTHROUGH_DATETIME: Final[int]
"""Pass ``datetime``, ``date`` and ``time`` to ``default``."""

OPT_PASSTHROUGH_SUBCLASS: Final[int]
"""Pass instances of subclasses of built-in types to ``default``."""

OPT_SERIALIZE_DATACLASS: Final[int]
"""Has no effect: dataclasses are always serialized. Kept for old programs."""

OPT_SERIALIZE_NUMPY: Final[int]
"""Serialize numpy arrays and scalars."""

OPT_SERIALIZE_UUID: Final[int]
"""Has no effect: ``UUID`` is always serialized. Kept for old programs."""

OPT_SORT_KEYS: Final[int]
"""Sort the members of each dict by the code points of their names."""

OPT_STRICT_INTEGER: Final[int]
"""Refuse integers that do not fit in 53 bits, which JavaScript would round."""

OPT_UTC_Z: Final[int]
"""Write ``Z`` instead of ``+00:00``."""

JSONEncodeError = TypeError

@final
class Fragment:
    """JSON text that ``dumps`` copies into its output as it is.

    Use it for parts of a document that are serialized already, such as cached values.
    In typed codecs use ``Raw``: an ``Encoder`` writes a fragment only where the type is
    ``Any``.

    Args:
        contents: One JSON value. ``bytes`` must be UTF-8 and are copied without a
            check; ``str`` must not contain lone surrogates. An object of another type
            raises ``JSONEncodeError`` when the fragment is written.

    Examples:
        >>> import snooze
        >>> snooze.dumps([snooze.Fragment(b'{"ready": 1}'), 2])
        b'[{"ready": 1},2]'
    """

    def __new__(cls, contents: bytes | str, /) -> Fragment: ...

class _CpuTiers(TypedDict):
    compiled: tuple[str, ...]
    runnable: tuple[str, ...]
    active: str

def cpu_tiers() -> _CpuTiers:
    """Return the sets of processor features that snooze has code for.

    Returns:
        A dict with the names of the tiers, slowest first: ``compiled``, those in this
        build; ``runnable``, those of them that this processor supports; ``active``, the
        one in use. The environment variable ``SNOOZE_CPU`` (``scalar``, ``v128``,
        ``avx2`` or ``avx512``), set before the first import, lowers ``active``.

    Examples:
        >>> import snooze
        >>> tiers = snooze.cpu_tiers()
        >>> tiers["active"] in tiers["runnable"]
        True
    """

def dumps(
    obj: Any,
    /,
    default: Callable[[Any], Any] | None = None,
    option: int | None = None,
) -> bytes:
    """Serialize Python objects to JSON.

    Args:
        obj: A ``str``, ``int``, ``float``, ``bool``, ``None``, ``list``, ``tuple``,
            ``dict``, dataclass, enum, ``datetime``, ``date``, ``time``, ``UUID``,
            ``Fragment`` or ``Raw``, an instance of a subclass of ``str``, ``int``,
            ``list`` or ``dict``, or, with ``OPT_SERIALIZE_NUMPY``, a numpy array or
            scalar.
        default: Called with each object of another type. Returns an object that is
            serialized instead, or raises an exception. Default None: such an object is
            an error.
        option: ``OPT_*`` constants joined with ``|``. Default None: no option.

    Returns:
        The JSON text (RFC 8259) in UTF-8, compact unless indented. NaN and
        infinities are written as ``null``.

    Raises:
        JSONEncodeError: JSON cannot represent an object, key, integer or string,
            containers are nested more than 254 deep, or ``default`` raised an
            exception, which is the ``__cause__``.
        MemoryError: There is no memory for the output.

    Examples:
        >>> import datetime, decimal, snooze
        >>> snooze.dumps({"day": datetime.date(2026, 11, 21), "sizes": [1, 2.5, None]})
        b'{"day":"2026-11-21","sizes":[1,2.5,null]}'
        >>> snooze.dumps([decimal.Decimal("1.10")], default=str)
        b'["1.10"]'
        >>> option = snooze.OPT_SORT_KEYS | snooze.OPT_NON_STR_KEYS
        >>> snooze.dumps({"b": 1, 7: 2}, option=option)
        b'{"7":2,"b":1}'
    """

def dumps_str(
    obj: Any,
    /,
    default: Callable[[Any], Any] | None = None,
    option: int | None = None,
) -> str:
    """Serialize Python objects to JSON, as a ``str``.

    Everything is as with ``dumps``, which is faster: use that where ``bytes`` will do.

    Args:
        obj: As for ``dumps``.
        default: As for ``dumps``.
        option: As for ``dumps``.

    Returns:
        The JSON text (RFC 8259), compact unless indented.

    Raises:
        JSONEncodeError: As ``dumps``.
        MemoryError: There is no memory for the output.

    Examples:
        >>> import snooze
        >>> snooze.dumps_str({"name": "Zoë"})
        '{"name":"Zoë"}'
    """

def loads(obj: bytes | bytearray | memoryview | str, /) -> Any:
    """Deserialize JSON to Python objects.

    Args:
        obj: One document (RFC 8259) as exactly ``bytes``, ``bytearray``, ``memoryview``
            (C-contiguous) or ``str``; UTF-8 if not ``str``. At most 1024 nested
            containers.

    Returns:
        A ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` or ``None``.
        Integers from -2^63 to 2^64 - 1 are ``int``, others the nearest ``float``.
        Duplicate keys: the last wins, silently.

    Raises:
        JSONDecodeError: The input is not one JSON document, or has a wrong type.
        MemoryError: There is no memory for the objects.

    Examples:
        >>> import snooze
        >>> snooze.loads(b'{"a": [1, 2.5, null]}')
        {'a': [1, 2.5, None]}
        >>> snooze.loads("[1,]")
        Traceback (most recent call last):
            ...
        snooze.JSONDecodeError: trailing comma is not allowed: line 1 column 3 (char 2)
    """

def json_dumps(
    obj: Any,
    item_separator: str,
    key_separator: str,
    indent: str | None,
    ensure_ascii: bool,
    sort_keys: bool,
    default: tuple[Callable[[Any], Any], list[Any], Callable[[Any, int], bytes | None]]
    | Literal[True]
    | None,
    /,
) -> Any:
    """Return the text of ``json.dumps``, or raise.

    ``snooze.json`` calls this. It raises ``TypeError`` for everything that Python's own
    code has to write. ``default`` is None, or a tuple of the function, a list, and
    another function. Each object and its result are appended to the list; if the
    function raised an exception, the object, the exception and None. The other function
    gets a result that is not simple, and the number of open containers; it returns JSON
    that stands for the result, as ``bytes``, or None. No other Python code runs. DEL is
    not escaped.

    If ``default`` is True, no function is called. The result is None if there is an
    object for one, and everything else could be written.
    """

def reformat(
    obj: bytes | bytearray | memoryview | str,
    item_separator: str,
    key_separator: str,
    indent: str | None,
    ensure_ascii: bool,
    newline: bool,
    /,
) -> bytes:
    """Return a document in another style as ``bytes``.

    ``snooze.reformat`` calls this.
    """

def canonicalize(obj: bytes | bytearray | memoryview | str, /) -> bytes:
    """Return the canonical form of a document as ``bytes`` (RFC 8785).

    ``snooze.canonical`` calls this.
    """

def plain_json(
    obj: bytes | bytearray | memoryview | str, syntax: str, surrogates: str, /
) -> bytes:
    """Return a document of another syntax as JSON, in ``bytes``.

    Decoders with a type and ``syntax`` or ``surrogates`` call this.
    """

def source_offsets(
    obj: bytes | bytearray | memoryview | str,
    syntax: str,
    surrogates: str,
    offsets: tuple[int, ...],
    /,
) -> tuple[int, ...]:
    """Return the byte offsets in a document of ascending offsets in its ``plain_json``.

    Decoders with a type and ``syntax`` or ``surrogates`` call this.
    """

def array_cuts(document: bytes, size: int, /) -> tuple[int, ...] | None:
    """Return the offsets of the brackets of an array and of commas between its items.

    The commas are about ``size`` bytes apart. ``None`` if there is none, or if the
    document is no array. Decoders with ``threads`` call this.
    """

def join_lists(lists: list[list[Any]], /) -> list[Any]:
    """Return a list of the items of all lists in a list, which are empty then.

    Decoders with ``threads`` call this.
    """

def path_at(document: str, position: int, /) -> tuple[str | int, ...]:
    """Return the names and indices that lead to the value at a position of a ``str``.

    ``JSONDecodeError.pointer`` calls this.
    """

def name_decode_error(class_: type, /) -> None:
    """Name the class ``JSONDecodeError``, which errors are raised of from then on.

    Its module calls this when it is loaded; the first class that is named stays.
    """

def json_loads(obj: bytes | bytearray | memoryview | str, /) -> Any:
    """Return the value of ``json.loads``, or raise.

    ``snooze.json`` calls this. It raises ``JSONDecodeError`` for everything that
    Python's own code has to read, such as an integer beyond 64 bits.
    """

@disjoint_base
class DecoderBase:
    """The base of ``snooze.Decoder``: a compiled plan and the method to run it."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def decode(self, buf: bytes | bytearray | memoryview | str, /) -> Any:
        """Decode one JSON document into a value of the type.

        Args:
            buf: One document (RFC 8259) as ``bytes``, ``bytearray``, ``memoryview`` or
                ``str``; UTF-8 if not ``str``. At most 1024 nested containers.

        Returns:
            A value of the type.

        Raises:
            ValidationError: The document is JSON, but does not fit the type.
            JSONDecodeError: The input is not one JSON document, or has a wrong type.
            MemoryError: There is no memory for the objects.

        Examples:
            >>> import snooze
            >>> snooze.Decoder(dict[str, int]).decode(b'{"a": 1}')
            {'a': 1}
        """

    def validate_only(self, buf: bytes | bytearray | memoryview | str, /) -> None:
        """Check that one JSON document fits the type, without a result.

        The same as ``decode``, but faster: instances, lists and dicts are not made,
        unless the type calls Python code (``__post_init__``, hooks, ``Via``, sets),
        which gets all values.

        Args:
            buf: One document, as for ``decode``.

        Raises:
            ValidationError: The document is JSON, but does not fit the type.
            JSONDecodeError: The input is not one JSON document, or has a wrong type.
            MemoryError: There is no memory for the objects.

        Examples:
            >>> import snooze
            >>> snooze.Decoder(dict[str, int]).validate_only(b'{"a": 1}')
            >>> snooze.Decoder(dict[str, int]).validate_only(b'{"a": "1"}')
            Traceback (most recent call last):
                ...
            snooze.ValidationError: expected int, found str at $.a (line 1 column 7)
        """

    def _decode_kept(self, pair: tuple[bytes, tuple[Any, ...]], /) -> Any: ...
    def _decode_lines(
        self, text: bytes, start: int, number: int, /
    ) -> tuple[list[Any], int, int, Exception | None]: ...
    def _decode_items(
        self, text: bytes, marks: bytes, number: int, /
    ) -> tuple[list[Any], int, int, Exception | None]: ...
    def _compile(self, description: tuple[Any, ...], /) -> None: ...

@disjoint_base
class ConverterBase:
    """The base of ``snooze.Converter``: a compiled plan and the method to run it."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def convert(self, obj: Any, /) -> Any:
        """Convert one object into a value of the type.

        Args:
            obj: What ``loads`` would return, or other objects: mappings, sequences,
                rows, instances. At most 1024 nested containers.

        Returns:
            A value of the type. Objects that fit it are kept; lists, dicts and sets are
            new.

        Raises:
            ValidationError: The object does not fit the type.
            MemoryError: There is no memory for the objects.

        Examples:
            >>> import snooze
            >>> snooze.Converter(dict[int, float]).convert({"1": 2})
            {1: 2.0}
        """

    def _compile(self, description: tuple[Any, ...], /) -> None: ...

@disjoint_base
class EncoderBase:
    """The base of ``snooze.Encoder``: a compiled plan and the methods to run it."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self: ...
    def encode(self, obj: Any, /) -> bytes:
        """Encode one value as JSON.

        Args:
            obj: A value of the type.

        Returns:
            The JSON text in UTF-8, compact unless the options say otherwise.

        Raises:
            JSONEncodeError: A value does not fit the type, JSON cannot represent it, or
                containers are nested more than 1024 deep.
            MemoryError: There is no memory for the output.

        Examples:
            >>> import snooze
            >>> snooze.Encoder(list[float]).encode([1, 2.5])
            b'[1,2.5]'
        """

    def encode_str(self, obj: Any, /) -> str:
        """Encode one value as JSON, as ``str``.

        Args:
            obj: A value of the type.

        Returns:
            The JSON text, compact unless the options say otherwise.

        Raises:
            JSONEncodeError: A value does not fit the type, JSON cannot represent it, or
                containers are nested more than 1024 deep.
            MemoryError: There is no memory for the output.

        Examples:
            >>> import snooze
            >>> snooze.Encoder(list[float]).encode_str([1, 2.5])
            '[1,2.5]'
        """

    def encode_into(self, obj: Any, buffer: bytearray, offset: int = 0) -> int:
        """Encode one value as JSON into a bytearray.

        The text replaces the bytes from the offset on, and the bytearray grows if the
        text does not fit. Bytes after the text stay as they are. If encoding fails, the
        bytearray is unchanged.

        Args:
            obj: A value of the type.
            buffer: The bytearray to write to.
            offset: The index of the first byte that is written. Default 0.

        Returns:
            The offset after the text, where a next text would begin.

        Raises:
            JSONEncodeError: A value does not fit the type, JSON cannot represent it, or
                containers are nested more than 1024 deep.
            TypeError: The buffer is not a bytearray, or the offset is not an int.
            ValueError: The offset is negative, or after the end of the bytearray.
            BufferError: A memoryview of the bytearray exists.
            MemoryError: There is no memory for the output.

        Examples:
            >>> import snooze
            >>> encoder = snooze.Encoder(list[int])
            >>> buffer = bytearray()
            >>> end = encoder.encode_into([1, 2], buffer)
            >>> end = encoder.encode_into([3], buffer, end)
            >>> buffer, end
            (bytearray(b'[1,2][3]'), 8)
        """

    def _encode_canonical(self, obj: Any, /) -> bytes: ...
    def _encode_kept(self, obj: Any, /) -> tuple[bytes, tuple[Any, ...]]: ...
    def _encode_lines(
        self, iterator: Iterator[Any], limit: int, /
    ) -> tuple[bytes, int, Exception | None, bool]: ...
    def _compile(self, description: tuple[Any, ...], /) -> None: ...

#: The place of a problem: source, line, offset, pointer, expected, found, text.
_Found: TypeAlias = tuple[int, int | None, int, str, str, str, bytes | None]
#: What is at an offset, line and column of a document in blocks.
_Placed: TypeAlias = tuple[int | str, int, int, int]
#: A fault of a document in blocks: message, offset, line, column.
_Fault: TypeAlias = tuple[str, int | None, int, int]
#: A column: name, format, nullable, extension, children.
_Column: TypeAlias = tuple[str, str, bool, str | None, tuple[Any, ...]]

# The rest is for snooze's own Python code; their docstrings are in the extension only.

# Called by `snooze._scan`.
def scan_schema(fields: tuple[_Column, ...], /) -> Any: ...
def scan_fields(capsule: Any, /) -> tuple[_Column, ...]: ...
def scan_open(
    fields: tuple[_Column, ...],
    sources: tuple[tuple[str, str, Any], ...],
    ranges: tuple[tuple[int, int, int], ...],
    chosen: tuple[tuple[_Column, ...], tuple[tuple[Any, ...], ...]] | None,
    options: tuple[str, bool, bool, bool, bool, int, int, int | None, bool],
    trial: tuple[int, Callable[[int], object] | None] | None,
    /,
) -> tuple[Any, Any] | None: ...
def scan_next(stream: Any, /) -> tuple[Any, int] | tuple[int, str] | None: ...
def scan_problems(capsule: Any, /) -> tuple[int, tuple[_Found, ...], _Found | None]: ...
def scan_progress(capsule: Any, /) -> tuple[int, int]: ...
def scan_infer(
    sources: tuple[tuple[str, str, Any], ...],
    ranges: tuple[tuple[int, int, int], ...],
    columns: tuple[str, ...] | None,
    checking: str,
    is_text: bool,
    threads: int,
    progress: Callable[[int], object] | None,
    /,
) -> tuple[tuple[_Column, ...], bool] | tuple[int, str]: ...
def lines_open(
    source: Any, array: Any, options: tuple[bool, bool, bool], /
) -> Any | tuple[int, str]: ...
def lines_next(writer: Any, /) -> tuple[bytes, int] | tuple[int, str] | None: ...
def lines_close(writer: Any, /) -> None: ...

# Called by `snooze._cli.blocks`.
def blocks_open(style: tuple[str, str, str | None, bool], bounded: bool, /) -> Any: ...
def blocks_check(document: Any, block: bytes, /) -> int | None: ...
def blocks_end(document: Any, /) -> _Fault | None: ...
def blocks_restyle(document: Any, block: bytes, start: int, /) -> tuple[bytes, int]: ...

# Called by `snooze._typed.items`.
def items_open(pointer: tuple[bytes, ...], /) -> Any: ...
def items_feed(
    document: Any, block: bytes, /
) -> tuple[bytes, bytes, _Placed | None, _Placed, _Fault | None]: ...
def items_end(document: Any, /) -> _Fault | None: ...
def items_indices(document: Any, /) -> tuple[bool, ...]: ...

# Called by `snooze._typed.partial`.
def parts_open(bounded: bool, /) -> Any: ...
def parts_feed(
    document: Any, block: bytes, /
) -> tuple[bytes, tuple[bytes, ...], _Fault | None]: ...
def parts_place(document: Any, block: bytes, index: int, /) -> tuple[int, int, int]: ...
def parts_cut(document: Any, start: int, /) -> tuple[bool, bytes] | None: ...
def parts_end(document: Any, /) -> _Fault | None: ...
