"""What a JSON reader accepts, rejects and makes of numbers, judged file by file.

Separate because nothing is timed here. The files are JSONTestSuite's and JSON_checker's
(data group `conformance`); each is given to a contender as bytes and, where it is
UTF-8, as str. Two metrics are reported:

- *seed*: the one of orjson's page (s001): of 342 files, the valid ones that a library
  does not read and the invalid ones that it does not reject, as bytes or as str; its
  list of what must be rejected includes 23 files that the suite leaves to the parser;
- *rfc*: only what RFC 8259 decides: y_ and pass must be read, n_ and fail rejected.

A value that was read is compared with an independent oracle: the standard library's
parser with numbers kept as exact decimals, every float checked by fractions to be a
nearest double. Invariants: a contender's exception is a rejection, whatever its class,
unless it is MemoryError or RecursionError (those are reported as such); floats are
sampled with a seed over all 2^64 patterns. A file can crash a bad parser: callers run
`judge` in a child process. Used through `workloads.find("conformance")`, by the worker:
the job's result is a Judgement.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.data import cache
from snooze_lab.workloads.base import Workload, WorkloadError, difference
from snooze_lab.workloads.generated import Dice
from snooze_lab.workloads.operations import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snooze_lab.contenders.base import Call, Contender
    from snooze_lab.model import Factors

PART = "conformance"
SUITE, CHECKER = "JSONTestSuite", "JSON_checker"
#: Of JSON_checker's failures, those that newer standards allow: a top-level string,
#: and a nesting that only that checker considers too deep.
ALLOWED_SINCE = ("fail1.json", "fail18.json")
#: The seed counts these as invalid; the suite says "implementation-defined".
SEED_INVALID = ("i_string", "i_object")
#: How many float patterns are tried in each direction.
FLOATS = 20_000


@dataclass(frozen=True)
class Case:
    """One file, and whether it must be accepted; None where the parser may choose."""

    name: str
    data: bytes
    rfc: bool | None
    seed: bool | None


@dataclass
class Metric:
    """The counts of one metric: files judged, and those judged wrong."""

    judged: int = 0
    invalid_accepted: list[str] = field(default_factory=list)
    valid_rejected: list[str] = field(default_factory=list)


@dataclass
class Judgement:
    """The results of one contender.

    `values_wrong` are files that were read as another value. `choices` maps each
    implementation-defined file to `accepts` or `rejects`. `floats_wrong` of `floats`
    patterns did not survive writing and reading bit for bit.
    """

    contender: str
    version: str
    seed: Metric = field(default_factory=Metric)
    rfc: Metric = field(default_factory=Metric)
    values_wrong: list[str] = field(default_factory=list)
    choices: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    floats: int = 0
    floats_wrong: int = 0
    floats_example: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the entry of a sample, with counts beside the lists."""
        found = asdict(self)
        for name in ("seed", "rfc"):
            metric = found[name]
            metric["invalid_accepted_count"] = len(metric["invalid_accepted"])
            metric["valid_rejected_count"] = len(metric["valid_rejected"])
        return found


def cases() -> list[Case]:
    """Return all files, in order; WorkloadError if they are not in the data cache."""
    place = cache.folder(PART)
    found = []
    for suite in (SUITE, CHECKER):
        paths = sorted((place / suite).glob("*.json"))
        if not paths:
            raise WorkloadError(
                f"no files of {suite} in {cache.shown(place)}: run "
                "'snooze-lab data get conformance'"
            )
        found += [case(path.name, path.read_bytes()) for path in paths]
    return found


def case(name: str, data: bytes) -> Case:
    """Return a file with the expectation that its name states."""
    if name.startswith(("y_", "pass")) or name in ALLOWED_SINCE:
        return Case(name, data, rfc=True, seed=True)
    if name.startswith(("n_", "fail")):
        return Case(name, data, rfc=False, seed=False)
    if not name.startswith("i_"):
        raise WorkloadError(f"{name}: expected a name with y_, n_, i_, pass or fail")
    seed = False if name.startswith(SEED_INVALID) else None
    return Case(name, data, rfc=None, seed=seed)


def judge(
    contender: Contender, files: list[Case] | None = None, floats: int = FLOATS
) -> Judgement:
    """Return the results of a JSON contender for all files and this many floats."""
    found = Judgement(contender.name, contender.version)
    for one in cases() if files is None else files:
        _judge_file(found, one, contender.loads)
    _judge_floats(found, contender, floats)
    return found


def _judge_file(found: Judgement, one: Case, loads: Call) -> None:
    accepted = _read(found, one, loads)
    if one.rfc is None:
        found.choices[one.name] = "accepts" if any(accepted) else "rejects"
    for metric, must in ((found.seed, one.seed), (found.rfc, one.rfc)):
        if must is None:
            continue
        metric.judged += 1
        if must and not all(accepted):
            metric.valid_rejected.append(one.name)
        if not must and any(accepted):
            metric.invalid_accepted.append(one.name)


def _read(found: Judgement, one: Case, loads: Call) -> list[bool]:
    """Return whether a file is accepted, in each of its forms; note wrong values."""
    wanted = oracle(one.data)
    accepted, wrong = [], False
    for text in _forms(one.data):
        try:
            value = loads(text)
        except (MemoryError, RecursionError) as reason:
            found.errors[one.name] = type(reason).__name__
            accepted.append(False)
        except Exception:  # noqa: BLE001 - an exception of any class is a rejection
            accepted.append(False)
        else:
            accepted.append(True)
            wrong = wrong or (wanted is not None and not agrees(value, wanted[0]))
    if wrong:
        found.values_wrong.append(one.name)
    return accepted


def _forms(data: bytes) -> list[bytes | str]:
    try:
        return [data, data.decode()]
    except UnicodeDecodeError:
        return [data]


def oracle(data: bytes) -> tuple[Any] | None:
    """Return the exact value of a text, in a tuple; None if it has none."""
    try:
        text = data.decode()
        return (json.loads(text, parse_float=Decimal, parse_constant=_refuse),)
    except (ValueError, RecursionError, ArithmeticError):
        return None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def agrees(value: Any, wanted: Any) -> bool:
    """Tell whether a value matches that of the oracle, types included.

    A Decimal is matched by a nearest double (or by the infinity beyond all doubles), an
    integer by itself, or, past 64 bits, by a nearest double too.
    """
    return not difference(value, wanted, _same_scalar)


def _same_scalar(one: Any, other: Any) -> bool:
    if isinstance(other, Decimal):
        return type(one) is float and nearest(one, other)
    if type(other) is int and type(one) is float:
        return not -(2**63) <= other < 2**64 and nearest(one, Decimal(other))
    return type(one) is type(other) and bool(one == other)


def nearest(found: float, exact: Decimal) -> bool:
    """Tell whether no double is nearer to a decimal; on a tie the even one is right."""
    infinite = math.copysign(math.inf, exact)
    if abs(exact.adjusted()) > 400:  # beyond all doubles: zero or infinity
        return found == (0 if exact.adjusted() < 0 or not exact else infinite)
    try:
        # A division of integers, which Python rounds correctly: no text is read.
        return found == float(Fraction(exact))
    except OverflowError:
        return found == infinite


def patterns(count: int) -> Iterator[float]:
    """Yield this many finite floats, each pattern of 64 bits equally likely."""
    dice = Dice(2**53)
    while count:
        # Two draws: random() has 53 bits, and a pattern has 64.
        bits = dice.below(2**32) << 32 | dice.below(2**32)
        number: float = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
        if math.isfinite(number):
            count -= 1
            yield number


def _judge_floats(found: Judgement, contender: Contender, count: int) -> None:
    for number in patterns(count):
        found.floats += 1
        try:
            text = contender.dumps([number])
            # Its own text read back, and Python's shortest text read: both, bit by bit.
            right = all(
                _bits(contender.loads(form)[0]) == _bits(number)
                for form in (text, repr([number]).encode())
            ) and _bits(float(bytes(text)[1:-1])) == _bits(number)
        except Exception as reason:  # noqa: BLE001 - a float it cannot take is wrong
            right = False
            found.floats_example = found.floats_example or f"{number!r}: {reason}"[:200]
        if not right:
            found.floats_wrong += 1
            found.floats_example = found.floats_example or repr(number)


def _bits(number: Any) -> bytes:
    return struct.pack("<d", number) if type(number) is float else b"not a float"


class Conformance(Workload):
    """The files as a workload: its one operation, `conformance`, judges a contender."""

    def job(self, operation: str, contender: Contender, factors: Factors) -> Job:
        """Return the job of a cell: its result is a Judgement, and never wrong itself.

        ValueError for another operation, UnsupportedError for another format than JSON.
        """
        del factors  # both kinds of input are tried, and nothing is timed
        if operation != "conformance":
            raise ValueError(
                f"{self.name}: no operation {operation!r}; there is: conformance"
            )
        if contender.format != "json":
            raise UnsupportedError(f"{contender.format} is not JSON")
        return Job(
            call=lambda files: judge(contender, files),
            argument=cases,
            fault=lambda _: "",
            digest=_digest,
            size=lambda _: self.size,
        )


def _digest(found: Judgement) -> str:
    # As earlier versions wrote it, whose runs may be continued.
    words = json.dumps(found.as_json(), sort_keys=True)
    return hashlib.sha256(words.encode()).hexdigest()


def conformance() -> Conformance:
    """Return the files of both suites; WorkloadError if they are not there."""
    return Conformance("conformance", [one.data for one in cases()])


WORKLOADS = {"conformance": conformance}
