"""`PartialDocument`: a document whose text arrives in pieces, and its value so far.

Separate from `items`, which hands out finished items: this has one value, that grows.
The extension checks the text and finds what is complete (`parts_feed`); the lists and
dicts are built here. Invariants: each piece is read once, however long the document has
become; the value shows nothing that may still change, except a string that grows; at
the end it is what `decode` returns for the whole text. Part of `import snooze`, so it
imports the rest when it is called.
"""

from __future__ import annotations

from _thread import RLock
from functools import cache
from itertools import pairwise

from snooze import _snooze
from snooze._decode_error import JSONDecodeError
from snooze._typed.lazy_typing import TYPE_CHECKING, Any, Generic, T, resolved
from snooze._typed.unset import UNSET

if TYPE_CHECKING:
    import re
    from typing import Literal, NoReturn

    from snooze._typed.codecs import Buffer

#: The kinds of parts.
_NAME, _VALUE, _ITEMS, _MEMBERS, _ARRAY, _OBJECT = b"nvim[{"
#: What makes a document of the text of a part that has values.
_DOCUMENTS = {_VALUE: b"%b", _ITEMS: b"[%b]", _MEMBERS: b"{%b}"}
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
            ValueError: The Decoder has an option that this method does not support:
                `syntax`, `nan`, `surrogates`, `encoding`, a `max_depth` above 1024.

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
        from snooze._typed.items import check_plain  # noqa: PLC0415 - not at import time

        decoder: Any = self
        options = decoder._options  # noqa: SLF001 - of a Decoder
        check_plain("partial", options)
        is_plain = decoder._type is resolved(Any) and not options  # noqa: SLF001 - likewise
        reader = None if is_plain else _decoder("float")
        return PartialDocument(decoder, reader, options.get("max_size"))


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
        "_is_complete",
        "_is_cut",
        "_is_empty",
        "_lock",
        "_name",
        "_open",
        "_pieces",
        "_room",
        "_taken",
        "_top",
        "_undecoded",
        "_whole",
    )
    __module__ = "snooze"

    def __init__(self, decoder: Any, reader: Any, max_size: int | None) -> None:
        """Begin a document; `Decoder.partial` calls this.

        `reader` reads the parts if `decoder` needs the whole text.
        """
        from snooze._chunks import whole  # noqa: PLC0415 - not at import time

        self._lock = RLock()
        self._whole = whole
        self._characters = _characters()
        self._decoder = decoder
        self._decode = (reader or decoder).decode
        #: The text so far, for a decoder that needs the whole.
        self._pieces: list[bytes] | None = None if reader is None else []
        #: How many more bytes are read.
        self._room = max_size
        self._document = _snooze.parts_open(reader is None)
        #: The value is its only item.
        self._top: list[Any] = []
        #: The containers that are open, and the name of the next member.
        self._open: list[Any] = [self._top]
        self._name = ""
        #: Whether the last value is a string that has not ended.
        self._is_cut = False
        #: The bytes of that string that have no meaning yet, and how many were taken
        #: from the extension, with the quote that it begins with.
        self._undecoded, self._taken = b"", 1
        self._is_closed = self._is_complete = False
        self._is_empty = True

    def feed(self, piece: Buffer, /) -> None:
        """Add a piece of the text, which may end anywhere.

        Args:
            piece: bytes, bytearray, memoryview or str.

        Raises:
            JSONDecodeError: The text is not JSON, or longer than `max_size`; `lineno`
                and `colno` are the place. `value` still shows what came before the
                fault, perhaps without the last value; more cannot be added.
            TypeError: The piece is of another type.
            ValueError: The document is closed, or has failed before.
        """
        data = self._whole(piece)
        with self._lock:
            if self._is_closed:
                raise ValueError("feed: the document is closed, or has failed before")
            self._is_closed = True  # unless all of this succeeds
            self._is_empty = self._is_empty and not data
            if self._pieces is not None:
                self._pieces.append(data)
            if self._room is not None:
                self._room -= len(data)
                if self._room < 0:
                    self._decode_all()  # raises the error of `max_size`
            kinds, texts, fault = _snooze.parts_feed(self._document, data)
            self._add(kinds, texts, data)
            if fault is not None:
                self._raise(fault)
            self._is_closed = False

    @property
    def value(self) -> Any:
        """What has come of the value; `UNSET` before it begins.

        It has the objects that ``Decoder().decode`` makes, whatever the type and the
        options of the Decoder; with these, a number that no float or int holds is its
        text, a `Raw`. The lists and dicts are the same objects each time, and grow:
        copy what you keep or change (``copy.deepcopy``). A string that grows is copied
        if you still hold it.
        """
        with self._lock:
            self._show_string()
            return self._top[0] if self._top else UNSET

    @property
    def is_complete(self) -> bool:
        """Whether the value has ended, so that only white space may follow.

        A number that is the whole document has its end with `close`. False after an
        error.
        """
        with self._lock:
            if self._is_closed or not self._top or len(self._open) > 1:
                return self._is_complete
            return _snooze.parts_cut(self._document, _ALL) is None

    def close(self) -> T:
        """End the document.

        Returns:
            What `decode` of the Decoder returns for the whole text: an instance of its
            type, by all of its options. Without these, the object of `value`.

        Raises:
            JSONDecodeError: The text is not complete, or refused by an option such as
                `duplicates` or `max_depth`. `value` stays as it was.
            ValidationError: The document does not fit the type.
            ValueError: The document is closed, or has failed before.
        """
        with self._lock:
            if self._is_closed:
                raise ValueError("close: the document is closed, or has failed before")
            self._show_string()
            self._is_closed = True
            if self._is_empty:
                _snooze.loads(b"")  # raises its error
            fault = _snooze.parts_end(self._document)
            if fault is not None:
                self._raise(fault)
            number = self._cut_text()
            if number:
                self._add(b"v", (number,), number)
        # Hooks run without the lock.
        result: T = self._top[0] if self._pieces is None else self._decode_all()
        self._is_complete = True
        return result

    def __reduce__(self) -> NoReturn:
        """Refuse to copy or pickle, because a copy would share what grows."""
        raise TypeError("a PartialDocument cannot be copied or pickled; copy its value")

    def _decode_all(self) -> Any:
        """Decode the whole text."""
        pieces, self._pieces = self._pieces or [], None
        return self._decoder.decode(b"".join(pieces))

    def _cut_text(self) -> bytes:
        """Return the text of a value that has not ended: of a number at the end."""
        cut = _snooze.parts_cut(self._document, 0)
        return b"" if cut is None else cut[1]

    def _add(self, kinds: bytes, texts: tuple[bytes, ...], piece: bytes) -> None:
        """Add the parts that a piece completes to the value."""
        decode, text = self._decode, iter(texts)
        for index, kind in enumerate(kinds):
            if kind in _DOCUMENTS:
                document = _DOCUMENTS[kind] % next(text)
                try:
                    value = decode(document)
                except JSONDecodeError as error:
                    if self._pieces is None:
                        self._move(error, piece, index, kind)
                        raise
                    # The type may read such a number, at the end.
                    value = self._readable(_decoder("raw").decode(document))
                if kind == _VALUE:
                    self._put(value)
                elif kind == _MEMBERS:
                    self._open[-1].update(value)
                else:
                    if self._is_cut:
                        self._open[-1].pop()  # the first one is whole now
                    self._open[-1] += value
                    self._forget_cut()
            elif kind == _NAME:
                self._name = decode(b'"%b"' % next(text))
            elif kind in (_ARRAY, _OBJECT):
                container: Any = [] if kind == _ARRAY else {}
                self._put(container)
                self._open.append(container)
            else:
                self._open.pop()

    def _readable(self, value: Any) -> Any:
        """Return a value whose numbers are text, with those that can be read."""
        top = [value]
        containers: list[Any] = [top]
        while containers:
            container = containers.pop()
            is_object = type(container) is dict
            places = container.items() if is_object else enumerate(container)
            for place, one in places:
                if isinstance(one, bytes):
                    try:
                        container[place] = self._decode(one)
                    except JSONDecodeError:
                        continue  # it stays text
                elif type(one) in (dict, list):
                    containers.append(one)
        return top[0]

    def _move(self, error: Any, piece: bytes, index: int, kind: int) -> None:
        """Name the place of a value that `_decode` refuses: a number that is too long.

        It is in the part `index` of a piece, which has a kind.
        """
        offset, line, column = _snooze.parts_place(self._document, piece, index)
        path = self._path()
        if kind != _VALUE:
            # They were decoded in brackets.
            *path, first = path
            offset, column = offset - 1, column - 1
        if kind == _ITEMS:
            paths = [(first + steps[0], *steps[1:]) for steps in error._paths]  # noqa: SLF001 - of the package
            error._paths = paths  # noqa: SLF001 - likewise
        error._move_into(path, offset, (line, column))  # noqa: SLF001 - likewise

    def _path(self) -> list[Any]:
        """Return the steps to the next value."""
        path: list[Any] = []
        for outer, inner in pairwise(self._open[1:]):
            if type(outer) is dict:
                path.append(next(name for name in outer if outer[name] is inner))
            else:
                path.append(len(outer) - 1)
        innermost = self._open[-1]
        if innermost is not self._top:
            is_object = type(innermost) is dict
            path.append(self._name if is_object else len(innermost) - self._is_cut)
        return path

    def _put(self, value: Any) -> None:
        """Add the next value to the innermost container."""
        container = self._open[-1]
        if type(container) is dict:
            container[self._name] = value
        elif self._is_cut:
            container[-1] = value
        else:
            container.append(value)
        self._forget_cut()

    def _forget_cut(self) -> None:
        """Note that the string that was cut is whole."""
        self._is_cut = False
        self._undecoded, self._taken = b"", 1

    def _show_string(self) -> None:
        """Put the text of a string that has not ended into its place."""
        if self._is_closed:
            return
        cut = _snooze.parts_cut(self._document, self._taken)
        if cut is None or not cut[0]:
            return
        new = self._undecoded + cut[1]
        found = self._characters.match(new)
        end = 0 if found is None else found.end()
        text = self._decode(b'"%b"' % new[:end])
        container = self._open[-1]
        name = self._name if type(container) is dict else -1
        if self._is_cut:
            # The only reference, so that the text can grow in place.
            shown = container[name]
            container[name] = ""
            try:
                shown += text
            except MemoryError:
                # It is lost; the next time, all of it is taken again.
                self._undecoded, self._taken = b"", 1
                raise
            container[name] = shown
        elif name == -1:
            container.append(text)
        else:
            container[name] = text
        self._is_cut = True
        self._undecoded = new[end:]
        self._taken += len(cut[1])

    @staticmethod
    def _raise(fault: tuple[str, int | None, int, int]) -> None:
        from snooze._typed.items import error_of  # noqa: PLC0415 - only after a fault

        raise error_of(fault)


@cache
def _decoder(numbers: Literal["float", "raw"]) -> Any:
    """Return a Decoder without a type."""
    from snooze._typed.codecs import Decoder  # noqa: PLC0415 - it imports this

    return Decoder(numbers=numbers)


def _characters() -> re.Pattern[bytes]:
    """Return the pattern of characters and escapes of a string that are whole."""
    import re  # noqa: PLC0415 - not at import time

    # UTF-8 as in RFC 3629, section 4; escapes as in RFC 8259, section 7.
    return re.compile(
        rb"""(?x:
          [^\\"\x00-\x1f\x80-\xff]++
        | [\xc2-\xdf][\x80-\xbf]
        | \xe0[\xa0-\xbf][\x80-\xbf] | \xed[\x80-\x9f][\x80-\xbf]
        | [\xe1-\xec\xee\xef][\x80-\xbf]{2}
        | \xf0[\x90-\xbf][\x80-\xbf]{2} | \xf4[\x80-\x8f][\x80-\xbf]{2}
        | [\xf1-\xf3][\x80-\xbf]{3}
        | \\["\\/bfnrt]
        | \\u(?:[0-9a-cA-CefEF][0-9a-fA-F]{3} | [dD][0-7][0-9a-fA-F]{2})
        | \\u[dD][89abAB][0-9a-fA-F]{2} \\u[dD][c-fC-F][0-9a-fA-F]{2}
        )*+"""
    )
