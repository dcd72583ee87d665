"""Calls while the interpreter ends, from finalisers of what it drops last.

Separate because each needs a process of its own. By then the module `datetime` is gone:
up to CPython 3.12 its C interface is freed with it, and a Decoder must keep it.
"""

from __future__ import annotations

import pytest

from helpers.isolated import in_child


class Search:
    """A search function for codecs, which the interpreter drops very late."""

    def __init__(self, type_: object, text: bytes) -> None:
        """Make a decoder and an encoder, which are used when this ends."""
        import os

        import snooze

        self.decoder = snooze.Decoder(list[type_])
        self.encoder = snooze.Encoder(list[type_])
        self.text, self.write = text, os.write
        assert self.encoder.encode(self.decoder.decode(text)) == text

    def __call__(self, name: str) -> None:
        """Find no codec."""

    def __del__(self) -> None:
        """Decode and encode."""
        self.write(1, self.encoder.encode(self.decoder.decode(self.text)))


def end_with(name: str, text: bytes) -> None:
    """In a child: leave the calls to its end."""
    import codecs
    import datetime

    codecs.register(Search(getattr(datetime, name), text))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("date", b'["2026-11-21"]'),
        ("datetime", b'["2026-11-21T01:02:03+00:00"]'),
        ("time", b'["01:02:03"]'),
        ("timedelta", b'["P1DT2S"]'),
    ],
)
def test_times_when_the_interpreter_ends(name: str, text: bytes) -> None:
    """They are read and written as before."""
    assert in_child(end_with, name, text) == text.decode()
