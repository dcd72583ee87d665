"""The guard of a source that can be read only once.

Separate from `lines`, whose other state any thread may make again. Invariants: one
thread at a time reads the source; once a read that had begun has failed, the source is
never read again, because the records before the failure are gone and a second read
would silently begin after them. Called by `lines`.
"""

from __future__ import annotations

from _thread import RLock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType


class Once:
    """A context in which the source is opened, and copied if that has to be."""

    __slots__ = ("_failure", "_is_open", "_lock", "has_begun")

    def __init__(self) -> None:
        """Start with a source that was not read."""
        self._lock = RLock()
        self._is_open = False
        self._failure: str | None = None
        #: Whether something that can be read only once was read, or might have been.
        self.has_begun = False

    def __enter__(self) -> None:
        """Wait for other threads that open the source.

        Raises:
            RuntimeError: The source is read by a caller of this call, or a read of it
                failed before.
        """
        self._lock.acquire()
        reason = None
        if self._is_open:
            reason = "source: what reads it began another read of it"
        elif self._failure is not None:
            reason = (
                "source: what it had before an error can not be read again "
                f"({self._failure}); make a new scan of a new source"
            )
        if reason is not None:
            self._lock.release()
            raise RuntimeError(reason)
        self._is_open = True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let other threads on; remember a failure, without its frames."""
        self._is_open = False
        if error is not None and self.has_begun:
            self._failure = f"{type(error).__name__}: {error}"
        self._lock.release()
