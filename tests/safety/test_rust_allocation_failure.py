"""Failing allocations of Rust: MemoryError each time, and no abort.

Separate from `test_allocation_failure`, which starves CPython's allocators: vectors of the
extension come from Rust's, where an allocation that the code does not expect to fail
aborts the process. Only builds with the feature `checked` can starve that allocator, so
elsewhere these tests are skipped; `make test` runs them in its stage `checked`. Each
case runs in a child, on a new instance of the module for each failure, because scratch
memory is kept from call to call.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import importlib.util
import operator
import uuid
from typing import Any

import pytest

from helpers import subjects
from helpers.isolated import in_child
from helpers.starvation import LIMIT, STARVED
from helpers.typed_plans import decode_plan, encode_plan
from snooze import _snooze

pytestmark = pytest.mark.skipif(
    not _snooze.checked,
    reason="only a build with the feature `checked` can starve Rust",
)

PARTS = 4


def new_module() -> Any:
    """Return a new instance of the extension, with no scratch memory yet."""
    import _imp

    spec = importlib.util.find_spec("snooze._snooze")
    assert spec is not None
    module = _imp.create_dynamic(spec)
    _imp.exec_dynamic(module)
    return module


def outcome(module: Any, call: Any, failing: int) -> tuple[Any, bool]:
    """Call with one failing allocation; return the outcome and whether one failed."""
    result: Any = STARVED
    module._starve(failing)
    try:
        result = call(module)
    except MemoryError:
        pass
    except Exception as exc:
        result = (type(exc).__name__, str(exc))
    return result, module._starve(-1) < 0 <= failing


def is_wrong_call(result: Any) -> bool:
    """Return whether an outcome is that of a call that nothing in the package makes."""
    name, text = result if isinstance(result, tuple) and len(result) == 2 else ("", "")
    wrong = ("AttributeError", "NameError", "SystemError")
    is_wrong = name == "TypeError" and "argument" in str(text)
    return name in wrong or (is_wrong and "unexpected keyword" not in str(text))


def each_failure(call: Any) -> int:
    """Let the n-th allocation fail, for every n; return how many there are."""
    expected, _ = outcome(new_module(), call, -1)
    # The call itself is right: its arguments are those that the module takes.
    assert not is_wrong_call(expected), expected
    for failing in range(LIMIT):
        result, failed = outcome(new_module(), call, failing)
        if result is not STARVED:
            assert repr(result) == repr(expected), failing
        if not failed:
            return failing
    raise AssertionError(f"no end after {LIMIT} allocations")


def starve_untyped(part: int) -> int:
    """In a child: every failure of `dumps` and `loads`."""
    total = 0
    for name in sorted(subjects.OBJECTS)[part::PARTS]:
        value, option = subjects.OBJECTS[name]
        total += each_failure(
            lambda m, v=value, o=option: m.dumps(v, subjects.unwrap, o)
        )
    for name in sorted(subjects.DOCUMENTS)[part::PARTS]:
        document = subjects.DOCUMENTS[name]
        total += each_failure(lambda m, d=document: m.loads(d))
    return total


@pytest.mark.parametrize("part", range(PARTS))
def test_dumps_and_loads(part: int) -> None:
    """Stacks, caches, output and the texts of errors."""
    assert int(in_child(starve_untyped, part)) > 0


def encoder_of(module: Any, *, sorts: bool = False, layout: Any = None) -> Any:
    """Make an encoder of any value."""
    encoder = module.EncoderBase()
    options = (None, None, "error", "str", sorts, layout, None)
    node = ("any value", (("any",),))
    encoder._compile((1, (node,), (), 0, options))
    return encoder


#: Enough of one shape for its order to be kept. The large integers need Python code.
MEMBERS = [{"b": [n, 2**70], "a": {"d": 1, "c": 1.0}} for n in range(11)]
ASCII = (",", ":", None, True, True, ("compact", 0))
OTHER = (" ,", ":", "    ", True, True, None)
REWRITTEN = {
    "sorted": lambda m: encoder_of(m, sorts=True).encode(MEMBERS),
    "ascii": lambda m: encoder_of(m, layout=ASCII).encode(["\u00e9" * 100, "x"]),
    "other": lambda m: encoder_of(m, layout=OTHER).encode(["\u00e9" * 100, {"x": 1}]),
    "canonical": lambda m: encoder_of(m, sorts=True)._encode_canonical(MEMBERS[0]["a"]),
    "not canonical": lambda m: encoder_of(m, sorts=True)._encode_canonical(
        [1e5, {"\U0001f600": 1, "\ufb33": 2}]
    ),
    "reformat": lambda m: m.reformat('{"é":[1,{}]}', ",", ":", "\t", True, True),
    "canonicalize": lambda m: m.canonicalize(
        '{"b":{"d":[1.5],"c":"\\n"},"a":[{"z":1,"y":2}]}'
    ),
    "twice": lambda m: m.canonicalize('{"b":1,"a":2,"b":3}'),
}


def starve_rewriting(name: str) -> int:
    """In a child: every failure of one case."""
    return each_failure(REWRITTEN[name])


@pytest.mark.parametrize("name", REWRITTEN)
def test_rewriting(name: str) -> None:
    """Layouts, members in order and the canonical form."""
    in_child(starve_rewriting, name)


def written(module: Any, value: Any, policies: Any) -> Any:
    """Encode any value with these policies."""
    encoder = module.EncoderBase()
    options = (None, None, policies, "str", False, None, None)
    node = ("any value", (("any",),))
    encoder._compile((1, (node,), (), 0, options))
    return encoder.encode(value)


LONG = {"a" * 300: [1, {"b": 2**70}]}
MADE = "json_dumps with default"
POLICIES = ("literal", "escape", 5, repr, 0, 3, 8192, list)
REPLACING = ("string", "replace", 1024, None, 1, None, 0, list)
PLACED = {
    "place": lambda m: m.dumps(LONG),
    "sorted place": lambda m: m.dumps(LONG, None, 32),
    "place in other keys": lambda m: m.dumps({1: LONG}, None, 4),
    "surrogate": lambda m: m.dumps([{"a": ["\ud800"]}]),
    "wrong key": lambda m: m.dumps([{"a": {1: 2}}]),
    "wrong keyword": lambda m: m.dumps_str(1, indent=2),
    MADE: lambda m: m.json_dumps(
        [{1}], ", ", ": ", None, True, False, (sorted, [], operator.is_)
    ),
    "escape": lambda m: written(m, ["é\ud800" * 9, {"\udfff": float("nan")}], POLICIES),
    "replace": lambda m: written(m, ["é\ud800" * 9, {"\udfff": 1.5}], REPLACING),
    "None": lambda m: written(m, {"a": None, (1, 2): None, (3,): 1}, POLICIES),
    "times": lambda m: written(m, [dt.time(1, 2, 3, 4), {dt.time(1): 2}], POLICIES),
    "deep": lambda m: written(m, [[[[[[1]]]]]], POLICIES),
}


def starve_placed(name: str) -> int:
    """In a child: every failure of one case."""
    return each_failure(PLACED[name])


@pytest.mark.parametrize("name", PLACED)
def test_places_and_policies(name: str) -> None:
    """The place of an error, and values that have several forms."""
    in_child(starve_placed, name)


@dataclasses.dataclass(slots=True)
class Item:
    """A class with slots."""

    name: str
    size: float = 1.5


@dataclasses.dataclass
class Order:
    """A field of each kind, the last ones optional."""

    id: uuid.UUID
    at: dt.datetime
    items: list[Item]
    amount: decimal.Decimal
    prices: dict[str, float]
    ports: dict[int, str]
    pair: tuple[int, str]
    unique: set[int]
    data: bytes
    note: str | None = None
    other: Item | None = None


ORDER = Order(
    uuid.UUID(int=7),
    dt.datetime(2026, 11, 22, tzinfo=dt.UTC),
    [Item("one"), Item("é" * 40, 2.5)],
    decimal.Decimal("1.25"),
    {"a": 1.0, "b" * 70: 2.0},
    {1: "x", 2: "y"},
    (1, "x"),
    {1, 2},
    b"\x00\xff",
)
WRONG_ITEMS = [
    {"items": [{"name": 1}]},
    {"pair": [1]},
    {"ports": {"x": "y"}},
    {"unique": "x" * 100},
    {"id": 5, "at": "yesterday", "amount": "x"},
]


def fail(document: Any, problems: Any, omitted: int) -> None:
    """Raise what a decoder raises: here all problems."""
    raise ValueError(repr(problems), omitted)


def typed_calls() -> dict[str, Any]:
    """Return calls of typed codecs, from the description of the plan on."""
    import snooze

    plan = decode_plan(Order)
    described = {
        strictness: (*plan[:4], (strict, 10_000 if every else None, False, None), fail)
        for strictness, strict, every in (
            ("strict", True, False),
            ("all", True, True),
            ("lax", False, True),
        )
    }
    written = encode_plan(Order)
    document = snooze.encode(ORDER)
    documents = {"right": document}
    for number, wrong in enumerate(WRONG_ITEMS):
        documents[f"wrong {number}"] = snooze.dumps(snooze.loads(document) | wrong)
    documents["cut"] = document[:-5]
    documents["no object"] = b"[1]"

    def decode(module: Any, plan: Any, text: bytes) -> Any:
        decoder = module.DecoderBase()
        decoder._compile(plan)
        return decoder.decode(text)

    def encode(module: Any, value: Any) -> Any:
        encoder = module.EncoderBase()
        encoder._compile(written)
        return encoder.encode(value)

    calls: dict[str, Any] = {
        f"decode {strictness} {name}": lambda m, p=plan, t=text: decode(m, p, t)
        for strictness, plan in described.items()
        for name, text in documents.items()
    }
    replaced: dict[str, dict[str, Any]] = {
        "right": {},
        "wrong item": {"items": [Item("x"), 5]},
        "wrong name": {"items": [Item(5)]},
        "wrong key": {"prices": {(1,): 1.0}},
        "key in brackets": {"prices": {'a "b"': "x"}},
        "wrong pair": {"pair": (1,)},
        "infinite": {"amount": decimal.Decimal("Infinity")},
        "surrogate": {"note": "\ud800"},
    }
    for name, fields in replaced.items():
        value = dataclasses.replace(ORDER, **fields)
        calls[f"encode {name}"] = lambda m, v=value: encode(m, v)

    def decode_lines(module: Any, text: bytes) -> Any:
        decoder = module.DecoderBase()
        decoder._compile(described["strict"])
        return decoder._decode_lines(text, 0, 1)

    def encode_lines(module: Any, values: Any) -> Any:
        encoder = module.EncoderBase()
        encoder._compile(written)
        return encoder._encode_lines(iter(values), 2**62)

    many = b"\n".join([document, b" ", document])
    calls["decode lines"] = lambda m: decode_lines(m, many)
    calls["decode wrong lines"] = lambda m: decode_lines(m, many + b"\n[1]\n")
    calls["encode lines"] = lambda m: encode_lines(m, [ORDER] * 5)
    calls["encode wrong lines"] = lambda m: encode_lines(m, [ORDER, 1])
    return calls


def starve_typed(part: int) -> int:
    """In a child: every failure of compiling a plan, of decoding and of encoding."""
    calls = typed_calls()
    total = 0
    for name in sorted(calls)[part::PARTS]:
        try:
            total += each_failure(calls[name])
        except AssertionError as exc:
            raise AssertionError(f"{name}: {exc}") from None
    return total


@pytest.mark.parametrize("part", range(PARTS))
def test_typed_codecs(part: int) -> None:
    """Plans, stacks, and the texts and paths of problems."""
    assert int(in_child(starve_typed, part)) > 0


LINES = b"""\
{"id":1,"name":"one","tags":["a","b"],"at":{"x":1.5,"y":null},"map":{"k":[1]}}
{"id":2,"name":"\\u00e9\\n","when":"2026-11-23T00:00:00Z","odd":[1,"x"],"raw":{"a":1}}
{"id":"x","more":18446744073709551616}
"""
FIELDS = (
    ("id", "l", True, None, ()),
    ("name", "u", True, None, ()),
    ("tags", "+l", True, None, (("item", "u", True, None, ()),)),
    ("at", "+s", True, None, (("x", "g", True, None, ()), ("y", "b", True, None, ()))),
    (
        "map",
        "+m",
        True,
        None,
        (
            (
                "entries",
                "+s",
                False,
                None,
                (
                    ("key", "u", False, None, ()),
                    ("value", "+l", True, None, (("item", "c", True, None, ()),)),
                ),
            ),
        ),
    ),
    ("when", "tsu:UTC", True, None, ()),
    ("amount", "d:38,2", True, None, ()),
    ("raw", "u", True, "arrow.json", ()),
)


def scanned(
    module: Any,
    on_error: str,
    has_rest: bool,
    fields: Any = FIELDS,
    *,
    checks_all: bool = True,
) -> Any:
    """Scan on the calling thread; return rows and problems."""
    rest = (("_rest", "u", True, "arrow.json", ()),) if has_rest else ()
    options = (on_error, checks_all, False, False, has_rest, 90, 1, 3, checks_all)
    chosen = None
    if has_rest:
        chosen = (fields[:1], (("null", (0,)), ("not",)))
    elif not checks_all:
        chosen = (fields[1:2], (("starts", (0,), "o"),))
    stream, problems = module.scan_open(
        *fields_and(fields + rest), chosen, options, None
    )
    return read_all(module, stream, problems)


def fields_and(fields: Any) -> Any:
    """Return fields, and the source and the range of what is scanned."""
    return fields, (("x", "memory", LINES),), ((0, 0, len(LINES)),)


def read_all(module: Any, stream: Any, problems: Any) -> Any:
    """Return the rows of a stream, or why it ended, and its problems."""
    rows = 0
    while (batch := module.scan_next(stream)) is not None:
        if isinstance(batch[1], str):
            return batch, module.scan_problems(problems)
        rows += batch[1]
    return rows, module.scan_problems(problems)


def inferred(module: Any) -> Any:
    """Infer a schema, export and import it, and scan with it."""
    _, sources, ranges = fields_and(())
    fields, _ = module.scan_infer(
        sources, ranges, ("id", "at"), "before reading", False, 1, int
    )
    again = module.scan_fields(module.scan_schema(fields))
    return again, scanned(module, "raise", False, again)


def tried(module: Any) -> Any:
    """Read everything before the stream is handed out, in batches of 90 bytes."""
    options = ("raise", True, True, True, False, 90, 1, None, False)
    # All records have this member, and the last one is a string, which JSON text is.
    fields = (("id", "u", True, "arrow.json", ()),)
    found = module.scan_open(*fields_and(fields), None, options, (1 << 20, int))
    # Memory that fails in a trial is a trial that fails.
    return found is None or read_all(module, *found)


def tried_twice(module: Any) -> Any:
    """Try; then read as a scan does whose trial has failed."""
    found = tried(module)
    if found is not True:
        return found
    options = ("raise", True, True, True, False, 90, 1, None, False)
    fields = (("id", "u", True, "arrow.json", ()),)
    opened = module.scan_open(*fields_and(fields), None, options, None)
    return read_all(module, *opened)


def lines_written(module: Any) -> Any:
    """Write what a scan reads as lines."""
    options = ("skip", True, False, False, False, 90, 1, None, False)
    stream, _ = module.scan_open(*fields_and(FIELDS), None, options, None)
    writer = module.lines_open(stream, None, (False, False, False))
    text = b""
    while not isinstance(writer, tuple) and (piece := module.lines_next(writer)):
        if isinstance(piece[1], str):
            return piece
        text += piece[0]
    return text


def restyled_in_blocks(module: Any) -> Any:
    """Check and write a document that comes in two blocks."""
    document = module.blocks_open((", ", ": ", " " * 16, True), True)
    text = b""
    for block in (b'[{"a": "' + b"x" * 5000, '\\u00e9 é"}, 1, [[2]]]'.encode()):
        module.blocks_check(document, block)
        at = 0
        while at < len(block):
            piece, at = module.blocks_restyle(document, block, at)
            text += piece
    return text, module.blocks_end(document)


def items_in_blocks(module: Any) -> Any:
    """Find and decode the items of an array that comes in blocks."""
    document = module.items_open((b"a" * 99, b"0"))
    decoder = module.DecoderBase()
    limits = ("float", None, "last", 1024, None, False)
    decoder._compile(("policies", "json", "error", False, *limits))
    name = b"\\u0061" + b"a" * 98
    blocks = (
        b'{"x":1,"' + name[:50],
        name[50:] + b'":[["' + b"x" * 999,
        b'",[1],{"b":2}',
        b"]]}",
    )
    values = []
    for block in blocks:
        text, marks, found, cut, fault = module.items_feed(document, block)
        some, _, _, error = decoder._decode_items(text, marks, 0)
        values += [*some, found, cut, fault, error]
    return values, module.items_indices(document), module.items_end(document)


def parts_in_blocks(module: Any) -> Any:
    """Find the parts of a document that comes in blocks."""
    document = module.parts_open(True)
    blocks = (b'{"a":[1,2,{"b":[]}],"c' + b"d" * 500, b'":"' + b"e" * 500, b"", b'"}')
    read = []
    for block in blocks:
        read += [module.parts_feed(document, block), module.parts_cut(document, 0)]
    return read, module.parts_end(document)


def starve_scans() -> int:
    """In a child: every failure of scans."""
    total = each_failure(inferred) + each_failure(lines_written)
    total += each_failure(tried_twice)
    total += each_failure(restyled_in_blocks)
    total += each_failure(items_in_blocks) + each_failure(parts_in_blocks)
    for on_error in ("raise", "skip", "null", "collect"):
        for has_rest in (False, True):
            total += each_failure(lambda m, e=on_error, r=has_rest: scanned(m, e, r))
        total += each_failure(
            lambda m, e=on_error: scanned(m, e, False, checks_all=False)
        )
    return total


def test_scans() -> None:
    """Columns, schemas, streams, problems and their texts."""
    assert int(in_child(starve_scans)) > 0
