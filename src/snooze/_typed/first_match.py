"""`FirstMatch`: unions whose alternatives are tried in the order they are written.

Separate, because here a value is read or written more than once, and the cost of that
has to be bounded. Invariants: an attempt has no effect outside itself, except for calls
of the user's functions; a document is read, and a value is written, at most about
`ATTEMPTS` times, however deeply such unions are nested. `one_shot` keeps what an
iterator gives for all attempts: a list in its place would not have the form that its
own class may have. Made by `lower_decode` and `lower_encode`; Rust calls the functions.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict, defaultdict, deque
from typing import TYPE_CHECKING, Any

from snooze._decode_error import JSONDecodeError
from snooze._snooze import ConverterBase, DecoderBase, EncoderBase
from snooze._typed.errors import CheckFailed, ValidationError
from snooze._typed.expected import JSON, PYTHON, alternative_texts, python_text
from snooze._typed.one_shot import FinalError, reading_once, reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze._typed import model
    from snooze._typed.errors import Problem
    from snooze._typed.expected import Words

#: All attempts inside one value may read it this many times, and this many bytes more.
ATTEMPTS, MORE_BYTES = 64, 16_384
#: What an attempt costs beside the size of its value: in bytes, in values of objects.
COST_BYTES, COST_VALUES = 32, 8
#: All attempts inside one value may write it as many times, and this many values more.
MORE_VALUES = 10_000
#: Where counting the values of a container ends, which may contain itself.
MOST_COUNTED = 10_000_000
#: The most FirstMatch unions inside each other when encoding, because of the C stack.
MAX_NESTED = 32
#: The containers whose values are counted.
_OBJECTS = {dict, OrderedDict, defaultdict}
_ARRAYS = {list, tuple, set, frozenset, deque, type({}.values())}


class _TooManyError(FinalError):
    """Too many attempts."""


class _Budget(threading.local):
    """What the attempts of a thread to read may cost: bytes, or values of objects."""

    #: What is added to the size of each attempt's value.
    cost = COST_BYTES

    def __init__(self) -> None:
        #: For each FirstMatch union that is open, the outermost first: its size, or
        #: that of the unions in it if an attempt has reached more; and the size of
        #: those that the current attempt has reached. They are more where a size
        #: cannot be known: in objects of other classes, in what functions of the user
        #: decode or convert.
        self.open: list[list[int]] = []
        #: The sizes that all attempts together have read, and may read.
        self.used = self.limit = 0

    def begin(self, size: int) -> list[int]:
        """Open a union; returns its sizes."""
        if not self.open:
            self.used, self.limit = 0, ATTEMPTS * size + MORE_BYTES
        entry = [size, 0]
        self.open.append(entry)
        return entry

    def attempt(self, entry: list[int], size: int) -> None:
        """Begin an attempt of the innermost union; ValueError if it is one too many."""
        entry[0], entry[1] = max(entry), 0
        self.used += size + self.cost
        if self.used > self.limit:
            whole = 0
            for known, reached in reversed(self.open):
                whole = max(known, reached + whole)
            self.limit = ATTEMPTS * whole + MORE_BYTES
            if self.used > self.limit:
                raise ValueError(
                    "FirstMatch unions inside each other: too many attempts"
                )

    def end(self) -> None:
        """Close the innermost union."""
        entry = self.open.pop()
        if self.open:
            self.open[-1][1] += max(entry)


class _Converting(_Budget):
    """The attempts of a thread to convert."""

    cost = COST_VALUES
    #: The object that the outermost union converts, until there is a second union.
    value: Any = None

    def size(self, value: Any) -> int:
        """Return the size of an object that a union is going to convert."""
        if not self.open:
            # Only unions inside each other read a value again and again.
            self.value = value
            return 0
        if self.value is not None:
            outermost = _size(self.value, MOST_COUNTED)
            self.value = None
            self.open[0][0] = outermost
            self.limit = ATTEMPTS * outermost + MORE_BYTES
        return _size(value, self.limit - self.used + 1)

    def end(self) -> None:
        """Close the innermost union."""
        super().end()
        if not self.open:
            self.value = None


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
        except FinalError as error:
            if len(self.open) > 1:
                raise
            raise TypeError(str(error)) from error.__cause__
        finally:
            self.open.pop()
            if not self.open:
                reads.forget()


_decoding = _Budget()
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
                plan = self.lower(alternative)
                if base is EncoderBase:
                    plan = reading_once(plan)
                codec._compile(plan)  # noqa: SLF001
                compiled.append(codec)
            self.compiled = compiled
        return self.compiled

    def refusals(self, reasons: list[Problem | str], words: Words = JSON) -> str:
        """Return why each alternative refused a value."""
        names = alternative_texts(self.node, words)
        pairs = zip(names, reasons, strict=True)
        return "; ".join(f"as {name}: {_text(reason)}" for name, reason in pairs)


def _text(reason: Problem | str) -> str:
    """Return the first problem of an alternative, or why it cannot read the text."""
    if isinstance(reason, str):
        return reason
    text = f"expected {reason.expected}, found {reason.found}"
    return f"{text} at {reason.pointer}" if reason.pointer else text


class DecodeAttempts(_Attempts):
    """Reads the text of a value by the first alternative that accepts it."""

    def __call__(self, text: bytes) -> Any:
        """Return the value; ValueError if no alternative accepts the text."""
        budget, size = _decoding, len(text)
        entry = budget.begin(size)
        problems: list[Problem | str] = []
        try:
            for decoder in self.codecs(DecoderBase):
                budget.attempt(entry, size)
                try:
                    return decoder.decode(text)
                except ValidationError as error:
                    problems.append(error.errors[0])
                except JSONDecodeError as error:
                    # The text is JSON: it has a number that no double of `Any` holds.
                    problems.append(error.msg)
        finally:
            budget.end()
        if text[:1] not in {b"[", b"{"}:
            raise CheckFailed
        raise ValueError(self.refusals(problems))


class ConvertAttempts(_Attempts):
    """Converts an object by the first alternative that accepts it."""

    def __call__(self, value: Any) -> Any:
        """Return the value; ValueError if no alternative accepts the object."""
        budget = _converting
        size = budget.size(value)
        entry = budget.begin(size)
        problems: list[Problem | str] = []
        try:
            for converter in self.codecs(ConverterBase):
                budget.attempt(entry, size)
                try:
                    return converter.convert(value)
                except ValidationError as error:
                    problems.append(error.errors[0])
        finally:
            budget.end()
        if type(value) not in {list, tuple, dict}:
            raise CheckFailed
        raise ValueError(self.refusals(problems, PYTHON))


def _size(value: Any, most: int) -> int:
    """Return the number of values in nested containers, or more than `most`."""
    size, left = 0, [value]
    while left and size <= most:
        one = left.pop()
        size += 1
        if type(one) in _OBJECTS:
            left.extend(one.values())
        elif type(one) in _ARRAYS:
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
            visits = reads.visits.copy()
            for index, encoder in enumerate(self.codecs(EncoderBase)):
                try:
                    text = encoder.encode(value)
                except FinalError:
                    raise
                except TypeError as error:
                    if reads.has_refused(error):
                        raise self.refusal(error) from None
                    entry[:] = max(entry), 0
                    reads.visits = visits.copy()
                    continue
                return index if self.needs_index else text
        return None

    def refusal(self, error: TypeError) -> FinalError:
        """Return the error for an iterator that cannot be read once more."""
        # An encoder adds the place, unless `enc_hook` would have got the iterator.
        place = f" at {error.path}" if hasattr(error, "path") else ""
        return FinalError(
            f"{reads.refusal}{place} in the value of {python_text(self.node)}: "
            f"{reads.reason}; pass a list"
        )
