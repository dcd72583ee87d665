"""Fetch the data of a run, or report what is left out.

Separate because fetching happens before measuring, and a run without a network
continues with what there is. An unavailable workload is left out by name, with the
reason; look-alikes are used only when the well-known documents cannot be fetched, and
are named look-alikes. Used by cli.py.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING
from urllib.parse import quote

from snooze_lab import data, workloads
from snooze_lab.planning import plan
from snooze_lab.workloads import documents, seeds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from snooze_lab.model import Contest
    from snooze_lab.planning.plan import Chosen

#: Files of more bytes are written only after a question.
LARGE = 1_000_000_000
#: The data group of each workload that is fetched.
GROUPS = {
    **documents.GROUP_OF,
    **dict.fromkeys(seeds.CORPORA, "documents"),
    "conformance": "conformance",
    # Its structures come from two of the well-known documents.
    "structs": "canon",
}


def ready(chosen: Chosen, feeds: Path | None, say: Callable[[str], None]) -> Chosen:
    """Return the tables whose workloads are available, after fetching missing data.

    `feeds` is the archive of seed 003, which adds its documents to the tables over
    feeds. Raises plan.StudyError if nothing is left.
    """
    # Studies that run alone make their files themselves.
    alone = [one for one in chosen if one[0].alone]
    chosen = [one for one in chosen if not one[0].alone]
    if alone and not chosen:
        return alone
    if feeds is not None:
        chosen = _with_feeds(chosen, feeds)
    names = {workloads.parse(one.workload)[0] for one in _contests(chosen)}
    if _fetch(names, say):
        chosen = plan.changed(chosen, _look_alike)
    absent: dict[str, str] = {}
    for reference in {one.workload for one in _contests(chosen)}:
        try:
            workloads.find(reference)
        except workloads.WorkloadError as error:
            absent[reference] = str(error)
    for reference, reason in sorted(absent.items()):
        say(f"left out: {reference}: {reason}")
    chosen = plan.changed(
        chosen, lambda one: [one] if one.workload not in absent else []
    )
    if not chosen:
        raise plan.StudyError(
            "none of the workloads is there, and none could be fetched (reasons above)"
        )
    return chosen + alone


def large(chosen: Chosen) -> list[tuple[Path, int]]:
    """Return the files over 1 GB that a run would write first, and their bytes."""
    found = {}
    for contest in _contests(chosen):
        name, parameters = workloads.parse(contest.workload)
        size = int(parameters.get("bytes", 0))
        if name == "crud" and size > LARGE and not seeds.file_of(size).exists():
            found[seeds.file_of(size)] = size
    return list(found.items())


def _contests(chosen: Chosen) -> Iterator[Contest]:
    for _, tables in chosen:
        for table in tables:
            yield from table.contests


def _fetch(names: set[str], say: Callable[[str], None]) -> bool:
    """Fetch the data groups of the named workloads.

    Return whether the well-known documents are unavailable and look-alikes are needed.
    """
    needed = {GROUPS[name] for name in names if name in GROUPS}
    # Only these groups are looked at: to hash the others takes longer than small runs.
    for group in [one for one in sorted(needed) if data.verify(one)]:
        say(f"fetching {group} (once; it stays in {data.folder()})")
        try:
            data.get(group)
        except data.FetchError as error:
            say(f"{group} is not available: {error}")
    if "canon" in needed and data.verify("canon"):
        say("using look-alikes: do not compare with published figures")
        data.get("generated")
        return True
    return False


def _look_alike(contest: Contest) -> list[Contest]:
    """Replace a well-known document by its look-alike."""
    if contest.workload not in documents.ALIKE:
        return [contest]
    name = f"look-alike?of={contest.workload}"
    return [dataclasses.replace(contest, workload=name)]


def _with_feeds(chosen: Chosen, feeds: Path) -> Chosen:
    """Add the archive of the seed to the generated feeds."""
    if not feeds.is_file():
        raise plan.StudyError(
            f"{feeds}: expected the feeds of seed 003 (tests/feeds.tar.bz2 of "
            "speedparser), found no file"
        )
    reference = f"feeds?archive={quote(str(feeds.resolve()))}"

    def also(contest: Contest) -> list[Contest]:
        if workloads.parse(contest.workload)[0] != "feeds":
            return [contest]
        return [contest, dataclasses.replace(contest, workload=reference)]

    return plan.changed(chosen, also)
