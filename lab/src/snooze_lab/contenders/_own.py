"""A user's contender without a file here: `module:loads,dumps`.

Separate because its code is the user's own. Invariant: the result of its `dumps` is
converted to bytes inside the timed call, so a library that returns `str` pays for the
`.encode()` that a program would need. Used by this package's `known`.
"""

from __future__ import annotations

import importlib.metadata
from typing import Any

from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library

FORM = "module:loads,dumps"


def library(name: str) -> Library:
    """Return the contender of a name like `package.module:loads,dumps`.

    ValueError for a name of another form.
    """
    module, _, functions = name.partition(":")
    names = functions.split(",")
    if not module or len(names) != 2 or not all(one.isidentifier() for one in names):
        raise ValueError(f"contender '{name}': expected {FORM}")
    loads, dumps = names

    def bind(found: Any) -> Calls:
        write = getattr(found, dumps)

        def encoding(value: Any) -> Any:
            return write(value).encode()

        made = encoding if isinstance(write([]), str) else write
        return Calls(getattr(found, loads), made, plain_only(made))

    return Library(
        name=name,
        module=module,
        distribution=_distribution(module),
        bind=bind,
        call_path=f"{loads}(bytes) and {dumps}(value) of {module}, as its user named "
        "them; .encode() inside the time where dumps returns str.",
    )


def _distribution(module: str) -> str:
    """Return the distribution that a module belongs to, or an empty string."""
    top = module.partition(".")[0]
    found = importlib.metadata.packages_distributions().get(top, [])
    return found[0] if found else ""
