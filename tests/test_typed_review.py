"""Typed decoding, as an attacker sees it: what no document and no class may achieve."""

from __future__ import annotations

import datetime
import functools
import gc
import operator
import sys
import time
import weakref
from dataclasses import dataclass, field, make_dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

import pytest

import snooze
from snooze import Raw, Via
from snooze._snooze import DecoderBase
from typed_tools import Decoder, ValidationError, accept, decode, refusal, refuse


@dataclass
class Flag:
    """A field that documents must not set, in the instance's dict."""

    name: str
    admin: list[int] = field(default_factory=list, init=False)


@dataclass(slots=True)
class SlottedFlag:
    """The same in a slot."""

    name: str
    admin: bool = field(default=False, init=False)


@pytest.mark.parametrize("cls", [Flag, SlottedFlag])
@pytest.mark.parametrize("index", range(4))
@pytest.mark.parametrize("skip", ["validate", "fast"])
def test_a_field_without_a_name_is_never_read(cls, index, skip) -> None:
    """Not even under the bytes that stand for no name, which are no UTF-8."""
    name = b"\xff" + b"\\u%04x" % index + b"\\u0000" * 7
    document = b'{"name": "x", "' + name + b'": [1]}'
    with pytest.raises(snooze.JSONDecodeError, match="not valid UTF-8") as caught:
        Decoder(cls, skip=skip).decode(document)
    assert type(caught.value) is snooze.JSONDecodeError
    # As a `str` it is another name.
    name = "\u00ff" + chr(index) + "\0" * 7
    found = decode(snooze.dumps({"name": "x", name: [1]}), cls)
    assert (found.name, bool(found.admin)) == ("x", False)


@snooze.configure(array_like=True)
@dataclass(slots=True)
class Placed:
    """A field between two others that has no place."""

    a: int
    b: int = field(default=7, init=False)
    c: int = 3


@snooze.configure(array_like=True)
@dataclass
class Made:
    """The same, made anew for each instance."""

    a: int
    b: list[int] = field(default_factory=list, init=False)
    c: int = 3


@pytest.mark.parametrize(("cls", "b"), [(Placed, 7), (Made, [])])
def test_a_field_without_a_name_has_no_place_in_an_array(cls, b) -> None:
    for document, c in [("[1]", 3), ("[1,2]", 2)]:
        found = decode(document, cls)
        assert (found.a, found.b, found.c) == (1, b, c)
    refuse(
        cls,
        "[1,2,3]",
        "expected array of length 1 to 2, found array of 3 at $ (line 1 column 1)",
    )
    refuse(cls, '[1,"x"]', "expected int, found str at $[1] (line 1 column 4)")
    refuse(cls, "[]", 'expected member "a", found none at $ (line 1 column 1)')


class Pair(NamedTuple):
    """A tuple, which keeps its hash since CPython 3.14."""

    a: int
    b: str


def test_named_tuples_have_the_hash_of_what_they_equal() -> None:
    found = decode('[1,"x"]', Pair)
    assert type(found) is Pair
    assert found == (1, "x")
    assert hash(found) == hash((1, "x"))
    assert {(1, "x"): 5}[found] == 5


@pytest.mark.parametrize("slots", [False, True])
def test_a_decoder_in_its_class_is_collected(slots) -> None:
    @dataclass(slots=slots)
    class Own:
        x: int

    Own.decoder = Decoder(Own)
    assert Own.decoder.decode('{"x": 1}') == Own(1)
    alive = weakref.ref(Own)
    del Own
    gc.collect()
    assert alive() is None


def test_a_decoder_that_only_it_leads_to_is_collected() -> None:
    """A tuple and a bound method are nothing that the collector can take apart."""

    class Hook:
        __slots__ = ("__weakref__", "decoder")

        def __call__(self, tp: Any, value: Any) -> Any:
            return self.decoder

    class Custom:
        pass

    hook = Hook()
    hook.decoder = Decoder(Custom, dec_hook=hook)
    alive = weakref.ref(hook)
    del hook
    gc.collect()
    assert alive() is None

    @dataclass
    class Box:
        x: Any

    holder: list[Any] = []
    default = (holder,)
    base = DecoderBase()
    made = ("attributes", Box, None)
    record = (
        "Box",
        made,
        (("x", ("x",), 0, "default", default),),
        "ignore",
        None,
        (0,),
        False,
    )
    nodes = (("any", (("any",),)), ("Box", (("record", 0),)))
    base._compile((1, nodes, (record,), 1, (True, False, False, None), print))
    assert base.decode("{}").x is default
    holder.append(base)
    alive = weakref.ref(Box)
    del holder, default, base, record, nodes, Box, made
    gc.collect()
    assert alive() is None


def test_no_sample_of_a_class_is_seen() -> None:
    """Neither by `__del__` nor anybody else while a plan is made."""
    seen = []

    @dataclass
    class Closed:
        handle: int

        def __del__(self) -> None:
            seen.append(self.handle)

    decoder = Decoder(Closed)
    gc.collect()
    assert seen == []
    decoder.decode('{"handle": 5}')
    gc.collect()
    assert seen == [5]


def test_numbers_that_no_datetime_holds() -> None:
    for text in ["1e300", "-1e300", "1e17", "253402300800", "-62135596801"]:
        error = refusal(datetime.datetime, text, strict=False)
        assert error.errors[0].expected == "datetime"
    utc = datetime.UTC
    accept(
        datetime.datetime,
        "-62135596800",
        datetime.datetime(1, 1, 1, tzinfo=utc),
        strict=False,
    )
    accept(
        datetime.datetime,
        "253402300799",
        datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=utc),
        strict=False,
    )


@pytest.mark.parametrize("tail", ["-5", "e1e", "+", ".", ".5.5", "e5e5", "--", "E"])
@pytest.mark.parametrize("tp", [int, float, Decimal, Any, Raw, bool])
@pytest.mark.parametrize("mode", ["first", "all"])
@pytest.mark.parametrize("head", ["1" + "0" * 400, "1e400", "1.5e400", "-1e+400"])
def test_too_large_a_number_ends_where_it_ends(head, tail, tp, mode) -> None:
    """What follows it is no part of it, so this is no JSON; or another number."""
    document = f"[{head}{tail}]"
    with pytest.raises(snooze.JSONDecodeError):
        Decoder(list[tp], errors=mode).decode(document)
    if tp is Decimal:
        with pytest.raises(ValidationError):
            Decoder(tp).decode(f'"{head}{tail}"')


def test_names_that_are_written_with_escapes_are_keys() -> None:
    accept(dict[int, int], r'{"\u0031": 2, "\u002d3": 4}', {1: 2, -3: 4})
    accept(dict[float, int], r'{"\u0031\u002e5": 2}', {1.5: 2})
    accept(dict[bool, int], r'{"\u0074rue": 2}', {True: 2})
    accept(dict[int, int], f'{{"{"1" * 400}": 2}}', {int("1" * 400): 2})
    accept(list[int], r'["\u0031"]', [1], strict=False)


def test_only_the_words_are_bools_in_names() -> None:
    accept(dict[bool, int], '{"true": 1, "false": 0}', {True: 1, False: 0})
    for name in ["0", "1", "True", "null", ""]:
        with pytest.raises(ValidationError):
            decode(f'{{"{name}": 1}}', dict[bool, int])
    accept(dict[bool, int], '{"1": 1, "0": 0}', {True: 1, False: 0}, strict=False)


def test_as_many_checks_as_there_may_be() -> None:
    """They are nested, and must not need a stack that is not there."""

    class Predicate:
        def __init__(self, func: Any) -> None:
            self.func = func

    def checks(count: int) -> Any:
        return Annotated[(int, *(Predicate(lambda value: value > 0),) * count)]

    decoder = Decoder(checks(100))
    assert decoder.decode("1") == 1
    with pytest.raises(ValidationError):
        decoder.decode("0")
    for count in (101, 50_000):
        with pytest.raises((ValueError, RecursionError)):
            Decoder(checks(count))


@dataclass
class Tree:
    """Nested as deep as a document wants."""

    child: Tree | None = None
    items: list[int] = field(default_factory=list)


def test_the_problems_of_a_hostile_document_are_bounded() -> None:
    """Each with a path as deep as documents may be would take gigabytes."""
    depth, count = 1000, 2000
    inner = '{"items":[' + ",".join(['"x"'] * count) + "]}"
    document = '{"child":' * depth + inner + "}" * depth
    error = refusal(Tree, document, errors="all")
    assert 100 < len(error.errors) < 500
    assert error.errors[0].path == "/child" * depth + "/items/0"
    # Nothing is lost of what documents have.
    wide = "[" + ",".join(['"x"'] * 20_000) + "]"
    assert len(refusal(list[int], wide, errors="all").errors) == 20_000


def test_places_of_many_problems_are_found_in_one_pass() -> None:
    def seconds(count: int) -> float:
        document = '["\u00e9",' + ",".join(['"x"'] * count) + "]"
        start = time.perf_counter()
        error = refusal(list[int], document, errors="all")
        last = error.errors[-1]
        assert (last.line, last.column) == (1, len(document) - 3)
        return time.perf_counter() - start

    few = min(seconds(2_000) for _ in range(3))
    assert seconds(40_000) < 60 * few + 0.5


def test_places_in_any_order() -> None:
    """Problems of a container come after those in it, but are before them."""
    document = (
        '{"a": ["\u00e9",\n "\u8a9e\U0001f600", 1],\n\n "b": [[],\r\n "\u00e9", {}]}'
    )
    tp = dict[str, Annotated[list[int], snooze.MaxLen(2)]]
    for problem in refusal(tp, document, errors="all").errors:
        head = document.encode()[: problem.offset].decode()
        assert problem.line == head.count("\n") + 1
        assert problem.column == len(head) - (head.rfind("\n") + 1) + 1


def compile_plan(nodes: Any, records: Any, root: int = 0) -> DecoderBase:
    base = DecoderBase()
    base._compile((1, nodes, records, root, (True, False, False, None), print))
    return base


def test_descriptions_that_make_no_sense() -> None:
    def record(make: Any, fields: Any, unknown: Any) -> Any:
        return ("R", make, fields, unknown, None, ())

    anything = ("any", (("any",),))
    node = ("R", (("record", 0),))
    only = record(("call", dict), (), ("rest", -1, 0))
    with pytest.raises(SystemError):
        compile_plan((anything, node), (only,), 1)
    for attribute in (5, None, b"x", type("Str", (str,), {})("x")):
        fields = ((attribute, (), 0, "absent", None),)
        with pytest.raises(SystemError):
            compile_plan((anything, node), (record(("dict",), fields, "ignore"),), 1)


def test_hooks_that_use_the_decoder_they_belong_to() -> None:
    class Custom:
        def __init__(self, value: Any) -> None:
            self.value = value

    depth = 0

    def hook(tp: Any, value: Any) -> Any:
        nonlocal depth
        depth += 1
        if depth < 20:
            inner = decoder.decode(snooze.dumps([value, [value]]))
            assert len(inner) == 2
            with pytest.raises(snooze.JSONDecodeError):
                decoder.decode("[1,")
        gc.collect()
        depth -= 1
        if value == "bad":
            raise ValueError("no")
        return Custom(value)

    decoder = Decoder(list[Custom], dec_hook=hook, errors="all")
    depth = 18
    values = decoder.decode('["a", "b", {"c": [1]}]')
    assert [one.value for one in values] == ["a", "b", {"c": [1]}]
    depth = 30
    with pytest.raises(ValidationError) as caught:
        decoder.decode('["bad", 1, "bad"]')
    assert [one.path for one in caught.value.errors] == ["/0", "/2"]


def test_references_of_refused_values_are_given_back() -> None:
    """Of each way in which a document is refused, in both modes."""
    kept = object()

    def keep(value: Any) -> Any:
        if value == "raise":
            raise ValueError("no")
        if value == "stop":
            raise KeyboardInterrupt
        return kept

    kind = Annotated[object, Via(str, decode=keep)]

    @dataclass(slots=True)
    class Dense:
        a: kind
        b: kind

    @dataclass
    class Attributes:
        a: kind
        b: kind
        c: list[kind] = field(default_factory=list)

        def __post_init__(self) -> None:
            if len(self.c) > 1:
                raise TypeError("long")

    for name, value in {"kind": kind, "Dense": Dense}.items():
        globals()[name] = value
    types = [
        list[kind],
        set[kind],
        tuple[kind, kind],
        dict[str, kind],
        Dense,
        Attributes,
        list[Dense],
        dict[str, Attributes],
    ]
    documents = [
        '["x","x"]',
        '["x","raise"]',
        '["x","stop"]',
        '["x",1]',
        '["x","x","x"]',
        '["x",]',
        '{"a":"x","b":"x"}',
        '{"a":"x","a":"x","b":"raise"}',
        '{"a":"x"}',
        '{"a":"x","b":1}',
        '{"a":"x","b":"stop"}',
        '{"a":"x","b":"x","c":["x","x"]}',
        '{"a":"x","b":"x","c":["x","raise"]}',
        '{"a":"x","b":"x"',
        '[{"a":"x","b":"x"},{"a":"x"},{"a":"x","b":"raise"}]',
        '{"k":{"a":"x","b":"x","c":["x","x"]},"l":{"a":"x","b":"x"}}',
    ]
    decoders = [Decoder(tp, errors=mode) for tp in types for mode in ("first", "all")]

    def run() -> None:
        for decoder in decoders:
            for document in documents:
                try:
                    decoder.decode(document)
                except (snooze.JSONDecodeError, KeyboardInterrupt):
                    pass

    run()
    gc.collect()
    before = sys.getrefcount(kept)
    for _ in range(5):
        run()
    gc.collect()
    assert sys.getrefcount(kept) == before


@dataclass
class Leaf:
    """One of two classes that a tag tells apart."""

    type: Literal["leaf"]
    inner: Branch | Leaf | None = None
    value: int = 0


@dataclass
class Branch:
    """The other one."""

    type: Literal["branch"]
    inner: Branch | Leaf | None = None
    value: int = 0


def test_looking_for_tags_does_not_check_again_and_again() -> None:
    """What is nested is passed by its brackets; each level would check all of the rest."""
    padding = ",".join(["[1]"] * 20_000)
    depth = 300
    document = '{"inner":' * depth + f'{{"x":[{padding}],"type":"leaf"}}'
    document += ',"type":"branch"}' * depth
    start = time.perf_counter()
    snooze.loads(document)
    once = time.perf_counter() - start
    decoder = Decoder(Branch | Leaf)
    start = time.perf_counter()
    decoder.decode(document)
    assert time.perf_counter() - start < 40 * once + 0.1


@pytest.mark.parametrize("mode", ["first", "all"])
@pytest.mark.parametrize(
    ("document", "offset"),
    [
        ('{"value": [1}], "type": "leaf"}', 12),
        ('{"value": [1}], "type": "other"}', 12),
        ('{"value": [1}], "x": 1}', 12),
        ('{"value": {"a" 1}, "x": 1}', 15),
        ('{"value": {"a" 1}, "type": "other"}', 15),
        ('{"value": [tru], "type": "other"}', 11),
        ('{"value": [1], "type": other}', 23),
        ('{"value": [1], "x" 1, "type": "other"}', 19),
    ],
)
def test_a_fault_of_the_text_comes_before_a_tag_that_is_wrong(
    document, offset, mode
) -> None:
    with pytest.raises(snooze.JSONDecodeError) as expected:
        snooze.loads(document)
    if mode == "first" and '"leaf"' in document:
        # The value is read, and refused, before its text is.
        return
    with pytest.raises(snooze.JSONDecodeError) as caught:
        Decoder(Branch | Leaf, errors=mode).decode(document)
    assert type(caught.value) is snooze.JSONDecodeError
    assert caught.value.pos == expected.value.pos == offset
    assert caught.value.msg == expected.value.msg


def test_containers_around_a_union_count_for_the_depth() -> None:
    for depth in (1022, 1023, 1024):
        inner = "[" * depth + "]" * depth
        document = f'{{"x": {inner}, "type": "leaf"}}'
        if depth < 1024:
            assert decode(document, Branch | Leaf).type == "leaf"
        else:
            with pytest.raises(snooze.JSONDecodeError, match="depth"):
                decode(document, Branch | Leaf)


def test_messages_name_some_of_many_tags() -> None:
    classes = [make_dataclass(f"C{i}", [("type", Literal[f"t{i}"])]) for i in range(50)]
    error = refusal(functools.reduce(operator.or_, classes), '{"type": "x"}')
    shown = ", ".join(repr(f"t{i}") for i in range(8))
    assert error.errors[0].expected == f"{shown} or 42 more"


@dataclass
class Kept:
    """What encoder and decoder below are for."""

    number: int = 1


def test_codecs_that_are_called_while_they_are_collected() -> None:
    """By what dies when the collector clears them: they work, and go all the same."""
    for _ in range(20):
        seen: list[Any] = []
        encoder, decoder = snooze.Encoder(), snooze.Decoder(list[Kept])
        assert encoder.encode([Kept()]) == b'[{"number":1}]'

        class Last:
            """Unseen by the collector, so it dies in the middle of the clearing."""

            __slots__ = ()

            def __del__(
                self,
                encode: Any = encoder.encode,
                decode: Any = decoder.decode,
                seen: list[Any] = seen,
            ) -> None:
                seen.append((encode([Kept()]), decode(b'[{"number":2}]')))

        holder: dict[str, Any] = {"last": Last(), "class": Last}
        holder["itself"] = holder
        del Last, holder, encoder, decoder
        gc.collect()
        assert seen == [(b'[{"number":1}]', [Kept(2)])]
