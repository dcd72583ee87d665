"""The answer of a run, for its first screen: sentences, a ranking, formats, advice.

Separate because everybody reads this first, and it is easy to get wrong. Invariants:
everything is made of results of this run and names what it covers; speeds are compared
only over the same documents; what interval and noise cannot separate is called a tie;
what was not measured is said to be so. `of` is stored in results.json as `answer`.
Inside: `means` (ratios over documents), `ranking`, `formats`, `memory`, `energy`,
`advice`. Used by whoever makes results: results.py and the imports.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.answer import advice, energy, formats, memory, ranking

#: What the sentences are about, in this order.
TOPICS = ("Reading", "Writing", "Memory", "Format", "Energy")


def of(results: dict[str, Any]) -> dict[str, Any]:
    """Return the answer of a run from its results, as plain data for results.json.

    `sentences`: a topic and a text each, in the order of TOPICS. `ranking`: libraries
    by speed, or None. `formats`: one point for each format and document. `advice`: a
    choice and its reason for each situation, none for a run without studies.
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
    return {
        "sentences": [
            {"topic": topic, "text": text}
            for topic, text in zip(TOPICS, texts, strict=True)
        ],
        "ranking": ranked,
        "formats": compared,
        "advice": advice.of(results, ranked, compared) if results["studies"] else [],
    }
