"""The registry of contenders: every library that has an entry in contenders.toml.

Separate from the functions that make their calls. Only the standard library is imported
until `enter` is called; a contender that cannot be imported is reported with the
reason; the order is that of contenders.toml on every machine: snooze, orjson, orjson
again (the same library, entered a second time), json, then by name the other JSON
libraries, then the other formats. Imports the model. Called by whatever names or calls
a library, from `timing` and the worker to the command line.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
import tomllib
from functools import cache, partial
from pathlib import Path
from typing import Any

from snooze_lab import UserError
from snooze_lab.contenders import formats, json_libraries
from snooze_lab.contenders.base import (
    Call,
    Calls,
    Contender,
    Library,
    Need,
    UnsupportedError,
    plain_only,
)
from snooze_lab.model import AGAIN, REFERENCE, original

__all__ = [
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

#: The form of a user's own contender, which has no entry.
OWN = "module:loads,dumps"


class UnknownContenderError(UserError, ValueError):
    """A name without an entry in this package; the message lists the known ones."""


@cache
def libraries() -> dict[str, Library]:
    """Return every contender that has an entry, by name, in the order above."""
    text = Path(__file__).with_name("contenders.toml").read_text("utf-8")
    found = {}
    for name, stated in tomllib.loads(text).items():
        found[name] = _entry(name, **stated)
        if name == REFERENCE:
            found[AGAIN] = dataclasses.replace(found[name], name=AGAIN)
    return found


def _entry(
    name: str,
    *,
    bind: str,
    calls: str,
    options: dict[str, Any] | None = None,
    **more: str,
) -> Library:
    """Return an entry of contenders.toml, which explains the members."""
    bound = getattr(json_libraries, bind, None) or getattr(formats, bind, None)
    if bound is None:
        raise ValueError(
            f"contenders.toml, {name}: expected the name of a function in "
            f"json_libraries.py, formats.py, found bind = '{bind}'"
        )
    if options:
        bound = partial(bound, **options)
    named: dict[str, Any] = {"module": name, "distribution": name} | more
    return Library(name=name, bind=bound, call_path=calls, **named)


def json_names() -> list[str]:
    """Return the names of the JSON libraries that can run at all."""
    return [
        one.name
        for one in libraries().values()
        if one.format == "json" and not one.unavailable
    ]


def known(name: str) -> Library:
    """Return the library with a name, or the user's own `module:loads,dumps`.

    `NAME again` is a second entry of any of them.

    UnknownContenderError if there is none.
    """
    found = libraries().get(name)
    if found is not None:
        return found
    if first := original(name):
        return dataclasses.replace(known(first), name=name)
    if ":" in name:
        return _own(name)
    raise UnknownContenderError(
        f"no contender '{name}'; there are: {', '.join(libraries())}; or {OWN}"
    )


def _own(name: str) -> Library:
    """Return the contender of a name like `package.module:loads,dumps`."""
    module, _, functions = name.partition(":")
    names = functions.split(",")
    if not module or len(names) != 2 or not all(one.isidentifier() for one in names):
        raise UnknownContenderError(f"contender '{name}': expected {OWN}")
    loads, dumps = names

    def bind(found: Any) -> Calls:
        write = getattr(found, dumps)

        def encoding(value: Any) -> Any:
            return write(value).encode()

        made = encoding if isinstance(write([]), str) else write
        return Calls(getattr(found, loads), made, plain_only(made))

    top = module.partition(".")[0]
    distributions = importlib.metadata.packages_distributions().get(top, [""])
    return Library(
        name=name,
        module=module,
        distribution=distributions[0],
        bind=bind,
        call_path=f"{loads}(bytes) and {dumps}(value) of {module}, as its user named "
        "them; .encode() inside the time where dumps returns str.",
    )


def enter(names: list[str]) -> tuple[list[Contender], dict[str, str]]:
    """Import the named libraries; return those that work, and why others do not.

    UnknownContenderError for a name that has no entry.
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
            version = (
                importlib.metadata.version(library.distribution)
                if library.distribution
                else "standard library"
            )
        except Exception as reason:  # noqa: BLE001 - a broken rival must not end a run
            absent[library.name] = f"{type(reason).__name__}: {reason}"
            continue
        ready.append(Contender(library.name, version, module, calls, library.format))
    return ready, absent
