"""The bases of codecs, until the extension has both."""

from __future__ import annotations

from typing import Any

from snooze._snooze import DecoderBase as DecoderBase

try:
    from snooze._snooze import EncoderBase as EncoderBase
except ImportError:

    class EncoderBase:  # type: ignore[no-redef]
        """A plan that is only kept."""

        ir: Any

        def __new__(cls, *_args: Any, **_kwargs: Any) -> Any:
            """Take any arguments."""
            return object.__new__(cls)

        def _compile(self, ir: Any) -> None:
            self.ir = ir
