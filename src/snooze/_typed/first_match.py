"""`FirstMatch`: unions whose alternatives are tried in the order they are written.

Separate, because here a value is read or written more than once, and the cost of that
has to be bounded. Invariants: an attempt has no effect outside itself, except for calls
of the user's functions; a document cannot cause more than `ATTEMPTS` readings of its
bytes and 64 KiB, and a container is written once for each union, however deeply such
unions are nested. Made by `lower_decode` and `lower_encode`;
Rust calls the functions.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from snooze._snooze import DecoderBase, EncoderBase
from snooze._typed.errors import CheckFailed, ValidationError, fail
from snooze._typed.expected import expected_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._typed import model

#: All attempts inside one value may read this many times its bytes, and this many more.
ATTEMPTS, MORE = 64, 65_536
#: The most FirstMatch unions inside each other when encoding.
MAX_NESTED = 32
#: Classes whose values are written anew by each attempt, because that is cheap.
_SCALARS = frozenset((str, int, float, bool, type(None), bytes))


class _TooDeepError(TypeError):
    """Too many unions inside each other: no alternative can change that."""


class _Decoding(threading.local):
    """The attempts to decode that a thread is making."""

    #: FirstMatch unions inside each other.
    depth = 0
    #: The bytes of the value that the outermost of them reads.
    size = 0
    #: Bytes that may still be read.
    left = 0


class _Encoding(threading.local):
    """The attempts to encode that a thread is making."""

    depth = 0

    def __init__(self) -> None:
        #: The value, which stays alive, and what became of it, by the identities of
        #: union and value. So each value is written once for each union, however many
        #: attempts around it are made.
        self.known: dict[tuple[int, int], tuple[Any, Any]] = {}


_decoding = _Decoding()
_encoding = _Encoding()


class DecodeAttempts:
    """Reads the text of a value by the first alternative that accepts it."""

    def __init__(
        self, node: model.Ordered, lower: Callable[[model.Node], tuple[Any, ...]]
    ) -> None:
        """Compile nothing yet: an alternative may lead back to this union."""
        self.node = node
        self.lower = lower
        self.decoders: list[Any] = []

    def _compile(self) -> list[Any]:
        decoders = []
        for alternative in self.node.alternatives:
            decoder = DecoderBase()
            decoder._compile((*self.lower(alternative), fail))  # noqa: SLF001
            decoders.append(decoder)
        self.decoders = decoders
        return decoders

    def __call__(self, text: bytes) -> Any:
        """Return the value; ValueError if no alternative accepts the text."""
        decoders = self.decoders or self._compile()
        state = _decoding
        before = state.depth, state.size, state.left
        # A longer text is another document, which a function of the user decodes.
        is_outermost = state.depth == 0 or len(text) > state.size
        if is_outermost:
            state.size, state.left = len(text), ATTEMPTS * len(text) + MORE
        state.depth += 1
        problems = []
        try:
            for decoder in decoders:
                state.left -= len(text)
                if state.left < 0:
                    raise ValueError(
                        "FirstMatch unions inside each other: too many attempts"
                    )
                try:
                    return decoder.decode(text)
                except ValidationError as error:
                    problems.append(error.errors[0])
        finally:
            state.depth, state.size = before[:2]
            if is_outermost:
                state.left = before[2]
        if text[:1] not in {b"[", b"{"}:
            raise CheckFailed
        pairs = zip(self.node.alternatives, problems, strict=True)
        texts = [
            f"as {expected_text(alternative)}: expected {problem.expected}, "
            f"found {problem.found}" + (f" at {problem.path}" if problem.path else "")
            for alternative, problem in pairs
        ]
        raise ValueError("; ".join(texts))


class EncodeAttempts:
    """Writes a value by the first alternative that can write it."""

    def __init__(
        self,
        node: model.Ordered,
        lower: Callable[[model.Node], tuple[Any, ...]],
        *,
        is_indented: bool,
    ) -> None:
        """Compile nothing yet: an alternative may lead back to this union."""
        self.node = node
        self.lower = lower
        self.is_indented = is_indented
        self.encoders: list[Any] = []

    def _compile(self) -> list[Any]:
        encoders = []
        for alternative in self.node.alternatives:
            encoder = EncoderBase()
            encoder._compile(self.lower(alternative))  # noqa: SLF001
            encoders.append(encoder)
        self.encoders = encoders
        return encoders

    def __call__(self, value: Any) -> Any:
        """Return the JSON of the value, or None if no alternative can write it.

        With indentation, which depends on the place, the index of the alternative.
        """
        state = _encoding
        if state.depth >= MAX_NESTED:
            raise _TooDeepError(f"FirstMatch unions are more than {MAX_NESTED} deep")
        key = (id(self), id(value))
        if key in state.known:
            return state.known[key][1]
        state.depth += 1
        try:
            found = self._attempt(value)
            if type(value) not in _SCALARS:
                state.known[key] = (value, found)
            return found
        finally:
            state.depth -= 1
            if state.depth == 0:
                state.known.clear()

    def _attempt(self, value: Any) -> Any:
        for index, encoder in enumerate(self.encoders or self._compile()):
            try:
                text = encoder.encode(value)
            except _TooDeepError:
                raise
            except TypeError:
                continue
            return index if self.is_indented else text
        return None
