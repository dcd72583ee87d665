"""The processors that wheels are built for, and what each tool calls them.

Separate from wheel_targets.py, which adds the C library and the compiler, and from
matrix_python.py, which runs the tests on an emulated one: both need the same names.
Standard library only.
"""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Machine:
    """A processor."""

    name: str  # in the tags of wheels
    rust: str  # in the triples of Rust
    zig: str
    debian: str
    emulator: str
    abi: str = ""  # how a triple ends, after the name of the C library

    def platforms(self) -> tuple[str, ...]:
        """Return the tags of wheels that run on it with glibc, the usual first."""
        minors = (17, 24, 27, 28, 31, 34)
        tags = (f"manylinux_2_{minor}_{self.name}" for minor in minors)
        return (*tags, f"manylinux2014_{self.name}")


X86_64 = Machine("x86_64", "x86_64", "x86_64", "amd64", "qemu-x86_64")
AARCH64 = Machine("aarch64", "aarch64", "aarch64", "arm64", "qemu-aarch64")
I686 = Machine("i686", "i686", "x86", "i386", "qemu-i386")
ARMV7 = Machine("armv7l", "armv7", "arm", "armhf", "qemu-arm", abi="eabihf")
PPC64LE = Machine("ppc64le", "powerpc64le", "powerpc64le", "ppc64el", "qemu-ppc64le")
S390X = Machine("s390x", "s390x", "s390x", "s390x", "qemu-s390x")
MACHINES = {one.name: one for one in (X86_64, AARCH64, I686, ARMV7, PPC64LE, S390X)}


def native() -> str:
    """Return Debian's name of this machine's processor."""
    name = os.uname().machine
    return MACHINES[name].debian if name in MACHINES else name
