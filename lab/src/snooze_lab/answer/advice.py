"""What to use: a choice and its reason for each situation.

Separate because a reader may want to look up the rules: the fastest, if interval or
noise does not call it a tie; another format than JSON only if it is faster and smaller;
one that only Python can read never for others. A choice without a result is a dash, and
its reason names the command that measures it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from snooze_lab.answer import formats, ranking
from snooze_lab.answer.ranking import format_of
from snooze_lab.model import INSTRUMENTS
from snooze_lab.stored.results_types import Advice
from snooze_lab.units import NONE, digits, quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from snooze_lab.answer.formats import Total
    from snooze_lab.answer.ranking import Paired
    from snooze_lab.stored.results_types import FormatPoint, Ranking, Results

#: Formats that other languages, and other versions of Python, read.
PORTABLE = {"json", "msgpack", "protobuf", "bson"}
_OPEN = " (no clear lead)"


def of(
    results: Results,
    ranked: Ranking | None,
    points: Sequence[FormatPoint],
    paired: Paired,
) -> tuple[Advice, ...]:
    """Return what to use in each situation."""
    return (
        Advice("Instead of json or orjson", *_drop_in(results, ranked, paired)),
        Advice("Classes instead of dicts", *_typed(results, paired)),
        Advice("Many documents, lines", *_lines(results, paired)),
        Advice("Between services", *_interchange(points)),
        Advice("Archive", *_archive(points)),
    )


def _command(study: str) -> tuple[str, str]:
    return NONE, f"not measured in this run: snooze-lab run {study}"


def _drop_in(
    results: Results, ranked: Ranking | None, paired: Paired
) -> tuple[str, str]:
    both = [
        (row.name, row.reading, row.writing)
        for row in (ranked.rows if ranked else ())
        if row.reading and row.writing
    ]
    if ranked is None or not both:
        return _command("s001_tables")
    best, reading, writing = both[0]
    reference = ranked.reference
    if best == reference:
        return reference, "nothing in this run is faster at both reading and writing"
    text = f"reading {digits(reading.value)} and writing {digits(writing.value)} times "
    text += f"{reference}'s speed; {digits(min(reading.least, writing.least))} on its "
    text += "worst document"
    tied = []
    for operation, side in ranking.SIDES.items():
        found = ranking.compared(results, operation, reference)
        led = found.leaders(results.noise.floor, paired)
        if best in led and len(led) > 1:
            tied.append(side)
    if tied:
        text += f" (no clear lead in {' and '.join(tied)})"
    return best, text


def _typed(results: Results, paired: Paired) -> tuple[str, str]:
    """Return who reads into and writes from classes fastest, over all such rows."""
    found = ranking.typed(results, *ranking.TYPED.values())
    whole = found.means
    if not whole:
        return _command("s004_structs")
    best, *near = found.leaders(results.noise.floor, paired)
    rest = [name for name in whole if name != best]
    text = f"{whole[best]} times the speed of {found.measure}"
    if best in found.bases:
        text = "nothing in this run is faster"
    if rest:
        second = max(rest, key=lambda name: whole[name].value)
        text += f"; next {second} {digits(whole[second].value)}"
    return best, text + _OPEN * bool(near)


def _lines(results: Results, paired: Paired) -> tuple[str, str]:
    """Return the JSON library that reads many documents in turn fastest."""
    for line in results.lines("loads"):
        if not line.workload.startswith("feeds") or line.factors:
            continue
        times = {
            name: time.value
            for name, cell in ranking.json_cells(line)
            if (time := cell.quantities.get("round") or cell.time)
        }
        if len(times) > 1:
            best, second, *_ = sorted(times, key=times.__getitem__)
            rate = quantity(line.bytes / times[best] * 1e9, "B")
            tried = [paired(line.contest, best, second, one) for one in INSTRUMENTS]
            by = next((one for one in tried if one and one.n > 1), None)
            near = by is None or by.low <= 1 or by.ratio - 1 <= results.noise.floor
            return best, (
                f"reads {rate} a second one document at a time; next {second}, "
                f"{digits(times[second] / times[best])} times the time"
                f"{_OPEN * near}"
            )
    return _command("s003_feeds")


def _portable(points: Sequence[FormatPoint]) -> list[Total]:
    return [one for one in formats.totals(points) if format_of(one.name) in PORTABLE]


def _interchange(points: Sequence[FormatPoint]) -> tuple[str, str]:
    json, others = formats.apart(_portable(points))
    if not json or not others:
        return _command("s002_threshold")
    best, quick = formats.fastest(json), formats.fastest(others)
    if quick.time.high < 1 and quick.size < 1:
        return quick.name, f"{quick} of JSON by {best.name}"
    return f"JSON by {best.name}", f"{quick.name}, the fastest other format, {quick}"


def _archive(points: Sequence[FormatPoint]) -> tuple[str, str]:
    json, others = formats.apart(_portable(points))
    if not others:
        return _command("s003_feeds")
    small = formats.smallest(json + others)
    if small in json:
        text = "no other format that others can read is smaller"
        return f"JSON by {small.name}", text
    share = digits(small.size)
    return small.name, f"{share} of JSON's bytes before compression; others can read it"
