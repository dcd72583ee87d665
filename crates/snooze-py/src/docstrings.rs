//! The docstrings of what Python sees: `help()` shows them.
//!
//! Separate because they are long. Invariant: each text is that of `src/snooze/_snooze.pyi`, the
//! master copy (tests/contract/test_docstrings.py compares them), after the signature that CPython
//! reads.

use core::ffi::CStr;

pub(crate) const FRAGMENT: &CStr = cr#"Fragment(contents, /)
--

JSON text that ``dumps`` copies into its output as it is.

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
    b'[{"ready": 1},2]'"#;

pub(crate) const DUMPS: &CStr = cr#"dumps(obj, /, default=None, option=None)
--

Serialize Python objects to JSON.

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
    b'{"7":2,"b":1}'"#;

pub(crate) const DUMPS_STR: &CStr = cr#"dumps_str(obj, /, default=None, option=None)
--

Serialize Python objects to JSON, as a ``str``.

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
    '{"name":"Zoë"}'"#;

pub(crate) const LOADS: &CStr = cr#"loads(obj, /)
--

Deserialize JSON to Python objects.

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
    snooze.JSONDecodeError: trailing comma is not allowed: line 1 column 3 (char 2)"#;

pub(crate) const CPU_TIERS: &CStr = cr#"cpu_tiers()
--

Return the sets of processor features that snooze has code for.

Returns:
    A dict with the names of the tiers, slowest first: ``compiled``, those in this
    build; ``runnable``, those of them that this processor supports; ``active``, the
    one in use. The environment variable ``SNOOZE_CPU`` (``scalar``, ``v128``,
    ``avx2`` or ``avx512``), set before the first import, lowers ``active``.

Examples:
    >>> import snooze
    >>> tiers = snooze.cpu_tiers()
    >>> tiers["active"] in tiers["runnable"]
    True"#;

pub(crate) const JSON_DUMPS: &CStr =
    cr#"json_dumps(obj, item_separator, key_separator, indent, ensure_ascii, sort_keys, default, /)
--

Return the text of ``json.dumps``, or raise.

``snooze.json`` calls this. It raises ``TypeError`` for everything that Python's own
code has to write. ``default`` is None, or a tuple of the function, a list, and another
function. Each object and its result are appended to the list; if the function raised an
exception, the object, the exception and None. The other function gets a result that is
not simple, and the number of open containers; it returns JSON that stands for the result,
as ``bytes``, or None. No other Python code runs. DEL is not escaped.

If ``default`` is True, no function is called. The result is None if there is an object for
one, and everything else could be written."#;

pub(crate) const REFORMAT: &CStr =
    cr#"reformat(obj, item_separator, key_separator, indent, ensure_ascii, newline, /)
--

Return a document in another style as ``bytes``.

``snooze.reformat`` calls this."#;

pub(crate) const CANONICALIZE: &CStr = cr#"canonicalize(obj, /)
--

Return the canonical form of a document as ``bytes`` (RFC 8785).

``snooze.canonical`` calls this."#;

pub(crate) const PLAIN_JSON: &CStr = cr#"plain_json(obj, syntax, surrogates, /)
--

Return a document of another syntax as JSON, in ``bytes``.

Decoders with a type and ``syntax`` or ``surrogates`` call this."#;

pub(crate) const SOURCE_OFFSETS: &CStr = cr#"source_offsets(obj, syntax, surrogates, offsets, /)
--

Return the byte offsets in a document of ascending offsets in its ``plain_json``.

Decoders with a type and ``syntax`` or ``surrogates`` call this."#;

pub(crate) const ARRAY_CUTS: &CStr = cr#"array_cuts(document, size, /)
--

Return the offsets of the brackets of an array and of commas between its items.

The commas are about ``size`` bytes apart. ``None`` if there is none, or if the
document is no array. Decoders with ``threads`` call this."#;

pub(crate) const JOIN_LISTS: &CStr = cr#"join_lists(lists, /)
--

Return a list of the items of all lists in a list, which are empty then.

Decoders with ``threads`` call this."#;

pub(crate) const PATH_AT: &CStr = cr#"path_at(document, position, /)
--

Return the names and indices that lead to the value at a position of a ``str``.

``JSONDecodeError.pointer`` calls this."#;

pub(crate) const NAME_DECODE_ERROR: &CStr = cr#"name_decode_error(class_, /)
--

Name the class ``JSONDecodeError``, which errors are raised of from then on.

Its module calls this when it is loaded; the first class that is named stays."#;

pub(crate) const JSON_LOADS: &CStr = cr#"json_loads(obj, /)
--

Return the value of ``json.loads``, or raise.

``snooze.json`` calls this. It raises ``JSONDecodeError`` for everything that
Python's own code has to read, such as an integer beyond 64 bits."#;

pub(crate) const DECODER: &CStr =
    cr#"The base of ``snooze.Decoder``: a compiled plan and the method to run it."#;

pub(crate) const DECODE: &CStr = cr#"decode($self, buf, /)
--

Decode one JSON document into a value of the type.

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
    {'a': 1}"#;

pub(crate) const ENCODER: &CStr =
    cr#"The base of ``snooze.Encoder``: a compiled plan and the methods to run it."#;

pub(crate) const ENCODE: &CStr = cr#"encode($self, obj, /)
--

Encode one value as JSON.

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
    b'[1,2.5]'"#;

pub(crate) const ENCODE_STR: &CStr = cr#"encode_str($self, obj, /)
--

Encode one value as JSON, as ``str``.

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
    '[1,2.5]'"#;

pub(crate) const ENCODE_INTO: &CStr = cr#"encode_into($self, obj, buffer, offset=0)
--

Encode one value as JSON into a bytearray.

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
    (bytearray(b'[1,2][3]'), 8)"#;

pub(crate) const VALIDATE_ONLY: &CStr = cr#"validate_only($self, buf, /)
--

Check that one JSON document fits the type, without a result.

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
    snooze.ValidationError: expected int, found str at $.a (line 1 column 7)"#;

pub(crate) const CONVERTER: &CStr =
    cr#"The base of ``snooze.Converter``: a compiled plan and the method to run it."#;

pub(crate) const CONVERT: &CStr = cr#"convert($self, obj, /)
--

Convert one object into a value of the type.

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
    {1: 2.0}"#;

pub(crate) const ENCODE_CANONICAL: &CStr =
    c"_encode_canonical($self, obj, /)\n--\n\nEncode for `canonical`, with an encoder that sorts members.";

pub(crate) const ENCODE_KEPT: &CStr =
    c"_encode_kept($self, obj, /)\n--\n\nEncode for `to_builtins`: text, and the objects that have tokens in it.";

pub(crate) const DECODE_KEPT: &CStr =
    c"_decode_kept($self, pair, /)\n--\n\nDecode what `_encode_kept` of an encoder returned.";

pub(crate) const ENCODE_LINES: &CStr = cr#"_encode_lines($self, iterator, limit, /)
--

Write each item as a line, until the text has `limit` bytes.

Returns the text, the number of its lines, and the exception that ended it or None,
with True if the iterator raised it."#;

pub(crate) const DECODE_LINES: &CStr = cr#"_decode_lines($self, text, start, number, /)
--

Read each line from the byte `start` on, where line `number` begins.

Returns the values, where the first line with an error begins and its number, and its
exception; None at the end of the text."#;

pub(crate) const DECODE_ITEMS: &CStr = cr#"_decode_items($self, text, marks, number, /)
--

Read the items that `items_feed` returned, after the first `number`.

Returns the values, where the first item with an error begins and its number from 1, and
its exception; None at the end."#;

pub(crate) const COMPILE: &CStr =
    c"_compile($self, description, /)\n--\n\nSet the plan, if there is none yet.";

pub(crate) const SCAN_SCHEMA: &CStr = cr#"scan_schema(fields, /)
--

Return an ``arrow_schema`` capsule of these columns.

``snooze.scan`` calls this. A column is ``(name, format, nullable, extension,
children)``, with Arrow's format strings and the name of its extension type."#;

pub(crate) const SCAN_FIELDS: &CStr = cr#"scan_fields(capsule, /)
--

Return the columns of an ``arrow_schema`` capsule, as `scan_schema` takes them.

``snooze.scan`` calls this. It raises ``TypeError`` for a type that JSON is not read
into."#;

pub(crate) const SCAN_OPEN: &CStr =
    cr#"scan_open(fields, sources, ranges, chosen, options, trial, /)
--

Return the capsules of a new stream and of its problems.

``snooze.scan`` calls this. A source is ``(name, kind, path or buffer)``, a range
``(source, start, end)``, a filter ``(columns, steps)``; the options are
``(on_error, checks_all, refuses_others, selects, has_rest, piece, threads, limit,
has_empty)``. With a trial, ``(room, progress)``, all batches are read now, and the
result is None if a record does not fit, if reading fails, or if the batches need
more bytes than ``room``. ``progress`` is called with the bytes read so far."#;

pub(crate) const SCAN_NEXT: &CStr = cr#"scan_next(stream, /)
--

Return the next batch of a stream, or None at its end.

``snooze.scan`` calls this. A batch is ``(arrow_array capsule, rows)``; a failure is
``(errno, text)``."#;

pub(crate) const SCAN_PROBLEMS: &CStr = cr#"scan_problems(capsule, /)
--

Return ``(count, problems, last)`` of a stream.

``snooze.scan`` calls this. A problem is ``(source, line, offset, path, expected,
found, text)``; the last one ended the scan."#;

pub(crate) const SCAN_PROGRESS: &CStr = cr#"scan_progress(capsule, /)
--

Return ``(bytes, rows)``: how far a stream has come.

``snooze.scan`` calls this, with the capsule of the problems."#;

pub(crate) const SCAN_INFER: &CStr =
    cr#"scan_infer(sources, ranges, columns, checking, is_text, threads, progress, /)
--

Return the columns for all records of these ranges, and whether one was wrong.

``snooze.scan`` calls this. ``checking`` is "unchecked" (only what must be read),
"while reading" or "before reading": then a wrong record adds no column.
With ``is_text``, columns in which types drift are JSON text. ``progress`` is called
with the bytes seen so far. A failure is ``(errno, text)``."#;

pub(crate) const LINES_OPEN: &CStr = cr#"lines_open(source, array, options, /)
--

Return the writer of a stream, or of one array with its schema.

``snooze.write_lines`` calls this. The source is an ``arrow_array_stream`` capsule, or an
``arrow_schema`` capsule before an ``arrow_array`` one; both are emptied. The options are
``(omits_nulls, refuses_nan, quotes_decimals)``. A failure is ``(errno, text)``."#;

pub(crate) const LINES_NEXT: &CStr = cr#"lines_next(writer, /)
--

Return the lines of the next rows, or None at the end.

``snooze.write_lines`` calls this. A piece is ``(text, rows)``; a failure is ``(errno,
text)``."#;

pub(crate) const LINES_CLOSE: &CStr = cr#"lines_close(writer, /)
--

Release what a writer reads from.

``snooze.write_lines`` calls this."#;

pub(crate) const BLOCKS_OPEN: &CStr = cr#"blocks_open(style, bounded, /)
--

Return a document that comes in blocks, of which nothing has come.

The command line calls this. The style is ``(item separator, key separator, indent or None,
ASCII only)``. If ``bounded``, a number with a point or an exponent that is beyond the range
of a double is a fault."#;

pub(crate) const BLOCKS_CHECK: &CStr = cr#"blocks_check(document, block, /)
--

Check the next block.

The command line calls this. Returns the offset of the fault, or one before the next block
where a fault may still be found, or None."#;

pub(crate) const BLOCKS_END: &CStr = cr#"blocks_end(document, /)
--

End the document; return what is wrong with it, or None.

The command line calls this. A fault is ``(message, offset, line, column)``; the offset is
in bytes, and None if the text is not UTF-8; the others begin with 1."#;

pub(crate) const BLOCKS_RESTYLE: &CStr = cr#"blocks_restyle(document, block, start, /)
--

Return the text of a block in the style, and the offset where it goes on.

The command line calls this, until the offset is the end of the block. The first one is
``start``."#;

pub(crate) const ITEMS_OPEN: &CStr = cr#"items_open(pointer, /)
--

Return a document that comes in blocks, of which the items of one array are wanted.

``Decoder.iter_items`` calls this, with the tokens of the pointer in UTF-8."#;

pub(crate) const ITEMS_FEED: &CStr = cr#"items_feed(document, block, /)
--

Read the next block; return the items that it ends.

``Decoder.iter_items`` calls this. Returns their text; of each, in four integers of 64 bits,
its end there and offset, line and column in the document; None if the array has begun, else
how many tokens of the pointer name a value, or the kind of what is no array, with its offset,
line and column; the size so far of the item that the block cuts, likewise; and the fault, as
``items_end``."#;

pub(crate) const ITEMS_END: &CStr = cr#"items_end(document, /)
--

End the document; return what is wrong with it, or None.

``Decoder.iter_items`` calls this. A fault is as that of ``blocks_end``."#;

pub(crate) const ITEMS_INDICES: &CStr = cr#"items_indices(document, /)
--

Return for each token of the pointer whether it is the index of an array.

``Decoder.iter_items`` calls this for the place of an error, as far as the way was found."#;

pub(crate) const PARTS_OPEN: &CStr = cr#"parts_open(bounded, /)
--

Return a document that comes in blocks, of which the parts are wanted.

If `bounded`, a number beyond the range of a double is a fault, unless it is an integer.

``PartialDocument`` calls this."#;

pub(crate) const PARTS_FEED: &CStr = cr#"parts_feed(document, block, /)
--

Read the next block; return the parts that it completes.

``PartialDocument`` calls this. Returns a byte for each part: ``n`` for a name, ``v`` for a
value, ``i`` for items and ``m`` for members with their commas, or the bracket; the texts of
all but brackets, those of names without quotes; and the fault, as ``parts_end``."#;

pub(crate) const PARTS_CUT: &CStr = cr#"parts_cut(document, start, /)
--

Return the value that the last block cuts, or None.

``PartialDocument`` calls this. Returns whether it is a string, and its text so far, from
the byte ``start`` on; of a number only the whole text, for 0."#;

pub(crate) const PARTS_PLACE: &CStr = cr#"parts_place(document, block, index, /)
--

Return the offset, line and column of a value of the latest block, by the number of its part.

``PartialDocument`` calls this for a value that cannot be read."#;

pub(crate) const PARTS_END: &CStr = cr#"parts_end(document, /)
--

End the document; return what is wrong with it, or None.

``PartialDocument`` calls this. A fault is as that of ``blocks_end``."#;
