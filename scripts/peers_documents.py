"""Run the published test suites of JSON Patch and JSONPath against snooze.

    python scripts/peers_documents.py [--jsonpath cts.json]

Separate from peers.py, because these suites are data and no programs. That of JSON
Patch (json-patch/json-patch-tests) and that of JSONPath (jsonpath-standard/
jsonpath-compliance-test-suite) are fetched from npm, by their hashes. `--jsonpath`
takes the file cts.json of another revision instead. Invariant: the exit status is 0
only if no case failed. Called by `make test-peers`, with the Python where snooze is
installed; tests/documents runs the cases of JSONPath too.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parent.parent
os.environ.setdefault("SNOOZE_LAB_DATA", str(ROOT / ".build"))
sys.path.append(str(ROOT / "lab" / "src"))  # the laboratory knows how to fetch

import snooze  # noqa: E402
from snooze_lab.data import FetchError, documents, fetch, trees  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITE = fetch.Package(
    "json-patch-test-suite",
    "npm",
    "1.1.0",
    4477,
    "3a84283b5bb7e03d00d73f19f0830f1f749ae1bfb7932711cb58cc66eaee9537",
    "Apache-2.0",
    "package/README.md",
)
#: A case for parsers: it has a member twice, of which only the last is left.
BEYOND_A_PATCH = "duplicate ops"


def patch_cases() -> Iterator[dict[str, Any]]:
    """Yield the cases of the suite of JSON Patch, also those that it disables."""
    with tarfile.open(fetch.obtain(SUITE)) as archive:
        for name in ("tests.json", "spec_tests.json"):
            file = archive.extractfile(f"package/{name}")
            if file is None:
                raise FetchError(f"{SUITE.requirement} has no file {name}")
            for case in json.load(file):
                if "patch" in case and case.get("comment") != BEYOND_A_PATCH:
                    yield case


def path_cases(file: str | None) -> list[dict[str, Any]]:
    """Return the cases of the suite of JSONPath, from a file or the pinned package."""
    if file is not None:
        text = Path(file).read_bytes()
    else:
        archive = fetch.obtain(fetch.package("jsonpath-rfc9535"))
        text = documents.read(archive, [trees.PATHS])[trees.PATHS]
    found: list[dict[str, Any]] = json.loads(text)["tests"]
    return found


def patch_problem(case: dict[str, Any]) -> str | None:
    """Run a case of JSON Patch; return what is wrong."""
    document, before = case["doc"], json.dumps(case["doc"])
    try:
        found = snooze.patch(document, case["patch"])
    except snooze.PatchError as error:
        return None if "error" in case else f"{case}: {error}"
    if json.dumps(document) != before:
        return f"{case}: the document was changed"
    if "error" in case:
        return f"{case}: found {found}"
    if "expected" in case and json.dumps(found, sort_keys=True) != json.dumps(
        case["expected"], sort_keys=True
    ):
        return f"{case}: found {found}"
    return None


def path_problem(case: dict[str, Any]) -> str | None:
    """Run a case of JSONPath; return what is wrong."""
    query = case["selector"]
    try:
        path = snooze.jsonpath.compile(query)
    except snooze.jsonpath.JSONPathError as error:
        return None if case.get("invalid_selector") else f"{query}: {error}"
    if case.get("invalid_selector"):
        return f"{query}: expected an error"
    values, nodes = path.find(case["document"]), path.nodes(case["document"])
    results = case.get("results") or [case["result"]]
    places = case.get("results_paths") or [case["result_paths"]]
    if values not in results or [one.value for one in nodes] != values:
        return f"{query}: expected {results}, found {values}"
    if [one.path for one in nodes] not in places:
        return f"{query}: expected {places}, found {[one.path for one in nodes]}"
    return None


def report(suite: str, problems: list[str | None]) -> int:
    """Print the result of a suite; return the number of failed cases."""
    failed = [one for one in problems if one is not None]
    for one in failed:
        print(one)
    print(f"{suite}: {len(problems) - len(failed)} of {len(problems)} cases passed")
    return len(failed)


def main() -> int:
    """Run both suites."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--jsonpath", metavar="FILE", help="cts.json of another revision"
    )
    options = parser.parse_args()
    try:
        patches = [patch_problem(one) for one in patch_cases()]
        paths = [path_problem(one) for one in path_cases(options.jsonpath)]
    except FetchError as reason:
        sys.exit(f"NOT TESTED: {reason}")
    failed = report("json-patch-tests", patches)
    failed += report("jsonpath-compliance-test-suite", paths)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
