"""The bases of codecs, until the extension has them."""

from __future__ import annotations

try:
    from snooze._snooze import DecoderBase, EncoderBase
except ImportError:  # until the extension has them

    class DecoderBase:  # type: ignore[no-redef]
        def __new__(cls, *_a, **_k):
            return object.__new__(cls)

        def _compile(self, ir):
            self.ir = ir

    class EncoderBase(DecoderBase):  # type: ignore[no-redef]
        pass
