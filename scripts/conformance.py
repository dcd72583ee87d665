"""Obtain the conformance files of JSON parsers into .build/conformance.

Two sets, each from a pinned package and each file checked against the SHA-256 in
conformance.sha256 on every run:

- JSONTestSuite (318 files; y_ must be accepted, n_ rejected, i_ is the parser's
  choice), out of the source distribution of pyjson5;
- JSON_checker (passN.json, failN.json), whose texts stand as string literals in the
  tests of simplejson and are read out of their syntax trees, not run.

Invariant: a complete run leaves exactly the files of the manifest, or fails and
says what differs. Called by tests/conftest.py. `--write-manifest` after changing a
pin.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import shutil
import sys
import tarfile
from pathlib import Path

import fetch

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "conformance"
MANIFEST = ROOT / "scripts" / "conformance.sha256"


def json_test_suite() -> dict[str, bytes]:
    """Return JSONTestSuite's files by the name they get below FOLDER."""
    found = {}
    with tarfile.open(fetch.source("pyjson5")) as archive:
        for member in archive:
            if "/JSONTestSuite/test_parsing/" in member.name and member.isfile():
                data = archive.extractfile(member)
                if data is not None:
                    name = member.name.rsplit("/", 1)[1]
                    found[f"JSONTestSuite/{name}"] = data.read()
    return found


def json_checker() -> dict[str, bytes]:
    """Return JSON_checker's documents by the name they get below FOLDER."""
    found = {}
    with tarfile.open(fetch.source("simplejson")) as archive:
        for number in (1, 2, 3):
            text = _assigned(archive, f"test_pass{number}.py", "JSON")
            found[f"JSON_checker/pass{number}.json"] = str(text).encode()
        documents = _assigned(archive, "test_fail.py", "JSONDOCS")
        if not isinstance(documents, list):
            raise fetch.FetchError("simplejson's test_fail.py: JSONDOCS is no list")
        for number, text in enumerate(documents[:33], 1):
            found[f"JSON_checker/fail{number}.json"] = str(text).encode()
    return found


def _assigned(archive: tarfile.TarFile, module: str, name: str) -> object:
    """Return the literal that a test module assigns to `name`."""
    for member in archive:
        if member.name.endswith(f"/simplejson/tests/{module}"):
            data = archive.extractfile(member)
            tree = ast.parse(data.read() if data else b"")
            for node in tree.body:
                if isinstance(node, ast.Assign) and any(
                    isinstance(one, ast.Name) and one.id == name for one in node.targets
                ):
                    return ast.literal_eval(node.value)
    raise fetch.FetchError(f"simplejson's {module} does not assign {name}")


def differences() -> list[str]:
    """Compare FOLDER with the manifest; nothing to say means that all is well."""
    wanted = _manifest()
    there = {
        path.relative_to(FOLDER).as_posix(): hashlib.sha256(
            path.read_bytes()
        ).hexdigest()
        for path in FOLDER.rglob("*.json")
    }
    return (
        [f"{name} is missing" for name in sorted(wanted.keys() - there.keys())]
        + [
            f"{name} is not in the manifest"
            for name in sorted(there.keys() - wanted.keys())
        ]
        + [
            f"{name}: SHA-256 is {there[name]}, expected {wanted[name]}"
            for name in sorted(wanted.keys() & there.keys())
            if wanted[name] != there[name]
        ]
    )


def _manifest() -> dict[str, str]:
    lines = MANIFEST.read_text("utf-8").splitlines()
    pairs = (line.split("  ", 1) for line in lines if not line.startswith("#"))
    return {name: digest for digest, name in pairs}


def extract() -> None:
    """Fetch both packages and lay their files out below FOLDER."""
    files = json_test_suite() | json_checker()
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name, data in files.items():
        path = FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def write_manifest() -> None:
    """State the digests of the files that are there now."""
    lines = [
        "# SHA-256 of each conformance file; made by conformance.py --write-manifest"
    ]
    for path in sorted(FOLDER.rglob("*.json")):
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"{digest}  {path.relative_to(FOLDER).as_posix()}")
    MANIFEST.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--write-manifest", action="store_true", help="state anew what was fetched"
    )
    options = parser.parse_args()
    try:
        if options.write_manifest:
            extract()
            write_manifest()
        elif differences():
            extract()
            print(f"extracted {len(_manifest())} files into {FOLDER.relative_to(ROOT)}")
    except fetch.FetchError as reason:
        sys.exit(f"snooze: the conformance files are not to be had: {reason}")
    wrong = differences()
    if wrong:
        listed = "\n  ".join(wrong)
        sys.exit(f"snooze: .build/conformance differs from its manifest:\n  {listed}")


if __name__ == "__main__":
    main()
