"""The answer of a run, for its first screen: sentences, a ranking, formats, advice.

Separate because everybody reads this first, and it is easy to get wrong. Invariants:
everything is made of results of this run and names what it covers; speeds are compared
only over the same documents; what interval and noise cannot separate is called a tie;
what was not measured is said to be so. `of` is stored in results.json as `answer`.
Inside: `means` (ratios over documents), `ranking`, `formats`, `memory`, `energy`,
`advice`. Used by whoever makes results: results.py and the imports.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from snooze_lab.answer import advice, energy, formats, memory, ranking
from snooze_lab.results_types import Answer, Sentence

#: What the sentences are about, in this order.
TOPICS = ("Reading", "Writing", "Memory", "Format", "Energy")


def of(results: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a run from its results: an Answer as plain data.

    Its sentences are in the order of TOPICS; a run without studies has no advice.
    """
    ranked = ranking.of(results)
    compared = formats.of(results)
    texts = (
        ranking.sentence(results, "loads"),
        ranking.sentence(results, "dumps"),
        memory.sentence(results),
        formats.sentence(compared),
        energy.sentence(results),
    )
    found = Answer(
        sentences=tuple(map(Sentence, TOPICS, texts)),
        ranking=ranked,
        formats=tuple(compared),
        advice=advice.of(results, ranked, compared) if results["studies"] else (),
    )
    return dataclasses.asdict(found)
