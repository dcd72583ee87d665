"""`PartialDocument`: a document whose text arrives in pieces, and its value so far.

Separate from `items`, which hands out finished items: this has one value, that grows.
The extension checks the text and finds what is complete (`parts_feed`); the lists and
dicts are built here. Invariants: each piece is looked at once, however long the
document has become; the value shows nothing that may still change, except a string that
grows; at the end it is what `decode` returns for the whole text. Part of `import
snooze`, so it imports the rest when it is called.
"""

from __future__ import annotations

from snooze import _snooze
from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T, resolved
from snooze._typed.unset import UNSET

if TYPE_CHECKING:
    import re

    from snooze._typed.codecs import Buffer

#: The kinds of parts.
_NAME, _VALUE, _ARRAY, _OBJECT = b"nv[{"
#: More than any text has.
_ALL = 2**31 - 1


class PartialReader(Generic[T]):
    """The method of a Decoder that reads a document while it arrives."""

    __slots__ = ()

    def partial(self) -> PartialDocument[T]:
        """Begin a document whose text arrives in pieces.

        Returns:
            A `PartialDocument`: `feed` it the pieces, look at its `value` at any time,
            and `close` it for what `decode` returns.

        Raises:
            ValueError: The Decoder has an option that this does not read by: `syntax`,
                `nan`, `surrogates`, `encoding`.

        Examples:
            >>> import snooze
            >>> answer = snooze.Decoder(dict[str, list[int]]).partial()
            >>> answer.feed('{"primes": [2, 3, ')
            >>> answer.value
            {'primes': [2, 3]}
            >>> answer.feed("5]}")
            >>> answer.close()
            {'primes': [2, 3, 5]}
        """
        from snooze._typed.codecs import Decoder  # noqa: PLC0415 - it imports this
        from snooze._typed.items import check_plain  # noqa: PLC0415 - not at import time

        decoder: Any = self
        options = decoder._options  # noqa: SLF001 - of a Decoder
        check_plain("partial", options)
        is_plain = decoder._type is resolved(Any) and not options  # noqa: SLF001 - likewise
        return PartialDocument(decoder, None if is_plain else Decoder())


class PartialDocument(Generic[T]):
    """A document that arrives in pieces; `Decoder.partial` makes it.

    `value` shows at any time what has come: of a language model's answer, for example.
    A member appears when its value begins, and a string grows; a number, `true`,
    `false` or `null` appears when its end is known.

    Examples:
        >>> import snooze
        >>> answer = snooze.Decoder().partial()
        >>> for piece in ['{"title": "Sno', 'oze", "pages": 1', "2", "}"]:
        ...     answer.feed(piece)
        ...     print(answer.value)
        {'title': 'Sno'}
        {'title': 'Snooze'}
        {'title': 'Snooze'}
        {'title': 'Snooze', 'pages': 12}
        >>> answer.close()
        {'title': 'Snooze', 'pages': 12}
    """

    __slots__ = (
        "_characters",
        "_decode",
        "_decoder",
        "_document",
        "_is_closed",
        "_is_cut",
        "_name",
        "_open",
        "_pieces",
        "_text",
        "_top",
        "_undecoded",
        "_unread",
        "_whole",
    )
    __module__ = "snooze"

    def __init__(self, decoder: Any, plain: Any) -> None:
        """Begin a document; `Decoder.partial` calls this.

        `plain` reads the parts if `decoder` cannot.
        """
        from snooze._chunks import whole  # noqa: PLC0415 - not at import time

        self._whole = whole
        self._characters = _characters()
        self._decoder = decoder
        self._decode = (plain or decoder).decode
        self._document = _snooze.parts_open()
        #: The text so far, for a decoder that reads it as a whole.
        self._pieces: list[bytes] | None = None if plain is None else []
        #: The value is its only item.
        self._top: list[Any] = []
        #: The containers that are open, and the name of the next member.
        self._open: list[Any] = [self._top]
        self._name = ""
        #: Whether the last value is a string that has not ended.
        self._is_cut = False
        #: The text of that string, the bytes of it that have no meaning yet, and how
        #: many bytes were taken from the extension.
        self._text, self._undecoded, self._unread = "", b"", 0
        self._is_closed = False

    def feed(self, piece: Buffer, /) -> None:
        """Add a piece of the text, which may end anywhere.

        Args:
            piece: bytes, bytearray, memoryview or str.

        Raises:
            JSONDecodeError: The text is not JSON; `lineno` and `colno` are the place,
                `doc` is empty. `value` stays; more cannot be added.
            TypeError: The piece is of another type.
            ValueError: The document is closed, or has failed before.
        """
        data = self._whole(piece)
        if self._is_closed:
            raise ValueError("feed: the document is closed, or has failed before")
        self._is_closed = True  # unless all of this succeeds
        if self._pieces is not None:
            self._pieces.append(data)
        kinds, texts, fault = _snooze.parts_feed(self._document, data)
        self._add(kinds, texts)
        if fault is not None:
            self._raise(fault)
        self._is_closed = False

    @property
    def value(self) -> Any:
        """What has come of the value, as `loads` would return it; `UNSET` before that.

        The lists and dicts are the same objects each time, and grow: copy what you keep
        or change (``copy.deepcopy``). They follow no type and no option of the Decoder.
        """
        self._show_string()
        return self._top[0] if self._top else UNSET

    @property
    def is_complete(self) -> bool:
        """Whether the value has ended, so that only white space may follow.

        A number that is the whole document has its end with `close`.
        """
        if not self._top or len(self._open) > 1:
            return False
        return _snooze.parts_cut(self._document, _ALL) is None

    def close(self) -> T:
        """End the document.

        Returns:
            What `decode` of the Decoder returns for the whole text: an instance of its
            type, by all of its options. Without these, the object of `value`.

        Raises:
            JSONDecodeError: The text is not complete. `value` stays.
            ValidationError: The document does not fit the type.
            ValueError: The document is closed, or has failed before.
        """
        if self._is_closed:
            raise ValueError("close: the document is closed, or has failed before")
        self._show_string()
        self._is_closed = True
        fault = _snooze.parts_end(self._document)
        if fault is not None:
            self._raise(fault)
        cut = _snooze.parts_cut(self._document, 0)
        if cut is not None:
            self._put(self._decode(cut[1]))
        if self._pieces is None:
            result: T = self._top[0]
            return result
        data = b"".join(self._pieces)
        self._pieces = []
        decoded: T = self._decoder.decode(data)
        return decoded

    def _add(self, kinds: bytes, texts: tuple[bytes, ...]) -> None:
        """Add parts to the value."""
        decode, text = self._decode, iter(texts)
        for kind in kinds:
            if kind == _VALUE:
                self._put(decode(next(text)))
            elif kind == _NAME:
                self._name = decode(b'"%b"' % next(text))
            elif kind in (_ARRAY, _OBJECT):
                container: Any = [] if kind == _ARRAY else {}
                self._put(container)
                self._open.append(container)
            else:
                self._open.pop()

    def _put(self, value: Any) -> None:
        """Add the next value to the innermost container."""
        self._set(value)
        self._is_cut = False
        self._text, self._undecoded, self._unread = "", b"", 0

    def _set(self, value: Any) -> None:
        """Set the value that is next, or the string that has grown."""
        container = self._open[-1]
        if type(container) is dict:
            container[self._name] = value
        elif self._is_cut:
            container[-1] = value
        else:
            container.append(value)

    def _show_string(self) -> None:
        """Put the text of a string that has not ended into its place."""
        if self._is_closed:
            return
        cut = _snooze.parts_cut(self._document, self._unread)
        if cut is None or not cut[0]:
            return
        self._unread += len(cut[1])
        # Without the quote that it begins with.
        new = self._undecoded + cut[1] if self._is_cut else cut[1][1:]
        found = self._characters.match(new)
        end = 0 if found is None else found.end()
        self._undecoded = new[end:]
        self._text += self._decode(b'"%b"' % new[:end])
        self._set(self._text)
        self._is_cut = True

    @staticmethod
    def _raise(fault: tuple[str, int | None, int, int]) -> None:
        from snooze._typed.items import error_of  # noqa: PLC0415 - only after a fault

        raise error_of(fault)


def _characters() -> re.Pattern[bytes]:
    """Return the pattern of characters and escapes of a string that are whole."""
    import re  # noqa: PLC0415 - not at import time

    return re.compile(
        rb"(?:[^\\\x80-\xff]++"
        rb"|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
        rb"|\\(?:[^u]|u(?![dD][89abAB])[0-9a-fA-F]{4}"
        rb"|u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}))*+"
    )
