"""What to use: a choice and its reason for each situation.

Separate because a choice follows rules that a reader may want to look up. The rules:
the fastest, if interval or noise does not call it a tie; another format than JSON only
if it is faster and smaller; a format that only one Python can read never for others.
Invariants: every reason is a result of this run; without a result the choice is a dash
and the reason names the command that measures it. Used by answer.of.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.answer import formats, ranking
from snooze_lab.answer.means import format_of, rows
from snooze_lab.model import AGAIN
from snooze_lab.units import digits, quantity, ratio

#: Formats that other languages, and other versions of Python, read.
PORTABLE = {"json", "msgpack", "protobuf", "bson"}
NONE = "\N{EN DASH}"


def of(
    results: dict[str, Any],
    ranked: dict[str, Any] | None,
    points: list[dict[str, Any]],
) -> list[dict[str, str]]:
    """Return `situation`, `choice` and `reason` for each situation."""
    found = (
        ("Instead of json or orjson", *_drop_in(results, ranked)),
        ("Classes instead of dicts", *_typed(results)),
        ("Many documents, lines", *_lines(results)),
        ("Between services", *_interchange(points)),
        ("Archive", *_archive(points)),
    )
    return [
        {"situation": situation, "choice": choice, "reason": reason}
        for situation, choice, reason in found
    ]


def _command(study: str) -> tuple[str, str]:
    return NONE, f"not measured in this run: snooze-lab run {study}"


def _drop_in(results: dict[str, Any], ranked: dict[str, Any] | None) -> tuple[str, str]:
    if ranked is None:
        return _command("s001_tables")
    both = [row for row in ranked["rows"] if row["reading"] and row["writing"]]
    if not both:
        return _command("s001_tables")
    best = both[0]
    reference = ranked["reference"]
    if best["name"] == reference:
        return reference, "nothing in this run is faster at both reading and writing"
    shares = [
        f"{side} {digits(best[side]['value'])}" for side in ("reading", "writing")
    ]
    worst = min(best[side]["least"] for side in ("reading", "writing"))
    text = f"{' and '.join(shares)} times {reference}'s speed"
    text += f"; {digits(worst)} on its worst document"
    tied = [
        side
        for operation, side in ranking.SIDES.items()
        if best["name"] in (led := _leaders(results, operation, reference))
        and len(led) > 1
    ]
    if tied:
        text += f" (no clear lead in {' and '.join(tied)})"
    return best["name"], text


def _leaders(results: dict[str, Any], operation: str, reference: str) -> list[str]:
    _, found = ranking.means(results, operation, reference)
    return ranking.leaders(results, found) if found else []


def _typed(results: dict[str, Any]) -> tuple[str, str]:
    """Return who reads into and writes from classes fastest, over all such rows."""
    _, whole = ranking.typed(results, *ranking.TYPED.values())
    if not whole:
        return _command("s004_structs")
    best = max(whole, key=lambda name: whole[name].value)
    rest = [name for name in whole if name != best]
    text = f"{whole[best]} times the speed of orjson with dicts or dataclasses"
    if rest:
        second = max(rest, key=lambda name: whole[name].value)
        text += f"; next {second} {digits(whole[second].value)}"
    return best, text


def _lines(results: dict[str, Any]) -> tuple[str, str]:
    """Return the JSON library that reads many documents in turn fastest."""
    for row in rows(results, "loads"):
        if not row["workload"].startswith("feeds") or row["factors"]:
            continue
        times = {
            name: held["value"]
            for name, cell in row["cells"].items()
            if cell["status"] == "ok" and name != AGAIN and format_of(name) == "json"
            for held in [cell["quantities"].get("round") or cell["quantities"]["time"]]
        }
        if len(times) > 1:
            best, second, *_ = sorted(times, key=times.__getitem__)
            rate = row["bytes"] / times[best] * 1e9
            text = f"reads {quantity(rate, 'B')} a second one document at a time"
            text += (
                f"; next {second}, {digits(times[second] / times[best])} times the time"
            )
            return best, text
    return _command("s003_feeds")


def _portable(points: list[dict[str, Any]]) -> dict[str, Any]:
    found = formats.totals(points)
    return {name: one for name, one in found.items() if format_of(name) in PORTABLE}


def _interchange(points: list[dict[str, Any]]) -> tuple[str, str]:
    found = _portable(points)
    json = [name for name in found if format_of(name) == "json"]
    others = [name for name in found if format_of(name) != "json"]
    if not json or not others:
        return _command("s002_threshold")
    best = min(json, key=lambda name: found[name][0]["value"])
    quick = min(others, key=lambda name: found[name][0]["value"])
    time, size = found[quick]
    shown = ratio(time["value"], time["low"], time["high"])
    text = f"takes {shown} times the time and {digits(size)} of the bytes"
    if time["high"] < 1 and size < 1:
        return quick, f"{text} of JSON by {best}"
    return f"JSON by {best}", f"{quick}, the fastest other format, {text}"


def _archive(points: list[dict[str, Any]]) -> tuple[str, str]:
    found = _portable(points)
    others = [name for name in found if format_of(name) != "json"]
    if not others:
        return _command("s003_feeds")
    small = min(found, key=lambda name: found[name][1])
    size = found[small][1]
    if format_of(small) == "json":
        return f"JSON by {small}", "no other format that others can read is smaller"
    text = f"{digits(size)} of JSON's bytes before compression; others can read it"
    return small, text
