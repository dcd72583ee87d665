"""The source of a scan as it was opened, and the guard of what can be read only once.

Separate from `scan`, because a scan and those made of it by `select`, `where` and
`head` share it. Invariants: one thread at a time opens the source; a copy is made once;
once a read that had begun has failed, the source is never read again, because the
records before the failure are gone and a second read would silently begin after them.
A process that is forked while another thread copies cannot read the scan. Called by
`scan`.
"""

from __future__ import annotations

from _thread import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze._scan.sources import Opened


class Once:
    """What the scans of one source share."""

    __slots__ = ("_failure", "_is_open", "_lock", "copied", "has_begun")

    def __init__(self) -> None:
        """Start with a source that was not read."""
        self._lock = RLock()
        self._is_open = False
        self._failure: str | None = None
        #: The source, if something of it was copied.
        self.copied: Opened | None = None
        #: Whether something that can be read only once was read, or might have been.
        self.has_begun = False

    def shared(self, *, copies: bool) -> Once:
        """Return what another scan of the source gets.

        Args:
            copies: Whether it shares what is copied later, too.
        """
        if copies:
            return self
        other = Once()
        other.copied = self.copied
        return other

    def open_once(self, function: Callable[[], Opened]) -> Opened:
        """Return the copy, or else what a function opens; other threads wait for it.

        Raises:
            RuntimeError: The source is read by a caller of this call, or a read of it
                failed before.
        """
        with self._lock:
            if self.copied is not None:
                return self.copied
            if self._is_open:
                raise RuntimeError(
                    "source: this scan is already being read; do not read it from "
                    "inside its own source"
                )
            if self._failure is not None:
                raise RuntimeError(
                    "source: it can be read only once, and an earlier read failed "
                    f"({self._failure}); open it again and make a new scan"
                )
            self._is_open = True
            try:
                return function()
            except BaseException as error:
                if self.has_begun:
                    self._fail(error)
                raise
            finally:
                self._is_open = False

    def _fail(self, error: BaseException) -> None:
        """Remember a failure: its text and not its frames, which keep objects alive."""
        self._failure = type(error).__name__
        try:
            self._failure += f": {error}"
        except Exception:  # noqa: BLE001 - the text is made by a class of the user
            self._failure += " without a text"
