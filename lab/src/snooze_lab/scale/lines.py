"""The files of the study: flat records of a log, and nested events of a code host.

Separate because the examples of engines read the log, too. The text follows from the
size alone; beside each file is what a reader must find in it, counted while it was
written.

usage: python -m snooze_lab.scale.lines FOLDER [MEGABYTES] write both files
"""

from __future__ import annotations

import gzip
import json
import random
import shutil
import sys
from pathlib import Path
from typing import Any

#: Version 1 of the files, in the cache of documents.
LAID = "scale-1"
LEVELS = ("DEBUG", "INFO", "INFO", "INFO", "WARN", "ERROR")
WORDS = (
    *("the", "of", "request", "user", "cache", "miss", "retry", "upstream"),
    *("closed", "timeout", "größe", "名前"),
)
#: The columns of a projection.
THREE = {"log": ("ts", "status", "duration_ms"), "gh": ("id", "type", "created_at")}
#: A column of strings, and the values of it that few records have.
WHERE = {
    "log": ("host", ("host-007.example", "host-123.example")),
    "gh": ("type", ("ForkEvent",)),
}
#: The column of numbers, or their text, whose sum shows that nothing was lost.
SUMMED = {"log": "status", "gh": "id"}


def log_record(rng: random.Random, number: int) -> dict[str, Any]:
    """Return a flat record of 13 members."""
    message = " ".join(rng.choices(WORDS[:-2], k=8))
    if rng.random() < 0.15:
        message += "\n  at line\n"
    if rng.random() < 0.07:
        message += " größe 名前"
    return {
        "ts": 1_760_000_000_000 + number * 13,
        "level": rng.choice(LEVELS),
        "service": f"service-{rng.randrange(20)}",
        "host": f"host-{rng.randrange(200):03}.example",
        "status": rng.choice((200, 200, 200, 204, 301, 404, 500)),
        "duration_ms": round(rng.expovariate(0.05), 3),
        "bytes": rng.randrange(100_000),
        "user_id": rng.randrange(10**6) if rng.random() < 0.7 else None,
        "cached": rng.random() < 0.4,
        "method": rng.choice(("GET", "POST", "PUT")),
        "path": f"/api/v1/items/{rng.randrange(10**5)}/parts",
        "trace": f"{rng.getrandbits(64):016x}",
        "message": message,
    }


def user(rng: random.Random) -> dict[str, Any]:
    """Return an account."""
    number = rng.randrange(10**7)
    name = f"user{number}"
    return {
        "id": number,
        "login": name,
        "display_login": name,
        "gravatar_id": "",
        "url": f"https://api.example/users/{name}",
        "avatar_url": f"https://avatars.example/u/{number}?",
    }


def issue(rng: random.Random) -> dict[str, Any]:
    """Return an issue."""
    return {
        "url": f"https://api.example/issues/{rng.randrange(10**6)}",
        "number": rng.randrange(5000),
        "title": " ".join(rng.choices(WORDS, k=6)),
        "user": user(rng),
        "labels": [
            {"name": rng.choice(WORDS), "color": "ededed", "default": False}
            for _ in range(rng.randrange(3))
        ],
        "state": "open",
        "locked": False,
        "assignee": user(rng) if rng.random() < 0.3 else None,
        "comments": rng.randrange(40),
        "body": "\n".join(" ".join(rng.choices(WORDS, k=9)) for _ in range(3)),
    }


def payload(rng: random.Random, kind: str) -> dict[str, Any]:
    """Return the payload of a kind of event."""
    if kind == "PushEvent":
        commits = [
            {
                "sha": f"{rng.getrandbits(160):040x}",
                "author": {"email": "a@b.example", "name": rng.choice(WORDS)},
                "message": " ".join(rng.choices(WORDS, k=7)),
                "distinct": True,
                "url": "https://api.example/commits/1",
            }
            for _ in range(rng.randrange(1, 4))
        ]
        head = f"{rng.getrandbits(160):040x}"
        return {
            "push_id": rng.getrandbits(33),
            "size": len(commits),
            "head": head,
            "commits": commits,
        }
    if kind == "IssueCommentEvent":
        comment = {
            "id": rng.getrandbits(30),
            "user": user(rng),
            "body": " ".join(rng.choices(WORDS, k=30)),
        }
        return {"action": "created", "issue": issue(rng), "comment": comment}
    if kind == "PullRequestEvent":
        pull = issue(rng) | {
            "merged": False,
            "additions": rng.randrange(900),
            "base": {
                "ref": "main",
                "sha": f"{rng.getrandbits(160):040x}",
                "user": user(rng),
            },
            "draft": None,
        }
        return {"action": "opened", "number": pull["number"], "pull_request": pull}
    if kind == "CreateEvent":
        return {
            "ref": "main",
            "ref_type": "branch",
            "master_branch": "main",
            "description": None,
        }
    if kind == "ForkEvent":
        return {
            "forkee": {
                "id": rng.getrandbits(30),
                "owner": user(rng),
                "private": False,
                "size": 1.5,
            }
        }
    return {"action": "started"}


def gh_record(rng: random.Random, number: int) -> dict[str, Any]:
    """Return an event like those of a code host, in one of six shapes."""
    kinds = (
        "PushEvent",
        "IssueCommentEvent",
        "PullRequestEvent",
        "CreateEvent",
        "ForkEvent",
        "WatchEvent",
    )
    kind = rng.choices(kinds, weights=(50, 7, 20, 10, 3, 10))[0]
    name = f"owner{rng.randrange(9999)}/project"
    record = {
        "id": str(20_000_000_000 + number),
        "type": kind,
        "actor": user(rng),
        "repo": {
            "id": rng.getrandbits(28),
            "name": name,
            "url": f"https://api.example/repos/{name}",
        },
        "payload": payload(rng, kind),
        "public": True,
        "created_at": f"2026-11-{number % 28 + 1:02}T{number % 24:02}:00:00Z",
    }
    if rng.random() < 0.3:
        record["org"] = user(rng)
    return record


RECORDS = {"log": log_record, "gh": gh_record}


def make(folder: Path, kind: str, megabytes: int) -> Path:
    """Write a file, its compressed form and what is in it; return the file's path."""
    path = folder / f"{kind}-{megabytes}.ndjson"
    truth = path.with_suffix(".json")
    if truth.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    rng, size, number = random.Random(7), 0, 0
    found = {"rows": 0, "sum": 0, "where rows": 0, "where sum": 0}
    column, values = WHERE[kind]
    with path.open("w", encoding="utf-8") as file:
        while size < megabytes * 1_000_000:
            record = RECORDS[kind](rng, number)
            text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            size += len(text.encode()) + 1
            file.write(text + "\n")
            number += 1
            summed = int(record[SUMMED[kind]])
            found["rows"] += 1
            found["sum"] += summed
            if record[column] in values:
                found["where rows"] += 1
                found["where sum"] += summed
    with path.open("rb") as source, gzip.open(f"{path}.gz", "wb", 6) as packed:
        shutil.copyfileobj(source, packed)
    truth.write_text(json.dumps(found), "utf-8")
    return path


def main() -> None:
    """Run the command line."""
    folder, *rest = sys.argv[1:] or ["."]
    for kind in RECORDS:
        print(make(Path(folder), kind, int(rest[0]) if rest else 100))


if __name__ == "__main__":
    main()
