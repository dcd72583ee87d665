"""Run other projects' own tests of JSON with snooze in its place.

    python scripts/peers.py msgspec --python .venv/bin/python

Separate from the tests, because the tests of another project are fetched: from its
source distribution, by its hash. Each project has a file in tests/peers that says what
is run and which tests fail. Invariant: every test that fails is listed there with the
reason, and every test that is listed there fails; otherwise the exit status is 1.
Called by `make test-peers` and `make test-frameworks`. Standard library only.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "tests" / "peers"
CACHE = ROOT / ".build" / "peers"


@dataclass(frozen=True)
class Peer:
    """A project whose tests are run.

    Attributes:
        name: What pip calls it.
        version: The version whose tests are run, which is the one installed.
        sha256: The hash of its source distribution.
        plugin: The plugin of pytest in tests/peers that puts snooze in its place.
        lock: The file in requirements/ that the environment comes from.
        files: The test files, from the top of the source distribution.
        select: The expression of pytest that selects tests; empty for all.
        difference: The tests that fail and the reasons.
    """

    name: str
    version: str
    sha256: str
    plugin: str
    lock: str
    files: list[str]
    select: str = ""
    difference: list[dict[str, Any]] = field(default_factory=list)

    def expected(self) -> dict[str, tuple[str, int]]:
        """Return the reason and number of failures of each test that is listed."""
        return {
            test: (difference["reason"], count)
            for difference in self.difference
            for test, count in difference["tests"].items()
        }


def peer(name: str) -> Peer:
    """Return what tests/peers says of a project."""
    text = (PEERS / f"{name}.toml").read_text("utf-8")
    return Peer(name, **tomllib.loads(text))


def names() -> list[str]:
    """Return the names of all projects."""
    return sorted(path.stem for path in PEERS.glob("*.toml"))


def fetched(project: Peer, python: str) -> Path:
    """Return the folder of the source distribution, which is fetched if needed."""
    folder = CACHE / f"{project.name}-{project.version}"
    archive = CACHE / f"{folder.name}.tar.gz"
    if not archive.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [python, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += [f"--no-binary={project.name}", f"--dest={CACHE}"]
        command += [f"{project.name}=={project.version}"]
        print(f"fetching the source distribution of {project.name}", flush=True)
        if subprocess.run(command, check=False).returncode:
            sys.exit(
                f"NOT TESTED: the source distribution of {project.name} cannot be "
                "fetched"
            )
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != project.sha256:
        sys.exit(
            f"{archive.name}: expected the SHA-256 {project.sha256}, found {found}"
        )
    shutil.unpack_archive(archive, CACHE)  # of a known hash
    return folder


def outcomes(project: Peer, python: str, folder: Path) -> dict[str, str]:
    """Run the tests; return the outcome of each."""
    report = CACHE / f"{project.name}-outcomes.json"
    report.unlink(missing_ok=True)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(
            [str(PEERS), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
        "PEERS_OUTCOMES": str(report),
    }
    command = [python, "-m", "pytest", "-p", "outcomes", "-p", project.plugin]
    command += ["-c", os.devnull, f"--rootdir={folder}", "--tb=no", "-q"]
    command += ["-p", "no:cacheprovider", "--no-header", "--no-summary"]
    command += ["-k", project.select] if project.select else []
    command += project.files
    subprocess.run(command, cwd=folder, env=environment, check=False)
    if not report.exists():
        sys.exit(f"the tests of {project.name} did not run to their end")
    found: dict[str, str] = json.loads(report.read_text("utf-8"))
    return found


def function(node: str) -> str:
    """Return the name of a test without its file and parameters."""
    return re.sub(r"\[.*", "", node.split("::", 1)[1], flags=re.DOTALL)


def compare(project: Peer, found: dict[str, str]) -> int:
    """Print the summary; return 0 if the failures are those that are listed."""
    failed = collections.Counter(
        function(node) for node, outcome in found.items() if outcome == "failed"
    )
    listed = project.expected()
    reasons: collections.Counter[str] = collections.Counter()
    problems = [] if found else ["no test ran"]
    for test in sorted({*failed, *listed}):
        reason, count = listed.get(test, ("", 0))
        if failed[test] != count:
            problems.append(f"{test}: {failed[test]} failed, {count} listed")
        elif reason:
            reasons[reason] += count
    for outcome in found.values():
        if outcome not in {"passed", "failed"}:
            reasons[f"skipped: {outcome}"] += 1
    passed = sum(outcome == "passed" for outcome in found.values())
    title = f"{project.name} {project.version}"
    print(f"\n{passed:5} of {len(found)} tests of {title} passed")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    if problems:
        print(f"\nnot as tests/peers/{project.name}.toml says:")
        print("\n".join(f"  {problem}" for problem in problems))
    return 1 if problems else 0


def main() -> int:
    """Fetch, run, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="+", choices=names(), help="the projects")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    # Not resolved: a link to the interpreter is what tells a virtual environment.
    python = str(Path.cwd() / options.python)
    projects = [peer(name) for name in options.names]
    return max(
        compare(one, outcomes(one, python, fetched(one, python))) for one in projects
    )


if __name__ == "__main__":
    sys.exit(main())
