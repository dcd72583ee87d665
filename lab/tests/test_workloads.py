"""Workloads by reference: lookup, errors, and Python objects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from snooze_lab import contenders, workloads
from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.model import Factors
from snooze_lab.workloads import (
    Workload,
    WorkloadError,
    base,
    documents,
    find,
    kinds,
    operations,
)
from snooze_lab.workloads.base import Objects


def test_a_reference_names_its_workload() -> None:
    """Name and parameters; the workload is named as its reference."""
    found = find("message?bytes=100")
    assert found.name == "message?bytes=100"
    assert found.size == 100
    assert found.values == (json.loads(found.texts[0]),)
    assert len(found.digest) == 64
    assert find("message?bytes=100").digest == found.digest
    assert find("message?bytes=101").digest != found.digest


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("nothing", "no workload 'nothing'; there are: .*twitter"),
        ("twitter?bytes=1", "no parameter 'bytes'; there are: none"),
        ("message?byte=1", "no parameter 'byte'; there are: bytes"),
        ("message?bytes=9", "100 or more, found 9"),
        ("message?bytes=many", "message"),
        ("message?bytes", "name[?]parameter=value"),
        ("message?bytes=100&bytes=200", "each parameter once"),
        ("values", "needs its parameter 'of'"),
        ("values?of=air", "no values of 'air'; there are: small-integers"),
        ("numpy?dtype=complex", "no arrays of 'complex'; there are: float64"),
        ("numpy?dtype=bool&tenths=0", "1 or more, found 0"),
        ("file?path=/no/such.json", "found none there"),
        ("file?path=", "expected the path"),
    ],
)
def test_a_reference_that_means_nothing(reference: str, words: str) -> None:
    """The error says what was found and what there is."""
    with pytest.raises(WorkloadError, match=words):
        find(reference)


def test_values_are_typed_and_paths_are_text(tmp_path: Path) -> None:
    """A file called 12 is no number; an ampersand is written as its byte."""
    place = tmp_path / "a & b"
    place.write_text("[1]")
    assert find(f"file?path={str(place).replace('&', '%26')}").values == ([1],)
    assert workloads.parse("a?b=1&c=x%26y") == ("a", {"b": "1", "c": "x&y"})
    (tmp_path / "12").write_text("{}")
    assert find(f"file?path={tmp_path / '12'}").values == ({},)


def test_documents_of_ones_own(tmp_path: Path) -> None:
    """One file is a path already; several are handled one by one."""
    paths = [tmp_path / f"{name}.json" for name in "ab"]
    for number, path in enumerate(paths):
        path.write_text(f'{{"n":{number}}}')
    one = find(f"file?path={paths[0]}")
    assert one.path() == str(paths[0])
    many = find(f"file?path={paths[0]},{paths[1]}")
    assert many.values == ({"n": 0}, {"n": 1})
    with pytest.raises(WorkloadError, match="2 documents, and one file is wanted"):
        many.path()
    comma = tmp_path / "a,b.json"
    comma.write_text("[1]")
    assert find(f"file?path={comma}").values == ([1],)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[1,", "expected one JSON document: Expecting value"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b'{"a":1}\n{"a":2}\n', "one document a line"),
        (b'["\xe9"]', "expected UTF-8, found byte 0xe9 at offset 2"),
    ],
)
def test_files_that_are_no_document(tmp_path: Path, text: bytes, words: str) -> None:
    """The race and `byob` say so before a contender is blamed."""
    path = tmp_path / "x.json"
    path.write_bytes(text)
    with pytest.raises(WorkloadError, match=words):
        documents.files([path])


def test_nothing_is_made_before_it_is_needed() -> None:
    """A process that reads only holds no values, and one that lists no texts."""
    made = []

    def make() -> list[bytes]:
        made.append(1)
        return [b"[1]", b"[2]"]

    found = Workload("lazy", make)
    assert not made
    assert found.size == 6
    assert "values" not in vars(found)
    assert found.values == ([1], [2])
    assert made == [1]


def test_a_text_has_a_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It is laid into the data cache once, by its digest."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    first = Workload("x", [b"[1,2]"]).path()
    assert Path(first).read_bytes() == b"[1,2]"
    assert Workload("y", [b"[1,2]"]).path() == first
    assert [one.suffix for one in Path(first).parent.iterdir()] == [".json"]


def test_what_is_not_fetched_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With the command that gets it."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    with pytest.raises(WorkloadError, match="snooze-lab data get canon"):
        find("twitter")
    with pytest.raises(WorkloadError, match="snooze-lab data get ssrjson"):
        find("object_zh")
    with pytest.raises(WorkloadError, match="no documents"):
        documents.seed()


def test_every_kind_has_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name with hyphens; layouts and arrays have parameters."""
    monkeypatch.setattr(documents, "seed", documents.made)
    names = set(workloads.makers())
    raced, _ = kinds.kinds()
    for one in raced:
        if not one.layout and not one.name.startswith("numpy"):
            assert one.name.lower().replace(" ", "-") in names
    assert isinstance(find("uuid"), Objects)


def test_without_time_zones_their_kind_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The race leaves it out with the reason, a reference is an error."""
    monkeypatch.setattr(documents, "seed", documents.made)
    monkeypatch.setattr(kinds, "ZONE", "Nowhere/Atlantis")
    raced, absent = kinds.kinds()
    assert absent["datetime zone"] == "no database of time zones"
    assert "datetime zone" not in {one.name for one in raced}
    with pytest.raises(WorkloadError, match="no database of time zones"):
        find("datetime-zone")


def test_objects_are_judged_by_the_reference() -> None:
    """Equal bytes, or an equal meaning; a lost member is wrong; layouts are bytes."""
    pytest.importorskip("orjson")
    found = find("enum-of-int")
    assert isinstance(found, Objects)
    text = found.texts[0]
    assert not found.fault(text)
    assert not found.fault(b" " + text)
    assert found.fault(text.replace(b"1", b"2", 1))
    assert "str" in found.fault(text.decode())
    assert "cannot be read" in found.fault(text[:-1])
    ordered = find("sorted?document=message")
    assert isinstance(ordered, Objects)
    assert list(ordered.values[0]) == sorted(ordered.values[0])
    assert "layout" in ordered.fault(b" " + ordered.texts[0])


def test_jobs_of_objects() -> None:
    """The operation sets the options; the argument is rebuilt each time."""
    ready, _ = contenders.enter(["json", "orjson"])
    found = find("int-keys")
    assert isinstance(found, Objects)
    digests = set()
    for contender in ready:
        job = found.job("nonstr", contender, Factors())
        first, second = job.argument(), job.argument()
        assert first == second
        assert first is not second
        result = job.call(first)
        assert not job.fault(result)
        assert job.size(result) == len(result)
        digests.add(job.digest(result))
    assert len(digests) == 1
    ordered = found.job("nonstr-sort", ready[1], Factors())
    assert not ordered.fault(ordered.call(ordered.argument()))
    with pytest.raises(ValueError, match="no operation 'loads'"):
        found.job("loads", ready[0], Factors())
    with pytest.raises(UnsupportedError, match="fresh"):
        found.job("dumps", ready[0], Factors(buffer="reused"))


def test_a_document_of_several_has_no_layout() -> None:
    """Sorting is for one document."""
    with pytest.raises(WorkloadError, match="expected one document"):
        find("sorted?document=feeds")


def test_minus_zero_is_another_value():
    assert base.same([-0.0, 0, False, "0"], [-0.0, 0, False, "0"])
    assert not base.same([0.0], [-0.0])


@pytest.mark.parametrize(
    ("found", "wanted", "alike"),
    [
        ({"a": [1, 2.5, "x"]}, {"a": [1, 2.5, "x"]}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ([1], [1.0], False),
        ([1], [True], False),
        ([0.0], [-0.0], False),
        ([object], [object], True),
        ([[1]], [(1,)], False),
    ],
)
def test_equal_values_have_equal_types(found, wanted, alike):
    assert operations.equal(found, wanted) == alike


def test_values_that_are_nested_deep_are_compared():
    deep, other = [], [1]
    for _ in range(50_000):
        deep, other = [deep], [other]
    assert operations.equal(deep, deep)
    assert not operations.equal(deep, other)
