"""Typed decoding in numbers: threads, interpreters, tiers, depth, pickles, the collector."""

# ruff: noqa: B023 - each lambda is called at once
from __future__ import annotations

import copy
import gc
import hashlib
import pickle
import sys
import textwrap
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest

import snooze
import typed_subjects
from isolated import TESTS, in_child
from snooze import Decoder, Field, ValidationError, Via

SMALL_STACK = 256 * 1024
LIMIT = 1024


@dataclass
class Chain:
    """As deep as one likes."""

    next: Chain | None = None
    many: list[Chain] = field(default_factory=list)
    named: dict[str, Chain] = field(default_factory=dict)
    anything: Any = None


@dataclass
class Nothing:
    """Skips all."""


@dataclass
class Rest:
    """Keeps all."""

    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


Nested = list["Nested"]
WRAPS: dict[str, tuple[Any, str, str, int]] = {
    "records": (Chain, '{"next":', "}", 1),
    "lists of records": (Chain, '{"many":[', "]}", 2),
    "dicts of records": (Chain, '{"named":{"x":', "}}", 2),
    "any": (Any, "[", "]", 1),
    "any objects": (Any, '{"a":', "}", 1),
    "any in records": (Chain, '{"anything":', "}", 1),
    "skipped": (Nothing, '{"x":', "}", 1),
    "skipped arrays": (Nothing, '{"x":[', "]}", 2),
    "collected": (Rest, '{"x":', "}", 1),
    "raw": (snooze.Raw, "[", "]", 1),
}


def on_a_small_stack(function: Any) -> Any:
    """Call it on a thread with little stack; return or raise what it does."""
    before = threading.stack_size(SMALL_STACK)
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(function).result()
    finally:
        threading.stack_size(before)


def depths(name: str) -> str:
    """In a child: the deepest document that is read, and the first that is not."""
    tp, opening, closing, levels = WRAPS[name]
    for options in ({}, {"errors": "all"}, {"skip": "fast"}, {"strict": False}):
        decoder = Decoder(tp, **options)
        deepest = 0
        for depth in (
            1,
            100,
            LIMIT // levels - 1,
            LIMIT // levels,
            LIMIT // levels + 1,
            20_000,
        ):
            core = (
                "null"
                if tp in (Any, snooze.Raw) or name in {"collected", "any in records"}
                else "{}"
            )
            if core == "{}" and depth * levels >= LIMIT:
                core = "null" if name in {"records", "skipped"} else ""
            if name == "dicts of records" and not core:
                core = "{}"
            document = opening * depth + core + closing * depth
            try:
                on_a_small_stack(lambda document=document: decoder.decode(document))
                deepest = depth
                assert depth * levels <= LIMIT, depth
            except snooze.JSONDecodeError as error:
                assert "depth limit" in str(error), error
                assert depth * levels + (core == "{}") > LIMIT, (depth, error)
        assert deepest >= LIMIT // levels - 1, deepest
    return str(deepest)


@pytest.mark.parametrize("name", WRAPS)
def test_depth(name: str) -> None:
    """The limit of `loads`, on a thread with a small stack, whatever nests in what."""
    assert int(in_child(depths, name)) > 500


def test_depth_is_counted_across_kinds() -> None:
    """Skipped and pointed-to parts count what is around them."""
    inner = "[" * 600 + "]" * 600
    outer = '{"anything":' * 600 + inner + "}" * 600
    with pytest.raises(snooze.JSONDecodeError, match="depth limit"):
        Decoder(Chain).decode(outer)
    document = '{"next":' * 600 + f'{{"unknown":{inner}}}' + "}" * 600
    for options in ({}, {"skip": "fast"}):
        with pytest.raises(snooze.JSONDecodeError, match="depth limit"):
            Decoder(Chain, **options).decode(document)
    deep = '{"x":' + "[" * 1030 + "]" * 1030 + ',"a":1}'
    with pytest.raises(snooze.JSONDecodeError, match="depth limit"):
        Decoder(int, at="/a").decode(deep)


def test_deep_results_can_be_dropped() -> None:
    """Chains of a thousand instances are released without a deep stack."""
    value = Decoder(Chain).decode('{"next":' * 1000 + "null" + "}" * 1000)
    on_a_small_stack(lambda: None)
    del value


def outcome(call: Any) -> Any:
    """The value, or the error's type and text."""
    try:
        return repr(call())
    except (TypeError, ValueError) as error:
        return type(error).__name__, str(error)


def shared_decoders() -> None:
    """In a child: all plans on all threads."""
    calls = [typed_subjects.case(name) for name in typed_subjects.PLANS]
    right = [outcome(call) for call in calls]
    barrier = threading.Barrier(6)

    def body(turn: int) -> None:
        barrier.wait()
        for _ in range(60):
            for index in range(len(calls)):
                place = (index + turn * 7) % len(calls)
                assert outcome(calls[place]) == right[place]

    sys.setswitchinterval(1e-5)
    with ThreadPoolExecutor(6) as pool:
        for run in [pool.submit(body, turn) for turn in range(6)]:
            run.result()


def test_threads_share_decoders() -> None:
    """Each call has its own state."""
    in_child(shared_decoders)


def first_use() -> None:
    """In a child: plans that wait for a name, made by whichever thread comes first."""
    for turn in range(60):
        names: dict[str, Any] = {"__name__": f"late_{turn}"}
        module = type(sys)(f"late_{turn}")
        sys.modules[module.__name__] = module
        code = (
            "from __future__ import annotations\nimport dataclasses\n"
            "@dataclasses.dataclass\nclass Early:\n    late: Late\n    self: Early | None = None\n"
        )
        exec(code, module.__dict__)
        decoder = Decoder(list[module.Early])
        with pytest.raises(TypeError, match="'Late'"):
            decoder.decode(b"[]")
        exec("@dataclasses.dataclass\nclass Late:\n    a: int\n", module.__dict__)
        barrier = threading.Barrier(8)

        def body(
            decoder: Any = decoder, module: Any = module, barrier: Any = barrier
        ) -> None:
            barrier.wait()
            value = decoder.decode(b'[{"late":{"a":1},"self":{"late":{"a":2}}}]')
            early, late = module.Early, module.Late
            assert value == [early(late(1), early(late(2)))]

        with ThreadPoolExecutor(8) as pool:
            for run in [pool.submit(body) for _ in range(8)]:
                run.result()
        assert names


def test_first_use_on_many_threads() -> None:
    """Lazy forward references are resolved once, or twice with the same result."""
    in_child(first_use)


def one_cache() -> None:
    """In a child: `decode` makes and drops plans on all threads."""

    def body() -> None:
        for index in range(400):
            tp = Annotated[int, snooze.Ge(index % 300)]
            assert snooze.decode(b"300", tp) == 300
            assert snooze.decode(b"[1]", list[Any]) == [1]

    with ThreadPoolExecutor(6) as pool:
        for run in [pool.submit(body) for _ in range(6)]:
            run.result()


def test_the_cache_of_plans_on_many_threads() -> None:
    """It is bounded and can be filled from anywhere."""
    in_child(one_cache)


def digest() -> str:
    """In a child: one digest of the outcomes of all plans on documents of all shapes."""
    total = hashlib.sha256()
    for name, (tp, document, options) in typed_subjects.PLANS.items():
        decoder = Decoder(tp, **options)
        for pad in range(70):
            data = b" " * pad + document.encode().replace(
                b":", b" :" + b" " * (pad % 17), 2
            )
            total.update(repr(outcome(lambda d=data: decoder.decode(d))).encode())
            cut = data[: len(data) - pad]
            total.update(repr(outcome(lambda d=cut: decoder.decode(d))).encode())
            for bad in (b"\xff", b"\\", b'"', b"\x01"):
                place = (pad * 13) % len(data)
                damaged = data[:place] + bad + data[place:]
                total.update(
                    repr(outcome(lambda d=damaged: decoder.decode(d))).encode()
                )
        total.update(name.encode())
    for length in range(150):
        for unit in ("x", "\u00e9", "\u8a9e", '\\"', "\\u00e9"):
            text = unit * length
            for tp, document in (
                (str, f'"{text}"'),
                (dict[str, int], f'{{"{text}":1}}'),
                (Nothing, f'{{"{text}":"{text}"}}'),
                (Rest, f'{{"{text}":["{text}"]}}'),
            ):
                total.update(
                    repr(outcome(lambda t=tp, d=document: snooze.decode(d, t))).encode()
                )
    return total.hexdigest()


def test_every_tier_gives_the_same_results() -> None:
    """Values and errors over the plans."""
    runnable = snooze.cpu_tiers()["runnable"]
    seed = {"PYTHONHASHSEED": "0"}
    digests = {tier: in_child(digest, SNOOZE_CPU=tier, **seed) for tier in runnable}
    assert len(set(digests.values())) == 1, digests


def test_pickles_and_copies() -> None:
    """As type and options; a copy has its own plan."""
    decoder = Decoder(list[typed_subjects.Slots], errors="all", rename="camel", at="/x")
    for other in (
        pickle.loads(pickle.dumps(decoder)),
        copy.copy(decoder),
        copy.deepcopy(decoder),
    ):
        assert type(other) is Decoder
        assert repr(other) == repr(decoder)
        assert other.type == decoder.type
        assert other.decode(b'{"x":[{"a":1,"b":"","c":[]}]}') == [
            typed_subjects.Slots(1, "", [])
        ]
        with pytest.raises(ValidationError) as caught:
            other.decode(b'{"x":[1,2]}')
        assert len(caught.value.errors) == 2


class Named(Decoder):
    """A subclass with state."""

    def __init__(self, tp: Any, name: str = "", **options: Any) -> None:
        super().__init__(tp, **options)
        self.name = name


class Early(Decoder):
    """A subclass whose constructor forgets to make a plan."""

    def __init__(self) -> None:
        pass


def test_subclasses() -> None:
    """Can add attributes and be weakly referred to; without a plan they say so."""
    named = Named(int, "n")
    assert (named.decode(b"5"), named.name) == (5, "n")
    reference = weakref.ref(named)
    del named
    gc.collect()
    assert reference() is None
    with pytest.raises((AttributeError, TypeError, RuntimeError)):
        Early().decode(b"1")
    raw = Decoder.__new__(Decoder)
    with pytest.raises((AttributeError, TypeError, RuntimeError)):
        raw.decode(b"1")
    assert Decoder[int]
    assert isinstance(Decoder(int), Decoder)


def test_methods() -> None:
    """`decode` takes one argument, and is found on the class."""
    decoder = Decoder(int)
    with pytest.raises(TypeError):
        decoder.decode()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        decoder.decode(b"1", b"2")  # type: ignore[call-arg]
    assert Decoder.decode(decoder, b"1") == 1
    with pytest.raises(TypeError):
        Decoder.decode(5, b"1")  # type: ignore[arg-type]
    method = decoder.decode
    del decoder
    gc.collect()
    assert method(b"[1]"[1:2]) == 1


def test_a_second_plan_changes_nothing() -> None:
    """`_compile` sets it once, and refuses what it does not understand."""
    decoder = Decoder(int)
    decoder._compile(None)
    decoder._prepare()
    assert decoder.decode(b"5") == 5
    fresh: Any = Decoder.__new__(Decoder)
    for description in (
        None,
        (),
        (1,),
        (2, (), (), 0, (True, False, False, None), None),
        [1],
        (1, (), (), 0, (True, False, False, None), None),
    ):
        with pytest.raises((SystemError, TypeError)):
            fresh._compile(description)


def test_cycles_are_collected() -> None:
    """Through hooks, classes, defaults, Via and subclasses' attributes."""

    def cycle(kind: str) -> Any:
        @dataclass(slots=kind != "plain")
        class Local:
            a: int = 0
            b: Any = None

        class Custom:
            pass

        if kind == "hook":

            def hook(tp: Any, value: Any) -> Any:
                return decoder

            decoder = Decoder(list[Custom], dec_hook=hook)
        elif kind == "via":
            decoder = Decoder(Annotated[Any, Via(int, decode=lambda value: decoder)])
        elif kind == "factory":

            @dataclass
            class Made:
                a: Any = field(default_factory=lambda: decoder)

            decoder = Decoder(Made)
            decoder.decode(b"{}")
        else:
            decoder = Decoder(list[Local])
            Local.decoder = decoder
            decoder.decode(b'[{"a":1},{}]')
        return weakref.ref(Custom if kind == "hook" else Local), weakref.ref(
            decoder.__class__
        )

    class Watched(Decoder):
        """Can be weakly referred to."""

    for kind in ("hook", "via", "factory", "plain", "slots"):
        first, _ = cycle(kind)
        gc.collect()
        assert first() is None, kind

    def watch() -> Any:
        custom = type("Custom", (), {})  # typing keeps the last types that it was given
        watched = Watched(list[custom], dec_hook=lambda _, value: watched)
        return weakref.ref(watched)

    reference = watch()
    gc.collect()
    assert reference() is None


def traversal() -> None:
    """In a child: the collector sees all that a plan has."""
    for name in typed_subjects.PLANS:
        tp, _, options = typed_subjects.PLANS[name]
        decoder = Decoder(tp, **options)
        seen = gc.get_referents(decoder)
        assert type(decoder) in seen
        assert gc.is_tracked(decoder)
        assert all(isinstance(one, object) for one in seen)


def test_traversal() -> None:
    """Every plan, in a debug allocator."""
    in_child(traversal, PYTHONMALLOC="debug")


USE = textwrap.dedent("""
    import sys
    sys.path.insert(0, {tests!r})
    import snooze, typed_subjects

    for _ in range({rounds}):
        for name in typed_subjects.PLANS:
            for call in (typed_subjects.case(name), typed_subjects.build(name)):
                try:
                    repr(call())
                except (TypeError, ValueError) as error:
                    assert name.startswith(("no ", "all", "refused", "forbidden")), (name, error)
""")


def interpreters(rounds: int) -> None:
    """In a child: several interpreters, one after the other and at once."""
    from test_subinterpreters import Interpreters

    those = Interpreters()
    code = USE.format(tests=str(TESTS), rounds=rounds)

    def one() -> None:
        interpreter = those.create()
        failure = those.module.run_string(interpreter, code)
        assert failure is None, getattr(failure, "errdisplay", failure)
        those.destroy(interpreter)

    one()
    snooze.decode(b"1", int)
    one()
    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="interpreters with their own GIL came with 3.12"
)
def test_subinterpreters() -> None:
    """Each has its own types, plans and caches."""
    in_child(interpreters, 3)
