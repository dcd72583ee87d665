"""`snooze tool`: the standard library's `json.tool` with snooze in the place of json.

Separate from the commands, because it needs no click: options, output and exit status
are those of `python -m json.tool` of the same Python, whose code runs here. Invariant:
only that module sees snooze.json. Called by snooze.__main__.
"""

from __future__ import annotations

import contextlib
import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from typing import Any

from snooze import json


def main(words: list[str]) -> Any:
    """Run it with a command line; returns what its `main` returns."""
    spec = PathFinder.find_spec("tool", json._STANDARD_PATH)  # noqa: SLF001
    if spec is None or spec.loader is None:
        raise ImportError("this Python has no module json.tool")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    vars(module)["json"] = json
    sys.argv = ["python -m json.tool", *words]
    try:
        return module.main()
    except BrokenPipeError:
        raise
    except (OSError, RecursionError) as error:
        # The last line and the status of json.tool, without the lines of its source.
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{type(error).__name__}: {error}\n")
        return 1
