"""`FirstMatch`: unions whose alternatives are tried in the order they are written.

Separate, because here a value is read or written more than once, and the cost of that
has to be bounded. Invariants: an attempt has no effect outside itself, except for calls
of the user's functions; a document is read, and a value is written, at most about
`ATTEMPTS` times, however deeply such unions are nested. Made by `lower_decode` and
`lower_encode`; Rust calls the functions.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

from snooze._snooze import ConverterBase, DecoderBase, EncoderBase
from snooze._typed.errors import CheckFailed, ValidationError
from snooze._typed.expected import JSON, PYTHON, alternative_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze._typed import model
    from snooze._typed.errors import Problem
    from snooze._typed.expected import Words

#: All attempts inside one value may read it this many times, and this many bytes more.
ATTEMPTS, MORE_BYTES = 64, 65_536
#: All attempts inside one value may write it as many times, and this many values more.
MORE_VALUES = 10_000
#: Where counting the values of a container ends, which may contain itself.
MOST_COUNTED = 10_000_000
#: The most FirstMatch unions inside each other when encoding, because of the C stack.
MAX_NESTED = 32


class _TooManyError(TypeError):
    """Too many attempts: no further alternative can change that."""


class _Decoding(threading.local):
    """The attempts to decode that a thread is making."""

    #: FirstMatch unions inside each other.
    depth = 0
    #: The bytes of the value that the outermost of them reads.
    size = 0
    #: Bytes that may still be read.
    left = 0


class _Converting(threading.local):
    """The attempts to convert that a thread is making."""

    #: FirstMatch unions inside each other.
    depth = 0
    #: The object that the outermost of them converts.
    value: Any = None
    #: Values that may still be read; None until there is a second union.
    left: int | None = None


class _Counting(threading.local):
    """The attempts to encode that a thread is making."""

    def __init__(self) -> None:
        #: For each FirstMatch union that is open: how many values inside it the longest
        #: attempt so far has reached, and how many the current one.
        self.open: list[list[int]] = []
        #: Values reached for the first time, and again.
        self.new = self.again = 0

    def count(self) -> None:
        """Count a value; _TooManyError if too many were reached again."""
        is_new = True
        for entry in self.open:
            entry[1] += 1
            is_new &= entry[1] > entry[0]
        if is_new:
            self.new += 1
        else:
            self.again += 1
            if self.again > ATTEMPTS * self.new + MORE_VALUES:
                raise _TooManyError(
                    "FirstMatch unions inside each other: too many attempts"
                )

    @contextlib.contextmanager
    def attempts(self) -> Iterator[list[int]]:
        """Count a value and open its union; yields the counts of its attempts."""
        if not self.open:
            self.new = self.again = 0
        elif len(self.open) >= MAX_NESTED:
            raise _TooManyError(f"FirstMatch unions are more than {MAX_NESTED} deep")
        self.count()
        entry = [0, 0]
        self.open.append(entry)
        try:
            yield entry
        finally:
            self.open.pop()


_decoding = _Decoding()
_encoding = _Counting()
_converting = _Converting()


class _Attempts:
    """The codecs of the alternatives of a union."""

    def __init__(
        self, node: model.Ordered, lower: Callable[[model.Node], tuple[Any, ...]]
    ) -> None:
        """Compile nothing yet: an alternative may lead back to this union.

        `lower` returns the description of a codec.
        """
        self.node = node
        self.lower = lower
        self.compiled: list[Any] = []

    def codecs(self, base: Any) -> list[Any]:
        """Return a codec for each alternative."""
        if not self.compiled:
            compiled = []
            for alternative in self.node.alternatives:
                codec = base()
                codec._compile(self.lower(alternative))  # noqa: SLF001
                compiled.append(codec)
            self.compiled = compiled
        return self.compiled

    def refusals(self, problems: list[Problem], words: Words = JSON) -> str:
        """Return why each alternative refused a value."""
        names = alternative_texts(self.node, words)
        texts = [
            f"as {name}: expected {problem.expected}, found {problem.found}"
            + (f" at {problem.path}" if problem.path else "")
            for name, problem in zip(names, problems, strict=True)
        ]
        return "; ".join(texts)


class DecodeAttempts(_Attempts):
    """Reads the text of a value by the first alternative that accepts it."""

    def __call__(self, text: bytes) -> Any:
        """Return the value; ValueError if no alternative accepts the text."""
        state = _decoding
        before = state.depth, state.size, state.left
        # A longer text is another document, which a function of the user decodes.
        is_outermost = state.depth == 0 or len(text) > state.size
        if is_outermost:
            state.size, state.left = len(text), ATTEMPTS * len(text) + MORE_BYTES
        state.depth += 1
        problems = []
        try:
            for decoder in self.codecs(DecoderBase):
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
        raise ValueError(self.refusals(problems))


class ConvertAttempts(_Attempts):
    """Converts an object by the first alternative that accepts it."""

    def __call__(self, value: Any) -> Any:
        """Return the value; ValueError if no alternative accepts the object."""
        state = _converting
        is_outermost = state.depth == 0
        before = state.value, state.left
        if is_outermost:
            state.value, state.left = value, None
        elif state.left is None:
            # Only unions inside each other read a value again and again.
            size = _size(state.value, MOST_COUNTED)
            state.left = ATTEMPTS * size + MORE_BYTES
        state.depth += 1
        problems = []
        try:
            for converter in self.codecs(ConverterBase):
                if state.left is not None:
                    state.left -= _size(value, state.left + 1)
                    if state.left < 0:
                        raise ValueError(
                            "FirstMatch unions inside each other: too many attempts"
                        )
                try:
                    return converter.convert(value)
                except ValidationError as error:
                    problems.append(error.errors[0])
        finally:
            state.depth -= 1
            if is_outermost:
                state.value, state.left = before
        if type(value) not in {list, tuple, dict}:
            raise CheckFailed
        raise ValueError(self.refusals(problems, PYTHON))


def _size(value: Any, most: int) -> int:
    """Return the number of values in nested containers, or more than `most`."""
    size, left = 0, [value]
    while left and size <= most:
        one = left.pop()
        size += 1
        if type(one) is dict:
            left.extend(one.values())
        elif type(one) in {list, tuple, set, frozenset}:
            left.extend(one)
    return size


class EncodeAttempts(_Attempts):
    """Writes a value by the first alternative that can write it."""

    def __init__(
        self,
        node: model.Ordered,
        lower: Callable[[model.Node], tuple[Any, ...]],
        *,
        needs_index: bool,
    ) -> None:
        """Compile nothing yet."""
        super().__init__(node, lower)
        self.needs_index = needs_index

    def __call__(self, value: Any) -> Any:
        """Return the JSON of the value, or None if no alternative can write it.

        The index of the alternative if it is written once more: with indentation,
        which depends on the place, or with tokens (`to_builtins`).
        """
        with _encoding.attempts() as entry:
            for index, encoder in enumerate(self.codecs(EncoderBase)):
                try:
                    text = encoder.encode(value)
                except _TooManyError:
                    raise
                except TypeError:
                    entry[:] = max(entry), 0
                    continue
                return index if self.needs_index else text
        return None
