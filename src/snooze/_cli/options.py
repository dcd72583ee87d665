"""Options and arguments that several commands have.

Separate so that they have one name, one check and one explanation. Used by the
commands.
"""

from __future__ import annotations

from typing import Any

import click

_WIDEST = 16


class Indent(click.ParamType):  # type: ignore[type-arg]  # none before click 8.4
    """A number of spaces, or "tab"."""

    name = "indent"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> bytes:
        """Return the text of one level."""
        if isinstance(value, bytes):
            return value
        if value == "tab":
            return b"\t"
        if (
            value.isascii()
            and value.isdigit()
            and len(value) <= 3
            and int(value) <= _WIDEST
        ):
            return b" " * int(value)
        return self.fail(f"expected 0 to {_WIDEST} or tab, found {value!r}", param, ctx)


class Title(click.ParamType):  # type: ignore[type-arg]
    """Text that can be written: arguments may have any bytes."""

    name = "text"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str:
        """Return the text."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            return self.fail(f"expected text in UTF-8, found {text!r}", param, ctx)
        return text


#: A file; shells complete its name. Whether it can be read shows when it is opened:
#: click would refuse an output that is only written, and all files for one of them.
PATH = click.Path(allow_dash=True, readable=False)

files = click.argument("files", nargs=-1, type=PATH, metavar="[FILE]...")
indent = click.option(
    "--indent",
    type=Indent(),
    default="2",
    metavar="N|tab",
    help="Spaces for each level, or tab. Default: 2.",
)
compact = click.option("-c", "--compact", is_flag=True, help="Write on one line.")
in_place = click.option(
    "-i",
    "--in-place",
    is_flag=True,
    help="Replace each file once its new text is complete.",
)
output = click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    help="The file to write. Default, or -: standard output.",
)
lines = click.option(
    "-l", "--lines", is_flag=True, help="Read a document from each line (NDJSON)."
)
ascii_ = click.option(
    "--ascii", "ascii_", is_flag=True, help="Escape characters that are not ASCII."
)


def omits_lines() -> bool:
    """Return whether the running command has the option --lines, not given."""
    context = click.get_current_context(silent=True)
    return context is not None and context.params.get("lines") is False
