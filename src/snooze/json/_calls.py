"""The calls of ``default`` while compiled code writes a document for `snooze.json`.

Separate because ``default`` may change the document. Invariants: it is called by
compiled code only after that has found that it can write the document; a result that it
cannot write is written in its place by Python's own code; each object goes to it once,
also if Python's own code has to begin again. Used by `snooze.json`.
"""

from __future__ import annotations

import json as _standard

from snooze._snooze import json_dumps as _write
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal, TypeAlias

    #: Separators of items and of names, indentation, whether ASCII only, and sorted.
    Style: TypeAlias = tuple[str, str, str | None, bool, bool]

#: What the compiled writer raises for what it leaves to Python. Not RecursionError:
#: that means that calls inside of ``default`` have nearly used up the thread's stack.
LEFT = (TypeError, ValueError)
#: In the place of ``default``: find out what compiled code can write.
PROBE: Literal[True] = True
#: By their texts, which are those of Python's own code.
_NOT_FINITE = {"nan": b"NaN", "inf": b"Infinity", "-inf": b"-Infinity"}
#: What programs may replace in the class.
_ENCODE = _standard.JSONEncoder.encode


class _MayBeCircleError(Exception):
    """An object goes to ``default`` again while one of its results may be open."""


class Calls:
    """A ``default``, and its calls by compiled code, which it repeats for Python's own.

    `made` has each object and its result; if ``default`` raised an exception, then that
    in place of the last result, and ``None``.
    """

    # What only a few calls need.
    _encoder: _standard.JSONEncoder | None = None
    _error: Exception | None = None
    _seen: set[int]
    _noted = 0
    _next = 0

    def __init__(
        self,
        default: Callable[[Any], Any],
        style: Style,
        others: tuple[bool, bool, bool],
    ) -> None:
        """No call has been made. `others`: skipkeys, check_circular, allow_nan."""
        self.default = default
        self.made: list[Any] = []
        self._style = style
        self._others = others

    def write(self, o: Any) -> str:
        """Return the text by compiled code; raise what it raises."""
        text: str = _write(o, *self._style, (self.default, self.made, self._rest))
        return text

    def _rest(self, result: Any, depth: int) -> bytes | None:
        """Return Python's own text of a result of ``default``, in so many containers.

        None if compiled code can write the result.
        """
        kind = type(result)
        if kind is float and self._others[2]:
            return _NOT_FINITE[repr(result)]
        nested = result
        for _ in range(depth):
            nested = [nested]
        try:
            if kind is int:
                return repr(result).encode()
            _write(nested, *self._style, PROBE)
        except LEFT:
            pass
        else:
            return None
        encoder = self._encoder or self._made_encoder()
        indent = self._style[2]
        try:
            text = _ENCODE(encoder, result if indent is None else nested)
        except (RecursionError, MemoryError):
            raise
        except _MayBeCircleError:
            raise TypeError from None
        except Exception as error:  # noqa: BLE001 - Python's own code raises it
            self._error = error
            raise TypeError from None
        if indent is not None:
            # The lines of the containers around it: a bracket, a line feed, spaces.
            spaces = len(indent) * depth
            start = 2 * depth + spaces * (depth + 1) // 2
            end = 2 * depth + spaces * (depth - 1) // 2
            text = text[start : len(text) - end]
        return text.encode()

    def _made_encoder(self) -> _standard.JSONEncoder:
        """Return one whose text stands in that of compiled code."""
        item, key, indent, ensure_ascii, sort_keys = self._style
        skipkeys, check_circular, allow_nan = self._others
        self._seen = set()
        self._encoder = _standard.JSONEncoder(
            skipkeys=skipkeys,
            ensure_ascii=ensure_ascii,
            check_circular=check_circular,
            allow_nan=allow_nan,
            sort_keys=sort_keys,
            indent=indent,
            separators=(item, key),
            default=self._record,
        )
        return self._encoder

    def _record(self, o: Any) -> Any:
        """Call ``default`` for an object inside of a result."""
        made = self.made
        while self._noted < len(made):
            self._seen.add(id(made[self._noted]))
            self._noted += 2
        if id(o) in self._seen:
            # It may be what the result belongs to.
            raise _MayBeCircleError
        try:
            result = self.default(o)
        except MemoryError:
            raise
        except Exception as error:
            made += o, error, None
            raise
        made += o, result
        return result

    def __call__(self, o: Any) -> Any:
        calls, index = self.made, self._next
        if index + 1 >= len(calls) or calls[index] is not o:
            self._next = len(calls)
            return self.default(o)
        self._next = index + 2
        if index + 3 == len(calls):
            raise calls[index + 1]
        return calls[index + 1]

    def finish(self) -> None:
        """Raise an exception if Python's own code has not come to it again.

        It does not when ``default`` has removed the object from its container.
        """
        if len(self.made) % 2:
            raise self.made[-2]
        if self._error is not None:
            raise self._error
