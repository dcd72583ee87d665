"""`Decoder`, `Encoder` and `decode` as objects: repr, pickling, caches, subclasses, import."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import subprocess
import sys
import weakref
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

import snooze
from helpers import typed_subjects
from snooze._typed import calls, codecs, plans


@dataclass
class User:
    """A class that can be pickled by name."""

    name: str
    age: int = 0


REPRS = [
    (lambda: snooze.Decoder(), "Decoder(Any)"),
    (lambda: snooze.Decoder(int), "Decoder(int)"),
    (lambda: snooze.Decoder(list[int] | None), "Decoder(list[int] | None)"),
    (
        lambda: snooze.Decoder(User, strict=False, errors="all", at="/a"),
        "Decoder(User, strict=False, errors='all', at='/a')",
    ),
    (lambda: snooze.Decoder(User, strict=True), "Decoder(User)"),
    (lambda: snooze.Encoder(), "Encoder(Any)"),
    (
        lambda: snooze.Encoder(User, omit_none=True, nan="error"),
        "Encoder(User, omit_none=True, nan='error')",
    ),
]


@pytest.mark.parametrize(("make", "text"), REPRS)
def test_repr(make: Any, text: str) -> None:
    """The call that creates the codec, without options at their default."""
    assert repr(make()) == text


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickling(protocol: int) -> None:
    """Pickled as type and options."""
    for codec in (
        snooze.Decoder(User, errors="all", strict=False),
        snooze.Encoder(list[User], omit_defaults=True),
    ):
        copy = pickle.loads(pickle.dumps(codec, protocol))
        assert type(copy) is type(codec)
        assert repr(copy) == repr(codec)
        assert copy.type is codec.type or copy.type == codec.type
    decoder = pickle.loads(pickle.dumps(snooze.Decoder(User, strict=False), protocol))
    assert decoder.decode(b'{"name": "x", "age": "5"}') == User("x", 5)


def test_generic_alias() -> None:
    """`Decoder[User]` can be used in annotations."""
    assert repr(snooze.Decoder[int]) == "snooze.Decoder[int]"
    assert snooze.Encoder[User].__args__ == (User,)


def test_subclasses() -> None:
    """Subclasses can be created and pickled."""

    class Own(snooze.Decoder[Any]):
        def twice(self, buf: bytes) -> Any:
            return [self.decode(buf)] * 2

    assert Own(int).twice(b"1") == [1, 1]
    assert codecs.remake(Own, int, {"strict": False}).decode(b'"1"') == 1


def test_codecs_are_immutable() -> None:
    """A codec's only attribute is its type."""
    decoder = snooze.Decoder(int)
    assert decoder.type is int
    with pytest.raises(AttributeError):
        decoder.type = str  # type: ignore[misc]
    with pytest.raises(AttributeError):
        decoder.other = 1  # type: ignore[attr-defined]


def test_options_are_not_compared() -> None:
    """A hook may be any callable, even one whose `__eq__` raises."""

    class Hook:
        def __eq__(self, other: object) -> bool:
            raise LookupError("compared")

        __hash__ = None

        def __call__(self, tp: Any, value: Any) -> Any:
            return value

    assert snooze.Decoder(int, dec_hook=Hook()).decode(b"1") == 1
    assert snooze.decode(b"1", int, dec_hook=Hook()) == 1


def test_module_functions() -> None:
    """Plans are cached by type and options; the cache is bounded."""
    calls._plain_decoder.cache_clear()
    calls._decoder.cache_clear()
    for _ in range(3):
        assert snooze.decode(b'{"name": "x"}', User) == User("x")
        assert snooze.decode(b'{"name": "x"}', User, errors="all") == User("x")
        assert snooze.decode(b"[1]", list[int]) == [1]
        assert snooze.decode(b"[1]") == [1]
    assert calls._plain_decoder.cache_info().misses == 1
    assert calls._decoder.cache_info().misses == 3
    for number in range(1000):
        made = type(f"C{number}", (), {"__annotations__": {"x": int}})
        snooze.decode(b'{"x": 1}', dataclass(made))
    assert calls._plain_decoder.cache_info().currsize <= 256


def test_unhashable_types() -> None:
    """Types without a hash are compiled for each call."""
    tp: Any = Annotated[int, ["no hash"], snooze.Ge(0)]
    assert snooze.decode(b"1", tp) == 1
    with pytest.raises(snooze.ValidationError):
        snooze.decode(b"-1", tp)
    assert snooze.decode(b'{"n": "a"}', User, rename={"name": "n"}) == User("a")


class Liar(type):
    """A metaclass whose classes claim to equal every class."""

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        return 1


@dataclass
class One(metaclass=Liar):
    """One of two classes."""

    a: int


@dataclass
class Two(metaclass=Liar):
    """The other class."""

    b: int


def test_classes_that_lie_about_equality() -> None:
    """Classes are told apart by identity."""
    assert type(snooze.decode(b'{"a": 1}', One)) is One
    assert type(snooze.decode(b'{"b": 1}', Two)) is Two
    assert snooze.decode(b'{"b": 1}', Two).b == 1


def test_equal_types_and_options_have_separate_plans() -> None:
    """Literal[1] and Literal[True], and options that are equal."""
    from typing import Literal

    assert snooze.decode(b"1", Literal[1]) == 1
    assert snooze.decode(b"true", Literal[True]) is True
    with pytest.raises(snooze.ValidationError):
        snooze.decode(b"true", Literal[1])


def test_a_decoder_is_freed_with_its_class() -> None:
    """A codec refers to its class; the cache does not keep either alive."""

    def make() -> Any:
        @dataclass
        class Local:
            x: int
            more: Local | None = None

        assert snooze.Decoder(Local).decode(b'{"x": 1}') == Local(1)
        return weakref.ref(Local)

    ref = make()
    for _ in range(3):
        gc.collect()
    assert ref() is None


PROGRAM = """
import sys
import datetime, json
late = {"typing", "dataclasses", "decimal", "uuid", "inspect"} - set(sys.modules)
import snooze
snooze.Decoder  # from CPython 3.14 on, this loads the names
loaded = {name for name in sys.modules if name.startswith("snooze._typed.")}
light = "calls codecs constraints converter errors field lazy_typing metadata options"
light = [*light.split(), "codec_parts", "places", "raw", "to_builtins", "unset"]
light += ["item_reader", "item_writer", "line_reader", "line_writer", "partial"]
assert loaded == {f"snooze._typed.{name}" for name in light}, loaded
assert not late & set(sys.modules), late & set(sys.modules)
assert set(dir(snooze)) >= set(snooze.__all__)
snooze.decode(b"1", int)
assert "snooze._typed.plans" in sys.modules
for name in snooze.__all__:
    getattr(snooze, name)
assert "numpy" not in sys.modules and "attr" not in sys.modules
try:
    snooze.nothing
except AttributeError as error:
    assert str(error) == "module 'snooze' has no attribute 'nothing'", error
print("fine")
"""


def test_the_typed_part_is_loaded_late() -> None:
    """The names that users see come without what analyses types, or another package."""
    command = [sys.executable, "-c", PROGRAM]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("fine\n", "")


def test_any_in_signatures() -> None:
    """Signatures show `typing.Any`, which is imported with the first codec, and it pickles."""
    default = inspect.signature(snooze.Decoder).parameters["type"].default
    assert repr(default) == "typing.Any"
    assert pickle.loads(pickle.dumps(default)) is default
    assert snooze.Decoder().type is Any
    assert snooze.Encoder(default).type is Any
    assert snooze.encode([1]) == snooze.encode([1], Any) == b"[1]"


def test_hooks() -> None:
    """dec_hook gets the type and the value; its result is checked."""

    class Point:
        def __init__(self, x: int, y: int) -> None:
            self.x, self.y = x, y

    seen = []

    def hook(tp: Any, value: Any) -> Any:
        seen.append((tp, value))
        if value == "wrong":
            return 5
        return tp(*value)

    made = snooze.decode(b"[[1, 2], null]", list[Point | None], dec_hook=hook)
    assert (made[0].x, made[0].y, made[1]) == (1, 2, None)
    assert seen == [(Point, [1, 2])]
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(b'"wrong"', Point, dec_hook=hook)
    assert "dec_hook returned int, not test_hooks.Point" in str(caught.value)
    with pytest.raises(snooze.ValidationError, match="(missing|required)"):
        snooze.decode(b"[1]", Point, dec_hook=hook)


def test_resolving_classes_inside_any() -> None:
    """The encoder that is used for a value's class where the plan says Any."""
    import decimal
    import pathlib

    class Path2(type(pathlib.Path())):  # type: ignore[misc]
        pass

    class Number(int):
        pass

    class Own:
        pass

    assert repr(plans._resolve(snooze.Encoder, {}, User)) == "Encoder(User)"
    assert repr(plans._resolve(snooze.Encoder, {"omit_none": True}, User)) == (
        "Encoder(User, omit_none=True)"
    )
    for cls in (decimal.Decimal, pathlib.PosixPath, set, frozenset, bytes):
        assert (
            repr(plans._resolve(snooze.Encoder, {}, cls))
            == f"Encoder({cls.__qualname__})"
        )
    assert plans._resolve(snooze.Encoder, {}, Path2).type is Path2.__mro__[1]
    assert plans._resolve(snooze.Encoder, {}, Number).type is int
    assert plans._resolve(snooze.Encoder, {}, memoryview).type is memoryview
    assert plans._resolve(snooze.Encoder, {}, type({}.keys())).type.__name__ == "Set"
    assert plans._resolve(snooze.Encoder, {}, Own) is None
    assert plans._resolve(snooze.Encoder, {}, slice) is None
    assert plans._resolve(snooze.Encoder, {"enc_hook": str}, complex) is None
    assert repr(plans._resolve(snooze.Encoder, {}, complex)) == "Encoder(complex)"


def test_pickles_and_copies() -> None:
    """Made again from type and options; a copy has its own plan."""
    decoder = snooze.Decoder(
        list[typed_subjects.Slots], errors="all", rename="camel", at="/x"
    )
    for other in (
        pickle.loads(pickle.dumps(decoder)),
        copy.copy(decoder),
        copy.deepcopy(decoder),
    ):
        assert type(other) is snooze.Decoder
        assert repr(other) == repr(decoder)
        assert other.type == decoder.type
        assert other.decode(b'{"x":[{"a":1,"b":"","c":[]}]}') == [
            typed_subjects.Slots(1, "", [])
        ]
        with pytest.raises(snooze.ValidationError) as caught:
            other.decode(b'{"x":[1,2]}')
        assert len(caught.value.errors) == 2


class Named(snooze.Decoder):
    """A subclass with an attribute."""

    def __init__(self, tp: Any, name: str = "", **options: Any) -> None:
        super().__init__(tp, **options)
        self.name = name


class Early(snooze.Decoder):
    """A subclass whose constructor makes no plan."""

    def __init__(self) -> None:
        pass


def test_subclass_instances() -> None:
    """They can have attributes and weak references; without a plan they raise."""
    named = Named(int, "n")
    assert (named.decode(b"5"), named.name) == (5, "n")
    reference = weakref.ref(named)
    del named
    gc.collect()
    assert reference() is None
    with pytest.raises((AttributeError, TypeError, RuntimeError)):
        Early().decode(b"1")
    raw = snooze.Decoder.__new__(snooze.Decoder)
    with pytest.raises((AttributeError, TypeError, RuntimeError)):
        raw.decode(b"1")
    assert snooze.Decoder[int]
    assert isinstance(snooze.Decoder(int), snooze.Decoder)


def test_methods() -> None:
    """`decode` takes one argument and is an attribute of the class."""
    decoder = snooze.Decoder(int)
    with pytest.raises(TypeError):
        decoder.decode()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        decoder.decode(b"1", b"2")  # type: ignore[call-arg]
    assert snooze.Decoder.decode(decoder, b"1") == 1
    with pytest.raises(TypeError):
        snooze.Decoder.decode(5, b"1")  # type: ignore[arg-type]
    method = decoder.decode
    del decoder
    gc.collect()
    assert method(b"[1]"[1:2]) == 1


@pytest.mark.parametrize("make", [snooze.Decoder, snooze.Encoder, snooze.Converter])
def test_a_codec_is_made_once(make: Any) -> None:
    """Its plan would stay that of the first type."""
    codec = make(int)
    with pytest.raises(TypeError, match="called again; make a new"):
        codec.__init__(str)  # type: ignore[misc]
    assert "int" in repr(codec)


def test_encode_str_is_the_text_of_encode() -> None:
    """With and without a type, with options that can be cached and ones that cannot."""
    value = {"é": [1, 2.5, None]}
    for options in (
        {},
        {"indent": 2},
        {"ensure_ascii": True, "newline": True},
        {"hooks": {float: str}},
        {"enc_hook": lambda one: repr(one)},
    ):
        for tp in (Any, dict[str, Any], dict[str, list[Any]]):
            expected = snooze.encode(value, tp, **options)
            assert snooze.encode_str(value, tp, **options) == expected.decode()
    assert snooze.encode_str(1) == "1"
    with pytest.raises(TypeError, match="expected int, found str at"):
        snooze.encode_str("1", int)
    with pytest.raises(TypeError, match=r"^encode_str\(\) got an unexpected keyword"):
        snooze.encode_str(1, indents=2)  # type: ignore[call-arg]
