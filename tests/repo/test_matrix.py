"""The test matrix: its rows, its record, and the page that is made of it."""

from __future__ import annotations

import dataclasses
import os
import sys

import pytest

from helpers.scripts import ROOT, script

matrix_page = script("matrix_page")
matrix_python = script("matrix_python")
matrix_rows = script("matrix_rows")
sources = script("sources")
test_matrix = script("test_matrix")
wheel_targets = script("wheel_targets")


def test_each_version_with_a_wheel_has_a_row() -> None:
    names = [row.name for row in matrix_rows.ROWS]
    assert len(set(names)) == len(names)
    suites = {
        row.version
        for row in matrix_rows.ROWS
        if row.build == matrix_rows.WHEEL and row.check == matrix_rows.SUITE
    }
    assert suites == set(wheel_targets.VERSIONS)


def test_the_page_is_that_of_the_record() -> None:
    """Nothing is claimed that was not run: every number comes from tests/record."""
    text = matrix_page.PAGE.read_text("utf-8")
    assert matrix_page.page(text) == text
    record = matrix_page.read(matrix_page.MATRIX, {"rows": {}})
    known = {row.name for row in matrix_rows.ROWS}
    assert set(record["rows"]) <= known


def test_rows_without_a_run_are_shown_with_the_reason(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(matrix_page, "RECORD", tmp_path)
    monkeypatch.setattr(matrix_page, "MATRIX", tmp_path / "matrix.json")
    one = {
        "name": "3.12",
        "python": "3.12.1",
        "build": "wheel",
        "machine": "x86_64",
        "tier": "avx2",
        "check": "suite",
        "passed": 6600,
        "skipped": 20,
        "failed": 0,
        "seconds": 200,
        "date": "2026-11-24",
        "commit": "01234567",
        "sources": {"library": "0a1b2c3d4e5f", "tests": "6a7b8c9d0e1f"},
    }
    matrix_page.keep([one], {"3.14t": "set SNOOZE_FREETHREADED"})
    record = matrix_page.read(matrix_page.MATRIX, None)
    (line,) = matrix_page.matrix_table(record)[2:]
    assert line.startswith(
        "| 3.12.1 | wheel | x86_64 | avx2 | suite | 6,600 | 20 | 0 |"
    )
    assert line.endswith("| 2026-11-24 | `0a1b2c3d4e5f` | `6a7b8c9d0e1f` |")
    reasons = matrix_page.not_run_table(record)[2:]
    assert any("set SNOOZE_FREETHREADED" in one for one in reasons)
    assert sum(matrix_page.NOT_YET in one for one in reasons) == (
        len(matrix_rows.ROWS) - 2
    )
    # A later run on a machine without that CPython does not erase the result.
    matrix_page.keep([], {"3.12": "not here"})
    assert "3.12" in matrix_page.read(matrix_page.MATRIX, None)["rows"]


def test_rows_of_other_sources_are_named(tmp_path, monkeypatch, capsys) -> None:
    """A table that was not made with what is here says so."""
    monkeypatch.setattr(matrix_page, "MATRIX", tmp_path / "matrix.json")
    monkeypatch.setattr(matrix_page, "RECORD", tmp_path)
    now = sources.digests()
    base = {"date": "2026-11-24"}
    matrix_page.keep(
        [
            {"name": "3.11", **base, "sources": now},
            {"name": "3.12", **base, "sources": now | {"library": "0" * 12}},
            {"name": "3.13", **base},
        ],
        {"3.14t": "set SNOOZE_FREETHREADED"},
    )
    stale = matrix_page.stale_rows(matrix_page.read(matrix_page.MATRIX, None), now)
    assert "3.11" not in stale
    assert stale["3.12"] == "changed since 2026-11-24: library"
    assert stale["3.13"] == "changed since 2026-11-24: library and tests"
    assert stale["3.14t"] == "set SNOOZE_FREETHREADED"
    assert stale["3.15"] == matrix_page.NOT_YET
    assert matrix_page.show_current() == 1
    printed = capsys.readouterr().out
    assert "3.11: current\n" in printed
    assert "3.12: STALE, changed since 2026-11-24: library\n" in printed


def test_digests_follow_contents_and_names_only(tmp_path) -> None:
    """Caches, records and dates change nothing."""
    crate = tmp_path / "crates"
    (crate / "target").mkdir(parents=True)
    (tmp_path / "Cargo.toml").write_text("x", "utf-8")
    (crate / "a.rs").write_text("fn a() {}", "utf-8")
    names = ("crates", "Cargo.toml")
    first = sources.digest(tmp_path, names)
    assert len(first) == sources.LENGTH
    (crate / "target" / "a.o").write_text("made", "utf-8")
    (crate / "a.rs").touch()
    assert sources.digest(tmp_path, names) == first
    (crate / "a.rs").rename(crate / "b.rs")
    renamed = sources.digest(tmp_path, names)
    assert renamed != first
    (crate / "b.rs").write_text("fn b() {}", "utf-8")
    assert sources.digest(tmp_path, names) not in {first, renamed}
    for tree in (sources.LIBRARY, sources.TESTS):
        assert all((ROOT / name).exists() for name in tree)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("== 6578 passed, 21 skipped in 534.13s (0:08:54) ==", (6578, 21, 0)),
        ("== 1 failed, 3 passed, 2 errors in 3.10s ==", (3, 0, 3)),
        ("== 3 passed, 2 xfailed, 1 error in 3.10s ==", (5, 0, 1)),
        ("", (0, 0, 0)),
    ],
)
def test_counts_of_pytest(line, found) -> None:
    assert tuple(test_matrix.counts(line).values()) == found


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL", "SIGSEGV"])
def test_a_run_that_was_stopped_is_no_failure(name, tmp_path, monkeypatch) -> None:
    """What a user stops has no result; a crash is a failure."""
    monkeypatch.setattr(test_matrix, "FOLDER", tmp_path)
    (tmp_path / "3.12").mkdir()
    row = next(row for row in matrix_rows.ROWS if row.name == "3.12")
    ends = tmp_path / "ends.py"
    ends.write_text(
        "import signal, sys\n"
        f"number = signal.{name}\n"
        "if number != signal.SIGKILL:\n"
        "    signal.signal(number, signal.SIG_DFL)\n"
        "signal.raise_signal(number)\n"
    )
    command = [sys.executable, str(ends)]
    if name == "SIGSEGV":
        found = test_matrix.suite(row, command, tmp_path, ["-q"])
        assert found["failed"] == 1
    else:
        with pytest.raises(ChildProcessError, match=f"stopped by {name}"):
            test_matrix.suite(row, command, tmp_path, ["-q"])


def test_a_free_threaded_python_must_be_named(monkeypatch) -> None:
    """None is guessed; the reason says which variable to set."""
    (row,) = (row for row in matrix_rows.ROWS if row.name == "3.14t")
    monkeypatch.delenv("SNOOZE_FREETHREADED", raising=False)
    with pytest.raises(matrix_python.NotRun, match="set SNOOZE_FREETHREADED="):
        matrix_python.base(row)
    monkeypatch.setenv("SNOOZE_FREETHREADED", "/opt/python3.14t")
    assert matrix_python.base(row).path == "/opt/python3.14t"


def test_each_processor_with_a_wheel_is_in_a_row() -> None:
    """Its tests are run on the wheel of the same name, in an emulator if need be."""
    tested = {row.machine for row in matrix_rows.ROWS}
    assert {one.machine.name for one in wheel_targets.TARGETS} <= tested
    for row in matrix_rows.ROWS:
        assert (row.check == matrix_rows.COMPILES) == bool(row.triple)


def test_versions_for_another_processor_are_kept_apart(monkeypatch, tmp_path) -> None:
    """One that is there already must not stand for another."""
    machines = script("machines")
    asked = []
    monkeypatch.setattr(matrix_python, "FOREIGN", tmp_path)
    monkeypatch.setattr(
        matrix_python, "unpacked", lambda folder, *names: asked.append((folder, names))
    )
    for version in ("3.13", "3.14"):
        matrix_python._foreign_python(machines.S390X, version)
    (first, names), (second, _) = asked
    assert first != second
    assert names[:2] == ("s390x", "python3.13-venv")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="i686 is emulated here")
def test_programs_of_i686_need_no_emulator() -> None:
    (row,) = (row for row in matrix_rows.ROWS if row.name == "i686")
    loader, option, libraries = matrix_python.emulator(row)
    assert loader.endswith("/.build/foreign/i386-3.14/lib/ld-linux.so.2")
    assert option == "--library-path"
    assert libraries.endswith("/usr/lib/i386-linux-gnu")


@pytest.mark.parametrize("status", [0, 101])
def test_a_row_that_is_only_compiled(monkeypatch, tmp_path, status) -> None:
    """The compiler's status is the result; nothing is claimed of tests."""
    matrix_compile = script("matrix_compile")
    cargo = tmp_path / "usr" / "bin" / "cargo"
    cargo.parent.mkdir(parents=True)
    cargo.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/given\nexit {status}\n')
    cargo.chmod(0o755)
    monkeypatch.setattr(matrix_compile, "ROOT", tmp_path)
    monkeypatch.setattr(matrix_compile.wheel_targets, "debian_rust", lambda: tmp_path)
    (row,) = (row for row in matrix_rows.ROWS if row.name == "macos")
    found = matrix_compile.check(row)
    assert (found["passed"], found["failed"]) == ((1, 0) if status == 0 else (0, 1))
    given = (tmp_path / "given").read_text("utf-8")
    assert given.startswith("check --locked --package snooze-py ")
    assert given.endswith("--target aarch64-apple-darwin\n")


def test_a_python_for_musl_must_be_named(monkeypatch, tmp_path) -> None:
    """It must have the version of the row, and the pip of this machine fills it."""
    (row,) = (row for row in matrix_rows.ROWS if row.name == "3.14-musl")
    monkeypatch.delenv("SNOOZE_MUSL", raising=False)
    with pytest.raises(matrix_python.NotRun, match="set SNOOZE_MUSL="):
        matrix_python.base(row)
    monkeypatch.setenv("SNOOZE_MUSL", "/nowhere/python3.14")
    with pytest.raises(matrix_python.NotRun, match="no program named"):
        matrix_python.base(row)
    with pytest.raises(matrix_python.NotRun, match="no CPython for musl on armv7l"):
        matrix_python.base(dataclasses.replace(row, machine="armv7l"))
    python = tmp_path / "python3.14"
    for version in ("3.13.9", "3.14.7"):
        python.write_text(f"#!/bin/sh\necho {version}\n")
        python.chmod(0o755)
        monkeypatch.setenv("SNOOZE_MUSL", str(python))
        if version == "3.13.9":
            with pytest.raises(matrix_python.NotRun, match=r"CPython 3\.13\.9, not"):
                matrix_python.base(row)
    found = matrix_python.base(row)
    assert found.version == "3.14.7"
    assert all(one.startswith("musllinux") for one in found.platforms)


def test_the_copy_has_no_sources_of_the_library() -> None:
    """What is imported there can only be the installed wheel."""
    assert not {"src", "crates"} & set(test_matrix.COPIED)
    for name in test_matrix.COPIED:
        assert (ROOT / name).exists(), name
    for name in test_matrix.NOT_HERE:
        assert (ROOT / name).is_dir(), name
