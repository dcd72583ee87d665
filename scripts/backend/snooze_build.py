"""The build backend: maturin, after a check that Rust is there and new enough.

Separate from maturin, because its own backend downloads a Rust toolchain when it finds
none, and without a network that ends in an error about another package. Invariants:
nothing is fetched but maturin itself; what is missing is said in one message, before
anything is compiled. pip and other frontends call it for a source distribution and for
a checkout (PEP 517, PEP 660); `make build` calls maturin itself.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

CARGO = Path(__file__).resolve().parents[2] / "Cargo.toml"
ADVICE = """
pip compiles snooze from its source. Install Rust {wanted} or newer
(https://www.rust-lang.org/tools/install), and run this again.\
"""

# What the command `maturin` would say of this file.
os.environ.setdefault("MATURIN_NO_MISSING_BUILD_BACKEND_WARNING", "1")


def need_rust() -> None:
    """Exit with a message unless cargo and a new enough rustc are on the PATH."""
    wanted = tomllib.loads(CARGO.read_text("utf-8"))["workspace"]["package"]
    version = str(wanted["rust-version"])
    advice = ADVICE.format(wanted=version)
    for program in ("cargo", os.environ.get("RUSTC", "rustc")):
        if shutil.which(program) is None:
            sys.exit(
                f"snooze: compiling it needs Rust, and there is no {program}.{advice}"
            )
    done = subprocess.run(
        [os.environ.get("RUSTC", "rustc"), "--version"],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.match(r"rustc (\d+)\.(\d+)", done.stdout)
    if found is None:
        said = (done.stderr or done.stdout).strip()
        sys.exit(f"snooze: rustc --version failed: {said}{advice}")
    if tuple(map(int, found.groups())) < tuple(map(int, version.split(".")[:2])):
        sys.exit(
            f"snooze: compiling it needs Rust {version} or newer, and "
            f"{done.stdout.strip()} is too old.{advice}"
        )


def get_requires_for_build_wheel(_settings: Any = None) -> list[str]:
    """Return what building a wheel needs beside `build-system.requires`: nothing."""
    need_rust()
    return []


def build_wheel(directory: str, settings: Any = None, metadata: Any = None) -> str:
    """Build a wheel; return its name."""
    need_rust()
    return str(_maturin().build_wheel(directory, settings, metadata))


def prepare_metadata_for_build_wheel(directory: str, settings: Any = None) -> str:
    """Write the metadata of the wheel; return the name of their folder."""
    need_rust()
    return str(_maturin().prepare_metadata_for_build_wheel(directory, settings))


def get_requires_for_build_sdist(_settings: Any = None) -> list[str]:
    """Return what a source distribution needs: nothing."""
    need_rust()
    return []


def build_sdist(directory: str, settings: Any = None) -> str:
    """Build a source distribution; return its name."""
    need_rust()
    return str(_maturin().build_sdist(directory, settings))


get_requires_for_build_editable = get_requires_for_build_wheel
prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_editable(directory: str, settings: Any = None, metadata: Any = None) -> str:
    """Build an editable wheel; return its name."""
    need_rust()
    return str(_maturin().build_editable(directory, settings, metadata))


def _maturin() -> Any:
    """Import maturin late: its requirements are installed after the first check."""
    import maturin  # noqa: PLC0415

    return maturin
