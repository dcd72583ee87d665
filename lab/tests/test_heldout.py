"""The held-out documents: their rule, applied to packages made here, and their recipes.

Separate from test_data.py because what is tested is a choice: a rule that quietly
takes other documents would make the group a tuned one. No test fetches.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

from helpers.scripts import script
from snooze_lab import data
from snooze_lab.data import documents, fetch
from snooze_lab.race import command
from snooze_lab.workloads import WorkloadError
from snooze_lab.workloads import documents as workloads

heldout = script("heldout")
LAB = Path(__file__).resolve().parents[1]


def archive(
    folder: Path, name: str, members: dict[str, bytes]
) -> tuple[str, str, Path]:
    """A package of these files, as npm packs it."""
    path = folder / f"{name.replace('/', '-')}.tgz"
    about = json.dumps({"name": name, "license": "MIT"}).encode()
    with tarfile.open(path, "w:gz") as opened:
        for member, text in {"package.json": about, **members}.items():
            info = tarfile.TarInfo(f"package/{member}")
            info.size = len(text)
            opened.addfile(info, io.BytesIO(text))
    return name, "1.0", path


def text(size: int, fill: str = "a") -> bytes:
    """A document of exactly this many bytes."""
    return b'"' + fill.encode() * (size - 2) + b'"'


def test_the_rule_takes_the_largest_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the limits, valid, not metadata, not in use elsewhere; one of a scope."""
    monkeypatch.setattr(heldout, "WANTED", 4)
    used = text(1_500, "u")
    walk = [
        archive(tmp_path, "sizes", {"a.json": text(999), "b.json": text(1_000)}),
        archive(tmp_path, "big", {"a.json": text(10_000_001), "b.json": text(2_000)}),
        archive(tmp_path, "none", {"a.json": text(10), "b.txt": text(3_000)}),
        archive(
            tmp_path,
            "@one/first",
            {
                "tsconfig.base.json": text(9_000),
                ".hidden/a.json": text(9_000),
                "node_modules/a.json": text(9_000),
                "babelrc.json": text(9_000),
                "broken.json": b"[" + text(9_000),
                "nan.json": b"[NaN," + text(9_000) + b"]",
                "used.json": used,
                "same.json": text(2_000),
                "z.json": text(1_200, "z"),
                "data/y.json": text(1_200, "y"),
                "LICENCE.md": b"free",
            },
        ),
        archive(tmp_path, "@one/second", {"a.json": text(5_000)}),
        archive(tmp_path, "last", {"a.json": text(4_000)}),
        ("not reached", "1.0", tmp_path / "absent.tgz"),
    ]
    taken, left = heldout.choose(iter(walk), {hashlib.sha256(used).hexdigest()})
    assert [(one.name, one.member) for one in taken] == [
        ("sizes.json", "package/b.json"),
        ("big.json", "package/b.json"),
        ("first.json", "package/data/y.json"),
        ("last.json", "package/a.json"),
    ]
    assert [line.partition(":")[0] for line in left] == ["none", "@one/second"]
    assert [one.package.licence_file for one in taken[1:3]] == [
        "package/package.json",
        "package/LICENCE.md",
    ]
    found = tomllib.loads(heldout.rendered(taken, left))
    packages = [fetch.Package(k, **v) for k, v in found["package"].items()]
    files = [fetch.File(**one) for one in found["file"]]
    assert [one.name for one in packages] == ["sizes", "big", "@one/first", "last"]
    assert all(one.client == "npm" and one.licence == "MIT" for one in packages)
    assert [one.bytes for one in files] == [1_000, 2_000, 1_200, 4_000]


def test_too_few_documents_are_an_error(tmp_path: Path) -> None:
    """The message says how many there are, and why others have none."""
    walk = [archive(tmp_path, "one", {"a.json": text(2_000)})]
    walk.append(archive(tmp_path, "two", {"a.json": text(2_000)}))
    with pytest.raises(data.FetchError, match="expected 20 .*, found 1; .*two: no doc"):
        heldout.choose(walk, set())


def test_candidates_are_names_and_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each once; a line of another form is named."""
    found = heldout.candidates()
    assert len({name for name, _ in found}) == len(found) >= heldout.WANTED
    monkeypatch.setattr(heldout, "CANDIDATES", tmp_path / "heldout.txt")
    heldout.CANDIDATES.write_text("# about\nonly-a-name\n")
    with pytest.raises(data.FetchError, match=r"line 2: .* found 'only-a-name'"):
        heldout.candidates()


def test_recipes_are_those_of_the_candidates() -> None:
    """Twenty documents, in the candidates' order, and none that is raced elsewhere."""
    files = fetch.files("heldout")
    assert len({one.sha256 for one in files}) == len(files) == heldout.WANTED
    order = {
        name: (n, version) for n, (name, version) in enumerate(heldout.candidates())
    }
    places = []
    for one in files:
        package = fetch.package(one.package)
        place, version = order[one.package]
        places.append(place)
        assert package.version == version
        assert (package.client, one.recipe) == ("npm", "as it is")
        assert len(package.sha256) == len(one.sha256) == 64
        assert package.bytes > 0
        assert package.licence
        assert package.licence_file
        assert heldout.eligible(one.member, one.bytes)
        assert one.sha256 not in fetch.digests()
    assert places == sorted(places)
    others = {one.name for g in data.GROUPS if g != "heldout" for one in fetch.files(g)}
    assert not others & {one.name for one in files}
    assert not {f"{name}.json" for name in workloads.WORKLOADS} & {
        one.name for one in files
    }


def test_the_rule_is_the_one_that_is_documented() -> None:
    """METHODOLOGY has it word for word."""

    def words(text: str) -> str:
        return " ".join(text.replace("\n>", "\n").split())

    rule = heldout.__doc__.partition("The rule. ")[2].partition("Invariants")[0]
    method = words((LAB / "METHODOLOGY.md").read_text("utf-8"))
    assert words(rule) in method
    names = " ".join(f"`{one}`" for one in heldout.PATTERNS)
    assert names in method.replace(",", "").replace(" and `*.map", " `*.map")


def test_another_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a package nor a document with another digest is used."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path / "cache"))
    file = fetch.files("heldout")[0]
    package = fetch.package(file.package)
    made = archive(tmp_path, package.name, {"db.json": text(2_000), "LICENSE": b"free"})

    def packed(_package: object, _scratch: Path, arrived: Path) -> None:
        (arrived / "made.tgz").write_bytes(made[2].read_bytes())

    monkeypatch.setattr(fetch, "_by_npm", packed)
    with pytest.raises(data.FetchError, match=f"expected {package.sha256}; not used"):
        data.get("heldout")
    assert not list((tmp_path / "cache" / "downloads").glob("*/*"))
    with pytest.raises(data.FetchError, match=rf"{file.name}: made with SHA-256"):
        copy = fetch.unpinned(package)
        monkeypatch.setattr(fetch, "obtain", lambda _: copy)
        documents._take(package, [file], tmp_path / "cache" / "documents")


def test_a_race_without_them_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All or none: the usual groups go on without them, the named group does not."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    with pytest.raises(WorkloadError, match="expected 20 .*, 20 are missing: run"):
        command.chosen(command.parse(["--group", "heldout"]))
    options = command.parse([])
    assert "heldout" in options.groups
    options.groups = ["heldout", "tiny"]
    assert {one.group for one in command.chosen(options)} == {"tiny"}
    assert "left out: the held-out documents" in capsys.readouterr().out


def test_the_program_compares_its_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It writes what it chose, and finds a recipe that the rule would not give."""
    walk = [archive(tmp_path, "one", {"a.json": text(2_000)})]
    monkeypatch.setattr(heldout, "WANTED", 1)
    monkeypatch.setattr(heldout, "archives", lambda: iter(walk))
    monkeypatch.setattr(heldout, "RECIPES", tmp_path / "heldout.toml")
    monkeypatch.setattr(sys, "argv", ["heldout", "--write"])
    assert heldout.main() == 0
    monkeypatch.setattr(sys, "argv", ["heldout"])
    assert heldout.main() == 0
    heldout.RECIPES.write_text("")
    assert heldout.main() == 1
    assert "differs from this choice" in capsys.readouterr().out
