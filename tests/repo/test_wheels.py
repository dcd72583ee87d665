"""The scripts of a release: names of wheels, the sdist, the backend, the checks.

What they build takes minutes each, so it is not built here; `make wheels` and `make
test-matrix` do that and check it. These tests are about what the scripts decide.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from helpers.scripts import ROOT, script

release_check = script("release_check")
sdist = script("sdist")
wheel_record = script("wheel_record")
wheel_targets = script("wheel_targets")
wheels = script("wheels")
RELEASE = wheels.release()
MANYLINUX = wheel_targets.TARGETS[0]
MUSLLINUX = next(one for one in wheel_targets.TARGETS if one.libc == "musl")


@pytest.mark.parametrize(
    ("version", "tags"),
    [("3.11", "cp311-cp311"), ("3.15", "cp315-cp315"), ("3.14t", "cp314-cp314t")],
)
def test_tags(version, tags) -> None:
    """A free-threaded CPython has a tag of its own for the ABI."""
    assert wheel_targets.abi(version) == tags
    name = wheel_targets.wheel_name("0.1.0", version, MANYLINUX)
    platform = "manylinux2014_x86_64.manylinux_2_17_x86_64"
    assert name == f"snooze-0.1.0-{tags}-{platform}.whl"


def test_names_of_a_platform() -> None:
    """Rust, and the tags of wheels, name a processor differently."""
    targets = {one.name: one for one in wheel_targets.TARGETS}
    arm, power = targets["musllinux-armv7l"], targets["manylinux-ppc64le"]
    assert (arm.triple, arm.tag) == (
        "armv7-unknown-linux-musleabihf",
        "musllinux_1_2_armv7l",
    )
    assert (power.triple, power.tag) == (
        "powerpc64le-unknown-linux-gnu",
        "manylinux2014_ppc64le.manylinux_2_17_ppc64le",
    )


def test_every_version_of_the_metadata_has_a_wheel() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    stated = re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)
    built = [one for one in wheel_targets.VERSIONS if not one.endswith("t")]
    assert stated == built


def test_folders_of_the_machine_are_mapped_away() -> None:
    """The flags are joined with those of .cargo/config.toml, not put in their place."""
    folders = [Path("/its/rust")]
    found = wheel_targets._variables(MUSLLINUX, Path("/some/where"), folders)
    flags = found["CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS"]
    assert flags.endswith(" --remap-path-prefix=/its/rust=/rust")
    assert "--remap-path-prefix=/some/where=/snooze" in flags
    assert "RUSTFLAGS" not in found


def made_wheel(folder: Path, **changes: bytes | None) -> Path:
    """Write a wheel with what each must have; a change of None leaves a file out."""
    info = f"snooze-{RELEASE}.dist-info"
    name = wheel_targets.wheel_name(RELEASE, "3.14", MANYLINUX)
    tags = [f"cp314-cp314-{one}" for one in MANYLINUX.tag.split(".")]
    files = {one.format(version=RELEASE): b"" for one in wheels.NEEDED}
    files[f"{info}/WHEEL"] = "".join(f"Tag: {one}\n" for one in tags).encode()
    files["snooze/_snooze.cpython-314-x86_64-linux-gnu.so"] = b"\x7fELF"
    for path, text in changes.items():
        files.pop(path, None)
        if text is not None:
            files[path] = text
    wheel = folder / name
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def test_a_whole_wheel(tmp_path) -> None:
    assert wheels.contents(made_wheel(tmp_path)) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"snooze/py.typed": None}, "lacks snooze/py.typed"),
        ({"snooze/x.pyc": b""}, "has snooze/x.pyc"),
        ({"snooze/_second.so": b""}, "has 2 extension modules, not one"),
        ({"snooze/_snooze.cpython-314-x86_64-linux-gnu.so": None}, "has 0 extension"),
        (
            {"snooze/_snooze.cpython-314-x86_64-linux-gnu.so": str(ROOT).encode()},
            f"names the folder {ROOT}",
        ),
        (
            {f"snooze-{RELEASE}.dist-info/WHEEL": b"Tag: cp311-cp311-linux_x86_64\n"},
            "its tags are cp311-cp311-linux_x86_64",
        ),
        (
            {f"snooze-{RELEASE}.dist-info/sboms/snooze.cdx.json": None},
            "lacks snooze-",
        ),
    ],
)
def test_a_wheel_with_a_fault(tmp_path, changes, said) -> None:
    found = wheels.contents(made_wheel(tmp_path, **changes))
    assert len(found) == 1
    assert found[0].startswith(said)


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (b"\x7fELF libgcc_s.so.1", []),
        (b"\x7fELF", ["does not need libgcc_s.so.1"]),
        (b"\x7fELF libgcc_s.so.1 libunwind: %s", ["carries an unwinder"]),
    ],
)
def test_the_unwinder_of_a_wheel(module, said) -> None:
    """Two unwinders in a process end it when CPython ends a daemon thread."""
    assert wheels.wheel_unwinder.faults(module) == said


def test_differences_of_two_wheels(tmp_path) -> None:
    """They are named, so that a build that is not reproducible can be looked into."""
    for name, text in (("a", b"1"), ("b", b"2")):
        (tmp_path / name).mkdir()
        made_wheel(tmp_path / name, **{"snooze/py.typed": text})
    first, second = sorted(tmp_path.rglob("*.whl"))
    assert wheels.differences(first, first) == []
    assert wheels.differences(first, second) == ["snooze/py.typed"]
    assert wheels.digest(first) != wheels.digest(second)


def entry(**changes: object) -> dict[str, object]:
    """Return an entry of the record."""
    return {
        "target": MANYLINUX.name,
        "version": "3.14",
        "wheel": 1_234_567,
        "module": 2_345_678,
        "sha256": "a",
        "twice": True,
        "installed": "yes",
        "date": "2026-11-26",
        "library": "0a1b2c3d4e5f",
        **changes,
    }


def test_the_record_of_wheels(tmp_path, monkeypatch) -> None:
    """What was not built is named with its reason; nothing else replaces a build."""
    monkeypatch.setattr(wheel_record, "PATH", tmp_path / "wheels.json")
    key = wheel_record.name_of(MANYLINUX.name, "3.14")
    wheel_record.keep([entry()], {"musllinux-x86_64, 3.14": "no standard library"})
    (line,) = wheel_record.table(wheel_record.read())[2:]
    assert line == (
        "| manylinux-x86_64 | 3.14 | 1,234,567 | 2,345,678 | yes | yes | 2026-11-26 "
        "| `0a1b2c3d4e5f` |"
    )
    unbuilt = wheel_record.not_built(wheel_record.read())
    name = "wheels for musllinux-x86_64, CPython 3.14"
    assert (name, "no standard library") in unbuilt
    others = "3.11, 3.12, 3.13, 3.15, 3.14t"
    name = f"wheels for manylinux-x86_64, CPython {others}"
    assert (name, wheel_record.NOT_YET) in unbuilt
    wheel_record.keep([], {key: "not here"})
    assert key not in wheel_record.read()["not_built"]
    # The same bytes need not be built twice again; others must be.
    wheel_record.keep([entry(twice=False)], {})
    assert wheel_record.read()["wheels"][key]["twice"] is True
    wheel_record.keep([entry(twice=False, sha256="b")], {})
    assert wheel_record.read()["wheels"][key]["twice"] is False


def test_a_wheel_of_these_sources_is_not_built_again(tmp_path, monkeypatch) -> None:
    """A wheel of others, or one that another build has put there, is."""
    built: list[str] = []

    def build(target, version, tools, out):
        built.append(version)
        wheel = out / wheel_targets.wheel_name(RELEASE, version, target)
        wheel.write_text(f"made {len(built)}", "utf-8")
        return wheel

    digests = ["one"]
    monkeypatch.setattr(wheels, "OUT", tmp_path / "dist")
    monkeypatch.setattr(wheels, "build", build)
    monkeypatch.setattr(wheels.checkout, "digest", lambda *, checked: digests[-1])
    for count in (1, 1):
        wheel = wheels.current(MANYLINUX, "3.14", tmp_path)
        assert (len(built), wheel.read_text("utf-8")) == (count, f"made {count}")
    digests.append("two")
    assert wheels.current(MANYLINUX, "3.14", tmp_path).read_text("utf-8") == "made 2"
    wheel.write_text("from elsewhere", "utf-8")
    assert wheels.current(MANYLINUX, "3.14", tmp_path).read_text("utf-8") == "made 3"
    wheels.current(MANYLINUX, "3.15", tmp_path)
    assert built == ["3.14", "3.14", "3.14", "3.15"]


def test_manifest_without_the_crates_of_tests() -> None:
    text = (
        '[a]\nx = 1\n\n[dev-dependencies]\nb = "1"\nc = { d = [1] }\n\n[lints]\ny = 1\n'
    )
    wanted = "[a]\nx = 1\n\n[lints]\ny = 1\n"
    assert sdist.without_table(text, "dev-dependencies") == wanted
    assert sdist.without_table(wanted, "dev-dependencies") == wanted


def made_archive(path: Path, names: list[str], date: int) -> Path:
    """Write a .tar.gz of empty files."""
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(name)
            member.mtime, member.uid, member.uname = date, 1000, "someone"
            archive.addfile(member, io.BytesIO())
    return path


def test_equal_sources_make_equal_archives(tmp_path) -> None:
    """Whatever the order, dates and owners of the files are."""
    one = made_archive(tmp_path / "one.tar.gz", ["s/a", "s/b"], 1)
    two = made_archive(tmp_path / "two.tar.gz", ["s/b", "s/a"], 2)
    for path in (one, two):
        sdist.normalize(path, path.with_suffix(".new"))
    texts = [path.with_suffix(".new").read_bytes() for path in (one, two)]
    assert texts[0] == texts[1]
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(texts[0]))) as archive:
        assert archive.getnames() == ["s/a", "s/b"]
        assert {member.uname for member in archive.getmembers()} == {""}


def test_an_archive_that_lacks_files(tmp_path) -> None:
    path = made_archive(tmp_path / "s.tar.gz", ["s/Cargo.toml", "s/x.pyc"], 1)
    found = sdist.problems(path)
    assert "sdist: lacks Cargo.lock" in found
    assert "sdist: lacks scripts/backend/snooze_build.py" in found
    assert "sdist: has no vendored crates" in found
    assert "sdist: has x.pyc" in found
    assert "sdist: lacks Cargo.toml" not in found


def backend(path: str, rustc: str = "rustc") -> subprocess.CompletedProcess[str]:
    """Ask the build backend what a wheel needs, with programs from one folder."""
    code = "import snooze_build; print(snooze_build.get_requires_for_build_wheel())"
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": path, "RUSTC": rustc, "PYTHONPATH": str(ROOT / "scripts/backend")},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_rust_the_message_says_what_to_do(tmp_path) -> None:
    done = backend(str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.startswith(
        "snooze: compiling it needs Rust, and there is no cargo"
    )
    assert "Install Rust 1.89 or newer" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("script_text", "said"),
    [
        ("echo rustc 1.70.0", "rustc 1.70.0 is too old"),
        ("echo sorry >&2; exit 1", "rustc --version failed: sorry"),
    ],
)
def test_a_rust_that_does_not_fit(tmp_path, script_text, said) -> None:
    for name in ("cargo", "rustc"):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{script_text}\n")
        path.chmod(0o755)
    done = backend(f"{tmp_path}{os.pathsep}/bin")
    assert done.returncode == 1
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_new_rust_is_accepted(tmp_path) -> None:
    """Nothing more is needed: no toolchain is downloaded."""
    for name in ("cargo", "rustc"):
        path = tmp_path / name
        path.write_text("#!/bin/sh\necho 'rustc 1.89.0 (x 2025-08-04)'\n")
        path.chmod(0o755)
    done = backend(f"{tmp_path}{os.pathsep}/bin")
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


CHANGES = "# Changelog\n\n## [0.2.0] - 2026-11-24\n\n## [0.1.0] - 2026-01-01\n"


@pytest.mark.parametrize(
    ("release", "text", "found"),
    [
        ("0.2.0", CHANGES, []),
        ("0.2.0", "## [Unreleased]\n\n" + CHANGES, []),
        ("0.3.0", CHANGES, ["CHANGELOG.md has no section ## [0.3.0]"]),
        ("0.1.0", CHANGES, ["CHANGELOG.md: 0.2.0 stands above 0.1.0"]),
        (
            "0.2.0",
            CHANGES.replace("2026-11-24", "unreleased"),
            ["CHANGELOG.md: 0.2.0 has no date, but 'unreleased'"],
        ),
    ],
)
def test_changelog_of_a_release(release, text, found) -> None:
    assert release_check.changelog(release, text) == found


def test_names_of_requirements() -> None:
    text = "# a comment\nray[data]\npsycopg[binary]\nTyping_Extensions==4\n-r x.in\n    --hash\n"
    names = {"ray", "psycopg", "typing-extensions"}
    assert release_check.requirement_names(text) == names


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the repository")
def test_lock_files_fit() -> None:
    """Each package of requirements/*.in is pinned in the lock file beside it."""
    for source in sorted((ROOT / "requirements").glob("*.in")):
        names = release_check.requirement_names(source.read_text("utf-8"))
        locked = source.with_suffix(".lock").read_text("utf-8")
        assert names <= release_check.requirement_names(locked), source.name
