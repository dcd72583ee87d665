"""Obtain the conformance files of JSON parsers into `conformance` of the data cache.

Two sets, each from a pinned package and each file checked against the SHA-256 in
conformance.sha256 on every run:

- JSONTestSuite (318 files; y_ must be accepted, n_ rejected, i_ is the parser's
  choice), from the source distribution of pyjson5;
- JSON_checker (passN.json, failN.json), whose texts are string literals in the tests of
  simplejson, read from their syntax trees without running them.

Invariant: a complete run leaves exactly the files of conformance.sha256, or fails and
lists the differences. Used by `data.get`. After changing a pin:

    python -m snooze_lab.data.conformance --write-manifest
"""

from __future__ import annotations

import argparse
import ast
import shutil
import sys
import tarfile
from pathlib import Path

from snooze_lab.data import FetchError, cache, documents, fetch, manifest

FOLDER = "conformance"
MANIFEST = Path(__file__).with_name("conformance.sha256")
PACKAGES = ("pyjson5", "simplejson")


def json_test_suite() -> dict[str, bytes]:
    """Return JSONTestSuite's files by the name they get below FOLDER."""
    found = {}
    with tarfile.open(_archive("pyjson5")) as archive:
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
    with tarfile.open(_archive("simplejson")) as archive:
        for number in (1, 2, 3):
            text = _assigned(archive, f"test_pass{number}.py", "JSON")
            found[f"JSON_checker/pass{number}.json"] = str(text).encode()
        documents = _assigned(archive, "test_fail.py", "JSONDOCS")
        if not isinstance(documents, list):
            raise FetchError("simplejson's test_fail.py: JSONDOCS is no list")
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
    raise FetchError(f"simplejson's {module} does not assign {name}")


def _archive(name: str) -> Path:
    return fetch.obtain(manifest.package(name))


def compared() -> tuple[list[str], list[str], int]:
    """Return the missing files, the differing ones, and the total number."""
    wanted = _manifest()
    folder = cache.folder(FOLDER)
    there = {
        path.relative_to(folder).as_posix(): fetch.digest(path)
        for path in folder.rglob("*.json")
    }
    missing = [f"{name} is missing" for name in sorted(wanted.keys() - there.keys())]
    damaged = [
        f"{name} is not in conformance.sha256"
        for name in sorted(there.keys() - wanted.keys())
    ] + [
        f"{name}: SHA-256 is {there[name]}, expected {wanted[name]}"
        for name in sorted(wanted.keys() & there.keys())
        if wanted[name] != there[name]
    ]
    return missing, damaged, len(wanted)


def _manifest() -> dict[str, str]:
    lines = MANIFEST.read_text("utf-8").splitlines()
    pairs = (line.split("  ", 1) for line in lines if not line.startswith("#"))
    return {name: digest for digest, name in pairs}


def ensure() -> None:
    """Extract all files unless they exist; FetchError on failure."""
    missing, damaged, count = compared()
    if not missing and not damaged:
        return
    extract()
    missing, damaged, _ = compared()
    if missing or damaged:
        lines = "\n  ".join([*missing, *damaged])
        raise FetchError(f"not as in conformance.sha256:\n  {lines}")
    print(f"conformance: {count} files, into {cache.shown(cache.folder(FOLDER))}")


def extract() -> None:
    """Fetch both packages and extract their files, with their licences."""
    files = json_test_suite() | json_checker()
    folder = cache.folder(FOLDER)
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    for name in PACKAGES:
        package = manifest.package(name)
        found = documents.read(_archive(name), [package.licence_file])
        (folder / f"LICENSE.{name}").write_bytes(found[package.licence_file])


def write_manifest() -> None:
    """Write the digests of the present files."""
    folder = cache.folder(FOLDER)
    lines = [
        "# SHA-256 of each conformance file; made by conformance.py --write-manifest"
    ]
    lines += [
        f"{fetch.digest(path)}  {path.relative_to(folder).as_posix()}"
        for path in sorted(folder.rglob("*.json"))
    ]
    MANIFEST.write_text("\n".join(lines) + "\n", "utf-8")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--write-manifest",
        action="store_true",
        help="write the digests of the fetched files",
    )
    options = parser.parse_args()
    try:
        if options.write_manifest:
            extract()
            write_manifest()
        ensure()
    except FetchError as reason:
        sys.exit(f"snooze-lab: the conformance files are not available: {reason}")


if __name__ == "__main__":
    main()
