# pyright: strict
"""Correct uses of typed codecs: type checkers find no error.

Read by mypy and pyright, never run. `assert_type` is an error if the checker infers
another type than the one given. tests/contract/test_type_checkers.py runs both.
"""

from __future__ import annotations

import datetime
import enum
import io
import json
import pathlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, NewType, TypedDict, assert_type

import snooze
import snooze.json.tool
from snooze import Decoder, Encoder, Field, Via, configure
from snooze.json.decoder import JSONDecodeError, JSONDecoder
from snooze.json.encoder import JSONEncoder, encode_basestring_ascii
from snooze.json.scanner import make_scanner

UserId = NewType("UserId", int)


class Colour(enum.Enum):
    RED = "red"


class Row(TypedDict):
    id: int


class Pair(NamedTuple):
    a: int
    b: str


@configure(
    rename="camel",
    tag=True,
    tag_field="kind",
    content=None,
    unknown="forbid",
    sort_keys=True,
)
@dataclass(slots=True)
class User:
    user_id: UserId
    name: Annotated[str, snooze.Len(1, 20), snooze.Pattern("^[a-z]+$")]
    age: Annotated[int, snooze.Ge(0), Field(alias=("years",), omit_none=True)] | None
    more: Annotated[dict[str, Any], Field(rest=True)]


@configure(rename={"x": "X"}, array_like=True, gc=False)
@dataclass
class Point:
    x: float


class Money:
    @classmethod
    def __snooze__(cls) -> Via:
        return Via(int, decode=lambda _: cls(), encode=lambda _: 0)


# A decorated class keeps its type.
assert_type(Point(1.0), Point)
assert_type(Point(1.0).x, float)

# Decoder(T).decode is a T.
assert_type(Decoder(User), Decoder[User])
assert_type(Decoder(User).decode(b""), User)
assert_type(Decoder(int).decode("1"), int)
assert_type(Decoder(list[User]).decode(bytearray()), list[User])
assert_type(Decoder(dict[str, list[int]]).decode(b""), dict[str, list[int]])
assert_type(Decoder(tuple[int, str]).decode(memoryview(b"")), tuple[int, str])
assert_type(Decoder(Row).decode(b"")["id"], int)
assert_type(Decoder(Pair).decode(b"").b, str)
assert_type(Decoder(Colour).decode(b""), Colour)
assert_type(Decoder(datetime.date).decode(b""), datetime.date)
assert_type(Decoder(Money).decode(b""), Money)
assert_type(Decoder(snooze.Raw).decode(b""), snooze.Raw)
Decoder(User).validate_only(b"")

# Lines: values of the type, from whatever has bytes or text.
problems: list[snooze.LineProblem] = []
assert_type(Decoder(User).decode_lines(b""), list[User])
assert_type(Decoder().decode_lines("", on_error=problems.append), list[Any])
assert_type(next(Decoder(User).iter_lines(pathlib.Path("a.ndjson"))), User)
assert_type(next(Decoder(User).iter_lines(io.StringIO(), on_error=print)), User)
assert_type(next(Decoder(User).iter_lines([b"1", bytearray(), "2"])), User)
assert_type(next(Decoder(User).iter_lines(b"1")), User)
assert_type(problems[0].error.lineno, int)
assert_type(Encoder(Row).encode_lines([{"id": 1}]), bytes)
assert_type(Encoder().dump_lines(iter([1, "a"]), io.BytesIO()), int)


assert_type(next(Encoder(Row).iter_lines([{"id": 1}], size=1)), bytes)

# The items of an array.
left_out: list[snooze.JSONDecodeError] = []
assert_type(next(Decoder(User).iter_items(pathlib.Path("a.json"), "/users")), User)
assert_type(next(Decoder().iter_items([b"[]"], at="", on_error=left_out.append)), Any)
assert_type(next(Decoder(User).iter_items(memoryview(b"[]"))), User)
assert_type(next(Encoder(Row).iter_items([{"id": 1}])), bytes)
assert_type(Encoder().dump_items(iter([1, "a"]), io.BytesIO()), int)


# A document that arrives in pieces.
partial = Decoder(User).partial()
assert_type(partial, snooze.PartialDocument[User])
partial.feed("")
partial.feed(b"")
assert_type(partial.is_complete, bool)
assert_type(partial.close(), User)


async def read_lines(source: AsyncIterator[bytes]) -> None:
    async for one in Decoder(User).aiter_lines(source):
        assert_type(one, User)
    async for one in Decoder(User).aiter_items(source, "/users"):
        assert_type(one, User)


lenient: Decoder[User] = Decoder(
    User,
    syntax="json5",
    surrogates="replace",
    encoding="detect",
    max_size=9,
    max_depth=3,
)
assert_type(lenient.decode(b"").name, str)
exact: Decoder[Any] = Decoder(numbers="decimal", nan="accept", duplicates="error")
assert_type(exact.decode(b""), Any)
hooked: Decoder[Any] = Decoder(object_hook=lambda found: found.get("a"))
assert_type(hooked.decode(b""), Any)
assert_type(snooze.decode(b"", object_pairs_hook=dict), Any)
assert_type(Decoder(list[Point], threads=4).decode(b""), list[Point])
assert_type(snooze.decode(b"", list[Point], threads=2), list[Point])
snooze.Raw("1")
snooze.Raw(bytearray(b"1"))
assert_type(snooze.decode(b"", list[User], syntax="jsonc"), list[User])
assert_type(snooze.JSONDecodeError("", "", 0).pointer, str)
assert_type(snooze.JSONDecodeError("", "", 0).snippet, str)
kept: Decoder[User] = Decoder(User, strict=False, errors="all", skip="fast", at="/a")
assert_type(kept.decode(b"").name, str)

# A type that is not a class is Any: unions, Annotated, Literal, no type at all.
assert_type(Decoder(int | None).decode(b""), Any)
assert_type(Decoder(Annotated[int, snooze.Gt(0)]).decode(b""), Any)
assert_type(Decoder(Literal["a", "b"]).decode(b""), Any)
assert_type(Decoder().decode(b""), Any)
stated: Decoder[int | None] = Decoder(int | None)
assert_type(stated.decode(b""), int | None)

# Encoder(T) encodes a T.
assert_type(Encoder(User), Encoder[User])
assert_type(Encoder(Point).encode(Point(1.0)), bytes)
assert_type(Encoder(Point).encode_str(Point(1.0)), str)
assert_type(Encoder(Point).encode_into(Point(1.0), bytearray(), 0), int)
assert_type(Encoder(list[int]).encode([1]), bytes)
assert_type(Encoder().encode(object()), bytes)
assert_type(snooze.encode_str([1], list[int], indent=2), str)
assert_type(Encoder(int).iter_items([1], "/a", around={"n": 1}), Iterator[bytes])


async def numbers() -> AsyncIterator[int]:
    yield 1


assert_type(Encoder(int).aiter_lines(numbers()), AsyncGenerator[bytes, None])
assert_type(Encoder(int).aiter_items(numbers(), "/a"), AsyncGenerator[bytes, None])
assert_type(
    Encoder(
        int, omit_none=True, sort_keys=True, enc_hook=str, nan="error", decimal="number"
    ).encode(1),
    bytes,
)

assert_type(
    Encoder(
        hooks={datetime.date: str},
        key_hook=repr,
        json_method="__json__",
        iterables=True,
        namedtuple="object",
        formats={bytes: "hex", datetime.datetime: snooze.Format("unix")},
        timespec="milliseconds",
        naive_utc=True,
        utc_z=True,
        surrogates="replace",
        max_depth=50,
        omit_none="all",
        nan="string",
    ).encode(1),
    bytes,
)
assert_type(snooze.encode(1, hooks=None, nan="literal", surrogates="escape"), bytes)

# The functions.
assert_type(snooze.decode(b"", User), User)
assert_type(snooze.decode(b"", list[User], errors="all"), list[User])
assert_type(snooze.decode(b"", Annotated[int, snooze.Gt(0)]), Any)
assert_type(snooze.decode(b""), Any)
maybe: int | None = snooze.decode(b"", int | None)
assert_type(snooze.dumps_str({"a": 1}, default=str), str)
assert_type(snooze.encode(1), bytes)
assert_type(snooze.encode(Point(1.0), Point, omit_defaults=True), bytes)
assert_type(snooze.Converter(User), snooze.Converter[User])
assert_type(snooze.Converter(list[User]).convert({}), list[User])
assert_type(snooze.Converter(User, from_attributes=True, gc=False).type, Any)
assert_type(snooze.convert(object(), User), User)
assert_type(snooze.convert({}, dict[str, int], errors="all"), dict[str, int])
assert_type(snooze.to_builtins(Point(1.0), keep=(bytes,), str_keys=True), Any)
assert_type(snooze.schema(User), dict[str, Any])
assert_type(snooze.schema(int | None, rename="kebab"), dict[str, Any])
assert_type(
    snooze.schema_components([User, int | None], ref_template="#/{name}"),
    tuple[list[dict[str, Any]], dict[str, dict[str, Any]]],
)


# Other forms, notes and missing members.
@snooze.configure(
    formats={datetime.datetime: "unix", bytes: snooze.Format("hex")},
    meta=snooze.Meta(title="Change", examples=[1], deprecated=True),
    fallback=True,
)
@dataclass
class Change:
    at: Annotated[datetime.datetime, snooze.Format("unix_ms")]
    name: str | snooze.UnsetType | None = snooze.UNSET


assert_type(snooze.UNSET, snooze.UnsetType)
assert_type(snooze.decode(b"", Change).name, str | None | snooze.UnsetType)
if snooze.UNSET:
    raise AssertionError


def hook(tp: Any, value: Any) -> Any:
    return tp(value)


assert_type(snooze.decode(b"", complex, dec_hook=hook), complex)

# Documents.
document: Any = {}
assert_type(snooze.pointer.get(document, "/a", default=None), Any)
assert_type(snooze.pointer.exists(document, "/a"), bool)
assert_type(snooze.pointer.set(document, "/a", 1), Any)
assert_type(snooze.pointer.delete(document, "/a"), Any)
assert_type(snooze.pointer.parse("/a"), list[str])
assert_type(snooze.pointer.join(["a", 0]), str)
assert_type(snooze.patch(document, [{"op": "remove", "path": "/a"}]), Any)
assert_type(snooze.patch(document, iter(()), in_place=True, max_copied=1), Any)
assert_type(snooze.merge_patch(document, {"a": None}, in_place=True), Any)
assert_type(snooze.diff(document, 1), list[dict[str, Any]])
assert_type(snooze.diff(document, 1, "patch"), list[dict[str, Any]])
assert_type(snooze.diff(document, 1, form="merge"), Any)
assert_type(snooze.jsonpath.compile("$"), snooze.jsonpath.Path)
assert_type(snooze.jsonpath.compile("$").find(document), list[Any])
assert_type(snooze.jsonpath.compile("$").query, str)
assert_type(snooze.jsonpath.find(document, "$"), list[Any])
nodes: list[snooze.jsonpath.Node] = snooze.jsonpath.nodes(document, "$")
assert_type(nodes[0].value, Any)
assert_type((nodes[0].path, nodes[0].pointer), tuple[str, str])
assert_type(snooze.reformat("[1]", indent="\t", separators=(", ", ": ")), bytes)
assert_type(snooze.reformat(bytearray(b"1"), ensure_ascii=True, newline=True), bytes)
assert_type(snooze.canonical({"a": 1}, dict[str, int]), bytes)
assert_type(snooze.canonical_hash([1], algorithm="sha512"), str)
assert_type(snooze.encode([1], indent=4, separators=(",", ":"), newline=True), bytes)
inferred: snooze.Inference = snooze.infer(document, document)
assert_type(inferred.schema(title="Users"), dict[str, Any])
assert_type(inferred.source("Users"), str)
assert_type(inferred.documents, int)
inferred.add(document)

# Errors.
try:
    snooze.patch(document, [])
except snooze.PatchError as failed:
    assert_type((failed.index, failed.reason, failed.pointer), tuple[int, str, str])
except snooze.jsonpath.JSONPathError as failure:
    assert_type((failure.query, failure.position), tuple[str, int])
except snooze.pointer.PointerError as lost:
    assert_type(lost.pointer, str)
try:
    kept.decode(b"")
except snooze.ValidationError as error:
    assert_type(error.pointer, str)
    assert_type(error.errors, list[snooze.Problem])
    assert_type(error.errors[0].offset, int)
    assert_type(error.lineno, int)
except snooze.JSONDecodeError as error:
    assert_type(error.pos, int)

# Scans.
scan = snooze.scan("log.ndjson", columns=["a"], errors="skip", drift="rest", threads=2)
assert_type(scan, snooze.Scan)
assert_type(scan.columns, dict[str, str])
assert_type(scan.problems, list[snooze.ScanProblem])
assert_type(scan.problems[0].text, bytes | None)
assert_type(scan.splits(), list[snooze.Scan])
narrow = snooze.scan(b"", where="a > 1", limit=5, errors="collect")
assert_type(narrow.select(["a"]).where("a < 9").head(3), snooze.Scan)
assert_type(narrow.limit, int | None)
assert_type(narrow.progress, snooze.ScanProgress)
for batch in narrow.batches(lambda progress: progress.done + progress.rows):
    assert_type(batch, snooze.RecordBatch)
for batch in scan:
    assert_type(batch, snooze.RecordBatch)
try:
    list(scan)
except snooze.ScanError as error:
    assert_type(error.problem, snooze.ScanProblem | None)
assert_type(snooze.write_lines(scan, "out.ndjson.gz"), int)
snooze.write_lines(scan, io.BytesIO(), nulls="omit", nan="error", decimal="str")

# orjson's functions and files.
assert_type(snooze.dumps({1: 2}, option=snooze.OPT_NON_STR_KEYS), bytes)
assert_type(snooze.dumps([1j], str, snooze.OPT_INDENT_2 | snooze.OPT_UTC_Z), bytes)
assert_type(snooze.dumps([snooze.Fragment("1"), snooze.Fragment(b"2")]), bytes)
assert_type(snooze.loads("1"), Any)
assert_type(snooze.loads(memoryview(b"1")), Any)
assert_type(snooze.load("file.json"), Any)
assert_type(snooze.load(pathlib.Path("file.json.gz")), Any)
assert_type(snooze.load("file.json", mmap=True), Any)
assert_type(snooze.load(io.StringIO("1")), Any)
with pathlib.Path("file.json").open("rb") as opened:
    assert_type(snooze.load(opened), Any)
snooze.dump([1], pathlib.Path("file.json"), default=str, option=snooze.OPT_SORT_KEYS)
snooze.dump([1], "file.json")
snooze.dump([1], io.StringIO())
snooze.dump([1], io.BytesIO())
try:
    snooze.dumps(object())
except snooze.JSONEncodeError as unwritten:
    told: TypeError = unwritten
    # The class is TypeError itself, which has no such attribute.
    assert_type(getattr(unwritten, "path", None), Any | None)
try:
    snooze.loads("[")
except snooze.JSONDecodeError as unread:
    standard: json.JSONDecodeError = unread
    assert_type((unread.msg, unread.doc), tuple[str, str])
    assert_type((unread.lineno, unread.colno), tuple[int, int])

# In the place of json, and of orjson.
snooze.install()
snooze.install(json=False, as_orjson=True, orjson_version="3.11.4")
snooze.uninstall()
assert_type(snooze.json.dumps([1], indent="\t", separators=(",", ":")), str)
assert_type(snooze.json.dumps([1], cls=json.JSONEncoder, default=str, other=1), str)
assert_type(snooze.json.loads(b"1", parse_float=str, object_pairs_hook=dict), Any)
assert_type(snooze.json.load(io.BytesIO()), Any)
snooze.json.dump([1], io.StringIO(), sort_keys=True, ensure_ascii=False)
encoding: str = snooze.json.detect_encoding(b"1")
assert_type(snooze.json.JSONEncoder(indent=1).encode([1]), str)
assert_type(snooze.json.JSONDecoder(strict=False).decode("1"), Any)
assert_type(snooze.json.JSONDecoder().raw_decode("1"), tuple[Any, int])
assert_type(JSONDecoder(), snooze.json.JSONDecoder)
assert_type(JSONEncoder(), snooze.json.JSONEncoder)
assert_type(JSONDecodeError("", "", 0), json.JSONDecodeError)
assert_type(snooze.json.decoder.JSONDecodeError("", "", 0).pos, int)
assert_type(encode_basestring_ascii("a"), str)
assert_type(snooze.json.scanner.make_scanner, type[make_scanner])
assert_type(snooze.json.encoder.INFINITY, float)
snooze.json.tool.main()
