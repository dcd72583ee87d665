"""Workloads by reference: `twitter`, `crud?bytes=1000000`, `file?path=/data/mine.json`.

Separate from the modules so that a new workload is one new file: each module exports
WORKLOADS, a dict from a name to a function whose parameters are those of the reference.
The text of a reference alone decides its meaning. A value is an int, a float or a str,
whichever it looks like, unless the function's annotation says `str`.

`operations` makes the call to time. Imports the standard library, contenders, data,
timing and the model only. Called by the worker, the race, planning and the studies.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from snooze_lab.workloads.base import Workload, WorkloadError

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "Maker",
    "Workload",
    "WorkloadError",
    "find",
    "makers",
    "parameters",
    "parse",
]

Maker = Callable[..., Workload]
#: The modules that most references are of. A worker imports no more than it needs.
FIRST = ("documents", "seeds", "feeds", "structs")


def _modules() -> Iterator[ModuleType]:
    """Import the modules one by one, those of FIRST before the others."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    for name in dict.fromkeys((*FIRST, *names)):
        yield importlib.import_module(f"{__name__}.{name}")


@cache
def makers() -> dict[str, Maker]:
    """Return the makers of all workloads, by name, in the order of the modules.

    ValueError if two modules have the same name.
    """
    found: dict[str, Maker] = {}
    for module in _modules():
        own = getattr(module, "WORKLOADS", {})
        twice = own.keys() & found.keys()
        if twice:
            name = min(twice)
            raise ValueError(f"{module.__name__}: there is a workload '{name}' already")
        found |= own
    return found


def _maker(name: str) -> Maker | None:
    """Return the maker of a workload, None if there is none."""
    own = (getattr(module, "WORKLOADS", {}).get(name) for module in _modules())
    return next(filter(None, own), None)


def find(reference: str) -> Workload:
    """Return the workload of a reference, which is also its name.

    WorkloadError if its name or a parameter is unknown, a parameter has an invalid
    value, or its data is missing.
    """
    name, given = parse(reference)
    maker = _maker(name)
    if maker is None:
        raise WorkloadError(f"no workload '{name}'; there are: {', '.join(makers())}")
    known = parameters(maker)
    for key in given:
        if key not in known:
            there = ", ".join(known) or "none"
            raise WorkloadError(
                f"workload {name} has no parameter '{key}'; there are: {there}"
            )
    for key, parameter in known.items():
        if key not in given and parameter.default is parameter.empty:
            raise WorkloadError(
                f"workload {name} needs its parameter '{key}': {name}?{key}=…"
            )
    try:
        made = maker(
            **{key: _typed(text, known[key].annotation) for key, text in given.items()}
        )
    except WorkloadError:
        raise
    except (ValueError, TypeError) as reason:
        raise WorkloadError(f"workload {reference}: {reason}") from reason
    made.name = reference
    return made


def parse(reference: str) -> tuple[str, dict[str, str]]:
    """Return the name and the parameters of a reference, as text.

    In values `%` and two hexadecimal digits encode a byte, so that paths may contain
    `&`.
    """
    name, _, rest = reference.partition("?")
    given: dict[str, str] = {}
    for part in rest.split("&") if rest else []:
        key, equals, value = part.partition("=")
        if not equals or not key or key in given:
            raise WorkloadError(
                f"workload '{reference}': expected name?parameter=value&…, each "
                f"parameter once, found '{part}'"
            )
        given[key] = unquote(value)
    return name, given


def parameters(maker: Maker) -> dict[str, inspect.Parameter]:
    """Return the valid parameters of a workload's reference, by name."""
    return dict(inspect.signature(maker).parameters)


def _typed(text: str, annotation: Any) -> int | float | str:
    if annotation in {str, "str"}:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
