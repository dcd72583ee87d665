"""From studies, which are data, to the contests of one run.

Separate because a study states the question, a profile the effort, and a run the
measurements: this is the only file that reads studies/*.toml. Invariants: unknown keys
are refused, so that nothing in a study is ignored; every contest with the reference has
it twice (`orjson again`), so that each run measures its noise; the plan of a run is
written before anything is measured. Used by cli.py, schedule.py and results.py.

A study is `name`, `title`, `seed`, `question` and tables. A table is `name`, `title`,
`operation`, `workloads`, `contenders`, `baseline`, `instruments`, `metrics`, `factors`
(each level of each factor makes a contest), `blocks`, `seconds`, `kind` (how the report
shows it), `x` (a curve's parameter) and one sub-table for each profile that it belongs
to, whose keys replace the table's.
"""

from __future__ import annotations

import hashlib
import itertools
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from snooze_lab.model import AGAIN, LEVELS, REFERENCE, Contest, Factors, ignored

if TYPE_CHECKING:
    from collections.abc import Iterable

PROFILES = ("smoke", "standard", "full")
INSTRUMENTS = ("isolated", "interleaved")
METRICS = ("time", "memory", "phases", "energy", "conformance")
KINDS = ("table", "curve", "box", "phases", "conformance")

_STUDY = {"name", "title", "seed", "question", "table"}
_SETTINGS = {
    "operation": str,
    "workloads": list,
    "contenders": list,
    "baseline": str,
    "instruments": list,
    "metrics": list,
    "factors": dict,
    "blocks": int,
    "seconds": float,
    "loops": int,
    "repeats": int,
    "rest": float,
    "warmup": float,
}
_TABLE = {"name", "title", "kind", "x", "note", *PROFILES, *_SETTINGS}


class StudyError(ValueError):
    """The file of a study is invalid; the message names file, place and key."""


@dataclass(frozen=True)
class Table:
    """One table of a study, for one profile: its contests and how it is shown."""

    study: str
    name: str
    title: str
    kind: str
    x: str
    note: str
    settings: dict[str, Any]
    contests: tuple[Contest, ...]


@dataclass(frozen=True)
class Study:
    """A study as its file states it."""

    name: str
    title: str
    seed: str
    question: str
    tables: tuple[dict[str, Any], ...] = field(repr=False)
    digest: str

    def of(self, profile: str) -> list[Table]:
        """Return the tables that belong to a profile, with their contests."""
        return [_table(self, one, profile) for one in self.tables if profile in one]


def names() -> list[str]:
    """Return the names of all studies, in order."""
    folder = resources.files("snooze_lab") / "studies"
    return sorted(
        one.name.removesuffix(".toml")
        for one in folder.iterdir()
        if one.name.endswith(".toml")
    )


def find(name: str) -> Study:
    """Return a study by its name or the part before the underscore (`s001`)."""
    known = names()
    chosen = [one for one in known if name in {one, one.split("_")[0]}]
    if len(chosen) != 1:
        raise StudyError(f"no study {name!r}; there are: {', '.join(known)}")
    text = (resources.files("snooze_lab") / "studies" / f"{chosen[0]}.toml").read_text(
        "utf-8"
    )
    return parse(text, f"studies/{chosen[0]}.toml")


def parse(text: str, source: str) -> Study:
    """Parse the TOML text of a study; StudyError if it is invalid."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{source}: {error}") from error
    _known(found, _STUDY, source)
    for key in ("name", "title", "seed", "question"):
        if not isinstance(found.get(key), str):
            raise StudyError(f"{source}: expected a text as {key!r}")
    tables = found.get("table", [])
    seen: set[str] = set()
    for number, table in enumerate(tables, 1):
        place = f"{source}, table {number}"
        _checked(table, place)
        if table["name"] in seen:
            raise StudyError(f"{place}: a second table {table['name']!r}")
        seen.add(table["name"])
    digest = hashlib.sha256(text.encode()).hexdigest()
    words = (found["name"], found["title"], found["seed"], found["question"])
    return Study(*words, tuple(tables), digest)


def _checked(  # noqa: C901, PLR0912 - a list of checks
    table: dict[str, Any], place: str
) -> None:
    _known(table, _TABLE, place)
    for key in ("name", "title", "operation"):
        if not isinstance(table.get(key), str):
            raise StudyError(f"{place}: expected a text as {key!r}")
    if table.get("kind", "table") not in KINDS:
        raise StudyError(f"{place}: expected kind to be one of {', '.join(KINDS)}")
    for settings in (table, *(table[one] for one in PROFILES if one in table)):
        if settings is not table:
            _known(settings, set(_SETTINGS), place)
        for key, kind in _SETTINGS.items():
            value = settings.get(key)
            if key not in settings or isinstance(value, kind):
                continue
            if kind is float and type(value) is int:
                continue
            raise StudyError(f"{place}: expected {kind.__name__} as {key!r}")
        for name, levels in settings.get("factors", {}).items():
            if name not in LEVELS or not set(levels) <= set(LEVELS[name]):
                raise StudyError(f"{place}: no factor {name} = {levels}")
        for key, known in (("metrics", METRICS), ("instruments", INSTRUMENTS)):
            for one in settings.get(key, known):
                if one not in known:
                    there = ", ".join(known)
                    raise StudyError(f"{place}: no {key} {one!r}; there are: {there}")


def _known(found: dict[str, Any], allowed: set[str], place: str) -> None:
    unknown = found.keys() - allowed
    if unknown:
        raise StudyError(
            f"{place}: unknown key {', '.join(sorted(unknown))}; "
            f"there are: {', '.join(sorted(allowed))}"
        )


def _table(study: Study, table: dict[str, Any], profile: str) -> Table:
    settings = {key: table[key] for key in _SETTINGS if key in table} | table[profile]
    grid = settings.get("factors", {})
    contests = [
        _contest(study, table, settings, workload, dict(zip(grid, levels, strict=True)))
        for workload in settings.get("workloads", [])
        for levels in itertools.product(*grid.values())
    ]
    return Table(
        study.name,
        table["name"],
        table["title"],
        table.get("kind", "table"),
        table.get("x", ""),
        table.get("note", ""),
        settings,
        tuple(contests),
    )


def _contest(
    study: Study,
    table: dict[str, Any],
    settings: dict[str, Any],
    workload: str,
    factors: dict[str, str],
) -> Contest:
    contenders = list(dict.fromkeys(settings["contenders"]))
    if REFERENCE in contenders and AGAIN not in contenders:
        contenders.insert(contenders.index(REFERENCE) + 1, AGAIN)
    made = Contest(
        study=study.name,
        table=table["name"],
        workload=workload,
        operation=settings["operation"],
        contenders=tuple(contenders),
        factors=Factors(**factors),
        instruments=tuple(settings.get("instruments", ["isolated"])),
        metrics=tuple(settings.get("metrics", ["time"])),
        baseline=settings.get("baseline", REFERENCE),
        blocks=settings.get("blocks", 8),
        seconds=float(settings.get("seconds", 1.0)),
        loops=settings.get("loops", 0),
        repeats=settings.get("repeats", 1),
        rest=float(settings.get("rest", 0.0)),
        warmup=float(settings.get("warmup", 0.0)),
    )
    _honoured(made)
    return made


def _honoured(contest: Contest) -> None:
    """Refuse settings that have no effect in a contest."""
    isolated = "isolated" in contest.instruments
    tasks = list(contest.metrics) if isolated else []
    if "interleaved" in contest.instruments:
        tasks.append("interleaved")
    reasons = [ignored(contest.operation, contest.factors, task) for task in tasks]
    if not isolated:
        others = [one for one in contest.metrics if one != "time"]
        reasons.append(f"metrics {', '.join(others)}: isolated only" if others else "")
    if contest.loops and "interleaved" in tasks:
        reasons.append("loops: the interleaved instrument chooses its own")
    if contest.repeats != 1 and "memory" not in tasks:
        reasons.append("repeats: of memory samples only")
    for reason in filter(None, reasons):
        raise StudyError(f"contest {contest.id}: {reason}")


def chosen(
    studies: Iterable[str], profile: str, only: Iterable[str] = ()
) -> list[tuple[Study, list[Table]]]:
    """Return the tables of the named studies (default: all) that a run covers.

    `only` are parts of contests' names: a contest stays if it contains one of them.
    """
    wanted = list(only)
    found = []
    for name in list(studies) or names():
        study = find(name)
        tables = []
        for table in study.of(profile):
            contests = [
                one
                for one in table.contests
                if not wanted or any(part in one.id for part in wanted)
            ]
            if contests:
                kept = {"contests": tuple(contests)}
                tables.append(Table(**(vars(table) | kept)))
        if tables:
            found.append((study, tables))
    if not found:
        what = f" with {' or '.join(wanted)} in its name" if wanted else ""
        raise StudyError(f"profile {profile}: no contest{what}; see 'snooze-lab list'")
    return found
