"""Build the programs of lab/native, and list their contenders.

Separate because building needs compilers, Cargo and, where a library is not installed,
Debian's packages; alone it is `python -m snooze_lab.native.build`. The C and C++
programs are compiled with -O3 and without -march=native, as the seed's were; a missing
tool or library gives a row that names it and the command that installs it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import snooze
from snooze_lab.data import cache

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[4]
SOURCES = ROOT / "lab" / "native"
FLAGS = ("-std=c++20", "-O3", "-DNDEBUG")
TIMEOUT_S = 1_200.0
#: The distribution that packages come from where the system has none installed: the
#: first has every library, the second is the system's own.
SUITES = ("sid", "installed")


@dataclass(frozen=True)
class Library:
    """A library of C or C++ and the program around it.

    `source` is a file of lab/native/cpp; `link` is the argument of the linker, `static`
    the name of the library if it can be linked whole.
    """

    source: str
    contenders: tuple[str, ...]
    header: str
    packages: tuple[str, ...]
    link: str = ""
    static: tuple[str, ...] = ()


LIBRARIES = (
    Library(
        *("yyjson", ("yyjson (C)",), "yyjson.h", ("libyyjson-dev", "libyyjson0")),
        link="yyjson",
    ),
    Library(
        "simdjson",
        ("simdjson builder (C++)", "simdjson DOM (C++)"),
        "simdjson.h",
        ("libsimdjson-dev",),
        link="simdjson",
        static=("libsimdjson_static.a", "libsimdjson.a"),
    ),
    Library(
        "rapidjson",
        ("RapidJSON (C++)", "RapidJSON DOM (C++)"),
        "rapidjson/rapidjson.h",
        ("rapidjson-dev",),
    ),
    Library(
        "nlohmann",
        ("nlohmann/json (C++)",),
        "nlohmann/json.hpp",
        ("nlohmann-json3-dev",),
    ),
)
RUST = (
    "snooze-core (Rust)",
    "serde_json (Rust)",
    "sonic-rs (Rust)",
    "simd-json (Rust)",
)


@dataclass(frozen=True)
class Row:
    """A contender as its program lists it, or why there is no program.

    `unable` gives a reason by kind of buffer, or for all by "". `absent` is why it
    cannot take part, empty if it can.
    """

    contender: str
    version: str = ""
    note: str = ""
    unable: dict[str, str] = field(default_factory=dict)
    program: Path | None = None
    absent: str = ""

    def state(self, buffer: str) -> dict[str, str]:
        """Return the `status` for a kind of buffer, ok, absent or unable; `reason`."""
        if self.absent:
            return {"status": "absent", "reason": self.absent}
        reason = self.unable.get("", "") or self.unable.get(buffer, "")
        return {"status": "unable" if reason else "ok", "reason": reason}


class BuildError(Exception):
    """A program could not be built; the message says what is missing."""


def folder() -> Path:
    """Return where programs, packages and inputs are kept."""
    return cache.folder("native")


def build(progress: Callable[[str], None] = print) -> list[Row]:
    """Build the missing programs and return the rows of all contenders.

    Packages of libraries that are not installed are unpacked into `debs` in the folder,
    without root; this needs apt and its mirror.
    """
    if not SOURCES.exists():
        return rows()
    progress("native: building the crate (about half a minute the first time)")
    found = _rows(RUST, _cargo)
    compiler = _compiler()
    missing = [
        one
        for one in LIBRARIES
        if compiler and not (_has(compiler, one) or (_include() / one.header).exists())
    ]
    if missing:
        names = ", ".join(one.source for one in missing)
        progress(f"native: fetching packages for {names}")
        _unpack(missing)
    for library in LIBRARIES:
        progress(f"native: compiling {library.source}")
        found += _rows(library.contenders, _compiled, library)
    return found


def rows() -> list[Row]:
    """Return the rows of all contenders without building anything."""
    found = _rows(RUST, _existing, _crate())
    for library in LIBRARIES:
        found += _rows(library.contenders, _existing, _binary(library))
    return found


def _existing(program: Path) -> Path:
    if not SOURCES.exists():
        raise BuildError(
            f"the sources of the programs are missing ({SOURCES}): they are part of "
            "the repository, not of the installed package; run the laboratory from a "
            "checkout"
        )
    if not program.exists():
        raise BuildError("not built yet: 'python -m snooze_lab.native.build' builds it")
    return program


def _rows(
    contenders: tuple[str, ...], make: Callable[..., Path], *given: Library | Path
) -> list[Row]:
    """Return the rows of a program, which lists its own contenders."""
    try:
        program = make(*given)
        return listed(program, output([str(program), "--list"]))
    except BuildError as reason:
        return [Row(name, absent=str(reason)) for name in contenders]


def listed(program: Path, text: str) -> list[Row]:
    """Return the rows that a program lists as JSON lines; BuildError if invalid."""
    try:
        return [
            dataclasses.replace(snooze.decode(line, Row), program=program)
            for line in text.splitlines()
        ]
    except ValueError as error:
        raise BuildError(
            f"{program} --list: expected lines of JSON, found {text!r}: {error}"
        ) from error


def output(
    command: list[str],
    *,
    cwd: Path | None = None,
    timeout: float = TIMEOUT_S,
    **variables: str,
) -> str:
    """Run a command and return its output; BuildError with the end of its stderr."""
    try:
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            cwd=cwd,
            env=os.environ | variables,
        )
    except (OSError, subprocess.SubprocessError) as reason:
        raise BuildError(f"{command[0]}: {reason}") from reason
    if ended.returncode:
        said = ended.stderr.strip() or ended.stdout.strip()
        name = Path(command[0]).name
        raise BuildError(f"{name}: exit status {ended.returncode}: {said[-600:]}")
    return ended.stdout


def _crate() -> Path:
    return folder() / "target" / "release" / "snooze-native"


def _cargo() -> Path:
    cargo = shutil.which("cargo") or str(Path.home() / ".cargo" / "bin" / "cargo")
    if not Path(cargo).exists():
        raise BuildError("no cargo: install Rust with rustup, or apt install cargo")
    command = [cargo, "build", "--release", "--locked", "--quiet", "--target-dir"]
    # Inside the folder, so that the repository's compiler settings apply.
    output([*command, str(folder() / "target")], cwd=SOURCES)
    return _crate()


def _compiler() -> str | None:
    """Return the C++ compiler: CXX of the environment, or a usual one."""
    names = (os.environ.get("CXX", ""), "g++", "clang++", "c++")
    return next(
        (found for name in names if name and (found := shutil.which(name))), None
    )


def _include() -> Path:
    return folder() / "debs" / "usr" / "include"


def _has(compiler: str, library: Library) -> bool:
    """Tell whether a library's header is installed."""
    asked = f"#if !__has_include(<{library.header}>)\n#error missing\n#endif\n"
    ended = subprocess.run(
        [compiler, *FLAGS, "-E", "-x", "c++", "-"],
        input=asked,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode == 0


def _unpack(missing: list[Library]) -> None:
    """Unpack packages; failures appear in the rows of the libraries concerned."""
    script = ROOT / "scripts" / "debs.sh"
    target = str(folder() / "debs")
    bash = shutil.which("bash") or "bash"
    whole = tuple(name for one in missing for name in one.packages)
    tries = [(SUITES[0], whole), *((SUITES[1], one.packages) for one in missing)]
    for suite, names in tries:
        try:
            output([bash, str(script), target, suite, "all", *names], ONLY="1")
        except BuildError:
            continue
        if names is whole:
            return


def _binary(library: Library) -> Path:
    return folder() / "bin" / library.source


def _compiled(library: Library) -> Path:
    """Return a library's program, compiled if its sources or flags have changed."""
    compiler = _compiler()
    if compiler is None:
        raise BuildError("no C++ compiler: apt install g++")
    if _has(compiler, library):
        where = _linked(library, None)
    elif (_include() / library.header).exists():
        where = ["-I", str(_include()), *_linked(library, folder() / "debs")]
    else:
        package = library.packages[0]
        raise BuildError(
            f"no {library.header}: apt install {package} "
            "(Debian 13 and newer have every library)"
        )
    program = _binary(library)
    source = SOURCES / "cpp" / f"{library.source}.cpp"
    command = [compiler, *FLAGS, str(source), "-o", str(program), *where]
    key = program.with_suffix(".key")
    digest = hashlib.sha256(repr(command).encode())
    for path in (source, *sorted(source.parent.glob("*.hpp"))):
        digest.update(path.read_bytes())
    if not (
        program.exists() and key.exists() and key.read_text() == digest.hexdigest()
    ):
        program.parent.mkdir(parents=True, exist_ok=True)
        output(command)
        key.write_text(digest.hexdigest())
    return program


def _linked(library: Library, root: Path | None) -> list[str]:
    """Return the arguments of the linker; unpacked libraries are found by path."""
    if not library.link:
        return []
    if root is None:
        return [f"-l{library.link}"]
    folders = sorted(path for path in (root / "usr" / "lib").glob("*") if path.is_dir())
    for place in folders:
        for name in library.static:
            if (place / name).exists():
                return [str(place / name)]
        if any(path.exists() for path in place.glob(f"lib{library.link}.so*")):
            return [f"-L{place}", f"-Wl,-rpath,{place}", f"-l{library.link}"]
    raise BuildError(
        f"{library.header} was unpacked, but no lib{library.link} with it: "
        f"apt install {library.packages[0]}"
    )


def main() -> None:
    """Build everything and print a line for each contender."""
    for row in build():
        state = f"{row.version}, {row.note}"
        if row.absent:
            state = f"not available: {row.absent}"
        print(f"{row.contender:26} {state}")


if __name__ == "__main__":
    main()
