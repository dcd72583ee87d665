"""The published figures of a seed, beside the figures that a run measured.

Separate because the command has its own frame: where the figures come from, the tables,
and the claims. Invariants: those of beside.py; a claim that the run does not answer
says so. Used by cli.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from snooze_lab import beside, published
from snooze_lab.beside import Beside

if TYPE_CHECKING:
    from snooze_lab.published import Published
    from snooze_lab.store import Run


def cite(seed: str, run: Run | None) -> list[Beside]:
    """Return the tables of a seed with those of the run beside them, and its claims.

    Raises published.PublishedError for an unknown seed.
    """
    whole = published.load(seed)
    results = run.read("results.json") if run else {"studies": []}
    return [
        _introduction(whole, run),
        *beside.tables(whole, results),
        _claims(whole, results),
    ]


def _introduction(whole: Published, run: Run | None) -> Beside:
    notes = [
        f"Published {whole.year} by {whole.source}, on {whole.machine}.",
        "Versions: " + ", ".join(whole.versions),
        f"Here: run {run.name}." if run else "Here: no run yet.",
        (
            "Published and measured figures are of different machines: compare their "
            "order and their ratios, never their times."
        ),
    ]
    return Beside(whole.title, [], [], notes)


def _claims(whole: Published, results: dict[str, Any]) -> Beside:
    """Return the claims of the seed, with the findings of the run."""
    measured = {
        one["claim"]: one["we_measured"]
        for study in results["studies"]
        if study["name"].split("_", maxsplit=1)[0] == whole.name
        for one in study["findings"]
    }
    rows = [
        [
            one.claim,
            one.seed_says,
            measured.get(one.claim, "no run yet"),
            " ".join(one.why_different.split()),
        ]
        for one in whole.findings
    ]
    head = ["claim", "published", "measured here", "why they differ"]
    return Beside("What the seed claims", head, rows)
