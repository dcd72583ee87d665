"""The command `snooze-lab`: its verbs and their options, without their implementation.

A user's mistake ends with one sentence on stderr that says what to do, exit status 2,
and no traceback; a problem that a verb finds (a failed gate, damaged data) ends with
status 1; work of more than a few seconds shows progress and the time left.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Table

from snooze_lab import UserError, __version__, contenders, units
from snooze_lab.planning import plan
from snooze_lab.published import beside
from snooze_lab.results.derive import derive
from snooze_lab.running import runs
from snooze_lab.stored import results_types, store
from snooze_lab.worker.launch import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze_lab.planning import schedule

app = typer.Typer(
    name="snooze-lab",
    help="Which serializer is faster, smaller, leaner, and uses less energy: on "
    "this machine, with your documents, and with what confidence.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
imports = typer.Typer(help="Import measurements of other tools.", no_args_is_help=True)
app.add_typer(imports, name="import")


#: What a shell reports for a program that SIGPIPE ends.
NO_READER = 141


class _Out(Console):
    """A console that ends as other programs do when nobody reads its pipe on."""

    def on_broken_pipe(self) -> None:
        """End the program."""
        with contextlib.suppress(SystemExit):
            super().on_broken_pipe()
        raise SystemExit(NO_READER)


out = _Out(highlight=False)
err = Console(stderr=True, highlight=False)

RunArgument = Annotated[
    str, typer.Argument(help="folder or name of a run (default: the newest)")
]
Output = Annotated[Path | None, typer.Option(help="the run's folder")]
Only = Annotated[
    list[str] | None,
    typer.Option(help="only contests whose name contains this; may be repeated"),
]


@contextlib.contextmanager
def _told() -> Iterator[list[Path]]:
    """Turn an error that the user can fix into one sentence and exit status 2.

    A verb that measures appends the folder of its run to the list as soon as the run
    can be continued.
    """
    started: list[Path] = []
    try:
        yield started
    except BrokenPipeError:
        raise  # see `main`
    except UserError as error:
        _end(str(error), started, 2, error)
    except OSError as error:
        # The disk is full, a folder cannot be written to or a file cannot be read.
        place = f"{error.filename}: " if error.filename else ""
        _end(f"{place}{error.strerror or error}", started, 2, error)
    except KeyboardInterrupt as error:
        _end("stopped", started, 130, error)


def _end(text: str, started: list[Path], status: int, error: BaseException) -> NoReturn:
    kept = ""
    if started:
        again = f"snooze-lab run --resume {shlex.quote(str(started[-1]))}"
        kept = f"; finished samples are kept, continue with: {again}"
    err.print(f"snooze-lab: {text}{kept}", soft_wrap=True)
    raise typer.Exit(status) from error


@app.command()
@_told()
def doctor() -> None:
    """Say what can be measured here, and what would enable more."""
    from snooze_lab.running.doctor import examine  # noqa: PLC0415 - each verb loads its own

    table = Table("", "what", "state", box=None, padding=(0, 1))
    for one in examine(Launcher()):
        remedy = f"\n-> {one.remedy}" if one.remedy else ""
        table.add_row(one.state, one.topic, one.text + remedy)
    out.print(table)


@app.command("list")
@_told()
def list_(
    study: Annotated[
        str, typer.Argument(help="show the contests of this study, or 'contenders'")
    ] = "",
    profile: Annotated[str, typer.Option(help="of: smoke, standard, full")] = "smoke",
) -> None:
    """List studies, the contests of one, or the contenders."""
    if study == "contenders":
        table = Table("name", "format", "how it is called", box=None, padding=(0, 1))
        for one in contenders.libraries().values():
            table.add_row(one.name, one.format, one.unavailable or one.call_path)
        out.print(table)
        return
    if study:
        chosen = plan.chosen([study], _profile(profile))
        for _, found in chosen:
            for table_ in found:
                out.print(f"{table_.name}: {table_.title}")
                for contest in table_.contests:
                    out.print(f"  {contest.id}  ({', '.join(contest.contenders)})")
        return
    table = Table("study", "question", "smoke", "standard", "full", box=None)
    for name in plan.names():
        found_ = plan.find(name)
        counts = [
            str(sum(len(one.contests) for one in found_.of(kind)))
            for kind in plan.PROFILES
        ]
        table.add_row(name, f"{found_.title}: {found_.question}", *counts)
    out.print(table)
    out.print(
        "\nThe numbers count the contests by profile. 'list STUDY' names them, 'list "
        "contenders' the libraries."
    )


@app.command()
def run(  # noqa: PLR0913, PLR0917 - the options of the verb
    context: typer.Context,
    studies: Annotated[
        list[str] | None, typer.Argument(help="see 'snooze-lab list' (default: all)")
    ] = None,
    profile: Annotated[str, typer.Option(help="of: smoke, standard, full")] = "smoke",
    only: Only = None,
    seed: Annotated[int, typer.Option(help="seed of the order; 0: random")] = 0,
    output: Output = None,
    resume: Annotated[str, typer.Option(help="continue this run, or 'latest'")] = "",
    python: Annotated[str, typer.Option(help="Python interpreter of the workers")] = "",
    pin: Annotated[int, typer.Option(help="bind workers to this processor")] = -1,
    calibration: Annotated[
        Path | None, typer.Option(help="file made by 'calibrate', to estimate energy")
    ] = None,
    feeds: Annotated[
        Path | None, typer.Option(help="archive of the original feeds of seed 003")
    ] = None,
    *,
    yes: Annotated[
        bool, typer.Option("--yes", help="write files of more than 1 GB unasked")
    ] = False,
) -> None:
    """Measure studies: verify every result, then take samples."""
    from snooze_lab.energy import calibration as power  # noqa: PLC0415
    from snooze_lab.planning import prepare  # noqa: PLC0415

    with _told() as started:
        with _bar() as told:
            launch = Launcher(python=python or sys.executable)
            launch.pin = _processor(pin)
            settings = runs.Settings(
                profile=_profile(profile),
                seed=seed,
                output=output,
                launch=launch,
                told=told,
                calibration=power.load(calibration).coefficients
                if calibration
                else None,
                only=bool(only),
            )
            if resume:
                _alone(context)
                found = runs.reopen(resume, settings)
            else:
                chosen = plan.chosen(studies or [], settings.profile, only or [])
                _agree(prepare.large(chosen), yes=yes)
                chosen = prepare.ready(chosen, feeds, err.print)
                found = runs.start(chosen, settings)
            started.append(found.path)
            results = runs.go_on(found, settings)
        _close(found, results)


@app.command()
def byob(
    files: Annotated[list[Path], typer.Argument(help="your JSON files")],
    lib: Annotated[
        list[str] | None,
        typer.Option(help="a contender, or module:loads,dumps; may be repeated"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(help="of the race for each file and direction (default: 1)"),
    ] = None,
    output: Output = None,
    *,
    typed: Annotated[
        bool, typer.Option("--typed", help="race classes, inferred from each file")
    ] = False,
) -> None:
    """Find the fastest library for your own documents."""
    from snooze_lab.planning import byob as own  # noqa: PLC0415

    with _told() as started:
        with _bar() as told:
            chosen = own.tables(files, lib or [], typed=typed, seconds=seconds)
            settings = runs.Settings(
                "byob",
                output=output,
                launch=Launcher(path=own.path(lib or [])),
                told=told,
                # Names of libraries are not those of their ways to use classes.
                required=() if typed else tuple(lib or ()),
            )
            found = runs.start(chosen, settings)
            started.append(found.path)
            results = runs.go_on(found, settings)
        _close(found, results)


@app.command()
@_told()
def report(
    name: RunArgument = "latest",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="folder to write to")
    ] = None,
    relative_to: Annotated[
        str, typer.Option(help="compare with this contender; see 'list contenders'")
    ] = "",
) -> None:
    """Write report.html, CSV tables and pyperf files from the samples of a run."""
    from snooze_lab.report import page, words  # noqa: PLC0415
    from snooze_lab.results import pyperfs  # noqa: PLC0415

    found = store.Run.open(name)
    if found.plan()["profile"] == "imported":
        # Figures of another tool: there are no samples to derive them from.
        results = found.read(store.RESULTS)
        if relative_to:
            raise store.RunError("--relative-to: an import has no samples to compare")
    else:
        results = derive(found, relative_to)
        if not relative_to:
            found.write(store.RESULTS, results)
            pyperfs.write(found)
    # The run's own report stays the one with the study's baselines.
    own = found.path / f"to-{words.slug(relative_to)}" if relative_to else found.path
    folder = output or own
    folder.mkdir(parents=True, exist_ok=True)
    page.render(folder, results, found.plan(), found.env())
    out.print(f"report: {folder / 'report.html'}")


@app.command()
@_told()
def compare(
    before: Annotated[str, typer.Argument(help="a run")],
    after: Annotated[str, typer.Argument(help="another run")],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="compare even if the machines differ")
    ] = False,
    all_: Annotated[
        bool, typer.Option("--all", help="also show what did not change")
    ] = False,
) -> None:
    """Show what changed between two runs on the same machine."""
    from snooze_lab.report import terminal  # noqa: PLC0415
    from snooze_lab.results import compare as comparison  # noqa: PLC0415

    runs_ = store.Run.open(before), store.Run.open(after)
    changes = comparison.compare(*runs_, force=force)
    out.print(terminal.changes(changes, everything=all_))


@app.command()
@_told()
def cite(
    seed: Annotated[str, typer.Argument(help="s000 to s004")],
    name: RunArgument = "latest",
) -> None:
    """Print the published figures of a seed beside those of a run."""
    from snooze_lab.report import terminal  # noqa: PLC0415

    found = None
    try:
        found = store.Run.open(name)
    except store.RunError:
        # Without any run the published figures are shown alone.
        if name != "latest":
            raise
    results = results_types.read(found.read(store.RESULTS)) if found else None
    for one in beside.cite(seed, results, found.name if found else ""):
        out.print(terminal.beside(one))


@app.command()
@_told()
def gate(
    kinds: Annotated[
        list[str] | None, typer.Argument(help="of: instructions, ratio, memory")
    ] = None,
    *,
    write: Annotated[
        bool,
        typer.Option("--write", help="write the current figures as the new baseline"),
    ] = False,
) -> None:
    """Fail if snooze is worse: instructions, ratio, peak memory."""
    from snooze_lab.gate import gates  # noqa: PLC0415

    found = gates.check(kinds or list(gates.KINDS), write=write, say=err.print)
    for one in found:
        out.print(f"{one.state:<10} {one.kind:<13} {one.text}")
    if any(one.state == "failed" for one in found):
        raise typer.Exit(1)


@app.command()
@_told()
def calibrate(
    source: Annotated[
        Path | None,
        typer.Argument(help="folder of EnergiBridge CSVs (default: this machine)"),
    ] = None,
    output: Annotated[Path, typer.Option("-o", "--output")] = Path("calibration.toml"),
    fit_on: Annotated[
        list[str] | None, typer.Option(help="groups to fit on; may be repeated")
    ] = None,
) -> None:
    """Fit the model that estimates energy from processor time."""
    from snooze_lab.energy import command  # noqa: PLC0415

    for line in command.calibrate(source, output, fit_on or []):
        out.print(line)


@imports.command("energibridge")
@_told()
def import_energibridge(
    folder: Annotated[Path, typer.Argument(help="folder of CSV files, by group")],
    output: Output = None,
) -> None:
    """Analyse EnergiBridge CSV files as seed 000 did, and with paired statistics."""
    from snooze_lab.energy import command  # noqa: PLC0415

    found, results = command.take_in(folder, output)
    _close(found, results)


@imports.command("pyperf")
@_told()
def import_pyperf(
    file: Annotated[Path, typer.Argument(help="pyperf JSON file")],
    output: Output = None,
) -> None:
    """Import a pyperf suite; benchmarks are named workload/operation/contender."""
    from snooze_lab.results import pyperfs  # noqa: PLC0415

    found, results = pyperfs.take_in(file, output)
    _close(found, results)


@app.command()
@_told()
def replay(
    name: Annotated[str, typer.Argument(help="a run, or 'latest'")],
    cell: Annotated[str, typer.Argument(help="'contest contender', or parts of both")],
    tool: Annotated[str, typer.Option(help="one of: perf, callgrind, memray")] = "",
    folder: Annotated[
        Path, typer.Option(help="folder for the output of the tool")
    ] = Path(),
) -> None:
    """Measure one cell again, alone or under a profiler."""
    from snooze_lab.running import replay as replays  # noqa: PLC0415

    if tool and tool not in replays.TOOLS:
        raise replays.ReplayError(
            f"no tool {tool!r}; there are: {', '.join(replays.TOOLS)}"
        )
    found = store.Run.open(name)
    replays.replay(found, cell, tool, folder, out.print)


@app.command(
    "data", context_settings={"ignore_unknown_options": True, "help_option_names": []}
)
@_told()
def data_(
    words: Annotated[
        list[str] | None, typer.Argument(help="get, verify or list, then groups")
    ] = None,
) -> None:
    """Fetch, check or list the documents that the studies read."""
    from snooze_lab.data.__main__ import main as documents  # noqa: PLC0415

    raise typer.Exit(documents(words or ["--help"]))


def _alone(context: typer.Context) -> None:
    """Refuse arguments beside --resume, which makes them meaningless."""
    given = {
        name
        for name in context.params
        if (source := context.get_parameter_source(name)) is not None
        and source.name == "COMMANDLINE"
    }
    if given != {"resume"}:
        raise plan.StudyError(
            "--resume continues a run as it was planned: leave out "
            f"{', '.join(sorted(given - {'resume'}))}"
        )


def _agree(files: list[tuple[Path, int]], *, yes: bool) -> None:
    """Ask before large files are written; StudyError without room or consent."""
    if not files:
        return
    size = sum(bytes_ for _, bytes_ in files)
    place = files[0][0].parent
    above = next(one for one in (place, *place.parents) if one.exists())
    free = shutil.disk_usage(above).free
    what = f"documents of {size / 1e9:.1f} GB in {place}"
    if free < size:
        raise plan.StudyError(
            f"this run needs {what}, where {free / 1e9:.1f} GB are free; leave out "
            "their tables with --only, or set SNOOZE_LAB_DATA to a larger disk"
        )
    if yes:
        return
    if not (sys.stdin.isatty() and err.is_terminal):
        raise plan.StudyError(f"this run writes {what}; --yes agrees to it")
    if not typer.confirm(f"This run writes {what}. Go on?", err=True):
        raise plan.StudyError(f"nothing was written; the run needs {what}")


def _profile(name: str) -> str:
    if name not in plan.PROFILES:
        raise plan.StudyError(
            f"no profile {name!r}; there are: {', '.join(plan.PROFILES)}"
        )
    return name


def _close(found: store.Run, results: dict[str, Any]) -> None:
    """Write the report, and print the summary."""
    from snooze_lab.report import page, terminal  # noqa: PLC0415
    from snooze_lab.results import pyperfs  # noqa: PLC0415

    page.render(found.path, results, found.plan(), found.env())
    pyperfs.write(found)
    out.print(terminal.summary(results))
    made = results["run"]
    if made.get("limit_s"):
        planned, took = units.duration(made["limit_s"]), units.duration(made["took_s"])
        out.print(f"samples: {planned} planned, {took} taken")
    out.print(f"report: {found.path / 'report.html'}", soft_wrap=True)


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[schedule.Progress], None]]:
    """Show a progress bar with the time left; off a terminal, an occasional line."""
    if not err.is_terminal:
        yield _lines()
        return
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]} left  {task.description}"),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("", total=None, left="?")

        def told(now: schedule.Progress) -> None:
            bar.update(
                task,
                total=now.steps,
                completed=now.done,
                description=now.text[-50:],
                left=units.duration(now.seconds_left),
            )

        yield told


def _lines() -> Callable[[schedule.Progress], None]:
    last = -1

    def told(now: schedule.Progress) -> None:
        nonlocal last
        tenth = 10 * now.done // max(1, now.steps)
        if tenth != last:
            last = tenth
            left = units.duration(now.seconds_left)
            place = f"{now.done}/{now.steps}, " if now.steps else ""
            err.print(f"{place}{left} left: {now.text}", soft_wrap=True)

    return told


def _processor(pin: int) -> int | None:
    """Return the processor to bind workers to, None for any."""
    if pin < 0:
        return None
    usable = sorted(os.sched_getaffinity(0))
    if pin not in usable:
        shown = ", ".join(map(str, usable))
        raise store.RunError(f"--pin {pin}: expected one of the processors {shown}")
    return pin


@app.callback(invoke_without_command=True)
def _version(
    *,
    version: Annotated[
        bool, typer.Option("--version", help="print the version and exit")
    ] = False,
) -> None:
    if version:
        out.print(f"snooze-lab {__version__}")
        raise typer.Exit


def main() -> None:
    """Run the command line."""
    stream = sys.stdout
    try:
        app()
    except SystemExit:
        if sys.stdout is stream:
            raise
        # click has replaced it, because nobody reads the pipe on (`| head`).
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise SystemExit(NO_READER) from None
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        name = error.filename or "standard output"
        print(f"snooze-lab: {name}: {error.strerror or error}", file=sys.stderr)
        raise SystemExit(2) from None
