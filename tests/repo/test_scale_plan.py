"""The simulated job: nothing is read twice or not at all, and the same seed repeats it.

Separate from lab/tests/test_scale.py, which tests what measures.
"""

from __future__ import annotations

import dataclasses

import pytest

import snooze
from helpers.scripts import script

plan = script("scale_plan")
JOB = plan.Job(
    "a small one", rate=1000.0, piece=plan.MIB * 64, text=10**12, slots=50, wrong=0.0
)


def without_faults(**changes: object) -> plan.Job:
    """A job in which nothing goes wrong or varies."""
    quiet = {"noise": 0.0, "slow": 0.0, "failure": 0.0, "losses": 0.0, "overhead": 0.0}
    return dataclasses.replace(JOB, **{**quiet, **changes})


def test_without_faults_it_takes_the_ideal_time() -> None:
    job = without_faults()
    found = plan.Simulation(job, 1).run()
    rounds = -(-job.pieces // job.slots)
    assert found.done == job.pieces == 14_902
    assert found.failures == found.copies == found.lost == found.refused == 0
    assert found.wasted == 0
    # The network gives 200 MB/s to a core that reads 1000.
    assert found.seconds == pytest.approx(rounds * plan.MIB * 64 / 200e6, rel=1e-3)
    assert found.busy == pytest.approx(job.text / 200e6)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("copies", [True, False])
def test_every_part_ends_once(seed: int, copies: bool) -> None:
    job = dataclasses.replace(
        JOB, copies=copies, failure=0.05, losses=5.0, slow=0.1, wrong=0.002
    )
    found = plan.Simulation(job, seed).run()
    assert found.done + found.refused + found.lost == job.pieces
    assert found.failures > 100
    assert (found.copies > 0) == copies
    assert 0 < found.wasted < found.busy
    assert found.busy <= found.seconds * job.slots
    assert not found.is_stopped


def test_the_same_seed_is_the_same_job() -> None:
    job = dataclasses.replace(JOB, failure=0.01)
    one, again, other = (plan.Simulation(job, seed).run() for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_attempts_are_limited() -> None:
    job = dataclasses.replace(JOB, failure=0.9, attempts=2, text=10**11)
    found = plan.Simulation(job, 1).run()
    assert found.lost > job.pieces / 2
    assert found.done + found.lost == job.pieces


def test_copies_help_against_slow_cores() -> None:
    job = without_faults(slow=0.1, slowness=200.0, text=10**11)
    helped = plan.Simulation(job, 1).run()
    alone = plan.Simulation(dataclasses.replace(job, copies=False), 1).run()
    assert helped.seconds < alone.seconds / 2
    assert helped.copies > 0
    assert helped.wasted > 0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_copies_are_of_what_is_late(seed: int) -> None:
    """The first parts that end are the fast ones: their median says nothing yet."""
    piece = plan.MIB * 64
    job = without_faults(noise=0.2, slots=1000, text=1400 * piece)
    found = plan.Simulation(job, seed).run()
    # One time in 47 is more than 1.5 times the median.
    assert 0 < found.copies < 0.05 * job.pieces


def test_a_core_may_be_lost_at_any_time() -> None:
    job = without_faults(losses=100.0, attempts=99)
    found = plan.Simulation(job, 1).run()
    took = job.seconds(job.piece)
    assert found.failures > 100
    assert found.wasted / found.failures == pytest.approx(took / 2, rel=0.2)


def test_what_is_copied_first_takes_the_time_of_both() -> None:
    job = without_faults(is_copied=True, slots=1, text=10**10)
    found = plan.Simulation(job, 1).run()
    assert found.seconds == pytest.approx(10**10 / 200e6 + 10**10 / 1e9)
    # Of a part in another format all is copied, and 64 MiB are read.
    assert job.seconds(1 << 30, plan.MIB * 64) == pytest.approx(
        (1 << 30) / 200e6 + plan.MIB * 64 / 1e9
    )


def test_a_budget_of_wrong_parts_ends_the_job() -> None:
    job = dataclasses.replace(JOB, wrong=0.3)
    found = plan.Simulation(job, 1).run()
    assert found.is_stopped
    assert found.refused == int(job.budget * job.pieces) + 1
    assert found.done < job.pieces / 5


def test_parts_are_those_of_splits(tmp_path) -> None:
    path = tmp_path / "sparse.ndjson"
    with path.open("wb") as file:
        file.truncate(10**12)
    schema = snooze.scan(b'{"a":1}')
    job = dataclasses.replace(JOB, piece=1 << 30)
    assert len(snooze.scan(path, schema).splits(job.piece)) == job.pieces == 932


def test_the_page_has_the_table_of_the_record() -> None:
    """One line of it, because all take a minute: the whole is `make scale-plan`."""
    record = max(plan.RECORDS.glob("*.json"))
    job = plan.jobs(plan.rates(record))[4]
    outcomes = [plan.Simulation(job, seed).run() for seed in plan.SEEDS]
    assert plan.row(job, outcomes, 0.04) in plan.PAGE.read_text(encoding="utf-8")
