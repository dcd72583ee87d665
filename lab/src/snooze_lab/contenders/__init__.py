"""The registry of contenders: every library that has a file in this package.

Separate from the files so that a new contender is one new file and nothing else: the
modules of the package are discovered, and each defines its contender as LIBRARY.
Invariants: only the standard library is imported until `enter` is called, which imports
only the libraries named; a contender that cannot be imported is reported with the
reason, never dropped silently; the order is the same on every machine. Used by the
worker, by both instruments and by the commands that list contenders.

The order: snooze, orjson, orjson again (the same library, entered a second time), json,
then by name the other JSON libraries, then the other formats.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import pkgutil
from functools import cache

from snooze_lab.contenders import _own
from snooze_lab.contenders.base import (
    Call,
    Calls,
    Contender,
    Library,
    Need,
    UnsupportedError,
)
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD

__all__ = [
    "FIRST",
    "Call",
    "Calls",
    "Contender",
    "Library",
    "Need",
    "UnknownContenderError",
    "UnsupportedError",
    "enter",
    "json_names",
    "known",
    "libraries",
]

#: The first ones, in this order.
FIRST = (OURS, REFERENCE, AGAIN, STANDARD)
JSON = "json"


class UnknownContenderError(ValueError):
    """A name without a file in this package; the message lists the known ones."""


@cache
def libraries() -> dict[str, Library]:
    """Return every contender that has a file, by name, in the order above.

    TypeError if a file has no LIBRARY, ValueError if two have the same name.
    """
    found: dict[str, Library] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_") or module.name == "base":
            continue
        place = f"{__name__}.{module.name}"
        library = getattr(importlib.import_module(place), "LIBRARY", None)
        if not isinstance(library, Library):
            raise TypeError(
                f"{place}: expected a module with LIBRARY = Library(...), found "
                f"{type(library).__name__}; the name of a helper file begins with _"
            )
        if library.name in found:
            raise ValueError(f"{place}: there is a contender '{library.name}' already")
        found[library.name] = library
    found[AGAIN] = dataclasses.replace(found[REFERENCE], name=AGAIN)

    def place_of(library: Library) -> tuple[int, bool, str]:
        name = library.name
        first = FIRST.index(name) if name in FIRST else len(FIRST)
        return first, library.format != JSON, name

    return {one.name: one for one in sorted(found.values(), key=place_of)}


def json_names() -> list[str]:
    """Return the names of the JSON libraries that can run at all."""
    return [
        one.name
        for one in libraries().values()
        if one.format == JSON and not one.unavailable
    ]


def known(name: str) -> Library:
    """Return the library with a name, or the user's own `module:loads,dumps`.

    UnknownContenderError if there is none.
    """
    found = libraries().get(name)
    if found is not None:
        return found
    if ":" in name:
        try:
            return _own.library(name)
        except ValueError as error:
            raise UnknownContenderError(str(error)) from error
    raise UnknownContenderError(
        f"no contender '{name}'; there are: {', '.join(libraries())}; or {_own.FORM}"
    )


def enter(names: list[str]) -> tuple[list[Contender], dict[str, str]]:
    """Import the named libraries; return those that work, and why others do not.

    UnknownContenderError for a name that has no file.
    """
    ready: list[Contender] = []
    absent: dict[str, str] = {}
    for library in map(known, names):
        if library.unavailable:
            absent[library.name] = library.unavailable
            continue
        try:
            module = importlib.import_module(library.module)
            calls = library.bind(module)
            version = _version(library)
        except Exception as reason:  # noqa: BLE001 - a broken rival must not end a run
            absent[library.name] = f"{type(reason).__name__}: {reason}"
            continue
        ready.append(Contender(library.name, version, module, calls, library.format))
    return ready, absent


def _version(library: Library) -> str:
    if not library.distribution:
        return "standard library"
    return importlib.metadata.version(library.distribution)
