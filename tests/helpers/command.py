"""Run the command `snooze` inside of this process.

Separate because three modules of tests/documents test it. Through click's own runner,
which replaces the standard streams. The modules are skipped where click is missing.
"""

from __future__ import annotations

import pytest

click = pytest.importorskip("click")

from click.testing import CliRunner  # noqa: E402

from snooze._cli import app as command_line  # noqa: E402


class Done:
    """What a command line has written, and its exit status."""

    def __init__(self, *words: str, data: bytes | str | None = None) -> None:
        saved: list[int] = []

        @click.command(
            context_settings={"ignore_unknown_options": True, "help_option_names": []}
        )
        @click.argument("rest", nargs=-1, type=click.UNPROCESSED)
        def whole(rest: tuple[str, ...]) -> None:
            saved.append(command_line.main(list(rest), "snooze"))

        result = CliRunner().invoke(whole, list(words), input=data)
        if result.exception is not None and not isinstance(
            result.exception, SystemExit
        ):
            raise result.exception
        self.status = saved[0]
        self.raw = result.stdout_bytes
        self.out = result.stdout
        self.err = result.stderr
