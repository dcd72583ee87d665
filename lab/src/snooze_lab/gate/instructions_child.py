"""One operation, repeated n times: run under callgrind by instructions.py.

Separate because each count is that of a whole process. Invariants: nothing here depends
on time, addresses or hash seeds; the collector is off; everything but the operation
happens the same number of times for every `n`. No site packages but the named folder.

    python -S -s -P instructions_child.py SITE-PACKAGES GENERATED CELL N
"""

# ruff: noqa: PLC0415 - each cell imports only what it needs

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Operation = Callable[[], Any]
#: Cell -> (file of data/generate.py without its ending, or nothing).
DOCUMENTS = {
    "posts": "text of many scripts, indented",
    "events": "addresses on one line",
    "catalogue": "repeated shapes, integers, indented",
    "coordinates": "long floats",
}
WARM = 2


def operation(cell: str, folder: Path) -> Operation:
    """Return the call that a cell counts."""
    import snooze

    what, _, name = cell.partition(" ")
    argument: Any
    if name == "two of twelve":
        return _projection()
    if what in ("encode", "decode"):
        return _typed(what)
    if name in DOCUMENTS:
        argument = (folder / f"{name}.json").read_bytes()
        argument = argument if what == "loads" else snooze.loads(argument)
    else:
        argument = MAKERS[cell]()
    if what == "loads":
        return lambda: snooze.loads(argument)
    if what == "default":
        return lambda: snooze.dumps(argument, default=str)
    options = {
        "sort": snooze.OPT_SORT_KEYS,
        "indent": snooze.OPT_INDENT_2,
        "numpy": snooze.OPT_SERIALIZE_NUMPY,
    }
    if what in options:
        option = options[what]
        return lambda: snooze.dumps(argument, option=option)
    return lambda: snooze.dumps(argument)


def _message() -> Any:
    return {"id": 48_213, "ok": True, "user": "mira", "note": None, "tags": ["a", "b"]}


def _words() -> Any:
    """Return texts that are not ASCII, in a list and as members."""
    words = [f"\u5b57\u6c47 {number}" for number in range(2_000)]
    return [words, {f"w{number}": word for number, word in enumerate(words)}]


def _dataclasses(*, slots: bool) -> Any:
    import dataclasses

    fields = [("id", int), ("name", str), ("active", bool)]
    made = dataclasses.make_dataclass("Made", fields, slots=slots)
    return [made(number, f"name {number}", number % 2 == 0) for number in range(2_000)]


def _halfway(count: int) -> bytes:
    """Return 2,000 first digits of numbers halfway between doubles."""
    from fractions import Fraction

    texts = []
    for number in range(2_000):
        exponent = 970 - number
        middle = (2**53 + 2 * number + 1) * Fraction(2) ** max(exponent, -1_074)
        scale = middle.denominator.bit_length() - 1
        digits = str(middle.numerator * 5**scale)[:count]
        point = len(str(middle.numerator * 5**scale)) - len(digits)
        texts.append(f"{digits}e{point - scale}")
    return f"[{','.join(texts)}]".encode()


def _typed(what: str) -> Operation:
    import types

    import snooze

    objects = _dataclasses(slots=True)
    made = types.GenericAlias(list, type(objects[0]))
    text = snooze.dumps(objects)
    if what == "decode":
        decoder = snooze.Decoder(made)
        return lambda: decoder.decode(text)
    encoder = snooze.Encoder(made)
    return lambda: encoder.encode(objects)


def _projection() -> Operation:
    """Return the decoding of two members of twelve, as the rest is skipped."""
    import dataclasses
    import types

    import snooze

    kept = dataclasses.make_dataclass("Kept", [("id", int), ("m10", int)], slots=True)
    values = ["word", 7, "a text"]
    rest = {f"m{number}": values[number % 3] for number in range(11)}
    rows = [{"id": number, **rest} for number in range(1_000)]
    text = snooze.dumps(rows)
    decoder = snooze.Decoder(types.GenericAlias(list, kept))
    return lambda: decoder.decode(text)


def _paths() -> Any:
    from pathlib import PurePosixPath

    return [PurePosixPath(f"/data/{number}") for number in range(2_000)]


def _str_subclasses() -> Any:
    class Name(str):
        """No enum: those are written by value."""

        __slots__ = ()

    return [Name(f"name {number}") for number in range(2_000)]


def _datetimes() -> Any:
    import datetime as dt

    start = dt.datetime(2020, 1, 1, 0, 0, 0, 123, tzinfo=dt.UTC)
    return [start + dt.timedelta(hours=7 * number) for number in range(2_000)]


def _integers() -> Any:
    import numpy as np

    numbers = np.arange(100_000, dtype=np.int64) * 2_654_435_761
    return numbers.astype(np.int32).reshape(1_000, 100)


#: Cells without a document: the data that is read or written.
MAKERS: dict[str, Callable[[], Any]] = {
    "loads 1": lambda: b"1",
    "loads message": lambda: b'{"id":48213,"ok":true,"user":"mira","note":null}',
    "loads integers": lambda: str([at % 5_000 for at in range(20_000)]).encode(),
    "loads halfway 20": lambda: _halfway(20),
    "loads halfway 800": lambda: _halfway(800),
    "dumps None": lambda: None,
    "dumps message": _message,
    "dumps words": _words,
    "dumps dataclass dict": lambda: _dataclasses(slots=False),
    "dumps dataclass slots": lambda: _dataclasses(slots=True),
    "dumps datetime UTC": _datetimes,
    "dumps str subclass": _str_subclasses,
    "default path": _paths,
    "numpy int32": _integers,
}
#: Cells that are counted on the lower tiers, too.
TIER_CELLS = [f"{what} {name}" for name in DOCUMENTS for what in ("loads", "dumps")]
CELLS = [
    *TIER_CELLS,
    "sort posts",
    "indent catalogue",
    *MAKERS,
    "decode dataclasses",
    "decode two of twelve",
    "encode dataclasses",
]


def main() -> None:
    """Run the operation that the command line names."""
    site, folder, cell, count = sys.argv[1:5]
    sys.path.append(site)
    gc.disable()
    call = operation(cell, Path(folder))
    for _ in range(WARM + int(count)):
        call()


if __name__ == "__main__":
    main()
