"""Use an installed snooze as a new user would: a few calls of each kind.

Separate from the suite, because it runs in an environment that holds nothing but the
wheel, from a folder outside the checkout. Invariant: it imports the standard library
and snooze only. Run by test_matrix.py and by tests/repo; `python -I smoke.py` by hand.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import importlib.metadata
import io
import pathlib
import platform
import subprocess
import sys
import sysconfig

import snooze


@dataclasses.dataclass
class Order:
    """A class that is read and written."""

    number: int
    day: dt.date
    items: list[str] = dataclasses.field(default_factory=list)


def check() -> None:
    """Raise AssertionError if a call does not return what it should."""
    text = b'{"number":7,"day":"2026-11-24","items":["a","\xc3\xa9"]}'
    value = snooze.loads(text)
    expect(snooze.dumps(value), text)
    order = snooze.decode(text, Order)
    expect(order, Order(7, dt.date(2026, 11, 24), ["a", "\u00e9"]))
    expect(snooze.encode(order), text)
    expect(snooze.dumps(order), text)
    expect(snooze.loads(b"[1.5e300, -0.0, 18446744073709551615]")[2], 2**64 - 1)
    for broken in (b"[1,]", b'"\xff"', b"[" * 2000):
        try:
            snooze.loads(broken)
        except snooze.JSONDecodeError:
            continue
        raise AssertionError(f"{broken[:20]!r} was accepted")
    try:
        snooze.decode(b'{"number":"x","day":"2026-11-24"}', Order)
    except snooze.ValidationError as error:
        expect(error.pointer, "/number")
    else:
        raise AssertionError("a wrong type was accepted")
    long = ['"\\\u2603' * 1000] * 50
    expect(snooze.loads(snooze.dumps(long)), long)
    expect(snooze.schema(list[int])["items"], {"type": "integer"})
    expect(snooze.load(io.BytesIO(text)), value)
    expect([len(batch) for batch in snooze.scan(b'{"a":1}\n{"a":2}\n')], [2])
    expect(snooze.patch({"a": 1}, [{"op": "remove", "path": "/a"}]), {})
    command = [sys.executable, "-m", "snooze", "--help"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    # Without click, which a bare environment lacks, it says what to install.
    if run.returncode != 0 and "click" not in run.stdout + run.stderr:
        raise AssertionError(f"python -m snooze --help: {run.stderr}")


def expect(found: object, wanted: object) -> None:
    """Raise AssertionError unless both are equal."""
    if found != wanted:
        raise AssertionError(f"expected {wanted!r}, found {found!r}")


def main() -> None:
    """Check that the installed wheel is what is imported, and use it."""
    place = pathlib.Path(str(snooze.__file__)).resolve()
    if not place.is_relative_to(pathlib.Path(sys.prefix).resolve()):
        raise AssertionError(f"snooze was imported from {place}")
    expect(importlib.metadata.version("snooze"), snooze.__version__)
    free = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
    if free and getattr(sys, "_is_gil_enabled", bool)():
        raise AssertionError("importing snooze has enabled the GIL")
    check()
    tier = snooze.cpu_tiers()["active"]
    kind = "free-threaded " if free else ""
    print(f"{snooze.__version__} on {kind}{platform.python_version()}, tier {tier}")


if __name__ == "__main__":
    main()
