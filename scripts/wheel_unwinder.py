"""The library that unwinds stacks, as wheels for glibc must find it: a shared one.

Separate from wheel_targets.py, which has one table of compilers: this is about one
fault. zig links its own static copy of LLVM's libunwind into what it builds. CPython
before 3.14 ends a daemon thread at exit with `pthread_exit`, for which glibc loads
`libgcc_s.so.1`. That library passes its frames to the static copy, which reads them as
frames of another layout: a segmentation fault. What is linked here is a stand-in with
the name and the functions of `libgcc_s.so.1`; at run time the loader finds the real
one, as for wheels that GCC links. Invariant: a wheel that carries an unwinder is
refused by `faults`. Called by wheel_targets.py and wheels.py.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from machines import Machine

#: What Rust's standard library calls of the C++ ABI for exceptions, level I.
FUNCTIONS = (
    "Backtrace",
    "DeleteException",
    "FindEnclosingFunction",
    "GetCFA",
    "GetDataRelBase",
    "GetIP",
    "GetIPInfo",
    "GetLanguageSpecificData",
    "GetRegionStart",
    "GetTextRelBase",
    "RaiseException",
    "Resume",
    "SetGR",
    "SetIP",
)
NAME = "libgcc_s.so.1"
#: Only the static copy has this text, the start of its messages.
MARK = b"libunwind: "


def stand_in(python: Path, machine: Machine, folder: Path) -> Path:
    """Write the stand-in for a processor with the zig of an environment; return it."""
    folder = folder / machine.name
    folder.mkdir(parents=True, exist_ok=True)
    source, library = folder / "unwinder.c", folder / NAME
    lines = (f"void _Unwind_{name}(void) {{}}\n" for name in FUNCTIONS)
    source.write_text("".join(lines), "utf-8")
    command = [str(python), "-m", "ziglang", "cc", "-shared", "-nostdlib"]
    command += [
        "-target",
        f"{machine.zig}-linux-gnu{machine.abi}.2.17",
        f"-Wl,-soname,{NAME}",
    ]
    subprocess.run([*command, "-o", str(library), str(source)], check=True)
    return library


def faults(module: bytes) -> list[str]:
    """Return what is wrong with an extension module for glibc."""
    found = ["carries an unwinder"] if MARK in module else []
    return found if NAME.encode() in module else [*found, f"does not need {NAME}"]
