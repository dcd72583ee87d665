"""The folder of a run, whose samples are only ever appended to.

Separate because measurements must outlive the code that made them: samples.jsonl is the
primary data, one line per worker, never rewritten; plan.json and env.json are written
before the first sample; everything else can be made again.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import shlex
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import snooze
from snooze_lab import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMAT = 1
#: The default folder of runs, below the working folder.
FOLDER = "snooze-lab-runs"
VARIABLE = "SNOOZE_LAB_RUNS"
_OBJECT: snooze.Decoder[dict[str, Any]] = snooze.Decoder(dict[str, Any])


#: What `run` writes at its end, and `report` whenever it is asked to.
RESULTS = "results.json"


class RunError(UserError):
    """A folder is not a run, or this version cannot read it; the message says why."""


def folder() -> Path:
    """Return the folder of runs: SNOOZE_LAB_RUNS of the environment, or the default."""
    return Path(os.environ.get(VARIABLE) or FOLDER)


@contextlib.contextmanager
def writable(path: Path) -> Iterator[None]:
    """Make the folder of a new run before the work that fills it, not after.

    RunError if it holds a run, or cannot be written to. An empty folder is removed if
    the work fails.
    """
    Run.vacant(path)
    is_new = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            pass
    except OSError as error:
        raise RunError(
            f"{path}: expected a folder that can be written to: {error.strerror}"
        ) from error
    try:
        yield
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):
                path.rmdir()
        raise


@dataclass(frozen=True)
class Run:
    """A run's folder."""

    path: Path

    @staticmethod
    def vacant(path: Path) -> None:
        """Raise RunError if the folder already holds a run."""
        if (path / "plan.json").exists():
            raise RunError(f"{path}: there is a run already; continue it with --resume")

    @classmethod
    def create(cls, path: Path, plan: dict[str, Any], env: dict[str, Any]) -> Run:
        """Make the folder of a new run; RunError if it already holds one.

        To the plan are added its name, the command, and when it started, unless given.
        """
        cls.vacant(path)
        path.mkdir(parents=True, exist_ok=True)
        run = cls(path)
        about = {
            "format": FORMAT,
            "name": path.name,
            "command": command_line(),
            "started": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        }
        run.write("plan.json", about | plan)
        run.write("env.json", env)
        run.samples_path.touch()
        return run

    @classmethod
    def open(cls, name: str | Path) -> Run:
        """Return the run in a folder, or the newest one for `latest`."""
        path = Path(name)
        if str(name) == "latest":
            path = newest()
        elif not path.exists() and (folder() / path).exists():
            path = folder() / path
        if not (path / "plan.json").exists():
            raise RunError(
                f"{path}: no run (no plan.json in it); name a folder that "
                "'snooze-lab run' made, or 'latest'"
            )
        run = cls(path)
        found = run.plan().get("format")
        if found != FORMAT:
            raise RunError(
                f"{path}: format {found} of runs; this version reads {FORMAT}"
            )
        return run

    @property
    def name(self) -> str:
        """Return the folder's own name."""
        return self.path.resolve().name

    @property
    def samples_path(self) -> Path:
        """Return the file of the samples."""
        return self.path / "samples.jsonl"

    def plan(self) -> dict[str, Any]:
        """Return plan.json."""
        return self.read("plan.json")

    def env(self) -> dict[str, Any]:
        """Return env.json."""
        return self.read("env.json")

    def read(self, name: str) -> dict[str, Any]:
        """Return the object of a JSON file of the folder."""
        path = self.path / name
        try:
            return _OBJECT.decode(path.read_bytes())
        except snooze.JSONDecodeError as error:
            raise RunError(f"{path}: {error}") from error
        except OSError as error:
            if name != RESULTS or not isinstance(error, FileNotFoundError):
                raise RunError(f"{path}: {error.strerror}") from error
            where = shlex.quote(str(self.path))
            raise RunError(
                f"{self.path}: no results yet, the run was not finished; continue it "
                f"with: snooze-lab run --resume {where}; or take the samples that "
                f"there are: snooze-lab report {where}"
            ) from error

    def write(self, name: str, value: Any) -> Path:
        """Write a JSON file of the folder atomically."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(path.name + ".partial")
        text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
        partial.write_text(text + "\n", "utf-8")
        partial.replace(path)
        return path

    def append(self, sample: dict[str, Any]) -> None:
        """Append one sample."""
        line = json.dumps(sample, ensure_ascii=False, allow_nan=False)
        with self.samples_path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def trim(self) -> None:
        """Cut off an incomplete last line before appending again."""
        data = self.samples_path.read_bytes()
        end = data.rfind(b"\n") + 1
        if end != len(data):
            with self.samples_path.open("r+b") as file:
                file.truncate(end)

    def samples(self) -> Iterator[dict[str, Any]]:
        """Yield the samples in the order they were taken.

        An incomplete last line (after a power cut) is left out; any other line that is
        not a JSON object raises RunError.
        """
        lines = self.samples_path.read_bytes().split(b"\n")
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                yield _OBJECT.decode(line)
            except snooze.JSONDecodeError as error:
                if number == len(lines):
                    return
                raise RunError(
                    f"{self.samples_path}, line {number}: {error}"
                ) from error

    def done(self) -> set[tuple[str, str, str, int]]:
        """Return (kind, contest, contender, block) of every existing sample."""
        return {
            (one["kind"], one["contest"], one.get("contender", ""), one["block"])
            for one in self.samples()
        }


def command_line() -> str:
    """Return the command that this process was started with, without its path."""
    return shlex.join(["snooze-lab", *sys.argv[1:]])


def newest() -> Path:
    """Return the folder of the newest run; RunError if there is none."""
    plans = folder().glob("*/plan.json")
    found = max(plans, key=lambda plan: plan.stat().st_mtime, default=None)
    if found is None:
        raise RunError(f"{folder()}: no runs there; make one with 'snooze-lab run'")
    return found.parent
