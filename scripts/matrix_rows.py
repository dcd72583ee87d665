"""The rows of the test matrix: a CPython, a build, a processor, and what is run there.

Separate from test_matrix.py, which runs them: this is the table to change for another
row. Invariant: a row states all that its result depends on. Used by test_matrix.py and
matrix_page.py. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: How a suite is run under a sanitizer, a debug build or an emulator.
SUITE, TIERS, SMOKE, IMPORT = "suite", "tests of a tier", "smoke test", "import"
COMPILES = "it compiles"
WHEEL, SDIST = "wheel", "wheel from the sdist"
DEBUG, ADDRESS = "debug build of CPython", "AddressSanitizer"
EXTENSION = "extension alone"
GNU, MUSL = "gnu", "musl"


@dataclass(frozen=True)
class Row:
    """One line of the matrix.

    `version` is of CPython, with a `t` for a free-threaded build. `tier` is what
    SNOOZE_CPU is set to; empty: the processor's own. `machine`: a processor of
    machines.py, which is emulated where it is not that of this machine; or the words
    for another processor, with `emulator`, the command in front of the interpreter.
    `libc`: the C library that the interpreter is linked with.
    """

    name: str
    version: str
    build: str = WHEEL
    check: str = SUITE
    tier: str = ""
    machine: str = "x86_64"
    libc: str = GNU
    emulator: tuple[str, ...] = ()
    variables: dict[str, str] = field(default_factory=dict)
    #: The active tier, or the words of an ImportError, that the row expects.
    expects: str = ""
    #: What Rust compiles for where nothing can run the result.
    triple: str = ""


QEMU = "qemu-x86_64"
ROWS = (
    Row("3.11", "3.11"),
    Row("3.12", "3.12"),
    Row("3.13", "3.13"),
    Row("3.14", "3.14"),
    Row("3.15", "3.15"),
    Row("3.14t", "3.14t"),
    Row("3.14-musl", "3.14", machine="x86_64, musl", libc=MUSL),
    Row("3.14-debug", "3.14", DEBUG),
    Row("3.14-asan", "3.14", ADDRESS, TIERS),
    Row("3.14-sdist", "3.14", SDIST, SMOKE),
    Row("3.14-scalar", "3.14", check=TIERS, tier="scalar"),
    Row("3.14-v128", "3.14", check=TIERS, tier="v128"),
    Row("3.14-avx2", "3.14", check=TIERS, tier="avx2"),
    Row(
        "haswell",
        "3.13",
        check=TIERS,
        machine="Haswell, AVX2",
        emulator=(QEMU, "-cpu", "Haswell"),
        expects="avx2",
    ),
    Row(
        "nehalem",
        "3.13",
        check=TIERS,
        machine="Nehalem, no AVX",
        emulator=(QEMU, "-cpu", "Nehalem"),
        expects="v128",
    ),
    Row(
        "core2duo",
        "3.13",
        check=IMPORT,
        machine="Core 2, no SSE4.2",
        emulator=(QEMU, "-cpu", "core2duo"),
        expects="SSE4.2",
    ),
    Row("aarch64", "3.14", check=TIERS, machine="aarch64", expects="v128"),
    # Processors without kernels for their vectors; s390x stores numbers big-endian.
    Row("i686", "3.14", check=TIERS, machine="i686", expects="scalar"),
    Row("armv7l", "3.14", check=TIERS, machine="armv7l", expects="scalar"),
    Row("ppc64le", "3.14", check=TIERS, machine="ppc64le", expects="scalar"),
    Row("s390x", "3.14", check=TIERS, machine="s390x", expects="scalar"),
    Row(
        "windows",
        "3.14",
        EXTENSION,
        COMPILES,
        machine="x86_64, Windows",
        triple="x86_64-pc-windows-gnu",
    ),
    Row(
        "macos",
        "3.14",
        EXTENSION,
        COMPILES,
        machine="aarch64, macOS",
        triple="aarch64-apple-darwin",
    ),
)
#: What nothing here can run, and why.
NOT_RUN = (
    ("macOS, Windows", "no such machine, and no emulator for either"),
    ("3.15t", "no free-threaded CPython 3.15 could be had"),
)
