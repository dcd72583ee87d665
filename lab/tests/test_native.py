"""The native half of the study of structures: programs, samples, verdicts.

This compiles one C++ program whose library is installed, in seconds; the crate only
if SNOOZE_LAB_NATIVE=1 asks for it or it is built already.
"""

import json
import os
import stat
import subprocess
import sys

import pytest

from snooze_lab import native, nativebuild
from snooze_lab.nativebuild import BuildError, Row
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
def inputs(tmp_path, monkeypatch):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path / "data"))
    return native.Inputs({name: text_of(name) for name in structs.STRUCTURES})


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


def cell(path, **fields):
    row = Row("one (C)", "one (C)", program=path, version="1.2", **fields)
    contest = "s004/native/twitter/encode"
    return native.Cell(contest, "one (C)", row, "twitter", "fresh")


def test_a_sample_has_the_times_and_what_they_are_of(tmp_path, inputs):
    found = native.sample(cell(program(tmp_path, "pass")), 2, 5, 0.01, inputs)
    assert (found["status"], found["error"]) == ("ok", None)
    assert found["contest"] == "s004/native/twitter/encode"
    assert (found["block"], found["position"]) == (2, 5)
    assert found["values"] == {"time": SAMPLE["times"]}
    assert (found["loops"], found["warmups"]) == (7, 3)
    value = json.loads(structs.projected("twitter", text_of("twitter")))
    assert found["bytes"] == len(json.dumps(value))
    assert found["digest"] == structs.digest_of(value)
    assert found["rusage"]["user"] > 0
    assert native.throughput(found) == found["bytes"] / 100.0
    json.dumps(found, allow_nan=False)


def test_a_wrong_result_is_never_timed(tmp_path, inputs):
    body = "value['statuses'][0]['user']['verified'] = 0"
    found = native.sample(cell(program(tmp_path, body)), 0, 0, 0.01, inputs)
    assert found["status"] == "wrong"
    assert found["error"] == "$.statuses[0].user.verified: int instead of bool"
    assert found["values"] == {}


def test_what_is_not_json_is_wrong(tmp_path, inputs):
    found = native.sample(
        cell(program(tmp_path, "value = float('nan')")), 0, 0, 0.01, inputs
    )
    assert found["status"] == "wrong"
    found = native.sample(
        cell(program(tmp_path, "print('x'); raise SystemExit")), 0, 0, 0.01, inputs
    )
    assert found["status"] == "failed"


def test_a_program_that_fails_says_why(tmp_path, inputs):
    found = native.sample(
        cell(program(tmp_path, "raise SystemExit('no memory')")), 0, 0, 0.01, inputs
    )
    assert found["status"] == "failed"
    assert "no memory" in found["error"]
    gone = native.sample(cell(tmp_path / "gone"), 0, 0, 0.01, inputs)
    assert gone["status"] == "failed"


def test_what_cannot_take_part_says_why(inputs):
    found = native.sample(cell(None, absent="apt install x"), 0, 0, 0.01, inputs)
    assert (found["status"], found["error"]) == ("absent", "apt install x")
    for unable in ({"fresh": "never"}, {"": "never"}):
        found = native.sample(cell(None, unable=unable), 0, 0, 0.01, inputs)
        assert (found["status"], found["error"]) == ("unable", "never")
    other = native.sample(cell(None, unable={"reused": "never"}), 0, 0, 0.01, inputs)
    assert other["status"] == "failed"


def test_blocks_are_shuffled_and_can_be_resumed():
    rows = [Row(name, name, absent="not here") for name in nativebuild.RUST]
    whole = list(native.run(2, 0.01, rows=rows, seed=3))
    cells = native.cells(rows)
    assert len(whole) == 2 * len(cells) == 2 * 4 * (len(rows) + 1)
    keys = [(one["contest"], one["contender"], one["block"]) for one in whole]
    assert len(set(keys)) == len(keys)
    assert [key[:2] for key in keys[: len(cells)]] != [
        key[:2] for key in keys[len(cells) :]
    ]
    assert keys[: len(cells)] != [(c.contest, c.contender, 0) for c in cells]
    assert native.AGAIN in {key[1] for key in keys}
    said = []
    rest = list(
        native.run(
            2, 0.01, rows=rows, seed=3, done=set(keys[:-3]), progress=said.append
        )
    )
    found = [(one["contest"], one["contender"], one["block"]) for one in rest]
    assert found == keys[-3:]
    assert len(said) == 3
    assert said[0].startswith("block 2/2: s004/native/")


def test_contests_are_named_by_structure_and_buffer():
    rows = [Row(name, name) for name in nativebuild.RUST]
    found = native.contests(rows, blocks=3, seconds=0.1)
    assert [one.id for one in found] == [
        "s004/native/twitter/encode",
        "s004/native/twitter/encode?buffer=reused",
        "s004/native/citm/encode",
        "s004/native/citm/encode?buffer=reused",
    ]
    assert {one.baseline for one in found} == {native.BASELINE}
    assert found[0].contenders[-1] == native.AGAIN
    assert found[0].blocks == 3


def test_a_list_is_read_as_programs_write_it():
    line = {
        "contender": "a (C)",
        "version": "1",
        "note": "n",
        "unable": {"fresh": "no"},
    }
    rows = nativebuild.parse_list(json.dumps(line) + "\n")
    assert rows == [Row("a (C)", "a (C)", None, "1", "n", {"fresh": "no"})]
    for text in ("x", "[]", '{"contender":"a"}'):
        with pytest.raises(BuildError, match="expected lines of JSON"):
            nativebuild.parse_list(text)


def test_without_sources_every_row_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(nativebuild, "SOURCES", tmp_path / "none")
    for rows in (nativebuild.rows(), nativebuild.build(print)):
        assert len(rows) == 10
        assert all("run the laboratory from a checkout" in row.absent for row in rows)


def test_what_is_not_built_says_how(monkeypatch, tmp_path):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    rows = nativebuild.rows()
    assert len(rows) == 10
    assert all("snooze_lab.nativebuild" in row.absent for row in rows)


def test_a_library_that_is_not_there_names_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    library = nativebuild.Library("x", ("x (C)",), "no/such/x.h", ("libx-dev",))
    monkeypatch.setattr(nativebuild, "LIBRARIES", (library,))
    (row,) = nativebuild.build(lambda _: None, fetch=False, rust=False)
    assert "no no/such/x.h: apt install libx-dev" in row.absent or (
        "no C++ compiler" in row.absent
    )


def test_a_compiler_that_is_not_there_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    monkeypatch.setattr(nativebuild.shutil, "which", lambda _: None)
    rows = nativebuild.build(lambda _: None, fetch=False, rust=False)
    assert {row.absent for row in rows} == {"no C++ compiler: apt install g++"}


def measured(rows, monkeypatch):
    """Measure every cell once for a moment; each output was compared with the input."""
    texts = {name: text_of(name) for name in structs.STRUCTURES}
    real = native.Inputs
    monkeypatch.setattr(native, "Inputs", lambda: real(texts))
    found = list(native.run(1, 0.005, rows=rows))
    for one in found:
        structure = one["contest"].split("/")[2].split("?")[0]
        if one["status"] == "unable":
            assert "buffer=reused" in one["contest"]
            continue
        assert one["status"] == "ok", one
        assert one["bytes"] == len(structs.projected(structure, texts[structure]))
        value = json.loads(texts[structure])
        value = shapes.projected(structs.STRUCTURES[structure], value)
        assert one["digest"] == structs.digest_of(value)
        assert len(one["values"]["time"]) == native.VALUES
        assert min(one["values"]["time"]) > 0
    assert len(found) == 4 * len({one["contender"] for one in found})
    return {one["contender"] for one in found}


@pytest.mark.parametrize("library", nativebuild.LIBRARIES, ids=lambda one: one.source)
def test_a_program_of_a_library_that_is_there(library, monkeypatch):
    monkeypatch.setattr(nativebuild, "LIBRARIES", (library,))
    quick = library.source in {"rapidjson", "yyjson"}
    built = (nativebuild.folder() / "bin" / library.source).exists()
    if not (quick or built or os.environ.get("SNOOZE_LAB_NATIVE")):
        pytest.skip("compiles for long; SNOOZE_LAB_NATIVE=1 asks for it")
    rows = nativebuild.build(lambda _: None, fetch=False, rust=False)
    if rows[0].absent:
        assert "apt install" in rows[0].absent
        pytest.skip(rows[0].absent)
    assert tuple(row.contender for row in rows) == library.contenders
    assert all(row.version[0].isdigit() and "-O3" in row.note for row in rows)
    found = measured(rows, monkeypatch)
    assert found == set(library.contenders)
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
    if not (asked or (nativebuild.folder() / "target" / "release").exists()):
        pytest.skip("the crate is not built; SNOOZE_LAB_NATIVE=1 builds it")
    monkeypatch.setattr(nativebuild, "LIBRARIES", ())
    rows = nativebuild.build(lambda _: None) if asked else nativebuild.rows()
    assert tuple(row.contender for row in rows) == nativebuild.RUST
    assert [row.absent for row in rows] == [""] * 4
    found = measured(rows, monkeypatch)
    assert found == {*nativebuild.RUST, native.AGAIN}
