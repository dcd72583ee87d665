"""Fetch the data of a run, or report what is left out.

Separate because fetching happens before measuring, and a run without a network
continues with the available data. Invariants: an unavailable workload is left out of
the plan by name, with the reason, never replaced silently; look-alikes of the four
well-known documents are generated only when these cannot be fetched, and are named
look-alikes. Used by cli.py.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING
from urllib.parse import quote

from snooze_lab import data, plan, workloads
from snooze_lab.workloads import documents

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from snooze_lab.model import Contest
    from snooze_lab.plan import Study, Table

#: Workloads made of many files of a data group.
COLLECTIONS = {
    "botocore": "documents",
    "cfn-lint": "documents",
    "wheels": "documents",
    "conformance": "conformance",
    "citylots": "citylots",
}


def ready(
    chosen: list[tuple[Study, list[Table]]],
    feeds: Path | None,
    say: Callable[[str], None],
) -> list[tuple[Study, list[Table]]]:
    """Return the tables whose workloads are available, after fetching missing data.

    `feeds` is the archive of seed 003, which adds its documents to the tables over
    feeds. Raises plan.StudyError if nothing is left.
    """
    if feeds is not None:
        chosen = _with_feeds(chosen, feeds)
    names = {workloads.parse(one)[0] for one in _references(chosen)}
    if _fetch(names, say):
        chosen = _alike(chosen)
    absent: dict[str, str] = {}
    for reference in _references(chosen):
        try:
            workloads.find(reference)
        except workloads.WorkloadError as error:
            absent[reference] = str(error)
    for reference, reason in sorted(absent.items()):
        say(f"left out: {reference}: {reason}")
    kept = [
        (study, [_without(table, absent) for table in tables])
        for study, tables in chosen
    ]
    kept = [(study, [one for one in found if one.contests]) for study, found in kept]
    kept = [(study, found) for study, found in kept if found]
    if not kept:
        raise plan.StudyError(
            "none of the workloads is there, and none could be fetched (reasons above)"
        )
    return kept


def _references(chosen: list[tuple[Study, list[Table]]]) -> set[str]:
    return {
        contest.workload
        for _, tables in chosen
        for table in tables
        for contest in table.contests
    }


def _fetch(names: set[str], say: Callable[[str], None]) -> bool:
    """Fetch the data groups of the named workloads.

    Return whether the well-known documents are unavailable and look-alikes are needed.
    """
    missing = {group for group, count in data.state().items() if count}
    needed = {COLLECTIONS[name] for name in names if name in COLLECTIONS}
    needed |= {
        documents.GROUP_OF.get(name, "simdjson")
        for name in names
        if name in {*documents.USUAL, *documents.FETCHED, *documents.FURTHER}
    }
    if "structs" in names:  # its structures come from two of the well-known documents
        needed.add("canon")
    for group in sorted(needed & missing):
        say(f"fetching {group} (once; it stays in {data.folder()})")
        try:
            data.get(group)
        except data.FetchError as error:
            say(f"{group} is not available: {error}")
    if "canon" in needed and data.state()["canon"]:
        say("using look-alikes: do not compare with published figures")
        data.get("generated")
        return True
    return False


def _alike(
    chosen: list[tuple[Study, list[Table]]],
) -> list[tuple[Study, list[Table]]]:
    """Replace each well-known document by a look-alike."""

    def instead(contest: Contest) -> Contest:
        if contest.workload not in documents.ALIKE:
            return contest
        name = f"look-alike?of={contest.workload}"
        return dataclasses.replace(contest, workload=name)

    return [
        (
            study,
            [
                dataclasses.replace(table, contests=tuple(map(instead, table.contests)))
                for table in tables
            ],
        )
        for study, tables in chosen
    ]


def _without(table: Table, absent: dict[str, str]) -> Table:
    kept = tuple(one for one in table.contests if one.workload not in absent)
    return dataclasses.replace(table, contests=kept)


def _with_feeds(
    chosen: list[tuple[Study, list[Table]]], feeds: Path
) -> list[tuple[Study, list[Table]]]:
    """Add the archive of the seed to the generated feeds."""
    if not feeds.is_file():
        raise plan.StudyError(
            f"{feeds}: expected the feeds of seed 003 (tests/feeds.tar.bz2 of "
            "speedparser), found no file"
        )
    reference = f"feeds?archive={quote(str(feeds.resolve()))}"

    def also(contest: Contest) -> tuple[Contest, ...]:
        if workloads.parse(contest.workload)[0] != "feeds":
            return (contest,)
        return contest, dataclasses.replace(contest, workload=reference)

    return [
        (
            study,
            [
                dataclasses.replace(
                    table,
                    contests=tuple(
                        dict.fromkeys(
                            new for one in table.contests for new in also(one)
                        )
                    ),
                )
                for table in tables
            ],
        )
        for study, tables in chosen
    ]
