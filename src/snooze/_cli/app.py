"""The command line: the group of commands, what they share, completion.

Separate from the commands, which are in the modules whose names end in commands.py
or command.py.
Invariants: the exit status is 0 if all went well; 1 if the data is not as expected (not
JSON, nothing found, different); 2 if the command line is wrong or a file cannot be read
or written. Messages go to standard error. Called by snooze.__main__.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import get_completion_class

import snooze
from snooze._cli import (
    items_command,
    outputs,
    scan_commands,
    text_commands,
    value_commands,
)
from snooze._cli.inputs import DataError, DocumentError, InputError
from snooze._cli.problems import caret, explained, printable, show, tell
from snooze.jsonpath import JSONPathError

if TYPE_CHECKING:
    from collections.abc import Iterator

WRONG_DATA, TROUBLE = 1, 2
SHELLS = ("bash", "zsh", "fish")


class _Group(click.Group):
    """The commands, in the order in which they are explained.

    What writes help to a pipe that nobody reads is an error of ours, because click
    would end the process with another exit status.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of their definition."""
        del ctx
        return list(self.commands)

    def make_context(self, *words: Any, **options: Any) -> click.Context:
        """Read the command line; --help and --version write here."""
        with _reader():
            return super().make_context(*words, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _reader():
            return super().invoke(ctx)


@contextlib.contextmanager
def _reader() -> Iterator[None]:
    """Raise NoReaderError if nobody reads what is written."""
    try:
        yield
    except BrokenPipeError:
        raise outputs.NoReaderError from None


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(snooze.__version__, prog_name="snooze")
def app() -> None:
    """Format, check, query, change and describe JSON documents.

    Files may be patterns ('data/**/*.json') and compressed (.gz, and .zst from Python
    3.14 on); without files, or for "-", standard input is read.

    Memory: format, minify, validate and items keep a few blocks of a document, or one
    line with --lines; stats keeps the text; scan keeps a few batches; all other
    commands keep the text and its values.

    The exit status is 1 if the data is not as expected (not JSON, nothing found,
    different) and 2 if the command line is wrong or a file cannot be read or written.
    """


for _command in (
    *text_commands.COMMANDS,
    *value_commands.COMMANDS,
    *items_command.COMMANDS,
    *scan_commands.COMMANDS,
):
    app.add_command(_command)


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def run(words: tuple[str, ...]) -> None:
    """Run a program with snooze in place of json (run --help)."""
    raise AssertionError(f"snooze.__main__ runs programs itself: {words}")


@app.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def tool(words: tuple[str, ...]) -> None:
    """Do what python -m json.tool does, with its options."""
    raise AssertionError(f"snooze.__main__ runs json.tool itself: {words}")


@app.command()
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    Put  eval "$(snooze completion bash)"  into ~/.bashrc, or the same with zsh into
    ~/.zshrc; for fish, write the script to
    ~/.config/fish/completions/snooze.fish.
    """
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"click knows no completion for {shell}")
    source = found(app, {}, "snooze", "_SNOOZE_COMPLETE").source()
    outputs.write([source.encode()], None)


def main(words: list[str], program: str) -> int:
    """Run a command line; return the exit status."""
    try:
        status: Any = app.main(words, prog_name=program, standalone_mode=False)
    except click.Abort:
        raise KeyboardInterrupt from None
    except outputs.NoReaderError:
        raise BrokenPipeError from None
    except (click.ClickException, *_KNOWN) as error:
        return _failed(error)
    return status if isinstance(status, int) else 0


_KNOWN = (DataError, DocumentError, InputError, JSONPathError)


def _failed(error: BaseException) -> int:
    """Show why a command ended; return the exit status."""
    if isinstance(error, click.ClickException):
        with contextlib.suppress(OSError):
            error.show()
    elif isinstance(error, DocumentError):
        show(explained(error))
        return WRONG_DATA
    elif isinstance(error, DataError):
        tell(error)
        return WRONG_DATA
    elif isinstance(error, JSONPathError):
        place = caret(error.query, error.position + 1)
        show(f"snooze: {printable(str(error))}\n{place}")
    elif isinstance(error, InputError):
        tell(error)
    return TROUBLE
