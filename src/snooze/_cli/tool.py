"""`snooze tool`: the standard library's `json.tool` with snooze in the place of json.

Separate from the commands, because it needs no click: options, output and exit status
are those of `python -m json.tool` of the same Python, whose code runs here. Invariant:
only that module sees snooze.json. Called by snooze.__main__ and snooze.json.tool.
"""

from __future__ import annotations

import contextlib
import os.path
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import TYPE_CHECKING, Any

from snooze import json
from snooze._cli.streams import guarded

if TYPE_CHECKING:
    from types import ModuleType
    from typing import NoReturn


def load(name: str) -> ModuleType:
    """Return a module json.tool of its own, which has another name."""
    spec = PathFinder.find_spec("tool", json._STANDARD_PATH)  # noqa: SLF001
    if spec is None or spec.loader is None:
        raise ImportError("this Python has no module json.tool")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["json"] = json
    module.__name__ = spec.name = name
    return module


def program() -> NoReturn:
    """Run it as the program of this process."""
    sys.exit(guarded(lambda: main(sys.argv[1:])))


def main(words: list[str]) -> Any:
    """Run it with a command line; returns what its `main` returns."""
    module = load("json.tool")
    # As argparse names a module that is run, from CPython 3.14 on.
    sys.argv = [f"{os.path.basename(sys.executable)} -m json.tool", *words]  # noqa: PTH119
    try:
        return module.main()
    except BrokenPipeError:
        raise
    except (OSError, RecursionError) as error:
        # The last line and the status of json.tool, without the lines of its source.
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
