"""Check that a release is whole: what is stated agrees, what is built is complete.

Separate from the tests, because it looks at what `make wheels` has built and at the
state of the repository, which are in order at a release and not before. Invariants:
each check runs whatever the others found; a check that could not run is a fault;
nothing is changed. Called by `make release-check`. Standard library only; twine comes
from the environment of requirements/wheels.lock.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import sdist
import wheel_targets
import wheels
from wheel_targets import TARGETS, VERSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent


def versions(release: str, python: str) -> list[str]:
    """Return places that state another version than Cargo.toml."""
    code = (
        "import snooze, importlib.metadata as m;"
        "print(snooze.__version__, m.version('snooze'))"
    )
    done = run([python, "-c", code])
    found = []
    if done.returncode != 0:
        found.append("snooze is not installed in .venv: run make build")
    found += [
        f"the installed snooze is {stated}, and Cargo.toml says {release}"
        for stated in set(done.stdout.split()) - {release}
    ]
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))
    found += [
        f"Cargo.lock: {package['name']} is {package['version']}"
        for package in lock["package"]
        if "source" not in package and package["version"] != release
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    if "version" in project or "version" not in project["dynamic"]:
        found.append("pyproject.toml states a version; Cargo.toml should")
    sbom = json.loads((ROOT / "crates/snooze-py/snooze.cdx.json").read_text("utf-8"))
    if not sbom["metadata"]["component"]["purl"].endswith(f"@{release}"):
        found.append("the SBOM is of another version: run scripts/notices.py")
    return found


def changelog(release: str, text: str | None = None) -> list[str]:
    """Return what is wrong with the changelog's section of a release."""
    text = text or (ROOT / "CHANGELOG.md").read_text("utf-8")
    heading = rf"^## \[{re.escape(release)}\] - (.+)$"
    match = re.search(heading, text, re.MULTILINE)
    if match is None:
        return [f"CHANGELOG.md has no section ## [{release}]"]
    found = []
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", match[1]):
        found.append(f"CHANGELOG.md: {release} has no date, but {match[1]!r}")
    first = re.findall(r"^## \[(.+?)\]", text, re.MULTILINE)[0]
    if first not in {release, "Unreleased"}:
        found.append(f"CHANGELOG.md: {first} stands above {release}")
    return found


def tag(release: str) -> list[str]:
    """Return what is wrong with the tag and the state of the repository."""
    found = []
    if run(["git", "status", "--porcelain"]).stdout.strip():
        found.append("the checkout has changes that are not committed")
    tagged = run(["git", "rev-parse", "--verify", "--quiet", f"v{release}^{{commit}}"])
    head = run(["git", "rev-parse", "HEAD"])
    if tagged.returncode != 0:
        found.append(f"there is no tag v{release}: git tag v{release}")
    elif tagged.stdout != head.stdout:
        found.append(f"the tag v{release} is not at this commit")
    return found


def locks() -> list[str]:
    """Return lock files that do not fit what they lock."""
    found = []
    done = run(["cargo", "metadata", "--locked", "--format-version", "1", "--no-deps"])
    if done.returncode != 0:
        found.append(f"Cargo.lock: {last_line(done)}")
    done = run([sys.executable, str(ROOT / "scripts" / "notices.py"), "--check"])
    found += done.stdout.splitlines() if done.returncode != 0 else []
    for source in sorted((ROOT / "requirements").glob("*.in")):
        locked = source.with_suffix(".lock")
        names = requirement_names(source.read_text("utf-8"))
        if not locked.exists():
            found.append(f"{locked.name} is missing: run make lock")
            continue
        missing = names - requirement_names(locked.read_text("utf-8"))
        found += [f"{locked.name} lacks {name}: run make lock" for name in missing]
    return found


def requirement_names(text: str) -> set[str]:
    """Return the packages that a requirements file names."""
    names = re.findall(r"^([A-Za-z0-9][\w.-]*)", text, re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", name).lower() for name in names}


def archives(release: str, tools: Path) -> list[str]:
    """Return wheels that are missing, incomplete, too large, or of other sources."""
    found = []
    for target in TARGETS:
        for version in VERSIONS:
            name = wheel_targets.wheel_name(release, version, target)
            wheel = wheels.OUT / name
            if not wheel.is_file():
                found.append(f"{name} is missing: run make wheels")
                continue
            wrong = wheels.problems(wheel, target, tools) + other_sources(wheel)
            found += [f"{name}: {one}" for one in wrong]
    source = wheels.OUT / f"snooze-{release}.tar.gz"
    if not source.is_file():
        return [*found, f"{source.name} is missing: run make wheels"]
    return found + sdist.problems(source) + other_sources(source)


def other_sources(archive: Path) -> list[str]:
    """Return the Python files of an archive that differ from those of the checkout."""
    texts: dict[str, bytes] = {}
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            names = [name for name in opened.namelist() if name.startswith("snooze/")]
            texts = {f"src/{name}": opened.read(name) for name in names}
    else:
        with tarfile.open(archive) as packed:
            for member in packed.getmembers():
                name = member.name.partition("/")[2]
                file = packed.extractfile(member)
                if file is not None and name.startswith(("src/", "crates/snooze-")):
                    texts[name] = file.read()
    texts = {
        name: text for name, text in texts.items() if name.endswith((".py", ".rs"))
    }
    wanted = {
        path.relative_to(ROOT).as_posix(): path.read_bytes()
        for folder in ("src", *(() if archive.suffix == ".whl" else ("crates",)))
        for suffix in ("*.py", "*.rs")
        for path in (ROOT / folder).rglob(suffix)
    }
    names = sorted({*texts, *wanted})
    changed = [name for name in names if texts.get(name) != wanted.get(name)]
    return [f"{name} is not that of the checkout" for name in changed[:3]]


def metadata(tools: Path) -> list[str]:
    """Return what twine finds wrong with the metadata."""
    files = sorted(map(str, (*wheels.OUT.glob("*.whl"), *wheels.OUT.glob("*.tar.gz"))))
    if not files:
        return ["nothing is built: run make wheels"]
    done = run([str(tools / "twine"), "check", "--strict", *files])
    return [] if done.returncode == 0 else done.stdout.splitlines()[-5:]


def links(base: str) -> list[str]:
    """Return the first link of the documents that leads nowhere."""
    script = [sys.executable, str(ROOT / "scripts" / "docs_site.py")]
    done = run([*script, "--python", base])
    return [] if done.returncode == 0 else [last_line(done)]


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a program in the checkout and keep what it says."""
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )


def last_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return the last line that a program has printed."""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"


def main() -> int:
    """Run all checks; return 1 if one found something."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--python", default=sys.executable, help="runs the tools")
    options = parser.parse_args()
    release = wheels.release()
    tools = wheel_targets.tools(options.python)
    installed = str(ROOT / ".venv" / "bin" / "python")
    checks: dict[str, Callable[[], list[str]]] = {
        "versions": lambda: versions(release, installed),
        "changelog": lambda: changelog(release),
        "tag": lambda: tag(release),
        "locks": locks,
        "archives": lambda: archives(release, tools),
        "metadata": lambda: metadata(tools),
        "links": lambda: links(options.python),
    }
    total = 0
    for name, check in checks.items():
        found = check()
        total += len(found)
        print(f"{name}: {'in order' if not found else ''}", flush=True)
        for line in found:
            print(f"  {line}")
    print(f"snooze {release}: {total} to put in order" if total else "ready")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
