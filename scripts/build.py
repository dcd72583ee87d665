"""Build the release wheel for one Python and install it into one environment.

Separate from the Makefile because "only when something changed" needs more than a file
date: the stamp in the environment is a digest of every source file, of the compiler's
version and of the features. Invariant: what the tests import is this installed wheel,
never src/. Called by the Makefile and run_tests.py. Needs the standard library only.

The checked build (feature `checked`: each write into an output window is asserted;
profile `checked`: so are arithmetic and pointers) goes into a separate environment, so
that both builds exist at the same time.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import environment

ROOT = Path(__file__).resolve().parent.parent
STAMP = ".stamp-snooze"
TREES = ("crates", "src")
FILES = (
    "Cargo.toml",
    "Cargo.lock",
    ".cargo/config.toml",
    "pyproject.toml",
    "README.md",
)


def ensure(folder: Path, base: str, *, checked: bool = False) -> None:
    """Update the environment in `folder` to a build of the current sources."""
    environment.ensure(folder, base, ["build"], tolerant=False)
    python = environment.python_of(folder)
    stamp = folder / STAMP
    wanted = digest(checked=checked)
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    kind = "checked build" if checked else "release build"
    print(f"{environment.shown(folder)}: {kind} of snooze", flush=True)
    stamp.unlink(missing_ok=True)
    wheels = ROOT / ".build" / "wheels" / folder.name.lstrip(".")
    shutil.rmtree(wheels, ignore_errors=True)
    profile = "checked" if checked else "release"
    command = [str(python), "-m", "maturin", "build", "--profile", profile, "--locked"]
    command += ["--compatibility", "linux"] if sys.platform == "linux" else []
    command += ["--interpreter", str(python), "--out", str(wheels)]
    command += ["--features", "checked"] if checked else []
    # One cargo folder per environment: changing Pythons or features in a shared one
    # would rebuild everything every time.
    target = ROOT / "target"
    if folder.resolve() != ROOT / ".venv":
        target = ROOT / ".build" / "target" / folder.name
    variables = os.environ | {"CARGO_TARGET_DIR": str(target)}
    if subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode != 0:
        sys.exit("snooze: the build failed; the compiler's reason is above")
    _install(folder, next(wheels.glob("snooze-*.whl")))
    stamp.write_text(wanted, "utf-8")


def share(source: Path, folder: Path) -> None:
    """Install the wheel that was built for one environment into another.

    Both must have the same Python; the first must be up to date.
    """
    wanted = (source / STAMP).read_text("utf-8")
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    stamp.unlink(missing_ok=True)
    wheels = ROOT / ".build" / "wheels" / source.name.lstrip(".")
    _install(folder, next(wheels.glob("snooze-*.whl")))
    stamp.write_text(wanted, "utf-8")


def _install(folder: Path, wheel: Path) -> None:
    install = [
        str(environment.python_of(folder)),
        *environment.PIP,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
    ]
    install += ["--force-reinstall", str(wheel)]
    if subprocess.run(install, check=False).returncode != 0:
        sys.exit(f"snooze: {wheel.name} was built but pip could not install it")


def digest(*, checked: bool) -> str:
    """Return one digest of everything that the build depends on."""
    digest = hashlib.sha256(f"checked={checked}\n".encode())
    rust = subprocess.run(["rustc", "-vV"], capture_output=True, check=True)
    digest.update(rust.stdout)
    digest.update(os.environ.get("RUSTFLAGS", "").encode())
    paths = [ROOT / name for name in FILES]
    for tree in TREES:
        paths += sorted((ROOT / tree).rglob("*"))
    for path in paths:
        if path.is_file() and "__pycache__" not in path.parts:
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="the environment to install into")
    parser.add_argument("--python", default=sys.executable, help="its base interpreter")
    parser.add_argument("--checked", action="store_true", help="assert every write")
    parser.add_argument(
        "--share", type=Path, help="install the wheel built for this environment"
    )
    options = parser.parse_args()
    if options.share is not None:
        share(options.share, options.folder)
        return
    ensure(options.folder, options.python, checked=options.checked)


if __name__ == "__main__":
    main()
