"""Build the source distribution: with its crates, so that it compiles offline.

Separate from wheels.py, because the archive is made of a copy that differs from the
checkout: the crates of Cargo.lock are in `vendor`, and what only tests need is gone
from the manifests and from the lock file. Invariants: the archive holds all that a
build reads (an empty crate cache and no network are enough); two runs give the same
bytes. Called by wheels.py and release_check.py. Standard library only.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What the build of a wheel reads.
SOURCES = (
    ".cargo/config.toml",
    "Cargo.toml",
    "Cargo.lock",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "LICENSE-THIRD-PARTY",
    "README.md",
    "pyproject.toml",
    "crates",
    "src",
    "scripts/backend",
)
#: cargo takes the crates from there. Appended to .cargo/config.toml of the archive.
VENDORED = """
[source.crates-io]
replace-with = "vendored-sources"

[source.vendored-sources]
directory = "vendor"
"""
#: The date of every file in the archive, as in the wheels: 1980-01-01.
DATE = 315_532_800


def make(out: Path, tools: Path) -> list[str]:
    """Build the archive into `out`; return what is wrong."""
    with tempfile.TemporaryDirectory(prefix="snooze-sdist-") as folder:
        place = Path(folder) / "snooze"
        for name in SOURCES:
            source, goal = ROOT / name, place / name
            goal.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", "*.so", "target")
                shutil.copytree(source, goal, ignore=ignored)
            else:
                shutil.copy2(source, goal)
        without_tests(place)
        vendor(place)
        raw = Path(folder) / "raw"
        command = [str(tools / "maturin"), "sdist", "--out", str(raw)]
        variables = os.environ | {"MATURIN_NO_MISSING_BUILD_BACKEND_WARNING": "1"}
        done = subprocess.run(command, cwd=place, env=variables, check=False)
        archives = list(raw.glob("snooze-*.tar.gz"))
        if done.returncode != 0 or len(archives) != 1:
            return [f"sdist: maturin ended with status {done.returncode}"]
        goal = out / archives[0].name
        normalize(archives[0], goal)
    print(f"{goal.name}: {goal.stat().st_size:,} bytes")
    return problems(goal)


def without_tests(place: Path) -> None:
    """Remove what only tests need from the manifests and the lock file."""
    for manifest in sorted(place.glob("crates/*/Cargo.toml")):
        text = manifest.read_text("utf-8")
        manifest.write_text(without_table(text, "dev-dependencies"), "utf-8")
    command = ["cargo", "update", "--quiet", "--workspace", "--offline"]
    # With an empty cache of crates, only the index can tell that nothing changes.
    if subprocess.run(command, cwd=place, check=False).returncode != 0:
        command.remove("--offline")
        subprocess.run(command, cwd=place, check=True)


def without_table(text: str, name: str) -> str:
    """Return a TOML text without one table."""
    return re.sub(
        rf"^\[{re.escape(name)}\]\n(?:(?!\[).*\n)*", "", text, flags=re.MULTILINE
    )


def vendor(place: Path) -> None:
    """Copy the crates into `place`/vendor, and tell cargo so."""
    command = ["cargo", "vendor", "--quiet", "--locked", "vendor"]
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
    config = place / ".cargo" / "config.toml"
    config.write_text(config.read_text("utf-8") + VENDORED, "utf-8")


def normalize(source: Path, goal: Path) -> None:
    """Write an archive again: sorted, with one date and owner for all files."""
    buffer = io.BytesIO()
    with (
        tarfile.open(source) as old,
        tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda one: one.name):
            if not member.isfile():
                continue
            member.mtime, member.uid, member.gid = DATE, 0, 0
            member.uname = member.gname = ""
            member.mode = 0o755 if member.mode & 0o100 else 0o644
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member))
    with (
        goal.open("wb") as file,
        gzip.GzipFile("", "wb", 9, file, mtime=DATE) as packed,
    ):
        packed.write(buffer.getvalue())


def problems(archive: Path) -> list[str]:
    """Return what the archive lacks, or has and should not have."""
    with tarfile.open(archive) as opened:
        names = {name.split("/", 1)[-1] for name in opened.getnames()}
        first = {name.split("/", 1)[0] for name in opened.getnames()}
    wanted = {
        path.relative_to(ROOT).as_posix()
        for name in SOURCES
        for path in ([ROOT / name] if (ROOT / name).is_file() else files(ROOT / name))
    }
    found = [f"sdist: lacks {name}" for name in sorted(wanted - names)]
    if not any(name.startswith("vendor/pyo3-ffi/") for name in names):
        found.append("sdist: has no vendored crates")
    if first != {archive.name.removesuffix(".tar.gz")}:
        found.append(f"sdist: its folder is {', '.join(sorted(first))}")
    junk = (".pyc", ".so", ".orig~")
    found += [f"sdist: has {name}" for name in sorted(names) if name.endswith(junk)]
    return found


def files(folder: Path) -> list[Path]:
    """Return the files of a folder that belong to the source."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and "__pycache__" not in path.parts
        and path.suffix not in {".so", ".pyc"}
    ]
