"""Compile the extension for systems that nothing here can run.

Separate from matrix_python.py, which finds interpreters: these rows have none. It is
`cargo check`, which needs no linker and no headers: what it shows is that the code for
that system has no error of types. Invariants: everything is inside .build; what cannot
be had raises NotRun with the reason. Called by test_matrix.py. Standard library only.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import machines
import matrix_python
import wheel_targets
from matrix_python import NotRun

if TYPE_CHECKING:
    from matrix_rows import Row

ROOT = Path(__file__).resolve().parent.parent
#: Debian's tools that Rust's standard library for Windows calls.
WINDOWS_TOOLS = ROOT / ".build" / "windows-tools"
CONFIGURATION = """\
implementation=CPython
version={version}
shared=true
abi3=false
pointer_width=64
build_flags=
suppress_build_script_link_lines=true
"""


def check(row: Row) -> dict[str, object]:
    """Compile for the triple of a row; return its result."""
    try:
        rust = wheel_targets.debian_rust() / "usr" / "bin"
    except wheel_targets.Unavailable as reason:
        raise NotRun(str(reason)) from None
    path = f"{rust}:{os.environ['PATH']}"
    if "windows" in row.triple:
        package = "binutils-mingw-w64-x86-64"
        matrix_python.unpacked(WINDOWS_TOOLS, machines.native(), package)
        path = f"{WINDOWS_TOOLS / 'usr' / 'bin'}:{path}"
    folder = ROOT / ".build" / "matrix" / row.name
    folder.mkdir(parents=True, exist_ok=True)
    configuration = folder / "pyo3-config.txt"
    configuration.write_text(CONFIGURATION.format(version=row.version), "utf-8")
    chosen = {
        "PATH": path,
        "RUSTC": str(rust / "rustc"),
        "RUSTC_BOOTSTRAP": "1",
        "PYO3_CONFIG_FILE": str(configuration),
        "CARGO_TARGET_DIR": str(folder / "target"),
    }
    command = [str(rust / "cargo"), "check", "--locked", "--package", "snooze-py"]
    command += ["-Z", "build-std=std,panic_abort", "--target", row.triple]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | chosen, check=False)
    is_right = done.returncode == 0
    return {"tier": "-", "passed": int(is_right), "skipped": 0, "failed": 1 - is_right}
