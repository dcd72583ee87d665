"""The documents of the seeds: shape, size, calibration, and reproducible bytes."""

from __future__ import annotations

import hashlib
import io
import json
import marshal
import tarfile

import pytest

from snooze_lab import workloads
from snooze_lab.data import cache
from snooze_lab.workloads import WorkloadError, feeds, seeds
from snooze_lab.workloads.generated import Dice


@pytest.fixture
def made(tmp_path, monkeypatch):
    """An empty data cache, so that everything is generated again."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    return tmp_path


def sha256(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


# records of users


def test_crud_has_the_layout_of_the_standard_librarys_indent(made):
    text = workloads.find("crud?bytes=30000").texts[0]
    assert json.dumps(json.loads(text), indent=2).encode() == text


def test_crud_has_the_seeds_shape(made):
    first = workloads.find("crud?bytes=1").values[0][0]
    assert list(first) == [
        "id",
        "uuid",
        "username",
        "email",
        "profile",
        "role",
        "is_active",
        "permissions",
        "created_at",
        "updated_at",
    ]
    assert list(first["profile"]) == ["first_name", "last_name", "bio"]
    assert first["permissions"]
    assert type(first["is_active"]) is bool


def test_crud_has_708_bytes_a_record_and_two_fifths_of_them_the_same(made):
    found = workloads.find("crud?bytes=1500000")
    records = found.values[0]
    assert found.size / len(records) == pytest.approx(seeds.RECORD, abs=2)
    assert len({one["profile"]["bio"] for one in records}) == 1
    assert len(seeds.BIO) / seeds.RECORD == pytest.approx(0.4, abs=0.05)
    assert len({one["uuid"] for one in records}) == len(records)


@pytest.mark.parametrize("size", [1, 700, 10_000, 123_456])
def test_crud_ends_with_the_record_that_reaches_its_size(made, size):
    found = workloads.find(f"crud?bytes={size}")
    assert size <= found.size < size + 1_000
    assert json.loads(found.texts[0])


def test_a_smaller_crud_is_the_beginning_of_a_larger_one():
    small, large = (b"".join(seeds.pieces(size)) for size in (20_000, 60_000))
    assert large.startswith(small.removesuffix(b"\n]"))


def test_the_first_megabyte_is_pinned_and_checked(made, monkeypatch):
    workloads.find("crud?bytes=1000001")
    assert (
        sha256(b"".join(seeds.pieces(seeds.FIRST_BYTES))[: seeds.FIRST_BYTES])
        == seeds.FIRST
    )
    monkeypatch.setattr(seeds, "BIO", "x" + seeds.BIO[1:])
    with pytest.raises(RuntimeError, match="VERSION"):
        workloads.find("crud?bytes=1000002")
    assert [one.name for one in (made / seeds.PART).iterdir()] == [
        f"crud-{seeds.VERSION}-1000001.json"
    ]


def test_crud_is_kept_in_the_cache_and_read_as_a_file(made):
    path = workloads.find("crud?bytes=5000").path()
    assert path.startswith(str(made))
    before = (made / seeds.PART).stat().st_mtime_ns
    assert workloads.find("crud?bytes=5000").path() == path
    assert (made / seeds.PART).stat().st_mtime_ns == before


# plans


@pytest.mark.parametrize("fields", [4, 40, 400, 4_000, 40_000])
def test_a_plan_has_so_many_scalars(fields):
    def leaves(value):
        if isinstance(value, dict):
            return sum(map(leaves, value.values()))
        return sum(map(leaves, value)) if isinstance(value, list) else 1

    value = seeds.snapshot(fields)
    assert leaves(value) == fields
    assert len(value["floats"]) == len(value["events"]) == fields // 4
    assert {len(one["str"]) for one in value["events"]} == {seeds.LETTERS}


def test_plans_are_pinned():
    assert sha256(seeds.document(400)) == (
        "99a6736e7bce4a1b7c8b8fb33b334bc4a21f4c5c10e477676552c21d677dc461"
    )
    assert sha256(seeds.document(400, "short")) == (
        "b5114c5dd75aa0ddd570d4b754b7cef7d450d2d48d283faf9cfa1470a46103fb"
    )


def test_short_floats_have_two_decimals_at_most():
    short = seeds.snapshot(4_000, "short")
    assert max(len(repr(one)) for one in short["floats"]) <= 6
    long = seeds.snapshot(4_000)
    assert sum(len(repr(one)) for one in long["floats"]) / 1_000 > 17
    assert all(type(one) is float for one in short["floats"] + long["floats"])


@pytest.mark.parametrize(
    "reference",
    ["plan?fields=0", "plan?fields=6", "plan?fields=-4", "plan?fields=4&floats=long"],
)
def test_plans_that_cannot_be_are_refused(reference):
    with pytest.raises(WorkloadError, match="plan"):
        workloads.find(reference)


# feeds


def measured(documents: int) -> tuple[dict[str, float], float]:
    """Return sizes relative to JSON by format, and KB a document."""
    texts = [feeds.document(number) for number in range(documents)]
    values = [json.loads(text) for text in texts]
    whole = sum(map(len, texts))
    msgpack = pytest.importorskip("msgpack")
    bson = pytest.importorskip("bson")
    writers = {
        "marshal": lambda value: marshal.dumps(value, 2),
        "msgpack": msgpack.packb,
        "bson": bson.encode,
    }
    ratios = {
        name: sum(len(write(value)) for value in values) / whole
        for name, write in writers.items()
    }
    return ratios, whole / documents / 1_024


def test_feeds_are_calibrated_on_the_seeds_table_of_sizes():
    ratios, mean = measured(2 * feeds.ROUND)
    assert ratios["marshal"] == pytest.approx(330_660 / 350_168, abs=0.01)
    assert ratios["bson"] == pytest.approx(324_452 / 350_168, abs=0.01)
    assert ratios["msgpack"] == pytest.approx(309_772 / 350_168, abs=0.01)
    assert mean == pytest.approx(350_168 / 4_096, rel=0.02)


def test_feeds_are_of_all_sizes_and_some_are_empty():
    counts = [feeds.entries_of(number) for number in range(feeds.ROUND)]
    assert counts.count(-1) == 1
    assert feeds.document(0) == b"{}"
    assert min(one for one in counts if one >= 0) < 5
    assert max(counts) > 100
    again = [feeds.entries_of(number) for number in range(feeds.ROUND, 2 * feeds.ROUND)]
    assert again == counts


def test_feeds_are_pinned_and_independent_of_how_many_there_are(made):
    few = workloads.find("feeds?documents=3").texts
    more = workloads.find("feeds?documents=5").texts
    assert more[:3] == few
    assert [feeds.document(number) for number in range(5)] == list(more)
    assert sha256(b"\n".join(more)) == (
        "c2ab8ff84efbea92581fbe36a7dcf6afca52334d74425df6cbe94562e6898bdb"
    )


def test_feeds_are_written_as_json_writes_by_itself():
    text = feeds.document(5)
    assert json.dumps(json.loads(text)).encode() == text
    assert b"\\u" in text
    assert b'\\"' in text


def test_feeds_come_out_of_the_seeds_archive(tmp_path):
    path = tmp_path / "feeds.tar.bz2"
    with tarfile.open(path, "w:bz2") as archive:
        for name, data in (
            ("a.json", b'{"a": 1}'),
            ("b.txt", b"no"),
            ("c.json", b"[]"),
        ):
            member = tarfile.TarInfo(f"feeds/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    found = workloads.find(f"feeds?archive={path}")
    assert found.texts == (b'{"a": 1}', b"[]")
    assert found.values == ({"a": 1}, [])


def test_an_archive_that_is_not_there_or_holds_nothing_is_refused(tmp_path):
    with pytest.raises(WorkloadError, match="speedparser"):
        workloads.find(f"feeds?archive={tmp_path / 'none.tar.bz2'}")
    empty = tmp_path / "empty.tar"
    tarfile.open(empty, "w").close()
    with pytest.raises(WorkloadError, match="found none"):
        workloads.find(f"feeds?archive={empty}")
    with pytest.raises(WorkloadError, match="1 or more"):
        workloads.find("feeds?documents=0")


# the objects of orjson's tables


def test_years_are_the_seeds(made):
    found = workloads.find("years?keys=int")
    assert round(found.size / 1_024) == 589
    value = seeds.years_value("int")
    assert len(value) == 100
    assert {len(one) for one in value} == {366}
    assert {type(key) for one in value for key in one} == {int, str}
    assert list(value[0]) != sorted(value[0], key=str)
    keys = [key for key in value[50] if key != "other"]
    assert min(keys) == 0  # 1970 begins at zero, in UTC, wherever this runs
    assert all(key % 86_400 == 0 for key in keys)


def test_years_with_str_keys_are_the_same_text():
    numbers, names = seeds.years_value("int"), seeds.years_value("str")
    assert [{str(key): one for key, one in each.items()} for each in numbers] == names


def test_members_are_the_seeds():
    assert round(workloads.find("members").size / 1_024) == 555
    assert workloads.find("members").texts == workloads.find("members?form=dict").texts
    value = seeds.members_value()
    assert len(value) == 2_000
    assert (value[0].id, value[0].name) == (100_000, "100000" * 3)
    assert {len(one.members) for one in value} == {10}


@pytest.mark.parametrize("reference", ["years?keys=float", "members?form=tuple"])
def test_tables_objects_that_there_are_not_are_refused(reference):
    with pytest.raises(WorkloadError):
        workloads.find(reference)


# collections


@pytest.mark.parametrize(
    ("name", "count"), [("botocore", 1_955), ("cfn-lint", 2_101), ("wheels", 4_056)]
)
def test_collections_are_whole_or_say_how_to_get_them(name, count):
    try:
        found = workloads.find(name)
    except WorkloadError as reason:
        pytest.skip(str(reason))
    assert found.note == f"{count:,} real documents"
    some = workloads.find(f"{name}?every=200")
    assert len(some.values) == len(range(0, count, 200))


def test_a_collection_that_is_not_there_says_how_to_get_it(made):
    with pytest.raises(WorkloadError, match="data get documents"):
        workloads.find("wheels")
    with pytest.raises(WorkloadError, match="1 or more"):
        workloads.find("wheels?every=0")


def test_generators_do_not_share_a_sequence():
    chosen = {seeds.CRUD_SEED, seeds.PLAN_SEED, feeds.SEED}
    assert len(chosen) == 3
    assert len({Dice(seed).unit() for seed in chosen}) == 3
