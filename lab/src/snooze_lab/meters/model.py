"""Joules estimated from time and CPU seconds, with calibrated coefficients.

Separate because it is not a measurement and must never be mistaken for one: its quality
word is `estimated`, each reading carries the band of the fit. E = t * idle + k * cpu,
with t the elapsed seconds, cpu the CPU seconds of the process, idle the machine's power
at rest in W and k the additional W of one busy core. Invariants: coefficients come only
from a calibration file (`snooze-lab calibrate`), which names its machine, its data and
its date; there is no table of processors; without a file the meter is not available.
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab.meters import base, rusage

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1
#: Flag of readings whose coefficients were fitted to an imported series.
OTHER_MACHINE = "coefficients-of-another-machine"


class CalibrationError(Exception):
    """A calibration file cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Coefficients of the power model and where they are from.

    idle: W at rest. core: W that one busy core adds. low, high: the band that holds 95
    % of measured / predicted joules among the n windows of the fit. origin: the data's
    name and groups; machine: what they were recorded on; date: of the recording;
    quality: of the joules fitted, `measured` (here) or `imported` (elsewhere).
    """

    idle: float
    core: float
    low: float
    high: float
    n: int
    origin: str
    machine: str
    date: str
    quality: str = "measured"

    def joules(self, seconds: float, cpu: float) -> float:
        """Return the joules of a window with `cpu` CPU seconds in `seconds`."""
        return seconds * self.idle + cpu * self.core

    def band(self, joules: float) -> tuple[float, float]:
        """Return the interval around an estimate."""
        return joules * self.low, joules * self.high


def _finite(path: Path, table: dict[str, Any], name: str) -> float:
    value = table.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise CalibrationError(
            f"{path}: expected a number for model.{name}, found {value!r}; write the "
            "file with `snooze-lab calibrate`"
        )
    if not math.isfinite(value) or value < 0:
        raise CalibrationError(
            f"{path}: expected model.{name} finite and not below 0, found {value}"
        )
    return float(value)


def load(path: Path) -> Calibration:
    """Return the calibration in a file; CalibrationError if it cannot be used."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CalibrationError(f"{path}: cannot be read as TOML: {error}") from error
    if found.get("format") != FORMAT:
        raise CalibrationError(
            f"{path}: expected format = {FORMAT}, found {found.get('format')!r}; write "
            "the file anew with `snooze-lab calibrate`"
        )
    model, origin = found.get("model", {}), found.get("origin", {})
    calibration = Calibration(
        idle=_finite(path, model, "idle_watts"),
        core=_finite(path, model, "watts_per_busy_core"),
        low=_finite(path, model, "band_low"),
        high=_finite(path, model, "band_high"),
        n=int(_finite(path, model, "n")),
        origin=str(origin.get("data", "")),
        machine=str(origin.get("machine", "")),
        date=str(origin.get("date", "")),
        quality=str(origin.get("quality", "")),
    )
    if not calibration.low <= 1 <= calibration.high:
        raise CalibrationError(
            f"{path}: expected band_low <= 1 <= band_high, found {calibration.low} and "
            f"{calibration.high}"
        )
    if calibration.quality not in {"measured", "imported"}:
        raise CalibrationError(
            f"{path}: expected origin.quality measured or imported, found "
            f"{calibration.quality!r}"
        )
    if not (calibration.origin and calibration.machine and calibration.date):
        raise CalibrationError(
            f"{path}: expected origin.data, origin.machine and origin.date, found "
            f"{origin}; coefficients of unknown origin are not used"
        )
    return calibration


@dataclass(frozen=True)
class Model:
    """The estimated joules of a window of this process (or its ended children)."""

    path: Path | None
    name: str = "model:package"
    unit: base.Unit = "J"
    scope: base.Scope = "process"
    quality: base.Quality = "estimated"

    def probe(self) -> base.Availability:
        """Tell whether there is a usable calibration."""
        if self.path is None:
            return base.Availability(
                ok=False,
                reason="no calibration file was given",
                command="snooze-lab calibrate, on a machine with an energy counter",
            )
        try:
            found = load(self.path)
        except CalibrationError as error:
            return base.Availability(
                ok=False, reason=str(error), command="snooze-lab calibrate"
            )
        return base.Availability(
            ok=True,
            reason=f"{found.idle:.2f} W + {found.core:.2f} W a busy core, fitted to "
            f"{found.n} windows of {found.origin} on {found.machine}, {found.date}",
        )

    def open(self, context: base.RunContext) -> _Session:
        """Return a session; MeterError without a usable calibration."""
        path = context.calibration or self.path
        if path is None:
            raise base.MeterError(
                f"{self.name}: expected a calibration file, found none; make one with "
                "`snooze-lab calibrate` on a machine with an energy counter"
            )
        try:
            return _Session(self, load(path), children=context.children)
        except CalibrationError as error:
            raise base.MeterError(f"{self.name}: {error}") from error


class _Session(base.Plain):
    def __init__(self, meter: Model, found: Calibration, *, children: bool) -> None:
        self._meter = meter
        self._found = found
        self._children = children

    def start(self) -> base.Mark:
        return base.Mark(base.now(), rusage.usage(children=self._children))

    def stop(self, mark: base.Mark) -> base.Reading:
        used = rusage.usage(children=self._children) - mark.raw
        end = base.now()
        seconds = (end - mark.t_ns) / 1e9
        imported = self._found.quality == "imported"
        joules = self._found.joules(seconds, used.user + used.system)
        return dataclasses.replace(
            base.reading(self._meter, mark, end, joules),
            band=self._found.band(joules),
            flags=frozenset({OTHER_MACHINE} if imported else ()),
        )


def meters(context: base.RunContext) -> list[base.Meter]:
    """Return the model, available or not."""
    return [Model(context.calibration)]
