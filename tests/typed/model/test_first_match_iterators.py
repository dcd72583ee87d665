"""FirstMatch and iterators: what gives its items only once is never written as `[]`."""

from __future__ import annotations

import gc
import io
import types
import weakref
from collections import UserList, deque
from collections.abc import Collection, Container, Iterable, Iterator, Reversible
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Union

import pytest

import snooze
from snooze import FirstMatch, Via, encode, to_builtins

if TYPE_CHECKING:
    from collections.abc import Callable

ITEMS = ["a", "b"]


class Once:
    """An iterable that is no iterator, with items that it gives only once."""

    def __init__(self) -> None:
        """Hold an iterator."""
        self.items = iter(ITEMS)

    def __iter__(self) -> Iterator[str]:
        """Return always the same one."""
        return self.items


class Again:
    """An iterable without a length, whose items can be read again."""

    def __iter__(self) -> Iterator[str]:
        """Return a new iterator."""
        return iter(ITEMS)


def ordered(*alternatives: Any) -> Any:
    """Return a union of the types in this order."""
    return Annotated[Union[alternatives], FirstMatch()]  # noqa: UP007


MAKERS: list[Callable[[], Any]] = [
    lambda: (item for item in ITEMS),
    lambda: iter(ITEMS),
    lambda: map(str, ITEMS),
    Once,
    Again,
    lambda: dict.fromkeys(ITEMS).keys(),
    lambda: UserList(ITEMS),
    lambda: deque(ITEMS),
]
BOTH = ordered(Iterable[int], Iterable[str])


@dataclass
class Numbers:
    """Looks like Texts."""

    items: Iterable[int]
    name: int


@dataclass
class Texts:
    """Looks like Numbers."""

    items: Iterable[str]
    name: str


@pytest.mark.parametrize("make", MAKERS)
def test_a_later_alternative(make: Any) -> None:
    """It gets the items that an earlier one has read."""
    assert encode(make(), BOTH) == b'["a","b"]'
    assert encode([make(), make()], list[BOTH]) == b'[["a","b"],["a","b"]]'
    assert encode({"k": make()}, dict[str, BOTH]) == b'{"k":["a","b"]}'
    nested = ordered(dict[str, Iterable[int]], dict[str, BOTH], int)
    assert encode({"k": make()}, nested) == b'{"k":["a","b"]}'
    deep = ordered(list[nested], tuple[nested, int], list[list[int]], list[Any])
    assert encode([{"k": make()}], deep) == b'[{"k":["a","b"]}]'
    assert encode({"k": make()}, nested, sort_keys=True) == b'{"k":["a","b"]}'


@pytest.mark.parametrize("make", MAKERS)
def test_any_value(make: Any) -> None:
    """Also where the class of the iterator is looked up."""
    either = ordered(dict[str, Iterable[int]], dict[str, Any])
    text = encode({"a": make()}, either, iterables=True)
    assert text == b'{"a":["a","b"]}'
    classes = ordered(tuple[Any, int], tuple[Any, str])
    value = (Texts(make(), "x"), "y")
    assert encode(value, classes) == b'[{"items":["a","b"],"name":"x"},"y"]'
    inner = ordered(tuple[list[Any], int], tuple[Any, str])
    assert encode(([make()], "y"), inner, iterables=True) == b'[[["a","b"]],"y"]'


def test_classes_of_iterators() -> None:
    """Each of those that an iterator can be an instance of."""
    sized = ordered(Collection[int], Reversible[int], Container[int], Iterable[str])
    assert encode(iter(ITEMS), sized) == b'["a","b"]'
    assert encode(reversed(ITEMS), sized) == b'["b","a"]'
    with pytest.raises(snooze.JSONEncodeError, match="fits none of them at"):
        encode("ab", BOTH)
    with pytest.raises(snooze.JSONEncodeError, match="fits none of them at"):
        encode([b"ab"], list[BOTH])


def test_fields() -> None:
    """The items of a field, whose class is tried again."""
    either = ordered(Numbers, Texts)
    for value in (Numbers(iter([1]), 2), Texts(iter(ITEMS), "x")):
        text = encode(value, ordered(Texts, Numbers))
        assert text in {b'{"items":[1],"name":2}', b'{"items":["a","b"],"name":"x"}'}
    rows = ordered(list[tuple[Numbers, int]], list[tuple[Texts, str]])
    text = encode([(Texts(iter(ITEMS), "x"), "y")], rows)
    assert text == b'[[{"items":["a","b"],"name":"x"},"y"]]'
    assert encode(Texts(iter(ITEMS), "x"), either | None) == (
        b'{"items":["a","b"],"name":"x"}'
    )


def test_twice_in_one_value() -> None:
    """The second time it is exhausted, as without the union."""
    one = iter([1, 2])
    assert encode([one, one], list[Iterable[int]]) == b"[[1,2],[]]"
    one = iter(ITEMS)
    both = ordered(list[Iterable[int]], list[Iterable[str]])
    assert encode([one, one], both) == b'[["a","b"],[]]'
    one = iter(ITEMS)
    assert encode([one, one], list[BOTH]) == b'[["a","b"],[]]'


def test_an_object_with_other_items() -> None:
    """A function may return the same iterable again, which then has other items."""

    class Shared:
        def __init__(self) -> None:
            self.item = 0

        def __iter__(self) -> Iterator[int]:
            yield self.item

    shared = Shared()

    def fill(value: Any) -> Any:
        shared.item = int(value)
        return shared

    inner = Annotated[
        float, Via(ordered(Iterable[str], Iterable[int]), decode=float, encode=fill)
    ]
    tp = ordered(dict[str, inner], tuple[inner, inner, str], list[inner])
    assert encode([1.0, 2.0, 3.0], tp) == b"[[1],[2],[3]]"


def test_functions() -> None:
    """What a function makes of an iterator is used by later alternatives."""
    calls: list[Any] = []

    def hook(value: Any) -> Any:
        calls.append(value)
        return list(value)

    either = ordered(tuple[Any, int], tuple[Any, str])
    value = ((item for item in ITEMS), "y")
    assert encode(value, either, enc_hook=hook) == b'[["a","b"],"y"]'
    assert len(calls) == 1
    hooks = {types.GeneratorType: list}
    value = ((item for item in ITEMS), "y")
    assert encode(value, either, hooks=hooks) == b'[["a","b"],"y"]'
    generators = Annotated[
        types.GeneratorType, Via(list[Any], decode=iter, encode=list)
    ]
    pairs = ordered(tuple[generators, int], tuple[generators, str])
    assert encode(((item for item in ITEMS), "y"), pairs) == b'[["a","b"],"y"]'


def test_functions_after_a_read() -> None:
    """They would get an iterator that is exhausted."""
    either = ordered(Iterable[int], Any)
    for options in ({"enc_hook": list}, {"hooks": {types.GeneratorType: list}}):
        with pytest.raises(snooze.JSONEncodeError) as caught:
            encode((item for item in ITEMS), either, **options)
        assert str(caught.value) == (
            "expected a list, found generator at $ in the value of Iterable or any "
            "value: one alternative read it, another has a function for it; pass a list"
        )
    assert encode(Again(), either, enc_hook=list) == b'["a","b"]'


def test_functions_that_read_nothing() -> None:
    """A file is an iterator, too."""

    @dataclass
    class Named:
        file: Annotated[
            io.StringIO, Via(str, decode=io.StringIO, encode=io.StringIO.getvalue)
        ]
        size: int

    other = ordered(tuple[Named, int], tuple[Named, str])
    for options in ({}, {"indent": 2}):
        text = encode((Named(io.StringIO("x"), 1), "y"), other, **options)
        assert snooze.loads(text) == [{"file": "x", "size": 1}, "y"]


WRITERS: list[Callable[[Any, Any], Any]] = [
    lambda value, tp: encode(value, tp, indent=2, iterables=True),
    lambda value, tp: encode(value, tp, separators=(", ", ": "), iterables=True),
    lambda value, tp: encode(value, tp, ensure_ascii=True, iterables=True),
    lambda value, tp: snooze.Encoder(tp, newline=True, iterables=True).encode(value),
]


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("make", MAKERS[:4])
def test_written_twice(write: Any, make: Any) -> None:
    """Refused: with white space, a value is written once more in its place."""
    name = type(make()).__name__
    for tp, value, path in [
        (BOTH, make(), "$"),
        (ordered(Iterable[str], int), make(), "$"),
        (list[BOTH], [make()], "$"),
        (ordered(dict[str, Iterable[int]], dict[str, Any]), {"a": make()}, "$.a"),
        (ordered(int, dict[str, Any]), {"a": [make()]}, "$.a[0]"),
        (ordered(int, list[Any]), [Texts(make(), "x")], "$[0].items"),
        (ordered(int, list[BOTH], list[Any]), [make()], "$"),
    ]:
        with pytest.raises(snooze.JSONEncodeError) as caught:
            write(value, tp)
        assert type(caught.value) is TypeError
        start, end = str(caught.value).split(": ")
        assert start.startswith(
            f"expected a list, found {name} at {path} in the value of "
        )
        assert end == (
            "it gives its items only once, and FirstMatch writes a value twice with "
            "indent, separators, newline or ensure_ascii, and in to_builtins; pass a "
            "list"
        )


def test_to_builtins() -> None:
    """The same, because it makes the objects in the end."""
    for make in MAKERS[:4]:
        with pytest.raises(snooze.JSONEncodeError, match=r"at \$ in .*; pass a list$"):
            to_builtins(make(), BOTH)
    for make in MAKERS[4:]:
        assert to_builtins(make(), BOTH) == ITEMS
        assert snooze.loads(encode(make(), BOTH, indent=2)) == ITEMS
    assert to_builtins(iter([]), ordered(Iterable[int], str)) == []
    generator = (item for item in ITEMS)
    assert to_builtins(generator, BOTH, keep=(types.GeneratorType,)) is generator


def test_functions_of_what_is_written_twice() -> None:
    """They would read an iterator twice."""
    either = ordered(tuple[Any, int], list[Any])
    for options in ({"enc_hook": list}, {"hooks": {types.GeneratorType: list}}):
        with pytest.raises(
            snooze.JSONEncodeError, match=r"in the value .*; pass a list$"
        ):
            encode([(item for item in ITEMS), "y"], either, indent=2, **options)


def test_errors_of_iterators() -> None:
    """No later alternative takes what is left of one that has raised."""

    def broken(error: Exception) -> Any:
        yield "a"
        raise error

    with pytest.raises(ValueError, match="^no$"):
        encode(broken(ValueError("no")), BOTH)
    with pytest.raises(TypeError, match="^FirstMatch: generator has raised") as caught:
        encode(broken(TypeError("no")), BOTH)
    assert str(caught.value.__cause__) == "no"

    class Refusing:
        def __iter__(self) -> Any:
            raise TypeError("not iterable")

    hooked = ordered(Iterable[int], Any)
    assert encode(Refusing(), hooked, enc_hook=lambda _: 1) == b"1"


def test_nothing_is_kept() -> None:
    """Neither after a success nor after a failure."""

    class Item:
        pass

    def items(held: list[Any]) -> Any:
        yield from held

    for tp in (ordered(Iterable[int], Iterable[str], Any), BOTH):
        held = [Item()]
        reference = weakref.ref(held[0])
        value = items(held)
        try:
            encode(value, tp, enc_hook=lambda _: 1, iterables=True)
        except TypeError:
            pass
        del held, value
        gc.collect()
        assert reference() is None
