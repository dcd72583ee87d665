"""The answer of a run, for its first screen: sentences, a ranking, formats, advice.

Separate because everybody reads this first. Everything is made of results of this run
and names what it covers; speeds are compared only over the same documents; what
interval and noise cannot separate is a tie; what was not measured is said to be so.
Imports the form of results (stored/), the model, units, and the names of contenders.
Called by results/, for runs and for imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze_lab.answer import advice, costs, formats, ranking
from snooze_lab.stored.results_types import Answer, Sentence

if TYPE_CHECKING:
    from snooze_lab.answer.ranking import Paired
    from snooze_lab.stored.results_types import Results

#: What the sentences are about, in this order.
TOPICS = ("Reading", "Writing", "Memory", "Format", "Energy")


def of(results: Results, paired: Paired = lambda *_names: None) -> Answer:
    """Return the answer of a run from its other results.

    `paired` is the comparison of two contenders, block by block; an import has none.
    Its sentences are in the order of TOPICS; a run without studies has no advice.
    """
    ranked = ranking.of(results)
    compared = tuple(formats.of(results))
    texts = (
        ranking.sentence(results, "loads", paired),
        ranking.sentence(results, "dumps", paired),
        costs.memory(results),
        formats.sentence(compared),
        costs.energy(results),
    )
    sentences = tuple(map(Sentence, TOPICS, texts))
    advised = advice.of(results, ranked, compared, paired) if results.studies else ()
    return Answer(sentences, ranked, compared, advised)
