"""`Raw`: the JSON text of a value that is not decoded.

Separate, because plans, the model and users name it. Invariant: a `Raw` that a Decoder
makes has been validated; one that users make is written unchecked. Made by decode plans
and by users.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Buffer


class Raw(bytes):
    """The JSON text of one value, kept as bytes and not decoded.

    Use it as the type of a field to decode that part of a document later, with
    `snooze.decode(raw, T)`, or to write it back unchanged. A Decoder checks the text as
    JSON (RFC 8259). An Encoder copies it as it is: a `Raw` that you make yourself, of
    bytes or str, must hold one JSON value.

    Examples:
        >>> import dataclasses, snooze
        >>> @dataclasses.dataclass
        ... class Envelope:
        ...     kind: str
        ...     body: snooze.Raw
        >>> envelope = snooze.decode(b'{"kind": "n", "body": [1, 2]}', Envelope)
        >>> envelope.body
        Raw(b'[1, 2]')
        >>> snooze.decode(envelope.body, list[int])
        [1, 2]
        >>> snooze.encode(envelope)
        b'{"kind":"n","body":[1, 2]}'
        >>> snooze.encode([snooze.Raw('{"made": "elsewhere"}')])
        b'[{"made": "elsewhere"}]'
    """

    __slots__ = ()
    __module__ = "snooze"

    def __new__(cls, text: Buffer | str = b"", /) -> Self:
        """Return the text, as UTF-8.

        Raises:
            TypeError: The text is neither str nor bytes.
            UnicodeEncodeError: The text has surrogates.
        """
        if isinstance(text, str):
            return super().__new__(cls, str.encode(text))
        try:
            return super().__new__(cls, memoryview(text))
        except TypeError:
            raise TypeError(
                f"expected JSON text as str or bytes, found {type(text).__name__}: "
                "snooze.encode makes text of other values"
            ) from None

    def __repr__(self) -> str:
        """Return the call that makes an equal instance."""
        return f"Raw({bytes(self)!r})"
