"""Build the wheels and the source distribution of a release into .build/dist.

Separate from build.py, which builds one wheel for the tests of a checkout: these run on
other machines. Invariants: each wheel has the tags that its target and version promise,
auditwheel agrees that it needs no newer glibc, it holds the licenses, the SBOM and the
types, and it is below the limit of size; `pip install` into an empty environment of its
CPython works where there is one; with `--twice`, a copy of the source in another folder
gives the same bytes. A wheel of these sources is not built again. What cannot be built
is listed as NOT BUILT. Called by `make wheels`; test_matrix.py installs what this
builds. Standard library only.

usage: wheels.py [--targets NAME...] [--versions 3.14...] [--twice] [--no-sdist]
                 [--record]
"""

from __future__ import annotations

import argparse
import datetime as dt
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

import build as checkout
import matrix_page
import matrix_python
import sdist
import sources
import wheel_record
import wheel_targets
import wheel_unwinder
from matrix_rows import Row
from wheel_targets import TARGETS, VERSIONS, Target, Unavailable

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / ".build" / "dist"
#: Environments that hold nothing but a wheel.
EMPTY = ROOT / ".build" / "wheels-empty"
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


def current(target: Target, version: str, tools: Path) -> Path:
    """Return the wheel of the sources that are here; build it if needed."""
    OUT.mkdir(parents=True, exist_ok=True)
    wheel = OUT / wheel_targets.wheel_name(release(), version, target)
    stamp = OUT / f".stamp-{target.name}-{version}"
    wanted = checkout.digest(checked=False)
    seen = stamp.read_text("utf-8").split() if stamp.exists() else []
    # The digest of the wheel, too: another build may have replaced it.
    if wheel.exists() and seen == [wanted, digest(wheel)]:
        return wheel
    stamp.unlink(missing_ok=True)
    wheel = build(target, version, tools, OUT)
    if checkout.digest(checked=False) != wanted:
        raise ChildProcessError("the sources changed during the build")
    stamp.write_text(f"{wanted} {digest(wheel)}\n", "utf-8")
    return wheel


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
        found += wheel_unwinder.faults(extension(wheel))
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


def extension(wheel: Path) -> bytes:
    """Return the extension modules of a wheel, joined."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        modules = [name for name in names if name.endswith((".so", ".pyd"))]
        return b"".join(map(archive.read, modules))


def contents(wheel: Path) -> list[str]:
    """Return what a wheel lacks, or has and should not have."""
    version = release()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        shown = archive.read(f"snooze-{version}.dist-info/WHEEL").decode()
    modules = [name for name in names if name.endswith((".so", ".pyd"))]
    wanted = [name.format(version=version) for name in NEEDED]
    found = [f"lacks {name}" for name in wanted if name not in names]
    tags = {line[5:] for line in shown.splitlines() if line.startswith("Tag: ")}
    python, abi, platforms = wheel.stem.split("-")[2:]
    if tags != {f"{python}-{abi}-{one}" for one in platforms.split(".")}:
        found.append(f"its tags are {', '.join(sorted(tags))}")
    if len(modules) != 1:
        found.append(f"has {len(modules)} extension modules, not one")
    folders = {f"{Path.home()}/.cargo", str(ROOT)}
    texts = extension(wheel)
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


def installed(wheel: Path, target: Target, version: str) -> tuple[str, str | None]:
    """Install a wheel into an empty environment and use it there.

    Return what the record says, and what is wrong.
    """
    wanted = Row(target.name, version, machine=target.machine.name, libc=target.libc)
    try:
        base = matrix_python.base(wanted)
        folder = EMPTY / f"{target.name}-{version}"
        command = matrix_python.bare(folder, base, wheel)
    except matrix_python.NotRun as reason:
        return f"not tried: {reason}", None
    command += ["-I", str(ROOT / "scripts" / "smoke.py")]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False
    )
    said = (done.stdout + done.stderr).strip().splitlines() or ["nothing was printed"]
    print(said[-1], flush=True)
    if done.returncode == 0:
        return "yes", None
    return "no", f"status {done.returncode} where it is installed: {said[-1]}"


def row(wheel: Path, target: str, version: str, **found: object) -> dict[str, object]:
    """Return the entry of a wheel in the record."""
    with zipfile.ZipFile(wheel) as archive:
        module = next(one for one in archive.infolist() if one.filename.endswith(".so"))
    return {
        "target": target,
        "version": version,
        "wheel": wheel.stat().st_size,
        "module": module.file_size,
        "sha256": digest(wheel),
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "library": sources.digests()["library"],
        **found,
    }


def table(rows: list[dict[str, object]]) -> str:
    """Return the sizes as lines of text."""
    head = f"{'target':20} {'CPython':8} {'wheel':>10} {'module':>10}"
    lines = [f"{head}  built twice  installed"]
    for one in rows:
        twice = "equal" if one["twice"] else "-"
        lines.append(
            f"{one['target']:20} {one['version']:8} {one['wheel']:>10,} "
            f"{one['module']:>10,}  {twice:11}  {one['installed']}"
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
        "--record", action="store_true", help="keep the results, and write the page"
    )
    parser.add_argument("--python", default=sys.executable, help="runs the tools")
    options = parser.parse_args()
    tools = wheel_targets.tools(options.python)
    OUT.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    missing: dict[str, str] = {}
    failed: list[str] = []
    if not options.no_sdist:
        failed += sdist.make(OUT, tools)
    for target in (one for one in TARGETS if one.name in options.targets):
        for version in options.versions:
            name = wheel_record.name_of(target.name, version)
            try:
                print(f"\n=== {name} ===", flush=True)
                wheel = current(target, version, tools)
                found = problems(wheel, target, tools)
                how, wrong = installed(wheel, target, version)
                is_twice = options.twice and version == options.versions[-1]
                differing = again(wheel, target, version, tools) if is_twice else None
            except Unavailable as reason:
                missing[name] = str(reason)
                continue
            except ChildProcessError as reason:
                failed.append(f"{name}: {reason}")
                continue
            found += [one for one in (wrong, differing) if one]
            failed += [f"{name}: {one}" for one in found]
            facts = {"twice": is_twice and not differing, "installed": how}
            rows.append(row(wheel, target.name, version, **facts))
            if options.record and not found:  # at once: a later one may be stopped
                wheel_record.keep(rows[-1:], {})
    print(f"\n{table(rows)}" if rows else "")
    if options.record:
        wheel_record.keep([], missing)
        matrix_page.write()
    for name, why in missing.items():
        print(f"NOT BUILT: {name}: {why}")
    for line in failed:
        print(f"FAILED: {line}")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
