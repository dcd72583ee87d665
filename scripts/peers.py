"""Run msgspec's own tests of JSON and conversion with snooze in its place.

    python scripts/peers.py --python .venv/bin/python

Separate from the tests, because the tests of another project are fetched: from its
source distribution, by its hash. Invariant: every test that fails is listed with the
reason in tests/peers/msgspec.toml, and every test that is listed there fails; otherwise
the exit status is 1. Called by `make test-peers`. Standard library only.
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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "tests" / "peers"
CACHE = ROOT / ".build" / "peers"
VERSION = "0.22.0"
SHA256 = "0a13624a4969159fe35d8c2a3d377b2b61bbd8585e327440d5e52725affcce38"
FILES = (
    "test_json.py",
    "test_common.py",
    "test_constraints.py",
    "test_convert.py",
    "test_to_builtins.py",
)


def fetched(python: str) -> Path:
    """Return the folder of the source distribution, which is fetched if needed."""
    archive = CACHE / f"msgspec-{VERSION}.tar.gz"
    if not archive.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = [python, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary=msgspec", f"--dest={CACHE}", f"msgspec=={VERSION}"]
        print("fetching the source distribution of msgspec", flush=True)
        if subprocess.run(command, check=False).returncode:
            sys.exit("NOT TESTED: the source distribution of msgspec cannot be fetched")
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != SHA256:
        sys.exit(f"{archive.name}: expected the SHA-256 {SHA256}, found {found}")
    shutil.unpack_archive(archive, CACHE)  # of a known hash
    return CACHE / f"msgspec-{VERSION}"


def outcomes(python: str, folder: Path) -> dict[str, str]:
    """Run the tests; return the outcome of each."""
    report = CACHE / "outcomes.json"
    report.unlink(missing_ok=True)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(
            [str(PEERS), *filter(None, [os.environ.get("PYTHONPATH")])]
        ),
        "PEERS_OUTCOMES": str(report),
    }
    command = [python, "-m", "pytest", "-p", "msgspec_adapter", "-c", os.devnull]
    command += [f"--rootdir={folder}", "--tb=no", "-q", "-p", "no:cacheprovider"]
    command += ["--no-header", "--no-summary"]
    command += [f"tests/unit/{name}" for name in FILES]
    subprocess.run(command, cwd=folder, env=environment, check=False)
    if not report.exists():
        sys.exit("the tests of msgspec did not run to their end")
    found: dict[str, str] = json.loads(report.read_text("utf-8"))
    return found


def function(node: str) -> str:
    """Return the name of a test without its file and parameters."""
    return re.sub(r"\[.*", "", node.split("::", 1)[1], flags=re.DOTALL)


def expected() -> dict[str, tuple[str, int]]:
    """Return the reason and number of failures of each test that is listed."""
    listed = tomllib.loads((PEERS / "msgspec.toml").read_text("utf-8"))
    return {
        test: (difference["reason"], count)
        for difference in listed["difference"]
        for test, count in difference["tests"].items()
    }


def compare(found: dict[str, str]) -> int:
    """Print the summary; return 0 if the failures are those that are listed."""
    failed = collections.Counter(
        function(node) for node, outcome in found.items() if outcome == "failed"
    )
    listed = expected()
    reasons: collections.Counter[str] = collections.Counter()
    problems = []
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
    print(f"\n{passed:5} of {len(found)} tests of msgspec {VERSION} passed")
    for reason, count in reasons.most_common():
        print(f"{count:5} {reason}")
    if problems:
        print("\nnot as tests/peers/msgspec.toml says:")
        print("\n".join(f"  {problem}" for problem in problems))
    return 1 if problems else 0


def main() -> int:
    """Fetch, run, compare."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    # Not resolved: a link to the interpreter is what tells a virtual environment.
    python = str(Path.cwd() / parser.parse_args().python)
    return compare(outcomes(python, fetched(python)))


if __name__ == "__main__":
    sys.exit(main())
