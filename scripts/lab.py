"""Prepare the environment of the laboratory: its libraries, the contenders, snooze.

Separate because two slow things are independent: installing packages and compiling
snooze run side by side, so that a fresh clone has its first report within minutes.
Invariants: .build/venv-lab holds what requirements/lab.lock says, the wheel of the
sources as they are, and lab/ itself as an editable installation, made without fetching
anything; the wheel is the one of .venv, so it is compiled once. Called by the Makefile
and run_tests.py. Needs the standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build
import environment

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "venv-lab"
DEFAULT = ROOT / ".venv"
COMMAND = ROOT / ".build" / "lab.sh"
PROJECT = ROOT / "lab" / "pyproject.toml"


def ensure(base: str, *, wheel: bool = True) -> Path:
    """Bring the environment up to date and return its interpreter."""
    with ThreadPoolExecutor(2) as pool:
        filled = pool.submit(environment.ensure, FOLDER, base, ["lab"], tolerant=True)
        if wheel:
            pool.submit(build.ensure, DEFAULT, base).result()
        filled.result()
    if wheel:
        build.share(DEFAULT, FOLDER)
    python = environment.python_of(FOLDER)
    _install(python)
    return python


def _install(python: Path) -> None:
    """Install lab/ as editable, so that its sources are used in place."""
    stamp = FOLDER / ".stamp-snooze-lab"
    wanted = hashlib.sha256(PROJECT.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8") == wanted:
        return
    command = [str(python), *environment.PIP, "install", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--no-index", "--editable", str(ROOT / "lab")]
    if subprocess.run(command, check=False).returncode != 0:
        sys.exit("snooze: lab/ could not be installed; pip's reason is above")
    stamp.write_text(wanted, "utf-8")


def _write_command() -> None:
    """Write the file that puts `snooze-lab` on the path of a shell.

    With it the command finds the runs and documents of this checkout.
    """
    build_folder = FOLDER.parent
    lines = (
        f"export PATH={shlex.quote(str(FOLDER / 'bin'))}:$PATH",
        f"export SNOOZE_LAB_DATA={shlex.quote(str(build_folder))}",
        f"export SNOOZE_LAB_RUNS={shlex.quote(str(build_folder / 'lab'))}",
    )
    COMMAND.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--python", default=sys.executable, help="the base interpreter")
    parser.add_argument(
        "--without-snooze", action="store_true", help="for checks: compile nothing"
    )
    options = parser.parse_args()
    ensure(options.python, wheel=not options.without_snooze)
    _write_command()
    if not options.without_snooze:
        print(
            f"For the command snooze-lab in this shell: . {COMMAND.relative_to(ROOT)}"
        )


if __name__ == "__main__":
    main()
