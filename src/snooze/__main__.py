"""The command ``snooze``, also ``python -m snooze``.

Separate because importing snooze must not read command lines. Two commands need nothing
but Python and are here: ``run SCRIPT`` and ``run -m MODULE`` start a program as Python
itself would, after ``snooze.install``, and ``tool`` is the standard library's
``json.tool``. All others are in snooze._cli, which needs click.
"""

from __future__ import annotations

import builtins
import runpy
import sys
from types import ModuleType

import snooze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USAGE = """\
usage: python -m snooze run [--as-orjson[=VERSION]] [--no-json] SCRIPT [argument ...]
       python -m snooze run [--as-orjson[=VERSION]] [--no-json] -m MODULE [argument ...]

Run a program whose `import json` imports snooze.json, and with --as-orjson
whose `import orjson` imports snooze.
"""


WITHOUT_CLICK = """\
snooze: this command needs the package click; install it with

    pip install click

Without it there are two commands:

  run   run a program with snooze in place of json
  tool  do what python -m json.tool does, with its options
"""


def main(words: list[str] | None = None) -> Any:
    """Run the command line; returns the exit status, None for success."""
    words = sys.argv[1:] if words is None else words
    if words[:1] == ["run"] and words[1:2] not in (["-h"], ["--help"]):
        # What the program raises is its own affair.
        return _run(words[1:])
    from snooze._cli.streams import guarded  # noqa: PLC0415 - a program needs none

    return guarded(lambda: _command(words))


def _command(words: list[str]) -> Any:
    """Run a command; returns the exit status, None for success."""
    if words[:1] == ["run"]:
        sys.stdout.write(USAGE)
        return 0
    if words[:1] == ["tool"]:
        from snooze._cli.tool import main as tool  # noqa: PLC0415 - only if asked for

        return tool(words[1:])
    try:
        import click  # noqa: F401, PLC0415 - only these commands need it
    except ImportError:
        is_help = words[:1] in (["-h"], ["--help"])
        (sys.stdout if is_help else sys.stderr).write(WITHOUT_CLICK)
        return 0 if is_help else 2
    from snooze._cli.app import main as app  # noqa: PLC0415 - likewise

    is_script = not sys.argv[0].endswith("__main__.py")
    return app(words, "snooze" if is_script else "python -m snooze")


def _run(words: list[str]) -> int | None:
    """Run a program; returns the exit status of a mistake, or None."""
    found = _options(words)
    if isinstance(found, str):
        return _refused(found)
    json, version, program = found
    if not json and version is None:
        return _refused("--no-json: expected --as-orjson with it")
    as_orjson = version is not None
    snooze.install(json=json, as_orjson=as_orjson, orjson_version=version or None)
    if program[0] == "-m":
        return _run_module(program[1:])
    import os  # noqa: PLC0415 - only programs need it

    sys.argv = program
    script = os.path.abspath(program[0])  # noqa: PTH100
    if not os.path.exists(script):  # noqa: PTH110
        sys.stderr.write(f"snooze: no file {script!r}\n")
        return 2
    if os.path.isdir(script):  # noqa: PTH112
        main = os.path.join(script, "__main__.py")  # noqa: PTH118
        if not (os.path.exists(main) or os.path.exists(f"{main}c")):  # noqa: PTH110
            sys.stderr.write(f"snooze: can't find '__main__' module in {script!r}\n")
            return 1
    elif not sys.flags.safe_path:
        # As Python does: the folder of the script comes first.
        sys.path[0] = os.path.dirname(os.path.realpath(script))  # noqa: PTH120
    _start_script(script)
    return None


def _start_script(path: str) -> None:
    """Run a file of Python code, or a folder or archive with `__main__`."""
    from importlib.machinery import (  # noqa: PLC0415 - only a script needs these
        SourceFileLoader,
        SourcelessFileLoader,
    )
    from pkgutil import get_importer  # noqa: PLC0415

    if get_importer(path) is not None:
        # Python puts the folder or archive first, and starts the `__main__` in it.
        if sys.flags.safe_path:
            sys.path.insert(0, path)
        else:
            sys.path[0] = path
        _new_main()
        runpy._run_module_as_main("__main__", alter_argv=False)  # type: ignore[attr-defined]  # noqa: SLF001
        return
    program = vars(_new_main())
    loader: Any
    if path.endswith(".pyc"):
        loader = SourcelessFileLoader("__main__", path)
        code = loader.get_code("__main__")
    else:
        loader = SourceFileLoader("__main__", path)
        code = compile(loader.get_data(path), path, "exec", dont_inherit=True)
    program.update(__file__=path, __cached__=None, __loader__=loader)
    if sys.version_info < (3, 14):
        program["__annotations__"] = {}
    exec(code, program)  # noqa: S102 - the user's program


def _run_module(program: list[str]) -> int | None:
    """Run a module as ``python -m`` does; returns 1 if there is none."""
    import os  # noqa: PLC0415 - only programs need it

    if not sys.flags.safe_path:
        # As Python does: the current folder comes first, if there still is one.
        try:  # noqa: SIM105 - `contextlib` would be an import
            sys.path[0] = os.getcwd()  # noqa: PTH109
        except OSError:
            pass
    # Before the packages that the module is in are imported: they may read it.
    sys.argv = program
    missing = _missing(program[0])
    if missing is not None:
        sys.stderr.write(f"snooze: {missing}\n")
        return 1
    _new_main()
    runpy._run_module_as_main(program[0])  # type: ignore[attr-defined]  # noqa: SLF001
    return None


def _new_main() -> ModuleType:
    """Return a new module for the program, which stays `__main__` to the end.

    Threads, `atexit` and pickles look there when the program's last line has run.
    """
    _before.append(sys.modules["__main__"])
    program = sys.modules["__main__"] = ModuleType("__main__")
    vars(program)["__builtins__"] = builtins
    return program


#: The module that was `__main__`, which still runs.
_before: list[ModuleType] = []


def _missing(name: str) -> str | None:
    """Return why there is no module to run; imports the packages that it is in."""
    from importlib.util import find_spec  # noqa: PLC0415 - only modules need it

    try:
        found = find_spec(name)
        if found is None:
            return f"No module named {name}"
        is_package = found.submodule_search_locations is not None
        if is_package and find_spec(f"{name}.__main__") is None:
            return (
                f"No module named {name}.__main__; {name!r} is a package and cannot be "
                "directly executed"
            )
    except ModuleNotFoundError as error:
        # One that a package of the module misses is the program's affair.
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise
        return f"No module named {name}"
    return None


def _refused(reason: str) -> int:
    sys.stderr.write(f"snooze: {reason}\n{USAGE}")
    return 2


def _options(words: list[str]) -> tuple[bool, str | None, list[str]] | str:
    """Return whether json is replaced, orjson's version, and the program.

    The version is empty for the usual one and None without ``--as-orjson``. If
    something is wrong, a text that says what.
    """
    json, version = True, None
    while words and words[0].startswith("--"):
        name, equals, value = words[0].partition("=")
        if name == "--as-orjson":
            version = value
        elif name == "--no-json" and not equals:
            json = False
        else:
            return f"expected --as-orjson or --no-json, found {words[0]}"
        words = words[1:]
    if words in ([], ["-m"]):
        return "expected a script or -m MODULE after the options"
    return json, version, words


if __name__ == "__main__":
    sys.exit(main())
