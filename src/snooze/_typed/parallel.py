"""The option `threads` of a Decoder: one long array, decoded by several threads.

Separate from `reading`, whose options change what is read: this one does not. The
document is cut between items, and each part, in brackets of its own, is decoded as a
document. Invariants: the result and the exception are those of one thread, unless hooks
depend on the order of calls or on their thread, because a document with a part that was
not decoded is decoded once more as a whole; the threads have ended when the call ends,
unless an interrupt ends the wait for them. Called by `codecs`; the extension calls
`_Parallel`.
"""

from __future__ import annotations

import contextvars
import gc
import sys
import threading
from typing import TYPE_CHECKING, Any

from snooze._snooze import array_cuts, join_lists
from snooze._typed import model
from snooze._typed.codecs import _DECODE_DEFAULTS
from snooze._typed.generics import type_name
from snooze._typed.introspect import build
from snooze._typed.plans import decoding_defaults

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._typed.codecs import Buffer, Decoder

#: The most threads.
MOST = 1024
#: Options that change where an array begins, or what is in it.
_REFUSED = ("at", "syntax", "encoding")
#: The least and the greatest size of a part, in bytes. Starting a thread takes as long
#: as decoding about 100 KB.
_SMALLEST, _LARGEST = 1 << 18, 1 << 22
#: Several, so that a thread that is late does not keep the others waiting.
_PARTS_OF_A_THREAD = 4
#: A part that is not decoded yet.
_PENDING = object()


def check(threads: object) -> None:
    """Raise unless the option is a number of threads.

    Raises:
        TypeError: It is no int.
        ValueError: It is not from 1 to 1024.
    """
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads needs an int, not {threads!r}")
    if not 1 <= threads <= MOST:
        raise ValueError(f"threads={threads} is not possible: use 1 to {MOST}")


def description(make: Callable[..., Any], tp: Any, options: dict[str, Any]) -> Any:
    """Return the description of a Decoder with threads; `make` makes Decoders.

    Raises:
        ValueError: The type is no list, or one with a `Len`, or an option has no
            meaning with threads.
    """
    threads = options.pop("threads")
    for name in _REFUSED:
        if options[name] != _DECODE_DEFAULTS[name]:
            raise ValueError(f"{name} cannot be combined with threads")
    whole = make(tp, **options)
    if tp is not Any:
        _check_type(tp, options)
    most = options.pop("max_size")
    part = whole if most is None else make(tp, **options)
    hooks = ("object_hook", "object_pairs_hook", "dec_hook")
    pauses = all(options[name] is None for name in hooks)
    return "function", _Parallel(whole, part, int(threads), most, pauses=pauses)


def _check_type(tp: Any, options: dict[str, Any]) -> None:
    node: model.Node | None = build(tp, decoding_defaults(options))
    while isinstance(node, (model.Noted, model.Alias)):
        node = node.target
    if isinstance(node, model.Anything) or (
        isinstance(node, model.Items)
        and node.base == "list"
        and node.convert is None
        and not node.length
    ):
        return
    raise ValueError(
        "threads needs Any or a list without a Len, such as list[int], not "
        f"{type_name(tp)}"
    )


class _Parallel:
    """Decodes a document that is one array with several threads."""

    def __init__(
        self,
        whole: Decoder[Any],
        part: Decoder[Any],
        threads: int,
        most: int | None,
        *,
        pauses: bool,
    ) -> None:
        self._whole = whole
        self._part = part
        self._threads = threads
        self._max_size = most
        #: Whether the collector pauses: hooks may rely on it.
        self._pauses = pauses

    def __call__(self, document: Buffer, discards: bool) -> Any:  # noqa: FBT001
        """Return the value of a document; with `discards` only check it."""
        whole, part = self._whole.decode, self._part.decode
        if discards:
            whole, part = self._whole.validate_only, self._part.validate_only
        text = self._text(document)
        if text is None:
            return whole(document)
        size = len(text) // (self._threads * _PARTS_OF_A_THREAD)
        cuts = array_cuts(text, min(max(size, _SMALLEST), _LARGEST))
        if cuts is None:
            return whole(document)
        work = _Work(part, memoryview(text), cuts)
        count = min(self._threads, len(cuts) - 1)
        if not (work.run_paused(count) if self._pauses else work.run(count)):
            return whole(document)
        return None if discards else work.joined()

    def _text(self, document: Buffer) -> bytes | None:
        """Return the document as bytes; None if one thread decodes it."""
        size = 0
        if type(document) is str:
            size = len(document)
        elif isinstance(document, (bytes, memoryview)) or type(document) is bytearray:
            # Of a subclass of bytes the contents, whatever its methods return.
            try:
                view = memoryview(document)
            except ValueError:
                return None  # a released memoryview
            size = view.nbytes if view.c_contiguous else 0
        if size < 2 * _SMALLEST or not _is_parallel():
            return None
        if type(document) is bytes:
            text = document
        elif isinstance(document, str):
            try:
                text = document.encode()
            except UnicodeEncodeError:
                return None
        else:
            text = bytes(view)
        if self._max_size is not None and len(text) > self._max_size:
            return None
        return text


def _is_parallel() -> bool:
    """Tell whether threads of this interpreter run at the same time."""
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    return is_enabled is not None and not is_enabled()


class _Work:
    """The parts of one document, and what they became."""

    def __init__(
        self, call: Callable[[bytes], Any], text: memoryview, cuts: tuple[int, ...]
    ) -> None:
        self._call = call
        self._text = text
        self._cuts = cuts
        #: Taken from the end: the first part is the last item.
        self._todo = list(range(len(cuts) - 1))[::-1]
        self._parts: list[Any] = [_PENDING] * len(self._todo)
        #: Whether a part does not fit. Not the exception, which would hold the parts.
        self._has_failed = False
        #: What ends the program, such as a KeyboardInterrupt.
        self._ending: BaseException | None = None

    def run_paused(self, count: int) -> bool:
        """Do as `run` with the collector paused.

        A collection would wait for the parts that other threads are decoding.
        """
        was_enabled = gc.isenabled()
        gc.disable()
        try:
            return self.run(count)
        finally:
            if was_enabled:
                gc.enable()

    def run(self, count: int) -> bool:
        """Decode all parts with so many threads, this one among them.

        Returns:
            False if there is a part that was not decoded.

        Raises:
            BaseException: What a part raised, if that is no Exception.
        """
        self._share(count)
        if self._ending is not None:
            raise self._ending
        # A thread may also have ended without memory for anything. No generator: 3.12
        # and 3.13 end the process where one cannot be allocated.
        for part in self._parts:  # noqa: SIM110
            if part is _PENDING:
                return False
        return True

    def _share(self, count: int) -> None:
        """Take parts in so many threads; they have ended when this returns."""
        threads: list[threading.Thread] = []
        try:
            for _ in range(count - 1):
                run = contextvars.copy_context().run
                try:
                    thread = threading.Thread(
                        target=run, args=(self._take,), name="snooze-decode"
                    )
                    thread.start()
                except RuntimeError:
                    break  # there are no more: those that run take all parts
                threads.append(thread)
            self._take()
        finally:
            self._todo.clear()
            for thread in threads:
                thread.join()

    def _take(self) -> None:
        """Decode parts until there is none left or one has failed."""
        while not self._has_failed:
            try:
                index = self._todo.pop()
            except IndexError:
                return
            try:
                items = self._text[self._cuts[index] + 1 : self._cuts[index + 1]]
                self._parts[index] = self._call(b"".join((b"[", items, b"]")))
            except Exception:  # noqa: BLE001 - raised again by the whole document
                self._has_failed = True
            except BaseException as ending:  # noqa: BLE001 - raised again by `run`
                self._has_failed = True
                self._ending = ending

    def joined(self) -> list[Any]:
        """Return the items of all parts, which are empty then."""
        return join_lists(self._parts)
