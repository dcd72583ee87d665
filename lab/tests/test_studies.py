"""The studies: as complete as the seeds, of known parts, and within their budgets."""

from __future__ import annotations

import pytest

from snooze_lab import contenders, published, workloads
from snooze_lab.model import AGAIN, INSTRUMENTS, LEVELS
from snooze_lab.planning import plan, schedule
from snooze_lab.running import execution
from snooze_lab.worker import guard
from snooze_lab.workloads import structs, ways

NAMES = (
    "floors",
    "s000_energy",
    "s001_tables",
    "s002_threshold",
    "s003_feeds",
    "s004_structs",
)
#: Seconds that a whole profile may take by the estimate below, on two cores.
BUDGETS = {"smoke": 60, "standard": 14 * 60, "full": 150 * 60}
#: Seconds of one process that is started, measures and ends; of one that judges a
#: contest's results; of what the interleaved instrument needs for each contender.
SAMPLE, JUDGED, ENTERED, STARTED = 0.25, 0.3, 0.1, 0.12
ISOLATED_METRICS = {"time", "memory", "phases", "conformance"}
SEED_FOUR = ("twitter", "github", "citm_catalog", "canada")
FOURTEEN = (
    *SEED_FOUR,
    "mesh",
    "instruments",
    "apache_builds",
    "object_zh",
    "numbers",
    "random",
    "marine_ik",
    "gsoc-2018",
    "update-center",
    "twitterescaped",
)


def contests(profile: str, *names: str):
    for _, tables in plan.chosen(names, profile):
        for table in tables:
            yield from table.contests


def seconds(contest) -> float:
    """Estimate a contest from its counts alone."""
    found = JUDGED
    count = len(contest.contenders)
    if "isolated" in contest.instruments:
        kinds = len(ISOLATED_METRICS & set(contest.metrics))
        found += kinds * count * contest.blocks * (SAMPLE + contest.rest)
    if "interleaved" in contest.instruments:
        each = contest.seconds + ENTERED * count + STARTED
        found += min(schedule.INTERLEAVED, contest.blocks) * each
    return found


def test_every_study_is_there():
    assert set(NAMES) <= set(plan.names())


@pytest.mark.parametrize("profile", plan.PROFILES)
def test_a_profile_keeps_its_budget(profile):
    found = {name: sum(map(seconds, contests(profile, name))) for name in NAMES}
    assert sum(found.values()) <= BUDGETS[profile], found


@pytest.mark.parametrize("profile", plan.PROFILES)
def test_every_study_has_a_part_in_every_profile(profile):
    for name in NAMES:
        assert list(contests(profile, name)), name


@pytest.mark.parametrize("profile", plan.PROFILES)
def test_contests_are_made_of_what_exists(profile):
    known = contenders.libraries()
    for contest in contests(profile):
        name, given = workloads.parse(contest.workload)
        assert name in workloads.makers(), contest.id
        assert set(given) <= set(workloads.parameters(workloads.makers()[name]))
        if name == "structs":
            assert given["of"] in structs.STRUCTURES
            assert set(contest.contenders) <= set(ways.uses(contest.operation))
        else:
            assert set(contest.contenders) <= set(known), contest.id
        assert contest.baseline in contest.contenders, contest.id
        assert len(set(contest.contenders)) == len(contest.contenders)
        assert contest.blocks >= 1


@pytest.mark.parametrize("profile", plan.PROFILES)
def test_every_contest_that_has_orjson_has_it_twice(profile):
    for contest in contests(profile):
        if {"orjson", "orjson dataclass", "orjson loads"} & set(contest.contenders):
            assert AGAIN in contest.contenders, contest.id


@pytest.mark.parametrize("profile", plan.PROFILES)
def test_metrics_fit_their_operations(profile):
    for contest in contests(profile):
        for one in ("phases", "conformance"):
            assert (contest.operation == one) == (one in contest.metrics), contest.id
        if "interleaved" in contest.instruments:
            # All contenders share one process: neither memory nor a rest is its own.
            assert contest.metrics == ("time",), contest.id
            assert contest.factors.cache == "warm", contest.id
        if contest.loops:
            assert contest.instruments == ("isolated",), contest.id


def test_names_of_contests_are_unique_in_a_profile():
    for profile in plan.PROFILES:
        names = [one.id for one in contests(profile)]
        assert len(set(names)) == len(names)


def test_curves_name_their_parameter():
    for name in NAMES:
        for table in plan.find(name).tables:
            if table.get("kind") != "curve":
                continue
            for workload in table["workloads"]:
                assert table["x"] in workloads.parse(workload)[1], table["name"]


def test_smoke_has_the_four_documents_in_both_directions_by_both_instruments():
    found = {
        (one.workload, one.operation, instrument)
        for one in contests("smoke", "s001")
        for instrument in one.instruments
        if set(one.contenders) >= {"snooze", "orjson", AGAIN, "json"}
    }
    for document in SEED_FOUR:
        for operation in ("loads", "dumps"):
            for instrument in INSTRUMENTS:
                assert (document, operation, instrument) in found


def test_standard_has_ten_contenders_on_fourteen_documents_in_both_directions():
    found = {
        (one.workload, one.operation)
        for one in contests("standard", "s001")
        if len(one.contenders) >= 10 and one.blocks >= 4 and "time" in one.metrics
    }
    assert {(name, op) for name in FOURTEEN for op in ("loads", "dumps")} <= found


@pytest.mark.parametrize("profile", ["standard", "full"])
def test_verdicts_are_of_five_blocks_or_more(profile):
    """As METHODOLOGY says; a table of phases or conformance is no comparison."""
    few = {
        (table.name, contest.blocks)
        for _, tables in plan.chosen(NAMES, profile)
        for table in tables
        for contest in table.contests
        if table.kind not in {"phases", "conformance"}
        if contest.blocks < execution.LEAST
    }
    assert not few


def test_s001_has_the_seeds_tables_and_figures_in_full():
    there = {one.name for _, tables in plan.chosen(["s001"], "full") for one in tables}
    seed = published.load("s001")
    assert len(seed.tables) == 21
    for table in seed.tables:
        assert table.measured
        assert {each for one in table.measured.values() for each in one.tables} <= there
    assert {"figure-loads", "figure-dumps"} <= there


def test_s001_tries_what_the_seed_left_out():
    found = {
        (name, level)
        for one in contests("full", "s001")
        for name, level in one.factors.differing().items()
    }
    assert {
        ("gc", "off"),
        ("gc", "frozen"),
        ("cache", "cold"),
        ("input", "str"),
    } <= found


def test_s000_is_a_curve_to_a_gigabyte_with_the_collector_as_a_factor():
    full = list(contests("full", "s000"))
    sizes = {int(workloads.parse(one.workload)[1]["bytes"]) for one in full}
    assert min(sizes) == 10**6
    assert {10**9, 5 * 10**9} <= sizes
    phases = {one.factors.gc for one in full if one.operation == "phases"}
    assert phases == set(LEVELS["gc"])
    planned = [one for one in full if one.loops == 50]
    assert {(one.operation, one.loops, one.blocks) for one in planned} == {
        ("loads", 50, 30),
        ("dumps", 50, 30),
    }
    assert all(one.rest and one.warmup and "energy" in one.metrics for one in planned)


def test_very_large_documents_are_only_read_once_and_never_held_beside_a_second_tree():
    for profile in plan.PROFILES:
        for contest in contests(profile, "s000"):
            if int(workloads.parse(contest.workload)[1]["bytes"]) > 256 * 10**6:
                assert contest.operation == "phases", contest.id
                assert contest.loops == 1, contest.id


def test_s002_has_the_seeds_sizes_and_the_issues_formats():
    full = list(contests("full", "s002"))
    for operation in ("loads", "dumps", "touch"):
        sizes = {
            int(workloads.parse(one.workload)[1]["fields"])
            for one in full
            if one.operation == operation
        }
        assert sizes == {4, 40, 400, 4_000, 40_000, 400_000}
    names = {name for one in full for name in one.contenders}
    assert names >= {
        "json",
        "snooze",
        "orjson",
        "msgspec",
        "msgpack",
        "ormsgpack",
        "msgspec msgpack",
        "protobuf",
        "pickle5",
        "marshal4",
    }
    assert any("floats=short" in one.workload for one in full)
    assert {"box"} <= {one.get("kind") for one in plan.find("s002").tables}


def test_the_standard_curves_of_s002_have_no_gap():
    for operation in ("loads", "dumps"):
        sizes = {
            int(workloads.parse(one.workload)[1]["fields"])
            for one in contests("standard", "s002")
            if (one.table, one.operation) == (operation, operation)
        }
        assert sizes == {4, 400, 4_000, 40_000}


def test_titles_state_no_number_of_documents_that_a_profile_changes():
    study = plan.find("s003")
    for title in (study.title, *(one["title"] for one in study.tables)):
        assert "4,096" not in title


def test_s003_has_every_library_of_the_seed_and_three_corpora():
    full = list(contests("full", "s003"))
    names = {name for one in full for name in one.contenders}
    assert names >= {
        "cjson",
        "json",
        "simplejson",
        "ujson",
        "orjson",
        "snooze",
        "pickle2",
        "pickle5",
        "marshal2",
        "marshal4",
        "msgpack",
        "msgpack raw",
        "ormsgpack",
        "bson",
    }
    assert {"feeds?documents=4096", "botocore", "cfn-lint", "wheels"} <= {
        one.workload for one in full
    }


def test_s004_has_every_way_that_there_is():
    for contest in contests("full", "s004"):
        assert set(contest.contenders) == set(ways.uses(contest.operation))


def test_the_estimate_sees_a_contest_that_is_too_much():
    contest = next(iter(contests("standard", "s001")))
    more = type(contest).from_json(contest.as_json() | {"blocks": contest.blocks * 2})
    assert seconds(more) > 1.8 * seconds(contest) - JUDGED


def test_what_no_judge_could_hold_is_judged_by_its_beginning():
    for contest in contests("full", "s000"):
        size = guard.stated(contest.workload)
        judged = guard.beginning(contest)
        if contest.operation == "phases" and size >= guard.SMALL:
            assert guard.stated(judged.workload) < guard.SMALL
            assert judged.operation == contest.operation
            assert judged.contenders == contest.contenders
        else:
            assert judged == contest


@pytest.mark.parametrize("profile", plan.PROFILES)
def test_the_first_contender_of_a_contest_has_bytes_of_json(profile):
    """The results take a row's bytes from it, and rates of all formats count those."""
    known = contenders.libraries()
    for contest in contests(profile):
        first = contest.contenders[0]
        assert first not in known or known[first].format in {"json", "floor"}, contest
        assert first != "build only"
