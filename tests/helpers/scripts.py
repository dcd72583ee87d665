"""Import a module of scripts/, which is not a package.

Separate because the tests of the documents and of `make test` both need it. Invariant: a
script is loaded from the checkout; scripts/ stays on the path, because scripts import
each other by name. Used by tests/repo, tests/frameworks, tests/documents and lab/tests.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPTS = ROOT / "scripts"


def script(name: str) -> Any:
    """Return a module of scripts/."""
    if str(SCRIPTS) not in sys.path:
        sys.path.append(str(SCRIPTS))
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look up their module there
    spec.loader.exec_module(module)
    return module
