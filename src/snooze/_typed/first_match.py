"""`FirstMatch`: unions whose alternatives are tried in the order they are written.

Separate, because here a value is read or written more than once, and the cost of that
has to be bounded. Invariants: an attempt has no effect outside itself, except for calls
of the user's functions; a document cannot cause more than `ATTEMPTS` readings of its
bytes, however deeply such unions are nested. Made by `lower_decode` and `lower_encode`;
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
#: The most FirstMatch unions inside each other when encoding: each doubles the time.
MAX_NESTED = 12


class _State(threading.local):
    """The attempts that a thread is making."""

    #: FirstMatch unions inside each other.
    depth = 0
    #: Bytes that may still be read.
    left = 0


_state = _State()


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
        if _state.depth == 0:
            _state.left = ATTEMPTS * len(text) + MORE
        _state.depth += 1
        problems = []
        try:
            for decoder in decoders:
                _state.left -= len(text)
                if _state.left < 0:
                    raise ValueError(
                        "FirstMatch unions inside each other: too many attempts"
                    )
                try:
                    return decoder.decode(text)
                except ValidationError as error:
                    problems.append(error.errors[0])
        finally:
            _state.depth -= 1
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
    """Finds the first alternative that can write a value."""

    def __init__(
        self, node: model.Ordered, lower: Callable[[model.Node], tuple[Any, ...]]
    ) -> None:
        """Compile nothing yet: an alternative may lead back to this union."""
        self.node = node
        self.lower = lower
        self.encoders: list[Any] = []

    def _compile(self) -> list[Any]:
        encoders = []
        for alternative in self.node.alternatives:
            encoder = EncoderBase()
            encoder._compile(self.lower(alternative))  # noqa: SLF001
            encoders.append(encoder)
        self.encoders = encoders
        return encoders

    def __call__(self, value: Any) -> int | None:
        """Return the index of the alternative, or None."""
        encoders = self.encoders or self._compile()
        if _state.depth >= MAX_NESTED:
            raise TypeError(f"FirstMatch unions are more than {MAX_NESTED} deep")
        _state.depth += 1
        try:
            for index, encoder in enumerate(encoders):
                try:
                    encoder.encode(value)
                except TypeError:
                    continue
                return index
        finally:
            _state.depth -= 1
        return None
