"""Make a virtual environment and install the pinned requirements into it.

Separate from the Makefile because every target shares it: `.venv` for the default
Python, `.build/venv-*` for other Pythons and other builds. Invariant: what is
installed comes from requirements/*.lock, hashes checked, wheels only. A stamp file
in the folder keeps the digest of each lock, so a second run does nothing and takes
no time. Called by the Makefile, run_tests.py and build.py. Needs the standard library
only.

With `--tolerant` a package without a wheel for that Python is reported as not
available and left out, instead of ending the run: rivals publish wheels for the
Pythons they like.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input", "--retries=2")
WHEELS = ("install", "--quiet", "--only-binary", ":all:", "--require-hashes")


def python_of(folder: Path) -> Path:
    """Return the interpreter of the environment in `folder`."""
    windows = folder / "Scripts" / "python.exe"
    return windows if windows.exists() else folder / "bin" / "python"


def ensure(folder: Path, base: str, locks: list[str], *, tolerant: bool) -> list[str]:
    """Bring `folder` to the state that `locks` describe; name unavailable packages."""
    _create(folder, base)
    missing: list[str] = []
    for name in locks:
        lock = REQUIREMENTS / f"{name}.lock"
        stamp = folder / f".stamp-{name}"
        wanted = hashlib.sha256(lock.read_bytes()).hexdigest()
        seen = stamp.read_text("utf-8").split("\n") if stamp.exists() else [""]
        if seen[0] != wanted:
            print(f"{shown(folder)}: installing requirements/{name}.lock", flush=True)
            absent = _install(folder, lock, tolerant=tolerant)
            seen = [wanted, *absent]
            stamp.write_text("\n".join(seen), "utf-8")
        missing += [line for line in seen[1:] if line]
    for package in missing:
        print(f"{shown(folder)}: {package} is not available for this Python")
    return missing


def missing(folder: Path, name: str) -> list[str]:
    """Name the packages of a lock that `ensure` could not install."""
    stamp = folder / f".stamp-{name}"
    return [line for line in stamp.read_text("utf-8").split("\n")[1:] if line]


def _create(folder: Path, base: str) -> None:
    """Create the environment unless it exists and belongs to `base`."""
    python = python_of(folder)
    home = _run([base, "-c", "import sys; print(sys.version, sys._base_executable)"])
    stamp = folder / ".stamp-python"
    if python.exists() and stamp.exists() and stamp.read_text("utf-8") == home:
        return
    print(f"{shown(folder)}: creating it for Python {home.split()[0]}", flush=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    has_pip = subprocess.run(
        [base, "-c", "import ensurepip"], capture_output=True, check=False
    )
    if has_pip.returncode == 0:
        _check([base, "-m", "venv", "--clear", str(folder)])
    else:
        _check([base, "-m", "venv", "--clear", "--without-pip", str(folder)])
        _pip_from_elsewhere(folder, base)
    stamp.write_text(home, "utf-8")


def _pip_from_elsewhere(folder: Path, base: str) -> None:
    """Install pip where Debian packages ensurepip separately."""
    python = str(python_of(folder))
    probe = [base, "-m", "pip", "--version"]
    if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
        command = [base, *PIP, "--python", python, "install", "--quiet", "pip"]
        if subprocess.run(command, check=False).returncode == 0:
            return
    store = ROOT / ".build" / "pip"
    script = ROOT / "scripts" / "debs.sh"
    variables = os.environ | {"ONLY": "1"}
    command = ["bash", str(script), str(store), "installed", "all", "python3-pip-whl"]
    unpacked = subprocess.run(command, env=variables, check=False).returncode == 0
    wheels = sorted(store.glob("usr/share/python-wheels/pip-*.whl"))
    if not unpacked or not wheels:
        sys.exit(
            f"snooze: {base} has neither ensurepip nor pip, and no pip could be "
            "fetched: install it (Debian and Ubuntu: apt install python3-venv)."
        )
    runner = [
        python,
        f"{wheels[-1]}/pip",
        "install",
        "--quiet",
        "--no-index",
        str(wheels[-1]),
    ]
    _check(runner)


def _install(folder: Path, lock: Path, *, tolerant: bool) -> list[str]:
    """Install one lock file; if tolerant and that fails, package by package."""
    command = [str(python_of(folder)), *PIP, *WHEELS]
    whole = subprocess.run(
        [*command, "-r", str(lock)], capture_output=tolerant, text=True, check=False
    )
    if whole.returncode == 0:
        return []
    if not tolerant:
        sys.exit(
            f"snooze: {lock.relative_to(ROOT)} could not be installed into "
            f"{shown(folder)} (the reason is above). Is the package index reachable?"
        )
    if "connection broken" in whole.stderr:
        print(whole.stderr.splitlines()[-1], file=sys.stderr)
        sys.exit(
            f"snooze: no package index can be reached, and {shown(folder)} lacks "
            f"{lock.relative_to(ROOT)}: run again with a network"
        )
    missing = []
    single = folder / "single-requirement.txt"
    for requirement in requirements(lock):
        single.write_text(requirement, "utf-8")
        one = [*command, "--no-deps", "-r", str(single)]
        if subprocess.run(one, capture_output=True, check=False).returncode != 0:
            missing.append(requirement.split()[0])
    single.unlink()
    if len(missing) == len(requirements(lock)):
        print(whole.stderr, file=sys.stderr)
        sys.exit(f"snooze: nothing of {lock.name} could be installed (see above).")
    return missing


def requirements(lock: Path) -> list[str]:
    """Split a lock file into requirements, each with its hashes."""
    joined = lock.read_text("utf-8").replace("\\\n", " ")
    return [line for line in joined.splitlines() if re.match(r"[A-Za-z0-9]", line)]


def shown(folder: Path) -> str:
    """Return a folder's name for messages."""
    resolved = folder.resolve()
    return str(
        resolved.relative_to(ROOT) if resolved.is_relative_to(ROOT) else resolved
    )


def _run(command: list[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _check(command: list[str]) -> None:
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit(f"snooze: this command failed: {' '.join(command)}")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("folder", type=Path, help="folder of the environment")
    parser.add_argument(
        "locks", nargs="*", help="names in requirements/, e.g. build test"
    )
    parser.add_argument("--python", default=sys.executable, help="the base interpreter")
    parser.add_argument(
        "--tolerant", action="store_true", help="leave out packages without a wheel"
    )
    options = parser.parse_args()
    ensure(options.folder, options.python, options.locks, tolerant=options.tolerant)


if __name__ == "__main__":
    main()
