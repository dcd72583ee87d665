"""Files, pointers, queries, patches and differences: functions beside loads and dumps.

Separate because a contender here is what a program does for the same end, and no other
library has all of these. Invariants: what each call returns, or the file that it wrote,
is judged before it is timed; nobody changes the document that all calls of a row get.
Files lie in the laboratory's folder of data and are not forced to the disk, so times
are those of the page cache. Used by command.py; not among the usual groups.

    loads         snooze            json, or by hand in Python     orjson
    load          load(path)        json.load(file)                loads(file.read())
    pointer       pointer.get       a loop over the parts          round trip
    names         jsonpath.find     a list comprehension           round trip
    filter        jsonpath.find     a list comprehension           round trip
    descendants   jsonpath.find     a recursive generator          round trip
    read lines    decode_lines      json.loads of each line        loads of each line

    dumps         snooze            json, or by hand in Python     orjson
    dump          dump(value, path) json.dump, os.replace          dumps, os.replace
    patch         patch             deepcopy, a loop               round trip, a loop
    merge         merge_patch       deepcopy, the RFC's function   round trip, the same
    diff          diff              a recursive comparison         round trip
    write lines   encode_lines      json.dumps of each value       dumps of each value

A round trip, `loads(dumps(document))`, is the measure of calls that orjson does not
have: patches use it in the place of a copy. All but files are raced on the thousand
customers of typed.py, where nothing is fetched.
"""

from __future__ import annotations

import copy
import hashlib
import importlib
import json
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snooze_lab.data import cache
from snooze_lab.model import AGAIN, OURS, REFERENCE, STANDARD
from snooze_lab.race import table
from snooze_lab.race.typed import BY_HAND, Typed, customers, library_of
from snooze_lab.workloads import Workload, documents, generated
from snooze_lab.workloads.operations import Job

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from snooze_lab.contenders import Call
    from snooze_lab.race.cells import Cell

GROUP = "functions"
#: Where the files are, in the laboratory's folder of data.
FOLDER = "race"
POINTER = "/500/address/city"
#: row -> a query, and the same in Python.
QUERIES: dict[str, tuple[str, Call]] = {
    "names": (
        "$[*].address.city",
        lambda found: [one["address"]["city"] for one in found],
    ),
    "filter": (
        "$[?@.age >= 60].name",
        lambda found: [one["name"] for one in found if one["age"] >= 60],
    ),
    "descendants": ("$..zip", lambda found: list(named(found, "zip"))),
}
#: direction -> its rows on the customers, after those of the files.
CALLS = {"loads": ("pointer", *QUERIES), "dumps": ("patch", "merge", "diff")}
#: direction -> its row of many documents, one on each line.
LINES = {"loads": "read lines", "dumps": "write lines"}


def named(value: Any, name: str) -> Iterator[Any]:
    """Yield the members of this name, wherever they are, from outside to inside."""
    if isinstance(value, dict):
        if name in value:
            yield value[name]
        for one in value.values():
            yield from named(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from named(one, name)


def parts_of(pointer: str) -> list[str]:
    """Return the names and indexes of a JSON Pointer."""
    parts = pointer[1:].split("/")
    return [one.replace("~1", "/").replace("~0", "~") for one in parts]


def walked(value: Any, parts: list[str]) -> Any:
    """Return what a pointer's parts lead to."""
    for part in parts:
        value = value[int(part) if isinstance(value, list) else part]
    return value


def operations() -> list[dict[str, Any]]:
    """Return a JSON Patch of twenty operations on the customers."""
    found: list[dict[str, Any]] = []
    for number in range(0, 1_000, 200):
        place = f"/{number}"
        found += [
            {"op": "test", "path": f"{place}/id", "value": number + 1},
            {"op": "replace", "path": f"{place}/address/city", "value": "Bergen"},
            {"op": "add", "path": f"{place}/tags/1", "value": "new"},
            {"op": "remove", "path": f"{place}/created"},
        ]
    return found


def applied(document: Any, patch: list[dict[str, Any]]) -> Any:
    """Apply the operations of such a patch to a document, which they change."""
    for one in patch:
        *parents, last = parts_of(one["path"])
        parent = walked(document, parents)
        place: Any = int(last) if isinstance(parent, list) else last
        if one["op"] == "test":
            if parent[place] != one["value"]:
                raise ValueError(f"{one['path']} is not {one['value']!r}")
        elif one["op"] == "remove":
            del parent[place]
        elif one["op"] == "add" and isinstance(parent, list):
            parent.insert(place, one["value"])
        else:
            parent[place] = one["value"]
    return document


def by_mail(found: list[Any]) -> dict[str, Any]:
    """Return the customers as an object, for a merge patch."""
    return {one["email"]: one for one in found}


def changes(found: list[Any]) -> dict[str, Any]:
    """Return a merge patch that changes and removes members of ten customers."""
    return {
        one["email"]: {"address": {"city": "Bergen"}, "created": None}
        for one in found[::100]
    }


def merged(target: Any, patch: Any) -> Any:
    """Return what RFC 7396, section 2, makes of a document, which it changes."""
    if not isinstance(patch, dict):
        return patch
    if not isinstance(target, dict):
        target = {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = merged(target.get(name), value)
    return target


def differences(old: Any, new: Any, place: str = "") -> list[dict[str, Any]]:
    """Return a JSON Patch between documents whose containers have the same form."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys: Any = old
    elif isinstance(old, list) and isinstance(new, list):
        keys = range(len(old))
    elif old == new:
        return []
    else:
        return [{"op": "replace", "path": place, "value": new}]
    found = []
    for key in keys:
        if old[key] != new[key]:
            found += differences(old[key], new[key], f"{place}/{key}")
    return found


def moved(found: list[Any]) -> list[Any]:
    """Return the customers after ten of them have moved and changed a tag."""
    new: list[Any] = copy.deepcopy(found)
    for one in new[::100]:
        one["address"]["city"] = "Bergen"
        one["tags"][1] = "moved"
    return new


def rows(
    directions: list[str],
    texts: dict[str, bytes] | None = None,
    folder: Path | None = None,
) -> list[Typed]:
    """Return every row of the group; its files are made in the folder when needed."""
    small = {"1 kB": generated.message(1_000)}
    usual = texts or {one.name: one.texts[0] for one in documents.GROUPS["seed"]()}
    place = folder or cache.folder(FOLDER)
    made = []
    for direction in directions:
        file, make = ("load", _load) if direction == "loads" else ("dump", _dump)
        for name, text in (small | usual).items():
            row = f"{file} {name.removesuffix('_catalog')}"
            libraries = (OURS, REFERENCE, AGAIN, STANDARD)
            jobs = {one: partial(make, one, text, place) for one in libraries}
            made.append(_row(direction, row, text, jobs))
        text = generated.compact(customers())
        for row in CALLS[direction]:
            names = (OURS, REFERENCE, AGAIN, BY_HAND)
            jobs = {one: partial(_call, row, one, text) for one in names}
            made.append(_row(direction, row, text, jobs))
        job = _read_lines if direction == "loads" else _write_lines
        libraries = (OURS, REFERENCE, AGAIN, STANDARD)
        jobs = {one: partial(job, one, text) for one in libraries}
        made.append(_row(direction, LINES[direction], text, jobs))
    return made


def _row(
    direction: str, name: str, text: bytes, jobs: Mapping[str, Callable[[], Job]]
) -> Typed:
    return Typed(GROUP, direction, Workload(name, [text]), len(text), jobs)


def _load(contender: str, text: bytes, folder: Path) -> Job:
    """Return the job of reading a file."""
    value = json.loads(text)
    module = importlib.import_module(library_of(contender))

    def argument() -> str:
        name = hashlib.sha256(text).hexdigest()[:16]
        return str(cache.write(folder / f"{name}.json", [text]))

    def orjson(path: str) -> Any:
        with Path(path).open("rb") as file:
            return module.loads(file.read())

    def standard(path: str) -> Any:
        with Path(path).open(encoding="utf-8") as file:
            return module.load(file)

    calls = {OURS: getattr(module, "load", None), STANDARD: standard}
    return _job(calls.get(contender) or orjson, argument, _same, value)


def _dump(contender: str, text: bytes, folder: Path) -> Job:
    """Return the job of replacing a file; the path has the value beside it."""
    value = json.loads(text)
    module = importlib.import_module(library_of(contender))
    path = str(folder / f"{contender.replace(' ', '-')}.json")

    def argument() -> Any:
        folder.mkdir(parents=True, exist_ok=True)
        return json.loads(text)

    def ours(value: Any) -> str:
        module.dump(value, path)
        return path

    def orjson(value: Any) -> str:
        written = module.dumps(value)
        with Path(f"{path}.new").open("wb") as file:
            file.write(written)
        os.replace(f"{path}.new", path)  # noqa: PTH105 - as quick as a program can
        return path

    def standard(value: Any) -> str:
        with Path(f"{path}.new").open("w", encoding="utf-8") as file:
            module.dump(value, file)
        os.replace(f"{path}.new", path)  # noqa: PTH105 - as above
        return path

    calls = {OURS: ours, STANDARD: standard}
    found = calls.get(contender, orjson)
    return _job(found, argument, lambda one: json.loads(Path(one).read_bytes()), value)


def _call(row: str, contender: str, text: bytes) -> Job:
    """Return the job of a function on the customers."""
    document = json.loads(text)
    if row == "merge":
        document = by_mail(document)
    argument = partial(copy.deepcopy, document)
    module: Any = importlib.import_module(library_of(contender))
    if row in {"patch", "merge"}:
        call, wanted = _changing(row, contender, module, document)
        return _job(call, argument, _same, wanted)
    if row == "diff":
        wanted = moved(document)
        calls = {
            OURS: lambda old: module.diff(old, wanted),
            BY_HAND: lambda old: differences(old, wanted),
        }
    elif row == "pointer":
        wanted = walked(document, parts_of(POINTER))
        calls = {
            OURS: lambda value: module.pointer.get(value, POINTER),
            BY_HAND: lambda value: walked(value, parts_of(POINTER)),
        }
    else:
        query, comprehension = QUERIES[row]
        wanted = comprehension(document)
        calls = {
            OURS: lambda value: module.jsonpath.find(value, query),
            BY_HAND: comprehension,
        }
    if contender not in calls:
        return _job(partial(_round_trip, module), argument, _same, document)

    def read(found: Any) -> Any:
        return applied(argument(), found) if row == "diff" else found

    return _job(calls[contender], argument, read, wanted)


def _changing(row: str, contender: str, module: Any, document: Any) -> tuple[Call, Any]:
    """Return the call that applies a patch to a copy, and the right result."""
    patch: Any = operations() if row == "patch" else changes(list(document.values()))
    change = applied if row == "patch" else merged
    wanted = change(copy.deepcopy(document), patch)
    if contender == OURS:
        own = module.patch if row == "patch" else module.merge_patch
        return (lambda value: own(value, patch)), wanted
    by_hand = contender == BY_HAND
    duplicate = copy.deepcopy if by_hand else partial(_round_trip, module)
    return (lambda value: change(duplicate(value), patch)), wanted


def _round_trip(module: Any, value: Any) -> Any:
    return module.loads(module.dumps(value))


def _same(found: Any) -> Any:
    return found


def _read_lines(contender: str, text: bytes) -> Job:
    """Return the job of reading the customers from a text with a line for each."""
    wanted = json.loads(text)
    lines = b"".join(generated.compact(one) + b"\n" for one in wanted)
    module: Any = importlib.import_module(library_of(contender))

    def by_line(data: bytes) -> Any:
        return [module.loads(line) for line in data.split(b"\n") if line]

    call = module.Decoder().decode_lines if contender == OURS else by_line
    return _job(call, lambda: lines, _same, wanted)


def _write_lines(contender: str, text: bytes) -> Job:
    """Return the job of writing the customers, a line for each."""
    wanted = json.loads(text)
    module: Any = importlib.import_module(library_of(contender))

    def by_value(values: Any) -> Any:
        return b"".join([module.dumps(one) + b"\n" for one in values])

    def standard(values: Any) -> Any:
        written = (module.dumps(one, separators=(",", ":")) + "\n" for one in values)
        return "".join(written).encode()

    call = standard if contender == STANDARD else by_value
    if contender == OURS:
        call = module.Encoder().encode_lines

    def read(found: bytes) -> Any:
        return [json.loads(line) for line in found.splitlines()]

    return _job(call, partial(copy.deepcopy, wanted), read, wanted)


def _job(call: Call, argument: Callable[[], Any], read: Call, wanted: Any) -> Job:
    """Return a job whose result, as it is read, must be what is wanted."""

    def fault(found: Any) -> str:
        return "" if read(found) == wanted else "has another result"

    size = len(json.dumps(wanted))
    return Job(call, argument, fault, lambda _: size)


def shown(cells: list[Cell]) -> str:
    """Return the summary: the time of each call, and its speed relative to others."""
    lines = {}
    for one in cells:
        if OURS in one.times:
            speeds = [
                one.speed(OURS, other) for other in (REFERENCE, STANDARD, BY_HAND)
            ]
            lines[one.task.name] = [
                table.duration(one.typical(OURS)),
                *map(table.speed, speeds),
            ]
    heads = ["snooze", f"vs {REFERENCE}", f"vs {STANDARD}", f"vs {BY_HAND}"]
    first = table.NAME + 10
    return table.grid("function", heads, lines, width=12, first=first, per=4)
