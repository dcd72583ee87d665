"""From studies, which are data, to the contests of one run.

Separate because a study states the question, a profile the effort, and a run the
measurements: this is the only file that reads studies/*.toml. Invariants: unknown keys
are refused, so that nothing in a study is ignored; every contest with the reference has
it twice (`orjson again`), so that each run measures its noise; the plan of a run is
written before anything is measured. Used by cli.py, native/ and published/.

A study is `name`, `title`, `seed`, `question`, `contenders` (lists by name), tables,
and `alone` if it runs only when it is named.
A table is `name`, `title`, `operation`, `workloads`, `contenders` (a list, or the name
of one), `baseline`, `instruments`, `metrics`, `factors` (each level of each factor
makes a contest), `blocks`, `seconds`, `kind` (how the report shows it), `x` (a curve's
parameter) and one sub-table for each profile that it belongs to, whose keys replace the
table's.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import tomllib
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

import snooze
from snooze_lab import UserError
from snooze_lab.model import AGAIN, LEVELS, REFERENCE, Contest, ignored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PROFILES = ("smoke", "standard", "full")
_STUDIES = resources.files("snooze_lab") / "studies"


class StudyError(UserError, ValueError):
    """The file of a study is invalid; the message names file, place and key."""


@dataclass(frozen=True, kw_only=True)
class _Settings:
    """The keys that a table states for its contests, and each profile may replace.

    The defaults here are not used: a key that is not stated is a Contest's default.
    """

    operation: str = ""
    workloads: tuple[str, ...] = ()
    contenders: tuple[str, ...] | str = ()
    baseline: str = ""
    instruments: tuple[Literal["isolated", "interleaved"], ...] = ()
    metrics: tuple[
        Literal["time", "memory", "phases", "energy", "conformance"], ...
    ] = ()
    factors: dict[str, tuple[str, ...]] = field(default_factory=dict)
    blocks: int = 0
    seconds: float = 0.0
    loops: int = 0
    repeats: int = 0
    rest: float = 0.0
    warmup: float = 0.0

    def __post_init__(self) -> None:
        """Refuse unknown factors and levels."""
        for name, levels in self.factors.items():
            if not set(levels) <= set(LEVELS.get(name, ())):
                raise ValueError(f"no factor {name} = {', '.join(levels)}")


@dataclass(frozen=True, kw_only=True)
class _Table(_Settings):
    """A table as a study's file states it."""

    name: str
    title: str
    # Required here: field() drops the default of the parent.
    operation: str = field()
    workloads: tuple[str, ...] = field()
    contenders: tuple[str, ...] | str = field()
    kind: Literal["table", "curve", "box", "phases", "conformance"] = "table"
    x: str = ""
    note: str = ""
    smoke: _Settings | None = None
    standard: _Settings | None = None
    full: _Settings | None = None


@dataclass(frozen=True)
class _File:
    """A study's file."""

    name: str
    title: str
    seed: str
    question: str
    alone: bool = False
    contenders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    table: tuple[_Table, ...] = ()

    def __post_init__(self) -> None:
        """Refuse two tables of one name, and names of lists that there are not."""
        seen: set[str] = set()
        for table in self.table:
            if table.name in seen:
                raise ValueError(f"a second table '{table.name}'")
            seen.add(table.name)
            for settings in (table, table.smoke, table.standard, table.full):
                name = settings.contenders if settings else ()
                if isinstance(name, str) and name not in self.contenders:
                    there = ", ".join(self.contenders) or "none"
                    raise ValueError(
                        f"table '{table.name}': no list '{name}' of contenders; "
                        f"there are: {there}"
                    )


_FILE = snooze.Converter(_File, unknown="forbid")
_SETTINGS = tuple(one.name for one in dataclasses.fields(_Settings))


@dataclass(frozen=True)
class Table:
    """One table of a study, for one profile: its contests and how it is shown."""

    name: str
    title: str
    kind: str
    x: str
    note: str
    contests: tuple[Contest, ...]

    def as_json(self) -> dict[str, Any]:
        """Return its entry in plan.json, which names its contests."""
        return vars(self) | {"contests": [contest.id for contest in self.contests]}


@dataclass(frozen=True)
class Study:
    """A study as its file states it; `tables` are TOML tables."""

    name: str
    title: str
    seed: str
    question: str
    tables: tuple[dict[str, Any], ...] = field(repr=False)
    digest: str
    alone: bool = False

    def of(self, profile: str) -> list[Table]:
        """Return the tables that belong to a profile, with their contests."""
        return [_table(self, one, profile) for one in self.tables if profile in one]


#: Studies with those of their tables that a run covers.
Chosen = list[tuple[Study, list[Table]]]


def names() -> list[str]:
    """Return the names of all studies, in order."""
    files = [one.name for one in _STUDIES.iterdir()]
    return sorted(one.removesuffix(".toml") for one in files if one.endswith(".toml"))


def find(name: str) -> Study:
    """Return a study by its name or the part before the underscore (`s001`)."""
    known = names()
    chosen = [one for one in known if name in {one, one.split("_")[0]}]
    if len(chosen) != 1:
        raise StudyError(f"no study {name!r}; there are: {', '.join(known)}")
    file = f"{chosen[0]}.toml"
    return parse((_STUDIES / file).read_text("utf-8"), f"studies/{file}")


def parse(text: str, source: str) -> Study:
    """Parse the TOML text of a study; StudyError if it is invalid."""
    try:
        found = tomllib.loads(text)
        file = _FILE.convert(found)
    except (tomllib.TOMLDecodeError, snooze.ValidationError) as error:
        raise StudyError(f"{source}: {error}") from error
    _name_contenders(found)
    digest = hashlib.sha256(text.encode()).hexdigest()
    words = (file.name, file.title, file.seed, file.question)
    return Study(*words, tuple(found.get("table", ())), digest, file.alone)


def _name_contenders(found: dict[str, Any]) -> None:
    """Put the lists of contenders in the place of their names."""
    for table in found.get("table", ()):
        for settings in (table, *(table.get(one, {}) for one in PROFILES)):
            name = settings.get("contenders")
            if isinstance(name, str):
                settings["contenders"] = found["contenders"][name]


def _table(study: Study, table: dict[str, Any], profile: str) -> Table:
    stated = table | table[profile]
    settings = {name: stated[name] for name in _SETTINGS if name in stated}
    workloads = settings.pop("workloads")
    grid = settings.pop("factors", {})
    settings["contenders"] = _entries(settings["contenders"])
    contests = [
        Contest.from_json(
            {
                "study": study.name,
                "table": table["name"],
                "workload": workload,
                "factors": dict(zip(grid, levels, strict=True)),
                **settings,
            }
        )
        for workload in workloads
        for levels in itertools.product(*grid.values())
    ]
    for contest in contests:
        _honoured(contest)
    return Table(
        table["name"],
        table["title"],
        table.get("kind", "table"),
        table.get("x", ""),
        table.get("note", ""),
        tuple(contests),
    )


def _entries(contenders: list[str]) -> list[str]:
    """Return the contenders, each once, but the reference twice."""
    found = list(dict.fromkeys(contenders))
    if REFERENCE in found and AGAIN not in found:
        found.insert(found.index(REFERENCE) + 1, AGAIN)
    return found


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


def changed(chosen: Chosen, change: Callable[[Contest], list[Contest]]) -> Chosen:
    """Replace each contest by others; tables and studies without any are dropped."""
    found = []
    for study, tables in chosen:
        kept = []
        for table in tables:
            contests = [new for one in table.contests for new in change(one)]
            unique = tuple(dict.fromkeys(contests))
            kept += [dataclasses.replace(table, contests=unique)] if unique else []
        found += [(study, kept)] if kept else []
    return found


def chosen(studies: Iterable[str], profile: str, only: Iterable[str] = ()) -> Chosen:
    """Return the tables of the named studies (default: the usual) that a run covers.

    `only` are parts of contests' names: a contest stays if it contains one of them.
    """
    wanted = list(only)
    named = [find(name) for name in studies]
    usual = (study for study in map(find, names()) if not study.alone)

    def kept(contest: Contest) -> list[Contest]:
        of_them = not wanted or any(part in contest.id for part in wanted)
        return [contest] if of_them else []

    found = changed([(study, study.of(profile)) for study in named or usual], kept)
    if not found:
        what = f" with {' or '.join(wanted)} in its name" if wanted else ""
        raise StudyError(f"profile {profile}: no contest{what}; see 'snooze-lab list'")
    return found
