"""Build the wheels and the source distribution of a release into .build/dist.

Separate from build.py, which builds one wheel for the tests of a checkout: these run on
other machines. Invariants: each wheel has the tags that its target and version promise,
auditwheel agrees that it needs no newer glibc, it holds the licenses, the SBOM and the
types, and it is below the limit of size; with `--twice`, a copy of the source in
another folder gives the same bytes. What cannot be built is listed as NOT BUILT. Called
by `make wheels`; test_matrix.py installs what this builds. Standard library only.

usage: wheels.py [--targets NAME...] [--versions 3.14...] [--twice] [--no-sdist]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import sdist
import wheel_targets
from wheel_targets import TARGETS, VERSIONS, Target, Unavailable

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / ".build" / "dist"
#: The sizes of the last complete run, for the table in docs/tested.md.
RECORD = ROOT / "tests" / "record" / "wheels.json"
#: A wheel that grows beyond this is a mistake, such as a library with its symbols.
LIMIT = 3_000_000
NEEDED = (
    "snooze/__init__.py",
    "snooze/__init__.pyi",
    "snooze/_snooze.pyi",
    "snooze/py.typed",
    "snooze-{version}.dist-info/licenses/LICENSE-APACHE",
    "snooze-{version}.dist-info/licenses/LICENSE-MIT",
    "snooze-{version}.dist-info/licenses/LICENSE-THIRD-PARTY",
    "snooze-{version}.dist-info/sboms/snooze.cdx.json",
    "snooze-{version}.dist-info/entry_points.txt",
)


def release() -> str:
    """Return the version that Cargo.toml states."""
    text = (ROOT / "Cargo.toml").read_text("utf-8")
    return str(tomllib.loads(text)["workspace"]["package"]["version"])


def build(
    target: Target, version: str, tools: Path, out: Path, source: Path = ROOT
) -> Path:
    """Build one wheel from a folder of sources; return its path."""
    compiler = wheel_targets.compiler(target, source=source)
    place = ROOT / ".build" / "target" / f"wheels-{target.name}"
    if source != ROOT:
        place = source / "target"
    command = [str(tools / "maturin"), "build", "--release", "--locked", "--zig"]
    command += ["--target", target.triple, "--compatibility", target.compatibility]
    command += ["--auditwheel", "check", "--compression-level", "9"]
    command += ["--interpreter", f"python{version}", "--out", str(out)]
    variables = os.environ | compiler.variables
    # maturin looks for zig in the environment of this Python.
    path = compiler.variables.get("PATH", os.environ["PATH"])
    variables |= {
        "PATH": f"{tools}:{path}",
        "CARGO_TARGET_DIR": str(place),
        "MATURIN_NO_MISSING_BUILD_BACKEND_WARNING": "1",
    }
    variables.pop("RUSTFLAGS", None)  # they would replace those of .cargo/config.toml
    done = subprocess.run(
        [*command, *compiler.arguments], cwd=source, env=variables, check=False
    )
    wheel = out / wheel_targets.wheel_name(release(), version, target)
    if done.returncode != 0:
        raise ChildProcessError(f"maturin ended with status {done.returncode}")
    if not wheel.is_file():
        raise ChildProcessError(f"maturin has not made {wheel.name}")
    return wheel


def problems(wheel: Path, target: Target, tools: Path) -> list[str]:
    """Return what is wrong with a wheel."""
    found = contents(wheel)
    if wheel.stat().st_size > LIMIT:
        found.append(f"{wheel.stat().st_size:,} bytes, more than {LIMIT:,}")
    if target.libc == "gnu":
        done = subprocess.run(
            [str(tools / "auditwheel"), "show", str(wheel)],
            capture_output=True,
            text=True,
            check=False,
        )
        words = " ".join(done.stdout.split())
        wanted = target.tag.split(".")[-1]
        # Or an older one, should the code need less.
        if done.returncode != 0 or f'"{wanted}"' not in words:
            found.append(f"auditwheel: {words or done.stderr.strip()}")
    return found


def contents(wheel: Path) -> list[str]:
    """Return what a wheel lacks, or has and should not have."""
    version = release()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        shown = archive.read(f"snooze-{version}.dist-info/WHEEL").decode()
        modules = [name for name in names if name.endswith((".so", ".pyd"))]
        texts = b"".join(map(archive.read, modules))
    wanted = [name.format(version=version) for name in NEEDED]
    found = [f"lacks {name}" for name in wanted if name not in names]
    tags = {line[5:] for line in shown.splitlines() if line.startswith("Tag: ")}
    python, abi, platforms = wheel.stem.split("-")[2:]
    if tags != {f"{python}-{abi}-{one}" for one in platforms.split(".")}:
        found.append(f"its tags are {', '.join(sorted(tags))}")
    if len(modules) != 1:
        found.append(f"has {len(modules)} extension modules, not one")
    folders = {f"{Path.home()}/.cargo", str(ROOT)}
    found += [f"names the folder {one}" for one in folders if one.encode() in texts]
    extra = [name for name in names if name.endswith((".pyc", ".rs", ".c"))]
    return found + [f"has {name}" for name in extra]


def copy_of_sources(folder: Path) -> Path:
    """Copy what a build reads into another folder."""
    place = folder / "elsewhere" / "snooze"
    for name in sdist.SOURCES:
        source, goal = ROOT / name, place / name
        goal.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(source, goal, ignore=ignored)
        else:
            shutil.copy2(source, goal)
    return place


def again(wheel: Path, target: Target, version: str, tools: Path) -> str | None:
    """Build a wheel from a copy of the source; return what differs."""
    with tempfile.TemporaryDirectory(prefix="snooze-again-") as folder:
        place = copy_of_sources(Path(folder))
        second = build(target, version, tools, Path(folder) / "dist", place)
        hashes = [digest(one) for one in (wheel, second)]
        if hashes[0] == hashes[1]:
            return None
        differing = differences(wheel, second)
    return f"a second build differs: {', '.join(differing) or 'order of files'}"


def differences(first: Path, second: Path) -> list[str]:
    """Return the files of two wheels that are not equal."""
    with zipfile.ZipFile(first) as one, zipfile.ZipFile(second) as two:
        names = sorted({*one.namelist(), *two.namelist()})
        both = set(one.namelist()) & set(two.namelist())
        return [
            name
            for name in names
            if name not in both or one.read(name) != two.read(name)
        ]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def row(wheel: Path, target: str, version: str, *, is_twice: bool) -> dict[str, object]:
    """Return the entry of a wheel in the record."""
    with zipfile.ZipFile(wheel) as archive:
        module = next(one for one in archive.infolist() if one.filename.endswith(".so"))
    return {
        "target": target,
        "version": version,
        "wheel": wheel.stat().st_size,
        "module": module.file_size,
        "twice": is_twice,
    }


def table(rows: list[dict[str, object]]) -> str:
    """Return the sizes as lines of text."""
    lines = [f"{'target':20} {'CPython':8} {'wheel':>10} {'module':>10}  built twice"]
    for one in rows:
        twice = "equal" if one["twice"] else "-"
        lines.append(
            f"{one['target']:20} {one['version']:8} {one['wheel']:>10,} "
            f"{one['module']:>10,}  {twice}"
        )
    return "\n".join(lines)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    names = [target.name for target in TARGETS]
    parser.add_argument("--targets", nargs="+", choices=names, default=names)
    parser.add_argument("--versions", nargs="+", choices=VERSIONS, default=VERSIONS)
    parser.add_argument(
        "--twice",
        action="store_true",
        help="build the last version of each target again, elsewhere, and compare",
    )
    parser.add_argument("--no-sdist", action="store_true", help="build wheels only")
    parser.add_argument(
        "--record", action="store_true", help=f"write {RECORD.relative_to(ROOT)}"
    )
    parser.add_argument("--python", default=sys.executable, help="runs the tools")
    options = parser.parse_args()
    tools = wheel_targets.tools(options.python)
    OUT.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    missing: list[str] = []
    failed: list[str] = []
    if not options.no_sdist:
        failed += sdist.make(OUT, tools)
    for target in (one for one in TARGETS if one.name in options.targets):
        for version in options.versions:
            name = f"{target.name}, {version}"
            try:
                print(f"\n=== {name} ===", flush=True)
                wheel = build(target, version, tools, OUT)
                found = problems(wheel, target, tools)
                is_twice = options.twice and version == options.versions[-1]
                differing = again(wheel, target, version, tools) if is_twice else None
            except Unavailable as reason:
                missing.append(f"{name}: {reason}")
                continue
            except ChildProcessError as reason:
                failed.append(f"{name}: {reason}")
                continue
            found += [differing] if differing else []
            failed += [f"{name}: {one}" for one in found]
            rows.append(row(wheel, target.name, version, is_twice=is_twice))
    print(f"\n{table(rows)}" if rows else "")
    if options.record and not failed:
        RECORD.parent.mkdir(exist_ok=True)
        RECORD.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")
    for title, lines in (("NOT BUILT", missing), ("FAILED", failed)):
        for line in lines:
            print(f"{title}: {line}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
