"""The data of a run is fetched, replaced by a look-alike, or left out by name."""

from __future__ import annotations

import dataclasses

import pytest

from snooze_lab import data, meters
from snooze_lab.meters import base, block
from snooze_lab.model import Contest
from snooze_lab.planning import plan, prepare
from snooze_lab.planning.plan import Study, Table
from snooze_lab.worker import guard


def chosen(*references, operation="loads"):
    contests = tuple(
        Contest("t", "t", reference, operation, ("orjson", "json"))
        for reference in references
    )
    table = Table("t", "T", "table", "", "", contests)
    return [(Study("t", "T", "", "?", (), ""), [table])]


def references(found):
    return [one.workload for _, tables in found for t in tables for one in t.contests]


@pytest.fixture
def offline(tmp_path, monkeypatch):
    """Give an empty cache, and no network."""
    monkeypatch.setenv("SNOOZE_LAB_DATA", str(tmp_path))
    asked = []

    def get(group, original=data.get):
        asked.append(group)
        if group == "generated":
            return original(group)
        raise data.FetchError("no network")

    monkeypatch.setattr(data, "get", get)
    return asked


def test_without_a_network_look_alikes_say_what_they_are(offline):
    said = []
    found = prepare.ready(chosen("twitter", "plan?fields=4"), None, said.append)
    assert references(found) == ["look-alike?of=twitter", "plan?fields=4"]
    assert offline == ["canon", "generated"]
    assert any("do not compare with published figures" in one for one in said)


def test_what_cannot_be_had_is_left_out_by_name(offline):
    said = []
    found = prepare.ready(chosen("mesh", "plan?fields=4"), None, said.append)
    assert references(found) == ["plan?fields=4"]
    assert any(one.startswith("left out: mesh: ") for one in said)
    with pytest.raises(plan.StudyError, match="none of the workloads is there"):
        prepare.ready(chosen("mesh"), None, said.append)


def test_what_is_generated_is_never_fetched(offline):
    prepare.ready(chosen("plan?fields=4", "crud?bytes=1000"), None, str)
    assert offline == []


def test_only_the_data_of_the_run_is_looked_at(offline, monkeypatch):
    """The largest group has 190 MB, which nobody else's run needs to hash."""
    looked = []

    def verify(group, original=data.verify):
        looked.append(group)
        return original(group)

    monkeypatch.setattr(data, "verify", verify)
    monkeypatch.setattr(data, "state", None)
    prepare.ready(chosen("twitter", "plan?fields=4"), None, str)
    assert offline == ["canon", "generated"]
    assert looked == ["canon", "canon"]


def test_the_seeds_own_feeds_stand_beside_the_made_ones(tmp_path):
    import io
    import tarfile

    archive = tmp_path / "feeds & more.tar.bz2"
    with tarfile.open(archive, "w:bz2") as file:
        for number in range(3):
            text = b'{"feed": %d}' % number
            info = tarfile.TarInfo(f"{number}.json")
            info.size = len(text)
            file.addfile(info, io.BytesIO(text))
    found = prepare.ready(chosen("feeds?documents=8"), archive, str)
    first, second = references(found)
    assert first == "feeds?documents=8"
    assert second.startswith("feeds?archive=")
    with pytest.raises(plan.StudyError, match="found no file"):
        prepare.ready(chosen("feeds"), tmp_path / "nothing", str)


def test_documents_that_would_not_fit_are_refused_with_the_prediction(monkeypatch):
    asked = []

    def launch(request, hash_seed=0, listen=None):
        del hash_seed, listen
        asked.append(request["workload"])
        return {"values": {"peak": [4 * 1_000_000]}}

    monkeypatch.setattr(guard, "available", lambda: 1_000_000_000)
    watch = guard.Guard(launch)

    def refusal(size):
        contest = Contest("t", "t", f"crud?bytes={size}", "loads", ("json",))
        return watch.refusal(contest, "json")

    assert refusal(1_000_000) == ""
    assert asked == []
    assert refusal(100_000_000) == ""
    assert asked == ["crud?bytes=1000000"]
    assert "about 5.0 GB (5.0 times the document), and 1.0 GB are" in refusal(10**9)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("limit", "wanted"), [("max\n", 8 << 30), ("3000000000\n", 2_500_000_000)]
)
def test_a_containers_limit_counts(tmp_path, limit, wanted):
    assert guard.available(tmp_path) == 0
    group = tmp_path / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text(f"MemAvailable:   {8 << 20} kB\n")
    assert guard.available(tmp_path) == 8 << 30
    (group / "memory.max").write_text(limit)
    (group / "memory.current").write_text("700000000\n")
    (group / "memory.stat").write_text("anon 1\ninactive_file 200000000\n")
    assert guard.available(tmp_path) == wanted


def test_joules_carry_their_quality_and_an_imported_model_is_used():
    found = base.Coefficients(10.0, 5.0, 0.9, 1.1, elsewhere=True)
    assert "model:package" in [one.name for one in meters.working(found)]
    assert "model:package" not in [one.name for one in meters.working(None)]
    request = {
        "meters": ["model:package", "nothing:here"],
        "calibration": dataclasses.asdict(found),
    }
    values, readings = block.blocks(request, lambda: sum(range(200_000)))
    gross = values["energy:estimated:gross:model:package"][0]
    net = values["energy:estimated:net:model:package"][0]
    assert 0 < net < gross
    assert gross == pytest.approx(readings[0]["gross"])
    # The band is of one operation, as the joules are.
    assert readings[0]["band"] == pytest.approx([0.9 * gross, 1.1 * gross])
    assert readings[1]["flags"][0].startswith("failed: ")
