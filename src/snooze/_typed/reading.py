"""The options of `Decoder` that change how a document is read, whatever its type.

Separate from `plans`, because no type is analysed here, and imported only for a Decoder
that has such an option. Without a type the extension reads by these options itself.
With a type, a document is prepared for a Decoder without them: decoded, checked,
rewritten as JSON. Invariants: an option without a meaning is an error when the Decoder
is made; errors have their places in the document that the caller passed. Called by
`codecs`; the extension calls `_Prepared`.
"""

from __future__ import annotations

from json import detect_encoding
from typing import TYPE_CHECKING, Any

from snooze._decode_error import JSONDecodeError
from snooze._snooze import plain_json, source_offsets
from snooze._typed.errors import (
    Problem,
    ValidationError,
    _character_offset,
    _lines_and_columns,
)
from snooze._typed.options import check_choice
from snooze._typed.raw import Raw

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from snooze._typed.codecs import Buffer

#: The known values of each option that has names as values.
CHOICES: dict[str, tuple[str | None, ...]] = {
    "syntax": ("json", "jsonc", "json5"),
    "numbers": ("float", "decimal", "raw"),
    "nan": (None, "error", "accept"),
    "duplicates": ("last", "first", "error"),
    "surrogates": ("error", "replace", "keep"),
    "encoding": ("utf-8", "utf-8-sig", "detect"),
}
#: The deepest document that a Decoder without `max_depth`, or with a type, reads.
DEEPEST = 1024
#: The largest `max_depth`.
DEEPEST_UNTYPED = 1_000_000
#: What a type decides, and what these options therefore need `Any` for.
_UNTYPED: dict[str, tuple[Any, ...]] = {
    "numbers": ("decimal", "raw"),
    "nan": ("error", "accept"),
    "duplicates": ("first",),
    "surrogates": ("keep",),
}
_HOOKS = ("object_hook", "object_pairs_hook")
#: Options that only a type gives a meaning.
_TYPED = (
    "strict",
    "errors",
    "max_errors",
    "unknown",
    "rename",
    "skip",
    "dec_hook",
    "gc",
)


def check(tp: Any, options: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Check the options of a Decoder; `given` are those that are not defaults.

    Raises:
        TypeError: An option has the wrong type.
        ValueError: An option has an unknown value, or one that its type or another
            option leaves without a meaning.
    """
    _check_values(options)
    if options["object_hook"] is not None and options["object_pairs_hook"] is not None:
        raise ValueError(
            "object_hook and object_pairs_hook cannot be combined: use one of them"
        )
    if options["object_pairs_hook"] is not None and options["duplicates"] != "last":
        raise ValueError(
            f"duplicates={options['duplicates']!r} cannot be combined with "
            "object_pairs_hook, which gets all pairs"
        )
    untyped = is_untyped(tp, options)
    deepest = DEEPEST_UNTYPED if untyped else DEEPEST
    if options["max_depth"] is not None and options["max_depth"] > deepest:
        with_type = "" if untyped else " with a type or at"
        raise ValueError(
            f"max_depth={options['max_depth']} is too large: the most{with_type} is "
            f"{deepest}"
        )
    if untyped:
        _check_untyped(given)
    else:
        _check_typed(tp, options, given)


def _check_values(options: Mapping[str, Any]) -> None:
    """Check each option by itself."""
    for name, values in CHOICES.items():
        check_choice(name, options[name], values)
    for name in ("max_depth", "max_size"):
        _check_count(name, options[name])
    for name in _HOOKS:
        if options[name] is not None and not callable(options[name]):
            raise TypeError(f"{name} needs a callable, not {options[name]!r}")


def _check_untyped(given: Mapping[str, Any]) -> None:
    """Refuse options that only a type gives a meaning."""
    for name in _TYPED:
        if name in given:
            raise ValueError(
                f"{name} has no meaning without a type, and cannot be combined with "
                f"{_first(given)}"
            )


def _check_typed(tp: Any, options: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Refuse options that have no meaning with a type, or with `at`."""
    for name, values in _UNTYPED.items():
        if name in given and given[name] in values:
            _refuse(name, given[name], tp)
    for name in _HOOKS:
        if options[name] is not None:
            _refuse(name, options[name], tp)
    reads_all = options["max_depth"] is not None or options["duplicates"] == "error"
    if "skip" in given and (_rewrites(options) or reads_all):
        raise ValueError(
            "skip='fast' has no meaning with syntax, surrogates, duplicates or "
            "max_depth, which read all of the document"
        )


def _check_count(name: str, value: object) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} needs an int or None, not {value!r}")
    if value < 1:
        raise ValueError(f"{name}={value} is too small: it is 1 or more")


def _first(given: Mapping[str, Any]) -> str:
    return next(name for name in given if name not in _TYPED)


def _refuse(name: str, value: object, tp: Any) -> None:
    text = name if name in _HOOKS else f"{name}={value!r}"
    reason = "at" if tp is Any else "a type"
    if tp is not Any and name not in {"duplicates", "surrogates"}:
        reason += ", which says what values become"
    raise ValueError(f"{text} cannot be combined with {reason}")


def is_untyped(tp: Any, options: Mapping[str, Any]) -> bool:
    """Tell whether the extension reads the document by the options itself."""
    return tp is Any and options["at"] is None


def _rewrites(options: Mapping[str, Any]) -> bool:
    """Tell whether a Decoder with a type needs the document in another form."""
    return not (options["syntax"] == "json" and options["surrogates"] == "error")


def description(make: Callable[..., Any], tp: Any, options: dict[str, Any]) -> Any:
    """Return the description of a Decoder with such options; `make` makes Decoders."""
    # Exact str and int: the extension takes no subclass, such as a StrEnum.
    for name, values in CHOICES.items():
        options[name] = next(one for one in values if one == options[name])
    if options["max_depth"] is not None:
        options["max_depth"] = int(options["max_depth"])
    untyped = is_untyped(tp, options)
    if untyped and options["max_size"] is None and options["encoding"] == "utf-8":
        return _policies(options)
    return "function", _Prepared(make, tp, options, untyped=untyped)


def _policies(options: Mapping[str, Any]) -> Any:
    """Return the description of the extension's own walk."""
    numbers, nan = options["numbers"], options["nan"]
    cls: Any = None
    if numbers == "decimal":
        from decimal import Decimal  # noqa: PLC0415 - only if asked for

        cls = Decimal
    elif numbers == "raw":
        cls = Raw
    accepts = options["syntax"] == "json5" if nan is None else nan == "accept"
    pairs_hook = options["object_pairs_hook"]
    return (
        "policies",
        options["syntax"],
        options["surrogates"],
        accepts,
        numbers,
        cls,
        options["duplicates"],
        options["max_depth"] or DEEPEST,
        options["object_hook"] if pairs_hook is None else pairs_hook,
        pairs_hook is not None,
    )


class _Prepared:
    """Decodes a document that has to be prepared for a Decoder first."""

    def __init__(
        self,
        make: Callable[..., Any],
        tp: Any,
        options: dict[str, Any],
        *,
        untyped: bool,
    ) -> None:
        self._max_size = options["max_size"]
        self._encoding = options["encoding"]
        self._rules = options["syntax"], options["surrogates"]
        self._rewrites = not untyped and _rewrites(options)
        self._checker = None
        own = {"max_size", "encoding"}
        if not untyped:
            own |= {"syntax", "surrogates", "max_depth", "duplicates"}
            if options["max_depth"] is not None or options["duplicates"] == "error":
                names = ("syntax", "surrogates", "max_depth", "duplicates")
                # "raw": the type, not the checker, says which numbers fit.
                only = {name: options[name] for name in names}
                self._checker = make(Any, numbers="raw", **only)
        rest = {name: one for name, one in options.items() if name not in own}
        self._decoder = make(tp, **rest)

    def __call__(self, document: Buffer, discards: bool) -> Any:  # noqa: FBT001
        """Return the value of a document; with `discards` only check it."""
        decoder = self._decoder
        call = decoder.validate_only if discards else decoder.decode
        if not _is_document(document):
            return call(document)  # which refuses it
        if self._max_size is not None:
            _check_size(document, self._max_size)
        if self._encoding != "utf-8":
            document = _decoded(document, detect=self._encoding == "detect")
        if (self._rewrites or self._checker is not None) and isinstance(
            document, (bytearray, memoryview)
        ):
            document = bytes(document)  # read several times, must not change
        if self._checker is not None:
            self._checker.validate_only(document)
        if not self._rewrites:
            return call(document)
        plain = plain_json(document, *self._rules)
        try:
            return call(plain)
        except JSONDecodeError as error:
            moved = self._moved(error, plain, document)
            if moved is None:
                raise
            cause = error.__cause__
        raise moved from cause

    def _moved(
        self, error: JSONDecodeError, plain: bytes, document: Buffer
    ) -> JSONDecodeError | None:
        """Return an error of the rewritten document as one of the caller's."""
        text = plain.decode()
        if error.doc != text:
            return None
        original = (
            document if isinstance(document, str) else bytes(document).decode("utf-8")
        )
        if not isinstance(error, ValidationError):
            offset = len(text[: error.pos].encode())
            offset = source_offsets(document, *self._rules, (offset,))[0]
            place = _character_offset(original, offset)
            return JSONDecodeError(error.msg, original, place)
        wanted = tuple(sorted({problem.offset for problem in error.errors}))
        found = source_offsets(document, *self._rules, wanted)
        offsets = dict(zip(wanted, found, strict=True))
        places = _lines_and_columns(original, set(found))
        problems = []
        starts = error._places or [0] * len(error.errors)  # noqa: SLF001 - of errors
        for problem, at in zip(error.errors, starts, strict=True):
            offset = offsets[problem.offset]
            line, column = places[offset]
            before = f"(line {problem.line} column {problem.column})"
            after = f"(line {line} column {column})"
            text = problem.message
            message = text[:at] + text[at:].replace(before, after, 1)
            expected, kind = problem.expected, problem.found
            problems.append(
                Problem(problem.pointer, expected, kind, offset, line, column, message)
            )
        moved = ValidationError(problems, original, error.omitted)
        moved._paths = error._paths  # noqa: SLF001 - of errors
        moved._places = error._places  # noqa: SLF001 - of errors
        return moved


def _is_document(document: object) -> bool:
    """Tell whether the extension reads an object: no subclass but one of bytes."""
    if type(document) is memoryview:
        return document.c_contiguous
    return type(document) in {str, bytearray} or isinstance(document, bytes)


def _check_size(document: Buffer, most: int) -> None:
    """Raise if a document has more bytes than `most`."""
    if isinstance(document, str):
        size = len(document)
        if not document.isascii() and size <= most < 4 * size:
            size = len(document.encode("utf-8", "surrogatepass"))
    else:
        size = memoryview(document).nbytes
    if size > most:
        ascii_only = not isinstance(document, str) or document.isascii()
        more = "" if ascii_only else "at least "
        raise JSONDecodeError(
            f"document has {more}{size} bytes: max_size is {most}", "", 0
        )


def _decoded(document: Buffer, *, detect: bool) -> Buffer:
    """Return a document without a byte order mark, as str if it was not UTF-8."""
    if isinstance(document, str):
        return document.removeprefix("\ufeff")
    if type(document) is not bytes:
        # By its memory, not by the methods of a subclass.
        document = bytes(memoryview(document))
    encoding = detect_encoding(document) if detect else "utf-8-sig"
    if encoding in {"utf-8", "utf-8-sig"}:
        return document.removeprefix(b"\xef\xbb\xbf")
    try:
        # If there is a mark, it is the encoding that removes it.
        return document.decode(encoding)
    except UnicodeDecodeError as error:
        name = encoding.upper()
        raise JSONDecodeError(
            f"input is not valid {name}: {error.reason} at byte {error.start}", "", 0
        ) from None


def without_encoding(decoder: Any) -> Any:
    """Return a Decoder of the same type and options for text in UTF-8; it is kept."""
    found = getattr(decoder, "_without_encoding", None)
    if found is None:
        from snooze._typed.codecs import Decoder  # noqa: PLC0415 - which imports this

        options = dict(decoder._options)  # noqa: SLF001 - of a Decoder
        del options["encoding"]
        found = Decoder(decoder.type, **options)
        decoder._without_encoding = found  # noqa: SLF001 - the same
    return found


class Recoder:
    """Makes UTF-8 without a mark of the chunks of a text, by what its start shows."""

    def __init__(self, *, detect: bool) -> None:
        """Begin a text; without `detect` it is UTF-8, perhaps with a mark."""
        self._detects = detect
        self._start = b""
        #: Decodes UTF-16 or UTF-32; None of UTF-8, and before the start is known.
        self._decoder: Any = None
        self._encoding = ""
        #: The bytes of a mark that text in UTF-8 began with.
        self.left_out = 0

    def feed(self, chunk: bytes, *, is_last: bool) -> bytes:
        """Return what a chunk adds to the text, in UTF-8.

        Raises:
            JSONDecodeError: The text is not in its encoding.
        """
        if not self._encoding:
            chunk = self._start + chunk
            if len(chunk) < 4 and not is_last:
                self._start = chunk
                return b""
            self._encoding = detect_encoding(chunk) if self._detects else "utf-8"
            if self._encoding in {"utf-8", "utf-8-sig"}:
                text = chunk.removeprefix(b"\xef\xbb\xbf")
                self.left_out = len(chunk) - len(text)
                return text
            import codecs  # noqa: PLC0415 - only if needed

            self._decoder = codecs.getincrementaldecoder(self._encoding)()
        if self._decoder is None:
            return chunk
        try:
            decoded: str = self._decoder.decode(chunk, is_last)
        except UnicodeDecodeError as error:
            name = self._encoding.upper()
            raise JSONDecodeError(
                f"input is not valid {name}: {error.reason}", "", 0
            ) from None
        return decoded.encode()
