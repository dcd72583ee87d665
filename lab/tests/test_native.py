"""The native half of the study of structures: programs, samples, verdicts.

This compiles one C++ program whose library is installed, in seconds; the crate only
if SNOOZE_LAB_NATIVE=1 asks for it or it is built already.
"""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from snooze_lab import native
from snooze_lab.model import Contest, Factors
from snooze_lab.native import build, study
from snooze_lab.native.build import BuildError, Row
from snooze_lab.planning import schedule
from snooze_lab.running import execution
from snooze_lab.stored import store
from snooze_lab.workloads import generated, shapes, structs

SAMPLE = {
    "contender": "one (C)",
    "version": "1.2",
    "bytes": 0,
    "loops": 7,
    "warmups": 3,
    "times": [100.5, 101.0, 99.0, 100.0, 100.0],
}


def text_of(structure):
    value = shapes.look_alike(structs.STRUCTURES[structure], generated.Dice(9), 1)
    return generated.indented(value, 1)


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path / "data"))
    return {name: text_of(name) for name in structs.STRUCTURES}


def program(tmp_path, body):
    """Return a program that has the arguments of the real ones and does `body`."""
    path = tmp_path / "program"
    path.write_text(
        f"#!{sys.executable}\n"
        "import json, sys\n"
        "given = dict(zip(sys.argv[1::2], sys.argv[2::2]))\n"
        "value = json.load(open(given['--document']))\n"
        f"sample = {SAMPLE!r}\n"
        f"{body}\n"
        "text = json.dumps(value)\n"
        "open(given['--output'], 'w').write(text)\n"
        "sample['bytes'] = len(text)\n"
        "print(json.dumps(sample))\n"
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def contest(buffer="fresh", structure="twitter", names=("one (C)",)):
    factors = Factors(buffer=buffer)
    return Contest(
        *(study.STUDY, study.TABLE, structure, "encode", names, factors),
        baseline=names[0],
        seconds=0.005,
        blocks=1,
    )


def taken(texts, row, one):
    """Return the sample of a program in the first step of a contest."""
    order = schedule.Schedule([one], seed=1)
    request = schedule.request(order.steps[0], order)
    return study.Programs({row.contender: row}, texts)(request)


def sample(texts, path):
    return taken(texts, Row("one (C)", program=path), contest())


def test_a_sample_has_the_times_and_what_they_are_of(tmp_path, texts):
    found = sample(texts, program(tmp_path, "pass"))
    assert found["status"] == "ok"
    assert found["values"] == {"time": SAMPLE["times"]}
    assert (found["loops"], found["warmups"]) == (7, 3)
    value = json.loads(structs.projected("twitter", text_of("twitter")))
    assert found["bytes"] == len(json.dumps(value))
    assert found["digest"] == structs.digest_of(value)
    assert found["rusage"]["user"] > 0
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        (
            "value['statuses'][0]['user']['verified'] = 0",
            "wrong",
            "$.statuses[0].user.verified: int instead of bool",
        ),
        ("value = float('nan')", "wrong", ""),
        ("print('x'); raise SystemExit", "failed", ""),
        ("raise SystemExit('no memory')", "failed", "no memory"),
    ],
)
def test_what_is_wrong_is_never_timed(tmp_path, texts, body, status, error):
    found = sample(texts, program(tmp_path, body))
    assert found["status"] == status
    assert error in found["error"]
    assert found["values"] == {}


def test_what_cannot_take_part_says_why(tmp_path, texts):
    assert sample(texts, tmp_path / "gone")["status"] == "failed"
    assert Row("x", absent="apt install x").state("fresh") == {
        "status": "absent",
        "reason": "apt install x",
    }
    never = {"status": "unable", "reason": "never"}
    for unable in ({"fresh": "never"}, {"": "never"}):
        assert Row("x", unable=unable).state("fresh") == never
    fine = {"status": "ok", "reason": ""}
    assert Row("x", unable={"reused": "never"}).state("fresh") == fine


# As part of a run.


@pytest.fixture
def rows(monkeypatch):
    found = [
        Row("serde_json (Rust)", absent="no cargo"),
        Row("yyjson (C)", absent="no yyjson.h"),
        Row("fresh (C)", unable={"reused": "always new"}, absent=""),
    ]
    monkeypatch.setattr(build, "build", lambda _say: found)
    monkeypatch.setattr(build, "rows", lambda: found)
    return found


def test_it_takes_part_where_there_is_time(rows):
    assert study.contests("smoke", str) == []
    found = study.contests("standard", str)
    assert [one.id for one in found] == [
        "s004_structs/native/twitter/encode",
        "s004_structs/native/twitter/encode?buffer=reused",
        "s004_structs/native/citm/encode",
        "s004_structs/native/citm/encode?buffer=reused",
    ]
    assert {one.baseline for one in found} == {native.BASELINE}
    assert {one.contenders[-1] for one in found} == {native.AGAIN}
    assert {one.blocks for one in found} == {2}
    reused = study.verdicts(found)["s004_structs/native/twitter/encode?buffer=reused"]
    assert reused["yyjson (C)"] == {"status": "absent", "reason": "no yyjson.h"}
    assert reused["fresh (C)"] == {"status": "unable", "reason": "always new"}
    assert study.table(found).as_json()["contests"] == [one.id for one in found]


def test_blocks_are_shuffled_and_can_be_resumed(rows, tmp_path, monkeypatch):
    rows.pop()  # no program of it is there
    found = study.contests("standard", str)
    plan = {"seed": 3, "verified": study.verdicts(found)}
    order = schedule.Schedule(found, seed=3)
    run = store.Run.create(tmp_path / "run", plan, {})
    execution.execute(run, order, study.programs(), str)
    lines = list(run.samples())
    keys = [(one["contest"], one["contender"], one["block"]) for one in lines]
    cells = len(keys) // 2
    assert len(set(keys)) == len(keys) == 2 * 4 * 3
    assert {(one["status"], one["error"]) for one in lines} == {
        ("absent", "no cargo"),
        ("absent", "no yyjson.h"),
    }
    assert sorted(key[:2] for key in keys[:cells]) == sorted(
        key[:2] for key in keys[cells:]
    )
    assert [key[:2] for key in keys[:cells]] != [key[:2] for key in keys[cells:]]
    rest = store.Run.create(tmp_path / "rest", plan, {})
    for one in lines[:-3]:
        rest.append(one)
    said = []
    execution.execute(rest, order, study.programs(), said.append)
    again = [(one["contest"], one["contender"], one["block"]) for one in rest.samples()]
    assert again == keys
    assert [one.done for one in said] == [0, 1, 2, 3]


# What is built.


def test_a_list_is_read_as_programs_write_it():
    line = {
        "contender": "a (C)",
        "version": "1",
        "note": "n",
        "unable": {"fresh": "no"},
    }
    path = Path("program")
    rows = build.listed(path, json.dumps(line) + "\n")
    assert rows == [Row("a (C)", "1", "n", {"fresh": "no"}, path)]
    for text in ("x", "[]", '{"version":"a"}'):
        with pytest.raises(BuildError, match="expected lines of JSON"):
            build.listed(path, text)


def test_without_sources_every_row_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "SOURCES", tmp_path / "none")
    for rows in (build.rows(), build.build(print)):
        assert len(rows) == 10
        assert all("run the laboratory from a checkout" in row.absent for row in rows)


def test_what_is_not_built_says_how(monkeypatch, tmp_path):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    rows = build.rows()
    assert len(rows) == 10
    assert all("python -m snooze_lab.native.build" in row.absent for row in rows)


@pytest.fixture
def no_crate(monkeypatch):
    """Build without Cargo and without fetching packages."""
    monkeypatch.setattr(build, "RUST", ())
    monkeypatch.setattr(build, "_cargo", lambda: Path("/bin/true"))
    monkeypatch.setattr(build, "_unpack", lambda _missing: None)


def test_a_library_that_is_not_there_names_its_package(no_crate, monkeypatch, tmp_path):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    library = build.Library("x", ("x (C)",), "no/such/x.h", ("libx-dev",))
    monkeypatch.setattr(build, "LIBRARIES", (library,))
    (row,) = build.build(str)
    assert "no no/such/x.h: apt install libx-dev" in row.absent or (
        "no C++ compiler" in row.absent
    )


def test_a_compiler_that_is_not_there_is_named(no_crate, monkeypatch, tmp_path):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    monkeypatch.setattr(build.shutil, "which", lambda _: None)
    assert {row.absent for row in build.build(str)} == {
        "no C++ compiler: apt install g++"
    }


def measured(rows):
    """Measure every contender once for a moment; each output is compared."""
    texts = {name: text_of(name) for name in structs.STRUCTURES}
    for row in rows:
        for structure, text in texts.items():
            for buffer in ("fresh", "reused"):
                if row.state(buffer)["status"] == "unable":
                    assert buffer == "reused"
                    continue
                asked = contest(buffer, structure, (row.contender,))
                one = taken(texts, row, asked)
                assert one["status"] == "ok", one
                assert one["bytes"] == len(structs.projected(structure, text))
                value = json.loads(text)
                value = shapes.projected(structs.STRUCTURES[structure], value)
                assert one["digest"] == structs.digest_of(value)
                assert len(one["values"]["time"]) == schedule.VALUES
                assert min(one["values"]["time"]) > 0


@pytest.mark.parametrize("library", build.LIBRARIES, ids=lambda one: one.source)
def test_a_program_of_a_library_that_is_there(library, no_crate, monkeypatch):
    monkeypatch.setattr(build, "LIBRARIES", (library,))
    quick = library.source in {"rapidjson", "yyjson"}
    built = (build.folder() / "bin" / library.source).exists()
    if not (quick or built or os.environ.get("SNOOZE_LAB_NATIVE")):
        pytest.skip("compiles for long; SNOOZE_LAB_NATIVE=1 asks for it")
    rows = build.build(str)
    if rows[0].absent:
        assert "apt install" in rows[0].absent
        pytest.skip(rows[0].absent)
    assert tuple(row.contender for row in rows) == library.contenders
    assert all(row.version[0].isdigit() and "-O3" in row.note for row in rows)
    measured(rows)
    bad = subprocess.run(
        [rows[0].program, "--contender", "x", "--structure", "twitter"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert bad.returncode == 64
    assert "--buffer is missing" in bad.stderr


def test_the_crate(monkeypatch):
    asked = os.environ.get("SNOOZE_LAB_NATIVE")
    if not (asked or (build.folder() / "target" / "release").exists()):
        pytest.skip("the crate is not built; SNOOZE_LAB_NATIVE=1 builds it")
    monkeypatch.setattr(build, "LIBRARIES", ())
    rows = build.build(str) if asked else build.rows()
    assert tuple(row.contender for row in rows) == build.RUST
    assert [row.absent for row in rows] == [""] * 4
    measured(rows)
