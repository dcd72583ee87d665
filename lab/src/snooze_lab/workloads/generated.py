"""Generated documents: the shapes that the well-known documents do not have.

Separate from data/generate.py, which makes look-alikes of the well-known ones: these
are always raced, need no file, and each represents one use or one difficulty. The same
bytes on every machine and Python (tested by digest).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from snooze_lab.data.generate import Choices

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = {
    "ascii": "delta route parcel stop window shift north depot order late early gate",
    "latin": "été garçon größer señal naïve über façade coração mañana élève döner",
    "cyrillic": "привет дорога город окно утро вечер река письмо ветер зима поезд",
    "emoji": "🎉 🚀 🌍 😀 🐍 ✨ 🔥 🍀 🎵 👍🏽 👩‍🚀 🏳️‍🌈",
}


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text."""
    return tuple(text.split())


class Dice(Choices):
    """Choices, of words too."""

    def text(self, script: str, words: int) -> str:
        """Return some words of one script."""
        found = WORDS[script].split()
        return " ".join(self.among(found) for _ in range(words))


def compact(value: Any) -> bytes:
    """Return the shortest text of a value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def indented(value: Any, by: int) -> bytes:
    """Return the indented text of a value."""
    return json.dumps(value, ensure_ascii=False, indent=by).encode()


def crud(count: int = 1_000) -> list[bytes]:
    """Return an indented array of user records, 708 bytes each: a database's export."""
    dice = Dice(10)
    story = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. " * 6
    found = []
    for number in range(count):
        key = dice.hexadecimal(32)
        first, last = dice.text("ascii", 1), dice.text("ascii", 1)
        record = {
            "id": 100_000 + number,
            "uuid": f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}",
            "username": f"{first}.{last}{dice.below(900) + 100}",
            "email": f"{first}.{last}@mail.example",
            "profile": {"first_name": first, "last_name": last, "bio": ""},
            "role": ("user", "admin", "editor")[dice.below(3)],
            "is_active": dice.below(4) != 0,
            "permissions": ["read", "write", "delete"][: 1 + dice.below(3)],
            "created_at": f"2025-03-{dice.below(28) + 1:02d}T08:{number % 60:02d}:00Z",
            "updated_at": f"2026-01-{dice.below(28) + 1:02d}T17:{number % 60:02d}:00Z",
        }
        # Its share of the array: no brackets, but a comma and a line end after it.
        missing = 708 - len(indented([record], 2)) + 2
        record["profile"]["bio"] = story[:missing]  # type: ignore[index]
        found.append(record)
    return [indented(found, 2)]


def plan(fields: int) -> list[bytes]:
    """Return a planning snapshot: random floats, and dicts of int, float and word."""
    dice = Dice(20)
    count = fields // 4
    events = [
        {
            "vehicle": dice.below(10**6),
            "arrival": dice.unit(),
            "label": dice.hexadecimal(10),
        }
        for _ in range(count)
    ]
    return [compact({"costs": [dice.unit() for _ in range(count)], "events": events})]


def feeds() -> list[bytes]:
    """Return many documents of all sizes, some of them empty: parsed news feeds."""
    dice = Dice(30)
    found = []
    for number in range(48):
        entries = [
            {
                "title": dice.text("latin" if number % 5 == 0 else "ascii", 7),
                "link": f"https://news.example/{dice.hexadecimal(12)}",
                "id": dice.hexadecimal(24),
                "updated": f"2011-05-{dice.below(28) + 1:02d}T10:00:00+00:00",
                "summary": f'<p class="lead">{dice.text("ascii", 40)}</p>\n' * 3,
                "tags": [{"term": dice.text("ascii", 1), "scheme": None}] * 2,
                "author_detail": {"name": dice.text("latin", 2)},
            }
            for _ in range((0, 1, 3, 10, 25, 50, 100, 10)[number % 8])
        ]
        feed = {"feed": {"title": dice.text("ascii", 3)}, "entries": entries}
        found.append(compact(feed if number % 8 else {}))
    return found


def integers() -> list[bytes]:
    """Return integers of one to eighteen digits, mostly short."""
    dice = Dice(40)
    sizes = (1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 10, 13, 16, 18)
    values = [
        dice.below(10 ** dice.among(sizes)) - (number % 7 == 0)
        for number in range(60_000)
    ]
    return [compact(values)]


def escapes() -> list[bytes]:
    """Return strings full of escapes, both short ones and those of four digits."""
    dice = Dice(50)
    texts = []
    for number in range(2_000):
        script = ("ascii", "latin", "cyrillic", "emoji")[number % 4]
        words = dice.text(script, 12).split()
        texts.append('"\t'.join(words[:4]) + "\n" + " ".join(words[4:]) + "\\path")
    return [json.dumps(texts, separators=(",", ":")).encode()]


def text(script: str) -> list[bytes]:
    """Return messages in one script, with a few other members."""
    dice = Dice(60)
    found = [
        {
            "id": number,
            "from": dice.text(script, 2),
            "subject": dice.text(script, 6),
            "body": dice.text(script, 30 + dice.below(60)),
            "read": dice.below(2) == 0,
        }
        for number in range(700)
    ]
    return [compact(found)]


def wide() -> list[bytes]:
    """Return one object of very many members, and one array of very many values."""
    dice = Dice(70)
    members = {f"sensor-{number:05d}": dice.below(1_000) for number in range(20_000)}
    values = [(None, True, False, 0, "")[dice.below(5)] for _ in range(40_000)]
    return [compact({"members": members, "values": values})]


def deep() -> list[bytes]:
    """Return trees of a hundred levels, alternating arrays and objects."""
    dice = Dice(80)
    found = []
    for _ in range(150):
        value: Any = dice.below(100)
        for level in range(100):
            value = {"node": value} if level % 2 else [level, value]
        found.append(value)
    return [compact(found)]


def shapes() -> list[bytes]:
    """Return objects with distinct sets of names, all names common."""
    dice = Dice(90)
    names = [f"{word}_{part}" for word in WORDS["ascii"].split() for part in range(12)]
    found = []
    for _ in range(6_000):
        chosen = {dice.among(names) for _ in range(4 + dice.below(5))}
        found.append({name: dice.below(100) for name in sorted(chosen)})
    return [compact(found)]


def keys() -> list[bytes]:
    """Return objects whose names occur once: identifiers used as names."""
    dice = Dice(100)
    found = [
        {dice.hexadecimal(16): dice.below(100) for _ in range(10)} for _ in range(3_000)
    ]
    return [compact(found)]


def pretty() -> list[bytes]:
    """Return a configuration with much white space: an indent of eight, many levels."""
    dice = Dice(110)
    services = {
        f"service-{number}": {
            "image": {"name": dice.text("ascii", 1), "tag": dice.hexadecimal(7)},
            "ports": [{"host": 8_000 + number, "container": 80}],
            "limits": {"memory": {"soft": 2**28, "hard": 2**30}, "cpus": 0.5},
            "environment": [{"name": dice.text("ascii", 1), "value": None}] * 3,
            "enabled": True,
        }
        for number in range(700)
    }
    return [indented({"version": 3, "services": services}, 8)]


DOCUMENTS: dict[str, Callable[[], list[bytes]]] = {
    "crud": crud,
    "plan-4": lambda: plan(4),
    "plan-4k": lambda: plan(4_000),
    "plan-400k": lambda: plan(400_000),
    "feeds": feeds,
    "integers": integers,
    "escapes": escapes,
    "latin-1": lambda: text("latin"),
    "cyrillic": lambda: text("cyrillic"),
    "emoji": lambda: text("emoji"),
    "wide": wide,
    "deep": deep,
    "shapes": shapes,
    "unique-keys": keys,
    "pretty": pretty,
}


def message(length: int) -> bytes:
    """Return an API response of exactly this many bytes (100 or more)."""
    dice = Dice(120)
    whole: dict[str, Any] = {"id": 48_213, "ok": True, "user": "mira", "items": []}
    while True:
        item = {
            "sku": dice.hexadecimal(8),
            "count": dice.below(20),
            "price": (1 + dice.below(10_000)) / 100,
            "note": None,
        }
        whole["items"].append(item)
        if len(compact(whole)) > length - 10:
            whole["items"].pop()
            break
    missing = length - len(compact(whole | {"etag": ""}))
    return compact(whole | {"etag": dice.hexadecimal(missing)})
