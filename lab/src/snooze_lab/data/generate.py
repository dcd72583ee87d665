"""Make seeded documents in the style of the well-known ones, without a network.

Separate from documents.py because it fetches nothing and its results are not the
originals: they have separate names, and their figures must not be compared with
published ones. `Choices` is the source of every generated document: it uses only
`random.Random.random`, whose sequence is stable by contract. Invariant: the same bytes
on every machine and Python, which the digests below prove. Used by documents.py and by
workloads/.
"""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")


class Choices:
    """A sequence of choices; `unit()` is a float from 0 to 1."""

    def __init__(self, seed: int) -> None:
        """Start the sequence of `seed`."""
        self.unit = random.Random(seed).random

    def below(self, limit: int) -> int:
        """Return an integer from 0 to `limit` - 1."""
        return int(self.unit() * limit)

    def among(self, choices: Sequence[T]) -> T:
        """Return one of `choices`."""
        return choices[self.below(len(choices))]

    def shuffle(self, found: list[Any]) -> None:
        """Put a list in another order, in place."""
        for last in range(len(found) - 1, 0, -1):
            other = self.below(last + 1)
            found[last], found[other] = found[other], found[last]

    def hexadecimal(self, digits: int) -> str:
        """Return this many hexadecimal digits."""
        return "".join("0123456789abcdef"[self.below(16)] for _ in range(digits))


WORDS = {
    "latin": ["release", "build", "merge", "night", "train", "coffee", "garden"],
    "accents": ["été", "garçon", "größer", "señal", "ångström", "naïve", "żółw"],
    "cjk": ["東京", "天気", "明日", "電車", "おはよう", "ありがとう", "写真", "한국어"],
    "emoji": ["🎉", "🚀", "🌍", "😀", "🐍", "✨", "🔥", "🍀", "🎵"],
}


class Dice(Choices):
    """Choices, of words too."""

    def text(self, script: str, words: int) -> str:
        """Return a sentence in one script, sometimes with a quote or a line end."""
        parts = [self.among(WORDS[script]) for _ in range(words)]
        if self.below(4) == 0:
            parts[0] = f'"{parts[0]}"'
        if self.below(5) == 0:
            parts.insert(len(parts) // 2, "\n")
        return " ".join(parts)


def posts() -> bytes:
    """Return records of mixed text in many scripts, indented by two."""
    dice = Dice(1)
    scripts = ["cjk", "cjk", "cjk", "latin", "accents", "emoji"]
    found = []
    for number in range(400):
        script = dice.among(scripts)
        user = 10_000_000 + dice.below(3_000_000_000)
        found.append(
            {
                "created_at": f"Sun Aug 31 00:{number % 60:02d}:15 +0000 2014",
                "id": 505_874_800_000_000_000 + dice.below(10**12),
                "text": dice.text(script, 6 + dice.below(9)),
                "truncated": False,
                "in_reply_to": None if dice.below(3) else user,
                "user": {
                    "id": user,
                    "name": dice.text(script, 2),
                    "description": dice.text(script, 12),
                    "url": f"http://t.example/{dice.below(10**9):x}",
                    "followers_count": dice.below(5_000),
                    "verified": dice.below(20) == 0,
                    "profile_image": f"https://img.example/{user}/normal.jpg",
                },
                "retweet_count": dice.below(100),
                "favorited": False,
                "lang": "ja" if script == "cjk" else "en",
            }
        )
    return json.dumps({"statuses": found}, indent=2, ensure_ascii=False).encode()


def events() -> bytes:
    """Return small ASCII records full of addresses, on one line."""
    dice = Dice(2)
    kinds = ["PushEvent", "WatchEvent", "CreateEvent", "IssueCommentEvent"]
    found = []
    for number in range(60):
        name = f"{dice.among(WORDS['latin'])}{dice.below(1000)}"
        site = f"https://api.example/repos/{name}"
        found.append(
            {
                "id": str(1_652_857_000 + number),
                "type": dice.among(kinds),
                "actor": {
                    "id": dice.below(3_000_000),
                    "login": name,
                    "gravatar_id": f"{dice.below(2**62):032x}",
                    "url": f"https://api.example/users/{name}",
                    "avatar_url": f"https://img.example/avatar/{dice.below(2**62):x}",
                },
                "repo": {"id": dice.below(9_000_000), "name": name, "url": site},
                "payload": {
                    "push_id": dice.below(200_000_000),
                    "size": 1,
                    "ref": "refs/heads/master",
                    "commits": [{"message": dice.text("latin", 7), "url": site}],
                },
                "public": True,
                "created_at": f"2013-01-10T07:58:{number % 60:02d}Z",
            }
        )
    return json.dumps(found).encode()


def catalogue() -> bytes:
    """Return number-like keys, small integers and repeated shapes, indented by four."""
    dice = Dice(3)
    names = {
        str(337_184_000 + step * 3): dice.text("accents", 2) for step in range(500)
    }
    shows = []
    for number in range(240):
        areas = [
            {"areaId": 205_705_993 + dice.below(20), "blockIds": []}
            for _ in range(8 + dice.below(16))
        ]
        prices = [
            {
                "amount": 1_500 * (1 + dice.below(120)),
                "audienceSubCategoryId": 337_100_890,
                "seatCategoryId": 338_937_235 + dice.below(60),
            }
            for _ in range(4)
        ]
        shows.append(
            {
                "eventId": 138_586_341 + number,
                "id": 339_887_544 + number,
                "logo": None,
                "name": None,
                "prices": prices,
                "seatCategories": [{"areas": areas, "seatCategoryId": 338_937_295}],
                "start": 1_372_701_600_000 + dice.below(10**9),
                "venueCode": "PLEYEL_PLEYEL",
            }
        )
    whole = {"areaNames": names, "blockNames": {}, "performances": shows}
    return json.dumps(whole, indent=4, ensure_ascii=False).encode()


def coordinates() -> bytes:
    """Return pairs of floats with many digits, without spaces."""
    dice = Dice(4)
    rings = []
    for _ in range(240):
        x, y = -140.0 + 80.0 * dice.unit(), 42.0 + 40.0 * dice.unit()
        ring = []
        for _ in range(40 + dice.below(260)):
            x += (dice.unit() - 0.5) / 16.0
            y += (dice.unit() - 0.5) / 16.0
            ring.append([round(x, 15), round(y, 14)])
        rings.append(ring)
    shape = {"type": "Polygon", "coordinates": rings}
    return json.dumps({"geometry": shape}, separators=(",", ":")).encode()


GENERATORS: dict[str, tuple[Callable[[], bytes], str]] = {
    "posts.json": (
        posts,
        "cd070379b674d99e43e1bb39b6167e9cddf734feed537862c703f15a9c6dfe11",
    ),
    "events.json": (
        events,
        "52a696dac325286c6c1f0a66f1b6771ce1bbcbe6d767609f8eb7c8a2770dbafd",
    ),
    "catalogue.json": (
        catalogue,
        "522ca8555f94b584f2930e005bbfbfdde87f3ff1c86d0607e29fb3037a2c4a0b",
    ),
    "coordinates.json": (
        coordinates,
        "9901936916412fae23733c28d77758a2cd6b582eae8b3317c54301bf2beecc6e",
    ),
}
