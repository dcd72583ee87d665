"""What else people ask before they choose: latency, threads, start-up, features.

Separate because none of it is a contest of a study. The race measures the first three;
the questions are answered by calling each library as everywhere else, in a process of
its own, since it may crash; `python -m snooze_lab.race.practical NAME` prints them.
Invariants: measured with the workers' Python, for the libraries of the run that are
installed, and stored as practical.json; a failure costs this section, with the reason,
and not the run; an answer is what happened, not what documentation says; standard
library only. Used by runs.py.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import json
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from snooze_lab import contenders
from snooze_lab.contenders import Contender, Need, UnsupportedError
from snooze_lab.model import AGAIN, REFERENCE, STANDARD
from snooze_lab.worker.launch import Launcher, environment

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "practical.json"
#: The study of JSON libraries, which this belongs to.
STUDY = "s001_tables"
GROUPS = ("latency", "threads", "footprint")
#: Seconds of a document and direction, by profile; a profile without an entry has none.
SECONDS = {"smoke": 0.15, "standard": 0.4, "full": 2.0}
#: Seconds after which the race, or one library's answers, are given up.
RACE_LIMIT, ASK_LIMIT = 600.0, 20.0
#: More would leave few calls of each, and hide each other in a table.
MOST = 8


def measure(
    profile: str, names: list[str], launch: Launcher, told: Callable[[str], None]
) -> dict[str, Any]:
    """Return what the race and the questions found: `race`, `features`, `failed`.

    `race` is a record of the race, `features` by library the answers to the questions,
    `failed` one sentence for each part that could not be measured.
    """
    wanted = {*names} - {AGAIN}
    libraries = [one for one in contenders.json_names() if one in wanted][:MOST]
    found: dict[str, Any] = {"race": {}, "features": {}, "failed": []}
    told("latency, threads and start-up")
    try:
        found["race"] = _race(profile, libraries, launch)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        found["failed"].append(f"latency, threads and start-up: {_reason(error)}")
    for name in libraries:
        told(f"what {name} can do")
        try:
            answers = json.loads(_python(launch, ["snooze_lab.race.practical", name]))
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            found["failed"].append(f"features of {name}: {_reason(error)}")
            continue
        if answers:
            found["features"][name] = answers
    return found


def _race(profile: str, names: list[str], launch: Launcher) -> dict[str, Any]:
    """Return the record of the race's groups.

    Where orjson cannot run, as on free-threaded CPython, json is the reference.
    """
    probed = launch({"task": "probe", "contenders": [REFERENCE]})
    reference = STANDARD if probed.get("absent") else REFERENCE
    groups = [word for group in GROUPS for word in ("--group", group)]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "record.json"
        words = [
            *("snooze_lab.race", *groups, "--contenders", ",".join(names)),
            *("--relative-to", reference),
            *("--seconds", str(SECONDS[profile]), "--record", str(file)),
        ]
        _python(launch, words, RACE_LIMIT)
        return dict(json.loads(file.read_text("utf-8")))


def _python(launch: Launcher, words: list[str], limit: float = ASK_LIMIT) -> str:
    """Return what a module of the laboratory prints, in the workers' Python."""
    done = subprocess.run(
        [launch.python, "-m", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=limit,
        env=environment(launch.path),
    )
    return done.stdout


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no answer within {error.timeout:.0f} s"
    if isinstance(error, subprocess.CalledProcessError):
        last = (error.stderr or "").strip().splitlines()
        if error.returncode < 0:
            return f"ended by signal {-error.returncode}"
        return last[-1] if last else f"ended with status {error.returncode}"
    return str(error)


YES, NO = "yes", "no"


class _Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class _Point:
    x: int


class _Pair(NamedTuple):
    a: int


def _writes(
    value: Any, wanted: Callable[[Any], bool], **need: Any
) -> Callable[[Contender], str]:
    """Return a question: whether a value is written as JSON that is `wanted`.

    `need` are the options to write with, as in contenders.Need.
    """

    def ask(found: Contender) -> str:
        try:
            text = (found.writer(Need(**need)) if need else found.dumps)(value)
        except Exception:  # noqa: BLE001 - whatever a library raises
            return NO
        try:
            right = wanted(json.loads(text))
        except (TypeError, ValueError):
            right = False
        return YES if right else f"as {_short(text)}"

    return ask


def _is(wanted: Any) -> Callable[[Any], bool]:
    return lambda said: bool(said == wanted and type(said) is type(wanted))


def _short(text: Any) -> str:
    shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return shown if len(shown) <= 24 else f"{shown[:23]}…"


def _reads(text: bytes, wanted: Any) -> Callable[[Contender], str]:
    """Return a question: whether a text is read as the wanted value, of its type."""

    def ask(found: Contender) -> str:
        try:
            value = found.calls.plain(found.loads(text))
        except Exception:  # noqa: BLE001 - whatever a library raises
            return NO
        same = value == wanted and type(value) is type(wanted)
        return YES if same else f"as {_short(repr(value))}"

    return ask


def _accepts(found: Contender, text: bytes) -> bool:
    try:
        found.loads(text)
    except Exception:  # noqa: BLE001 - a refusal
        return False
    return True


def _refuses(*texts: bytes) -> Callable[[Contender], str]:
    """Return a question: whether all these invalid texts are refused."""

    def ask(found: Contender) -> str:
        accepted = sum(_accepts(found, text) for text in texts)
        return YES if not accepted else f"accepts {accepted} of {len(texts)}"

    return ask


def _offers(**need: Any) -> Callable[[Contender], str]:
    """Return a question: whether its writer has this option."""

    def ask(found: Contender) -> str:
        try:
            found.writer(Need(**need))
        except UnsupportedError:
            return NO
        return YES

    return ask


_DAY = dt.datetime(2024, 5, 6, 7, 8, 9, tzinfo=dt.UTC)
_ID = uuid.UUID(int=5)
_HALVES = decimal.Decimal("1.5")
BIG = 2**70
#: By question: how it is answered.
QUESTIONS: dict[str, Callable[[Contender], str]] = {
    "writes datetime (RFC 3339)": _writes(
        _DAY, lambda said: dt.datetime.fromisoformat(said) == _DAY
    ),
    "writes date": _writes(_DAY.date(), _is("2024-05-06")),
    "writes UUID": _writes(_ID, _is(str(_ID))),
    "writes Enum": _writes(_Colour.RED, _is("red")),
    "writes dataclass": _writes(_Point(1), _is({"x": 1})),
    "writes Decimal": _writes(
        _HALVES, lambda said: decimal.Decimal(str(said)) == _HALVES
    ),
    "writes named tuple": _writes(_Pair(1), lambda said: said in ([1], {"a": 1})),
    "writes set": _writes({1}, _is([1])),
    "writes int over 64 bits": _writes(BIG, _is(BIG)),
    "writes NaN as null": _writes(float("nan"), _is(None)),
    "option: int keys": _writes({1: 2}, _is({"1": 2}), non_str_keys=True),
    "option: sorted keys": _writes(
        {"b": 1, "a": 2}, lambda said: list(said) == ["a", "b"], sort_keys=True
    ),
    "option: indent": _offers(indent=True),
    "option: hook for other types": _writes(
        {"a": 1 + 2j}, _is({"a": "(1+2j)"}), default=str
    ),
    "reads int over 64 bits exactly": _reads(str(BIG).encode(), BIG),
    "reads a lone surrogate's escape": _reads(b'"\\ud800"', "\ud800"),
    "refuses NaN and Infinity": _refuses(b"NaN", b"Infinity", b"-Infinity"),
    "refuses invalid UTF-8": _refuses(b'"\xff"', b'"\xed\xa0\x80"', b'"\xc0\xaf"'),
    "refuses a trailing comma": _refuses(b"[1,]", b'{"a":1,}'),
}


def asked(name: str) -> dict[str, str]:
    """Return the answer of a library to each question; empty if it is not installed."""
    ready, _ = contenders.enter([name])
    return {text: ask(ready[0]) for text, ask in QUESTIONS.items()} if ready else {}


if __name__ == "__main__":
    print(json.dumps(asked(sys.argv[1])))
