"""Measure each adapter beside the framework's own JSON, and print a table of ratios.

    make build && make test-frameworks
    .build/venv-frameworks/bin/python scripts/frameworks_speed.py

Separate from the race, whose contenders are libraries and not frameworks. Invariants:
both sides' results are compared before they are timed; their times are taken in short
shuffled slices (snooze_lab.timing.interleaved) and compared within a round. Used by
hand, for the table of docs/frameworks.md; runs with the environment of frameworks.lock.
"""

from __future__ import annotations

import argparse
import datetime as dt
import decimal
import io
import json
import platform
import random
import sys
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "lab" / "src"))

from snooze_lab.timing import interleaved, rounds  # noqa: E402 - from the checkout

Call = "Callable[[Any], Any]"
OWN, STOCK = "snooze", "stock"


def plain(count: int = 100) -> list[dict[str, Any]]:
    """Return rows of text, numbers, bools and null: about 12 kB."""
    return [
        {
            "id": number,
            "name": f"customer {number}",
            "email": f"c{number}@shop.example",
            "balance": number * 1.25,
            "is_active": number % 2 == 0,
            "tags": ["new", "paid"],
            "parent": None,
        }
        for number in range(count)
    ]


def dated() -> list[dict[str, Any]]:
    """Return the rows with a time, a Decimal and a UUID in each."""
    start = dt.datetime(2026, 11, 23, 1, 2, 3, 456000, tzinfo=dt.UTC)
    return [
        row
        | {
            "at": start + dt.timedelta(days=row["id"]),
            "price": decimal.Decimal(row["id"]) / 4,
            "key": uuid.UUID(int=row["id"]),
        }
        for row in plain()
    ]


def contests() -> dict[str, tuple[Any, Any, Any, Any]]:
    """Return, by name, both calls, their argument and what makes results equal."""
    import django  # noqa: PLC0415 - all of these need the environment of frameworks.lock
    import flask  # noqa: PLC0415
    from django.conf import settings  # noqa: PLC0415

    settings.configure()
    django.setup()

    from django.core.serializers.json import DjangoJSONEncoder  # noqa: PLC0415
    from kombu.utils import json as kombu_json  # noqa: PLC0415
    from litestar.response import Response  # noqa: PLC0415
    from rest_framework import parsers, renderers  # noqa: PLC0415
    from starlette.responses import JSONResponse  # noqa: PLC0415

    from snooze.ext import django as ext_django  # noqa: PLC0415
    from snooze.ext import flask as ext_flask  # noqa: PLC0415
    from snooze.ext import kombu as ext_kombu  # noqa: PLC0415
    from snooze.ext import litestar as ext_litestar  # noqa: PLC0415
    from snooze.ext import rest_framework as ext_rest  # noqa: PLC0415
    from snooze.ext import starlette as ext_starlette  # noqa: PLC0415

    app = flask.Flask("speed")
    provider, stock_provider = ext_flask.JSONProvider(app), app.json
    body = json.dumps(plain()).encode()

    def litestar(response: type[Any]) -> Any:
        made = response(None)
        return lambda value: made.render(value, "application/json")

    def parse(parser: Any) -> Any:
        return lambda data: parser.parse(io.BytesIO(data))

    rows, rich = plain(), dated()
    texts = (json.loads, json.loads)
    same = (lambda value: value,) * 2
    found: dict[str, tuple[Any, Any, Any, Any]] = {
        "Starlette `JSONResponse`": (
            *(lambda value: ext_starlette.JSONResponse(value).body,),
            *(lambda value: JSONResponse(value).body, rows, texts),
        ),
        "REST framework `JSONParser`": (
            *(parse(ext_rest.JSONParser()), parse(parsers.JSONParser()), body, same),
        ),
        "kombu `loads`": (ext_kombu.loads, kombu_json.loads, body, same),
    }
    pairs: dict[str, tuple[Any, Any]] = {
        "Flask `JSONProvider`": (provider.dumps, stock_provider.dumps),
        "Django `JSONEncoder`": (
            lambda value: ext_django.JSONEncoder().encode(value),
            lambda value: DjangoJSONEncoder().encode(value),
        ),
        "REST framework `JSONRenderer`": (
            ext_rest.JSONRenderer().render,
            renderers.JSONRenderer().render,
        ),
        "kombu `dumps`": (ext_kombu.dumps, kombu_json.dumps),
        "Litestar `JSONResponse`": (
            litestar(ext_litestar.JSONResponse),
            litestar(Response),
        ),
    }
    for name, (own, stock) in pairs.items():
        found[name] = (own, stock, rows, texts)
        found[f"{name}, dates"] = (own, stock, rich, texts)
    return found


def measured(name: str, contest: tuple[Any, Any, Any, Any], seconds: float) -> str:
    """Return a row of the table."""
    own, stock, argument, (read_own, read_stock) = contest
    ours, theirs = read_own(own(argument)), read_stock(stock(argument))
    if not _equal(ours, theirs):
        sys.exit(f"{name}: the results differ")
    entries: dict[str, Any] = {OWN: (own, argument), STOCK: (stock, argument)}
    calls, _ = interleaved.slices(entries, STOCK)
    dice = random.Random(1)
    taken = interleaved.rounds(entries, calls, set(), seconds, dice)
    pauses = taken.pauses[OWN], taken.pauses[STOCK]
    ratio = rounds.speed(taken.times[OWN], taken.times[STOCK], pauses).ratio()
    times = [
        f"{rounds.typical(taken.times[side]) / 1000:,.1f}" for side in (STOCK, OWN)
    ]
    interval = f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"
    return f"| {name} | {times[0]} µs | {times[1]} µs | {interval} |"


def _equal(ours: Any, theirs: Any) -> bool:
    """Compare documents; msgspec writes UTC as Z."""
    return bool(
        ours == theirs or json.dumps(ours).replace("+00:00", "Z") == json.dumps(theirs)
    )


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each row")
    options = parser.parse_args()
    print("| call | its own | snooze | speed, with its 95 % interval |")
    print("|---|--:|--:|--:|")
    for name, contest in contests().items():
        print(measured(name, contest, options.seconds), flush=True)
    today = dt.datetime.now(dt.UTC).date()
    print(f"\n{today}, CPython {platform.python_version()}, {platform.machine()}")


if __name__ == "__main__":
    main()
