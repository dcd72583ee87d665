"""The bases of codecs, until the extension has both."""

from __future__ import annotations

from snooze._snooze import DecoderBase

try:
    from snooze._snooze import EncoderBase
except ImportError:  # until the extension has it

    class EncoderBase:  # type: ignore[no-redef]
        def _compile(self, ir):
            self.ir = ir


__all__ = ("DecoderBase", "EncoderBase")
