"""Run the published test suite of JSON5 (json5/json5-tests) against snooze.

    python scripts/peers_json5.py

Separate from peers_documents.py, because its cases are files and not JSON. They come
from the source distribution of pyjson5, which is fetched by its hash. The ending of a
name says what a file is: `.json` is JSON and JSON5, `.json5` is JSON5 only, `.js` is
ECMAScript 5 but not JSON5, `.txt` is neither. Each document is also read with a type.
Invariant: the exit status is 0 only if no case failed. Called by `make test-peers`,
with the Python where snooze is installed.
"""

from __future__ import annotations

import os
import sys
import tarfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("SNOOZE_LAB_DATA", str(ROOT / ".build"))
sys.path.append(str(ROOT / "lab" / "src"))  # the laboratory knows how to fetch

import snooze  # noqa: E402
from snooze_lab.data import FetchError, fetch  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = "third-party/json5-tests"
#: How many documents the suite of this package has.
DOCUMENTS = 114
#: Has a comment, in spite of its name.
NOT_JSON = {"comments/irregular-block-comment.json"}
UNTYPED: snooze.Decoder[object] = snooze.Decoder(syntax="json5")
TYPED = snooze.Decoder(object, syntax="json5")


def documents() -> Iterator[tuple[str, bytes]]:
    """Yield the name and the text of each document."""
    with tarfile.open(fetch.obtain(fetch.package("pyjson5"))) as archive:
        for member in archive:
            name = member.name.partition(f"/{FOLDER}/")[2]
            if PurePosixPath(name).suffix in {".json", ".json5", ".js", ".txt"}:
                file = archive.extractfile(member)
                if file is not None:
                    yield name, file.read()


def problem(name: str, document: bytes) -> str | None:
    """Read a document; return what is wrong."""
    accepted = PurePosixPath(name).suffix in {".json", ".json5"}
    try:
        value = UNTYPED.decode(document)
    except snooze.JSONDecodeError as error:
        return f"{name}: {error}" if accepted else None
    if not accepted:
        return f"{name}: expected an error, found {value!r}"
    is_json = name.endswith(".json") and name not in NOT_JSON
    if is_json and value != snooze.decode(document):
        return f"{name}: found {value!r}"
    try:
        again = TYPED.decode(document)
    except snooze.JSONDecodeError as error:
        # NaN and Infinity have no form in JSON, through which a type reads.
        return None if "NaN and Infinity" in error.msg else f"{name}: {error}"
    return None if repr(again) == repr(value) else f"{name}: {again!r} with a type"


def main() -> int:
    """Run the suite."""
    try:
        cases = list(documents())
    except FetchError as reason:
        sys.exit(f"NOT TESTED: {reason}")
    failed = [found for case in cases if (found := problem(*case)) is not None]
    for one in failed:
        print(one)
    print(f"json5-tests: {len(cases) - len(failed)} of {len(cases)} documents passed")
    if len(cases) != DOCUMENTS:
        print(f"json5-tests: expected {DOCUMENTS} documents")
    return 1 if failed or len(cases) != DOCUMENTS else 0


if __name__ == "__main__":
    sys.exit(main())
