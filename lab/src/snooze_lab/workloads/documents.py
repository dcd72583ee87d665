"""Documents out of files, well-known or the user's own, and the groups of the race.

Separate so that a new group is one function here and nothing elsewhere. Workloads that
are only written, classes and arrays, are in kinds.py; documents that are made in any
size in seeds.py and feeds.py. Invariants: a document has the bytes of its pinned
package, or is called a look-alike, or is missing; nothing parses the user's own but
`check`, since a worker that measures memory must not have done so. Used through
`workloads.find`, by the race and by `byob`.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from snooze_lab.data import cache, fetch
from snooze_lab.workloads import generated
from snooze_lab.workloads.base import Workload, WorkloadError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

#: Parts of the data cache.
ORIGINALS, LOOK_ALIKES = "documents", "generated"
USUAL = ("twitter", "github", "citm_catalog", "canada")
#: The other fetched documents: one file of the first package, the rest simdjson's.
FETCHED = (
    "mesh",
    "instruments",
    "apache_builds",
    "object_zh",
    "numbers",
    "random",
    "marine_ik",
    "gsoc-2018",
    "update-center",
    "twitterescaped",
)
#: Fetched with them, and raced only on request.
FURTHER = (
    "canada-lf",
    "github_events",
    "mesh.pretty",
    "repeat",
    "twitter_timeline",
    "twitter_api_response",
    "google_maps_api_response",
    "sf_citylots",
)
#: Never raced with the others: code is tuned on those and reported on these.
HELD_OUT = "heldout"
#: The generated look-alikes of the usual four.
ALIKE = {
    "twitter": "posts",
    "github": "events",
    "citm_catalog": "catalogue",
    "canada": "coordinates",
}
#: The data group of each of these.
GROUP_OF = {
    **dict.fromkeys(USUAL, "canon"),
    **dict.fromkeys((*FETCHED, *FURTHER), "simdjson"),
    "object_zh": "ssrjson",
    "sf_citylots": "citylots",
}
#: Small documents, for which the overhead of a call matters.
TINY = {"1": b"1", "null": b"null"}


def seed() -> list[Workload]:
    """Return the four well-known documents, or the generated look-alikes."""
    if all(original(name).exists() for name in USUAL):
        return [fetched(name) for name in USUAL]
    paths = sorted(cache.folder(LOOK_ALIKES).glob("*.json"))
    if not paths:
        raise WorkloadError(
            f"no documents in {cache.shown(cache.folder())}: run 'make documents' or "
            "'snooze-lab data get canon'; without a network 'make demo' generates some"
        )
    return [Workload(path.stem, note="look-alike", file=path) for path in paths]


def documents() -> list[Workload]:
    """Return the seed's four documents, the fetched ones, and the generated ones."""
    others = [fetched(name) for name in FETCHED if original(name).exists()]
    return [*seed(), *others, *made()]


def missing() -> list[str]:
    """Return which of the fetched documents are missing."""
    names = (*USUAL, *FETCHED)
    return [name for name in names if not original(name).exists()]


def heldout() -> list[Workload]:
    """Return the held-out documents; WorkloadError unless all of them are there.

    A mean over some of them would not be the figure that was promised.
    """
    names = [one.name.removesuffix(".json") for one in fetch.files(HELD_OUT)]
    absent = [name for name in names if not original(name).exists()]
    if absent:
        raise WorkloadError(
            f"the held-out documents: expected {len(names)} in "
            f"{cache.shown(cache.folder(ORIGINALS))}, {len(absent)} are missing: run "
            f"'snooze-lab data get {HELD_OUT}' with a network"
        )
    return [Workload(name, file=original(name)) for name in names]


def made() -> list[Workload]:
    """Return the generated documents, each with one shape."""
    return [Workload(name, make) for name, make in generated.DOCUMENTS.items()]


def chosen(names: Collection[str]) -> list[Workload]:
    """Return those of the tiny and the well-known documents that have these names."""
    return [one for one in (*tiny(), *seed()) if one.name in names]


def tiny() -> list[Workload]:
    """Return texts of a few bytes, which show the overhead of a call."""
    messages = {"100 bytes": 100, "1 kB": 1_000}
    return [
        *(Workload(name, [text]) for name, text in TINY.items()),
        *(Workload(name, [generated.message(n)]) for name, n in messages.items()),
    ]


def values() -> list[Workload]:
    """Return documents of one kind of value each, which show where time goes."""
    found: dict[str, Any] = {
        "small integers": [number % 100 for number in range(20_000)],
        "large integers": [number * 7_919_000_000_019 for number in range(20_000)],
        "short floats": [number / 8 for number in range(20_000)],
        "long floats": [(number + 0.1) ** 0.5 for number in range(20_000)],
        "booleans": [number % 3 == 0 for number in range(20_000)],
        "nulls": [None] * 20_000,
        "short words": [f"word{number % 500}" for number in range(20_000)],
        "long ASCII": ["The quick brown fox jumps. " * 200] * 50,
        "escapes": ['say "so"\n\t\\' * 20] * 500,
        "Cyrillic": ["Съешь же ещё этих мягких булок. " * 20] * 200,
        "Chinese": ["天地玄黄宇宙洪荒日月盈昃" * 20] * 200,
        "emoji": ["🎉🚀🌍😀🐍" * 20] * 200,
        "records": [
            {"id": number, "name": f"user{number}", "active": True, "score": 1.5}
            for number in range(4_000)
        ],
        "empty containers": [[], {}] * 10_000,
        "nested": _nested(200),
    }
    return [Workload(name, [generated.compact(one)]) for name, one in found.items()]


GROUPS: dict[str, Callable[[], list[Workload]]] = {
    "seed": seed,
    "documents": documents,
    HELD_OUT: heldout,
    "tiny": tiny,
    "values": values,
}


def original(name: str) -> Path:
    """Return where a fetched document is, or would be."""
    return cache.folder(ORIGINALS) / f"{name}.json"


def fetched(name: str) -> Workload:
    """Return a fetched document; WorkloadError if it is not there."""
    place = original(name)
    if not place.exists():
        raise WorkloadError(
            f"{name}: expected {cache.shown(place)}, found nothing there: "
            f"run 'snooze-lab data get {GROUP_OF[name]}'"
        )
    return Workload(name, file=place)


def files(paths: Iterable[Path]) -> list[Workload]:
    """Return the user's own documents; WorkloadError if one is not JSON."""
    found = []
    for path in paths:
        check(path)
        found.append(Workload(path.stem, file=path))
    return found


def look_alike(of: str) -> Workload:
    """Return the generated look-alike of a well-known document.

    WorkloadError if there is none, or it was not generated.
    """
    if of not in ALIKE:
        raise WorkloadError(f"no look-alike of '{of}'; there are: {', '.join(ALIKE)}")
    place = cache.folder(LOOK_ALIKES) / f"{ALIKE[of]}.json"
    if not place.exists():
        raise WorkloadError(
            f"the look-alike of {of} is not made yet: "
            "run 'snooze-lab data get generated'"
        )
    return Workload(of, note="look-alike", file=place)


def message(bytes: int = 1_000) -> Workload:  # noqa: A002 - the name of the parameter
    """Return an API response of exactly this many bytes (100 or more)."""
    if bytes < 100:
        raise WorkloadError(f"message?bytes=: expected 100 or more, found {bytes}")
    return Workload("message", [generated.message(bytes)])


def kind(of: str) -> Workload:
    """Return a document of one kind of value: `values?of=long-floats`."""
    found = {one.name.lower().replace(" ", "-"): one for one in values()}
    if of not in found:
        raise WorkloadError(f"no values of '{of}'; there are: {', '.join(found)}")
    return found[of]


def _nested(depth: int) -> Any:
    value: Any = [1]
    for level in range(depth):
        value = [value, {"level": level}] if level % 2 else {"inner": value}
    return value


def _made(name: str, texts: list[bytes] | Callable[[], list[bytes]], /) -> Workload:
    return Workload(name, texts)


def file(path: str) -> Workload:
    """Return the documents at a path, or at several separated by commas.

    WorkloadError if one is missing. `check` tells whether they are JSON.
    """
    # A comma may also be a part of one file's name.
    names = [path] if Path(path).expanduser().is_file() else path.split(",")
    places = [Path(one).expanduser() for one in names if one]
    if not places:
        raise WorkloadError("file?path=: expected the path of a JSON file, found none")
    for place in places:
        if not place.is_file():
            raise WorkloadError(f"{place}: expected a JSON file, found none there")
    if len(places) == 1:
        return Workload(places[0].stem, file=places[0])
    texts = [place.read_bytes() for place in places]
    return Workload(places[0].stem, texts, note=f"{len(places)} files")


def check(place: Path) -> None:
    """Raise WorkloadError unless a file holds one JSON document in UTF-8.

    NaN and infinities, which Python's json reads, are not JSON.
    """
    try:
        text = place.read_bytes()
        json.loads(text.decode(), parse_constant=_refuse)
    except OSError as reason:
        raise WorkloadError(f"{place}: cannot be read: {reason.strerror}") from reason
    except UnicodeDecodeError as reason:
        raise WorkloadError(
            f"{place}: expected UTF-8, found byte 0x{text[reason.start]:02x} at offset "
            f"{reason.start}: convert it first"
        ) from reason
    except (ValueError, RecursionError) as reason:
        lines = text.strip().splitlines()
        many = len(lines) > 1 and all(one[:1] in b"{[" for one in lines[:2])
        hint = "; one document a line? name single documents" if many else ""
        raise WorkloadError(
            f"{place}: expected one JSON document: {reason}{hint}"
        ) from reason


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


#: Generated documents that another module makes in any size.
SIZED = ("crud", "plan-4", "plan-4k", "plan-400k", "feeds")

WORKLOADS: dict[str, Callable[..., Workload]] = {
    **{name: partial(fetched, name) for name in GROUP_OF},
    **{
        name: partial(_made, name, make)
        for name, make in generated.DOCUMENTS.items()
        if name not in SIZED
    },
    **{name: partial(_made, name, [text]) for name, text in TINY.items()},
    "file": file,
    "look-alike": look_alike,
    "message": message,
    "values": kind,
}
