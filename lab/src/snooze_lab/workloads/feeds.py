"""Parsed news feeds, thousands of them: the documents of the feeds study (s003).

Separate because the seed's own corpus is in no package registry: users who have it name
it (`feeds?archive=PATH`), all others get documents made here. They have the shape of
feedparser's results and the seed's sizes relative to JSON as Python's `json` wrote it:
marshal 0.944, bson 0.927, msgpack 0.885, at a mean of 85.5 KB (pickle's 1.054 cannot be
reached, since today's readers share keys). The same bytes on every machine and Python;
document n does not depend on their number; every 64 consecutive ones have the whole
range of sizes, including an empty one.
"""

from __future__ import annotations

import json
import math
import tarfile
from pathlib import Path
from typing import Any

from snooze_lab.data import cache
from snooze_lab.workloads.base import Workload, WorkloadError
from snooze_lab.workloads.generated import Dice, words

#: Part of the data cache where documents are kept, one a line.
PART = "made"
#: Changes with the bytes; it is in the name of the file in the data cache.
VERSION = 1
#: The corpus of the seed.
DOCUMENTS = 4_096
SEED = 40_960
#: This many documents cover all sizes; their order is a fixed permutation.
ROUND, STEP = 64, 27
#: Entries of the median feed, and the spread of the sizes.
MEDIAN, SPREAD = 16, 0.495


PLAIN = words(
    "about after again air also animal answer away because before began between both "
    "carry change children city close country cross different earth example family "
    "father follow found great group house important large letter light line little "
    "might mother mountain near never number often other page paper people picture "
    "place plant point river school second sentence should something sometimes soon "
    "story study their these thing thought three through together tree turn under "
    "until watch water where while white without words world would write young"
)
ACCENTED = words(
    "año corazón mañana señal über größer schön straße été élève déjà garçon façade "
    "naïve søster blåbær žena příliš łódź dzień"
)
FOREIGN = words(
    "привет дорога город письмо ветер новости сегодня страна "
    "新闻 今天 世界 经济 日本 東京 情報 技術"
)
ENCLOSED = ("p", "em", "strong", "li", "blockquote", "h3")


class Maker:
    """Makes the parts of one document from a seeded sequence of choices."""

    def __init__(self, number: int) -> None:
        """Begin document `number`: each has one language and one host."""
        self._dice = Dice(SEED + number)
        self._foreign = (0.0, 0.0, 0.02, 0.05, 0.0, 0.2, 0.02, 0.0)[number % 8]
        self._host = f"{self._dice.among(PLAIN)}{self._dice.below(1_000)}.example"
        self._language = "en" if self._foreign < 0.1 else "ru"

    def _word(self) -> str:
        if self._dice.unit() >= self._foreign:
            return self._dice.among(PLAIN)
        return self._dice.among(FOREIGN if self._foreign > 0.1 else ACCENTED)

    def _words(self, count: int) -> str:
        return " ".join(self._word() for _ in range(count))

    def _page(self, part: str) -> str:
        words = "-".join(self._dice.among(PLAIN) for _ in range(3))
        return f"http://{self._host}/{part}/{words}-{self._dice.below(10**6)}.html"

    def _html(self, words: int) -> str:
        pieces = []
        while words > 0:
            count = min(words, 6 + self._dice.below(14))
            words -= count
            tag = self._dice.among(ENCLOSED)
            if self._dice.below(100) < 20:
                link = self._page("see")
                pieces.append(f'<{tag}><a href="{link}">{self._words(2)}</a>')
            else:
                pieces.append(f'<{tag} class="c{self._dice.below(9)}">')
            pieces.append(f"{self._words(count)}.</{tag}>\n")
        return "".join(pieces)

    def _moment(self) -> tuple[str, list[int]]:
        day, hour = self._dice.below(28) + 1, self._dice.below(24)
        minute, month = self._dice.below(60), self._dice.below(12) + 1
        text = f"2011-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:00Z"
        return text, [2011, month, day, hour, minute, 0, day % 7, month * 30, 0]

    def _detail(self, kind: str, value: str) -> dict[str, Any]:
        base = f"http://{self._host}/"
        return {"type": kind, "language": None, "base": base, "value": value}

    def _entry(self) -> dict[str, Any]:
        title = self._words(4 + self._dice.below(7))
        summary = self._html(62 + self._dice.below(62))
        link = self._page("news")
        updated, parsed = self._moment()
        author = f"{self._word().title()} {self._word().title()}"
        found: dict[str, Any] = {
            "title": title,
            "title_detail": self._detail("text/plain", title),
            "summary": summary,
            "summary_detail": self._detail("text/html", summary),
            "links": [{"rel": "alternate", "type": "text/html", "href": link}],
            "link": link,
            "id": link,
            "guidislink": self._dice.below(2) == 0,
            "updated": updated,
            "updated_parsed": parsed,
            "author": author,
            "author_detail": {"name": author},
            "tags": [
                {"term": self._word(), "scheme": None, "label": None}
                for _ in range(self._dice.below(5))
            ],
        }
        if self._dice.below(100) < 40:
            text = self._html(150 + self._dice.below(150))
            found["content"] = [self._detail("text/html", text)]
        return found

    def feed(self, entries: int) -> dict[str, Any]:
        """Return a parsed feed of this many entries."""
        title = self._words(3)
        updated, parsed = self._moment()
        return {
            "bozo": 0,
            "encoding": "utf-8",
            "version": "rss20",
            "namespaces": {"dc": "http://purl.org/dc/elements/1.1/"},
            "feed": {
                "title": title,
                "title_detail": self._detail("text/plain", title),
                "link": f"http://{self._host}/",
                "language": self._language,
                "updated": updated,
                "updated_parsed": parsed,
            },
            "entries": [self._entry() for _ in range(entries)],
        }


def entries_of(number: int) -> int:
    """Return how many entries document `number` has; -1 for an empty document.

    The quantiles of a log-logistic distribution, so that every round of documents has
    the same sizes: nothing but the order differs.
    """
    place = number * STEP % ROUND
    if place == 0:
        return -1
    share = place / ROUND
    odds = share / (1 - share)
    return round(MEDIAN * math.exp(SPREAD * math.log(odds)))


def document(number: int) -> bytes:
    """Return document `number` as Python's json writes it by default: ASCII, blanks."""
    entries = entries_of(number)
    value = {} if entries < 0 else Maker(number).feed(entries)
    return json.dumps(value).encode()


def _kept(count: int) -> list[bytes]:
    """Return the first `count` documents, from the data cache or made into it."""
    place = cache.folder(PART) / f"feeds-{VERSION}-{count}.ndjson"
    if not place.exists():
        cache.write(place, (document(number) + b"\n" for number in range(count)))
    return place.read_bytes().splitlines()


def archived(path: Path) -> list[bytes]:
    """Return the documents of the seed's own archive (feeds.tar.bz2), in its order.

    Every regular file in it that is JSON counts; ValueError if none is.
    """
    found = []
    with tarfile.open(path) as archive:
        for member in archive:
            data = archive.extractfile(member) if member.isfile() else None
            if data is None:
                continue
            text = data.read()
            try:
                json.loads(text)
            except ValueError:
                continue
            found.append(text)
    if not found:
        raise ValueError(f"{path}: expected an archive of JSON documents, found none")
    return found


def feeds(documents: int = DOCUMENTS, archive: str = "") -> Workload:
    """Return the first `documents` made documents, or those of the seed's own archive.

    WorkloadError if the archive is missing.
    """
    if archive:
        path = Path(archive).expanduser()
        if not path.is_file():
            raise WorkloadError(
                f"{path}: expected the archive tests/feeds.tar.bz2 of speedparser, "
                "found none there"
            )
        return Workload("feeds", archived(path), note="the seed's own documents")
    if documents < 1:
        raise ValueError(f"documents of feeds: expected 1 or more, found {documents}")
    return Workload("feeds", lambda: _kept(documents), note="made, not collected")


WORKLOADS = {"feeds": feeds}
