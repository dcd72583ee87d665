"""Choose the held-out documents by a rule, and write their recipes into heldout.toml.

Separate from the documents that the code is tuned on: these are measured only to see
whether what was gained there carries over. So they are chosen by a rule that was
committed before any of them was fetched or measured, and nobody may replace one because
of its speed.

The rule. Walk the packages of heldout.txt in its order. Of each package take the
largest file that

- ends in `.json` and has 1,000 to 10,000,000 bytes;
- is not metadata or configuration: no part of its path begins with a dot or is
  `node_modules`, and its name is none of PATTERNS;
- is valid JSON for the standard library, without NaN and infinities;
- is not, byte for byte, a document of manifest.toml or one taken before.

Of equal sizes the first path counts. Take one document of a package, and none of a
package whose scope (`@scope/`) was taken before. Stop at twenty documents.

Invariants: the same packages give the same documents on every machine; nothing of a
package is installed or run; standard library only. Used by hand and by tests:

    python scripts/heldout.py            compare the choice with heldout.toml
    python scripts/heldout.py --write    write it
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import re
import sys
import tarfile
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NoReturn

LAB = Path(__file__).resolve().parents[1] / "lab" / "src"
sys.path.append(str(LAB))  # the laboratory knows how to fetch

from snooze_lab.data import FetchError, fetch  # noqa: E402
from snooze_lab.data.fetch import File, Package  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GROUP = "heldout"
CANDIDATES = Path(__file__).with_name("heldout.txt")
RECIPES = LAB / "snooze_lab" / "data" / "heldout.toml"
WANTED = 20
LEAST, MOST = 1_000, 10_000_000
#: Names of files that describe or configure a package.
PATTERNS = (
    "package.json",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "composer.json",
    "bower.json",
    "component.json",
    "manifest.json",
    "tsconfig*.json",
    "jsconfig*.json",
    "*rc.json",
    "*.config.json",
    "*.map.json",
)
HEAD = """\
# The held-out documents, in the order in which they were chosen, in the form of
# manifest.toml. Written by `python scripts/heldout.py --write`; that file has the rule.
"""


@dataclass(frozen=True)
class Chosen:
    """A document that the rule took: its package, and its place and bytes there."""

    package: Package
    member: str
    text: bytes

    @property
    def name(self) -> str:
        """The name of its file in the data cache: the package's, without the scope."""
        return f"{self.package.name.rpartition('/')[2]}.json"


def candidates() -> list[tuple[str, str]]:
    """Return the packages of heldout.txt: name and version, in its order.

    FetchError if a line has another form.
    """
    found = []
    for number, line in enumerate(CANDIDATES.read_text("utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        parts = line.split()
        if len(parts) != 2:
            raise FetchError(
                f"{CANDIDATES.name}, line {number}: expected a package and its "
                f"version, found '{line}'"
            )
        found.append((parts[0], parts[1]))
    return found


def archives() -> Iterator[tuple[str, str, Path]]:
    """Fetch the candidates one by one: name, version and path of each."""
    for name, version in candidates():
        package = Package(name, "npm", version, 0, "", "", "")
        yield name, version, fetch.unpinned(package)


def choose(
    walk: Iterable[tuple[str, str, Path]], known: set[str]
) -> tuple[list[Chosen], list[str]]:
    """Apply the rule to packages, which are taken one by one until there are enough.

    `walk` is name, version and archive of each; `known` holds the SHA-256 of documents
    that are in use elsewhere. Returns the documents, and why the other packages have
    none. FetchError if there are fewer than wanted.
    """
    taken: list[Chosen] = []
    left: list[str] = []
    digests = set(known)
    for name, version, archive in walk:
        scope = name.partition("/")[0] if name.startswith("@") else ""
        if scope and any(one.package.name.startswith(f"{scope}/") for one in taken):
            left.append(f"{name}: {scope} has a document already")
            continue
        found = _largest(archive, digests)
        if found is None:
            left.append(f"{name}: no document of {LEAST:,} to {MOST:,} bytes")
            continue
        member, text = found
        digests.add(hashlib.sha256(text).hexdigest())
        taken.append(Chosen(_package(name, version, archive), member, text))
        if len(taken) == WANTED:
            return taken, left
    raise FetchError(
        f"{CANDIDATES.name}: expected {WANTED} packages with a document, found "
        f"{len(taken)}; without one: {'; '.join(left)}"
    )


def _largest(archive: Path, digests: set[str]) -> tuple[str, bytes] | None:
    """Return the path and text of the document that the rule takes of a package."""
    with tarfile.open(archive) as opened:
        files = [
            (-member.size, member.name)
            for member in opened.getmembers()
            if member.isfile() and eligible(member.name, member.size)
        ]
        for _, name in sorted(files):
            data = opened.extractfile(name)
            text = data.read() if data else b""
            if valid(text) and hashlib.sha256(text).hexdigest() not in digests:
                return name, text
    return None


def eligible(member: str, size: int) -> bool:
    """Tell whether a file of a package may be a document, by its path and its bytes."""
    parts = PurePosixPath(member).parts
    name = parts[-1]
    return (
        name.endswith(".json")
        and LEAST <= size <= MOST
        and not any(part.startswith(".") or part == "node_modules" for part in parts)
        and not any(fnmatchcase(name, pattern) for pattern in PATTERNS)
    )


def valid(text: bytes) -> bool:
    """Tell whether a text is JSON for the standard library, without NaN."""

    def refuse(word: str) -> NoReturn:
        raise ValueError(word)

    try:
        json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _package(name: str, version: str, archive: Path) -> Package:
    """Return the pin of a package, with the licence that it states."""
    with tarfile.open(archive) as opened:
        names = [member.name for member in opened.getmembers() if member.isfile()]
        root = names[0].partition("/")[0]
        about = f"{root}/package.json"
        data = opened.extractfile(about)
        licence = json.loads(data.read()).get("license", "") if data else ""
    pattern = re.compile(rf"{re.escape(root)}/LICEN[CS]E[^/]*", re.IGNORECASE)
    texts = [one for one in names if pattern.fullmatch(one)]
    return Package(
        name,
        "npm",
        version,
        archive.stat().st_size,
        fetch.digest(archive),
        licence if isinstance(licence, str) and licence else "as in its package.json",
        min(texts, default=about),
    )


def rendered(taken: list[Chosen], left: list[str]) -> str:
    """Return the text of heldout.toml."""
    lines = [HEAD]
    lines += [f"# Not taken: {reason}" for reason in left]
    for one in taken:
        digest = hashlib.sha256(one.text).hexdigest()
        file = File(
            name=one.name,
            group=GROUP,
            package=one.package.name,
            member=one.member,
            recipe="as it is",
            bytes=len(one.text),
            sha256=digest,
        )
        pin = dataclasses.asdict(one.package)
        lines += [f'\n[package."{pin.pop("name")}"]', *_members(pin)]
        lines += ["\n[[file]]", *_members(dataclasses.asdict(file))]
    return "\n".join(lines) + "\n"


def _members(found: dict[str, Any]) -> list[str]:
    """Return strings and integers as TOML, which spells both as JSON does."""
    return [f"{name} = {json.dumps(one)}" for name, one in found.items()]


def main() -> int:
    """Run the command line; the status is 1 if the choice is not heldout.toml's."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="write heldout.toml")
    options = parser.parse_args()
    try:
        taken, left = choose(archives(), fetch.digests())
    except FetchError as reason:
        sys.exit(f"snooze-lab: the held-out documents cannot be chosen: {reason}")
    for line in left:
        print(f"not taken: {line}")
    for one in taken:
        print(f"{one.package.requirement}: {one.member}, {len(one.text):,} bytes")
    text = rendered(taken, left)
    if options.write:
        RECIPES.write_text(text, "utf-8")
    elif RECIPES.read_text("utf-8") != text:
        print(f"{RECIPES.name} differs from this choice: run me with --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
