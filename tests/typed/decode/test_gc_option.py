"""`gc=False`: instances that the cyclic collector does not track.

The option changes only whether an instance is tracked: values, copies, weak references
and finalisers are as usual. The documented cost is tested too: a cycle through such an
instance is never freed, and does not crash.
"""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import functools
import gc
import io
import pickle
import weakref
from typing import Any, NamedTuple, TypedDict

import pytest

from helpers import ledger
from helpers.isolated import in_child
from snooze import Decoder, Encoder, configure, decode, schema

attrs = pytest.importorskip("attrs")
DOCUMENT = b'[{"x": 1, "y": ["a", "b"]}, {"x": 2, "y": []}]'


@configure(gc=False)
@dataclasses.dataclass(slots=True)
class Slots:
    """The fast path: an object header and slots alone."""

    x: int
    y: list[str]


@configure(gc=False)
@dataclasses.dataclass
class Usual:
    """An instance with a `__dict__`."""

    x: int
    y: list[str]


@configure(gc=False)
@dataclasses.dataclass(slots=True, weakref_slot=True)
class Weak:
    """An instance with more slots than fields."""

    x: int
    y: list[str]


@configure(gc=False)
@dataclasses.dataclass(slots=True)
class Post:
    """A class that runs code after the fields are set."""

    x: int
    y: list[str]

    def __post_init__(self) -> None:
        """Call gc.is_tracked, whose answer may change after this."""
        gc.is_tracked(self)


@configure(gc=False)
@dataclasses.dataclass(slots=True, init=False)
class Own:
    """A class with its own constructor."""

    x: int
    y: list[str]

    def __init__(self, x: int, y: list[str]) -> None:
        """Store the arguments."""
        self.x, self.y = x, y


@configure(gc=False)
@attrs.define
class Attrs:
    """An attrs class with slots and weak references."""

    x: int
    y: list[str]


@configure(gc=False)
@attrs.define(slots=False)
class AttrsDict:
    """An attrs class with a `__dict__`."""

    x: int
    y: list[str]


@configure(gc=False, array_like=False)
class Named(NamedTuple):
    """A named tuple."""

    x: int
    y: list[str]


class Plain(NamedTuple):
    """The base of `Made`."""

    x: int
    y: list[str]


@configure(gc=False, array_like=False)
class Made(Plain):
    """A named tuple with its own `__new__`."""

    def __new__(cls, x: int, y: list[str]) -> Made:  # noqa: PYI034 - returns the class's type
        """Call the base's `__new__`."""
        return super().__new__(cls, x, y)


CLASSES = [Slots, Usual, Weak, Post, Own, Attrs, AttrsDict, Named, Made]
IDS = [one.__name__ for one in CLASSES]
#: Classes whose attributes can be set.
OPEN = IDS[:7]
#: Values that finalisers have seen.
FINALIZED: list[int] = []
BACK: list[Any] = []


@dataclasses.dataclass(slots=True)
class Shown:
    """A class without the option."""

    x: int
    y: list[str]


@dataclasses.dataclass
class ShownDict:
    """A class without the option, with a `__dict__`."""

    x: int
    y: list[str]


@pytest.mark.parametrize("cls", CLASSES, ids=IDS)
@pytest.mark.parametrize("errors", ["first", "all"])
def test_instances_are_not_tracked(cls: Any, errors: Any) -> None:
    """Instances of every layout, in a list that is tracked; all values are equal."""
    made = Decoder(list[cls], errors=errors).decode(DOCUMENT)
    assert made == [cls(1, ["a", "b"]), cls(2, [])]
    assert [gc.is_tracked(one) for one in made] == [False, False]
    assert gc.is_tracked(made)
    assert gc.is_tracked(made[0].y)
    # An instance from the constructor is tracked as usual.
    assert gc.is_tracked(cls(1, []))
    assert gc.is_tracked(copy.copy(made[0]))
    gc.collect()
    assert made == [cls(1, ["a", "b"]), cls(2, [])]
    assert Encoder(list[cls]).encode(made) == DOCUMENT.replace(b" ", b"")


@pytest.mark.parametrize("cls", [Shown, ShownDict])
def test_instances_are_tracked_by_default(cls: Any) -> None:
    """Without the option, and with `gc=True`, every instance is tracked."""
    (made, _) = decode(DOCUMENT, list[cls])
    assert gc.is_tracked(made)
    (made, _) = Decoder(list[cls], gc=True).decode(DOCUMENT)
    assert gc.is_tracked(made)


@pytest.mark.parametrize("cls", [Shown, ShownDict])
def test_option_of_a_decoder(cls: Any) -> None:
    """It applies to classes that do not set the option; a class's own setting wins."""
    (made, _) = Decoder(list[cls], gc=False).decode(DOCUMENT)
    assert not gc.is_tracked(made)
    (made, _) = decode(DOCUMENT, list[cls], gc=False)
    assert not gc.is_tracked(made)
    explicit = configure(gc=True)(type(cls.__name__, (cls,), {"__slots__": ()}))
    (made, _) = decode(DOCUMENT, list[dataclasses.dataclass(explicit)], gc=False)
    assert gc.is_tracked(made)
    (made, _) = decode(DOCUMENT, list[Slots], gc=True)
    assert not gc.is_tracked(made)


def test_subclasses_inherit_it() -> None:
    """Inherited like every option; a subclass may override it."""

    @dataclasses.dataclass(slots=True)
    class Sub(Slots):
        z: int = 0

    @configure(gc=True)
    @dataclasses.dataclass(slots=True)
    class Seen(Slots):
        pass

    (sub, _) = decode(DOCUMENT, list[Sub])
    assert sub == Sub(1, ["a", "b"], 0)
    assert not gc.is_tracked(sub)
    (seen, _) = decode(DOCUMENT, list[Seen])
    assert gc.is_tracked(seen)


def test_classes_that_are_never_tracked() -> None:
    """Classes whose instances keep_cycles nothing have no GC header."""

    @configure(gc=False)
    @dataclasses.dataclass(slots=True)
    class Empty:
        pass

    @configure(gc=False)
    @dataclasses.dataclass(slots=True)
    class Checked:
        def __post_init__(self) -> None:
            """Do nothing."""

    for cls in (Empty, Checked):
        made = decode(b"[{}, {}]", list[cls])
        assert [type(one) for one in made] == [cls, cls]
        assert not gc.is_tracked(made[0])


def test_constructors_that_return_another_type() -> None:
    """Another object that a constructor returns stays as it is, tracked or not."""
    other = Shown(0, [])

    @configure(gc=False)
    @dataclasses.dataclass
    class Swapped:
        x: int
        y: list[str]

        def __new__(cls, x: int, y: list[str]) -> Any:
            return other if y else 5

    made: list[Any] = decode(DOCUMENT, list[Swapped])
    assert made[0] is other
    assert made[1] == 5
    assert gc.is_tracked(other)


def test_instances_that_are_not_new() -> None:
    """An instance with other owners stays tracked: their cycles must be freed."""
    made: dict[int, Any] = {}

    @configure(gc=False)
    @dataclasses.dataclass(init=False)
    class Kept:
        x: int
        y: list[str]

        def __new__(cls, x: int, y: list[str]) -> Any:
            return made.setdefault(x, object.__new__(cls))

        def __init__(self, x: int, y: list[str]) -> None:
            self.x, self.y = x, y

    @configure(gc=False)
    @dataclasses.dataclass
    class Bound:
        x: int
        y: list[str]

        def __post_init__(self) -> None:
            self.again = self.__post_init__

    (first, second) = decode(DOCUMENT, list[Kept])
    assert [first, second] == [made[1], made[2]]
    assert gc.is_tracked(first)
    assert gc.is_tracked(second)
    (bound, _) = decode(DOCUMENT, list[Bound])
    assert gc.is_tracked(bound)
    ended = weakref.ref(bound)
    del bound
    gc.collect()
    assert ended() is None


def test_refused_for_typed_dict() -> None:
    """A dict is not an instance of the class; a Decoder's option does not apply to it."""

    class Dict(TypedDict):
        x: int

    (made,) = Decoder(list[Dict], gc=False).decode(b'[{"x": 1}]')
    assert made == {"x": 1}
    configure(gc=False)(Dict)
    for use in (Decoder, Encoder, schema):
        with pytest.raises(TypeError) as caught:
            use(Dict)
        assert str(caught.value).endswith(
            "Dict: gc=False is for instances of a class; a TypedDict is a dict, whose "
            "garbage collection CPython manages"
        )


@pytest.mark.parametrize("value", [None, 0, 1, "no"])
def test_only_bools(value: Any) -> None:
    """Only True and False, as for the other options."""
    with pytest.raises(TypeError) as caught:
        configure(gc=value)
    assert str(caught.value) == f"configure: gc needs True or False, not {value!r}"
    with pytest.raises(TypeError) as caught:
        Decoder(int, gc=value)
    assert str(caught.value) == f"Decoder: gc needs True or False, not {value!r}"


def test_pickle_and_repr() -> None:
    """The option is part of repr and pickle."""
    decoder = pickle.loads(pickle.dumps(Decoder(list[Shown], gc=False)))
    assert repr(decoder).endswith("Shown], gc=False)")
    (made, _) = decoder.decode(DOCUMENT)
    assert not gc.is_tracked(made)
    assert repr(Decoder(int, gc=True)) == "Decoder(int)"
    (made, _) = pickle.loads(pickle.dumps(Decoder(list[Slots]))).decode(DOCUMENT)
    assert not gc.is_tracked(made)


def test_copies_are_tracked() -> None:
    """Only a Decoder's instances are untracked: pickle and copy create tracked ones."""
    (made, _) = decode(DOCUMENT, list[Usual])
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert other == made
        assert gc.is_tracked(other)
    assert gc.is_tracked(dataclasses.replace(made, x=2))


@pytest.mark.parametrize("cls", [Weak, Usual, Attrs])
def test_weak_references(cls: Any) -> None:
    """They are cleared, and their callbacks called, when the instance dies."""
    (made, _) = decode(DOCUMENT, list[cls])
    ended: list[Any] = []
    weak = weakref.ref(made, ended.append)
    gc.collect()
    assert weak() is made
    del made
    assert weak() is None
    assert ended == [weak]


def test_finalizers() -> None:
    """They run once for each instance."""
    FINALIZED.clear()

    @configure(gc=False)
    @dataclasses.dataclass(slots=True)
    class Ending:
        x: int

        def __del__(self) -> None:
            FINALIZED.append(self.x)

    @configure(gc=False)
    @dataclasses.dataclass
    class Returning:
        x: int

        def __del__(self) -> None:
            FINALIZED.append(self.x)
            BACK.append(self)

    del decode(b'[{"x": 1}, {"x": 2}]', list[Ending])[:]
    assert sorted(FINALIZED) == [1, 2]
    FINALIZED.clear()
    del decode(b'[{"x": 1}]', list[Returning])[:]
    assert FINALIZED == [1]
    assert [one.x for one in BACK] == [1]
    BACK.clear()
    gc.collect()
    assert FINALIZED == [1]


@pytest.mark.parametrize("cls", CLASSES[:7], ids=OPEN)
def test_attributes_may_be_changed(cls: Any) -> None:
    """Attributes of an untracked instance can be set and deleted."""
    (made, _) = decode(DOCUMENT, list[cls])
    for value in (None, [made.y], {"a": made.y}, 3):
        made.x = value
        gc.collect()
        assert made.x == value
    if hasattr(made, "__dict__"):
        kept = vars(made)
        made.new = [kept]
        gc.collect()
        assert kept["new"] == [kept]
        made.new = None
        del made
        gc.collect()
        assert kept["y"] == ["a", "b"]


def release_chains() -> None:
    """In a child: long chains of instances are released without deep recursion."""
    for cls in (Slots, Usual, Weak, Post, Own, Attrs, AttrsDict):
        one: Any = None
        for made in decode(
            b"[%s]" % b",".join([b'{"x":1,"y":[]}'] * 50_000), list[cls]
        ):
            made.x, one = one, made
        del one, made


def test_long_chains_are_released() -> None:
    """The interpreter's trashcan works for them too."""
    in_child(release_chains)


@pytest.mark.parametrize(
    "base",
    [
        *(dict, list, set, bytearray, Exception, StopIteration, ImportError, OSError),
        *(collections.OrderedDict, collections.deque, io.BytesIO, property),
    ],
)
def test_builtin_bases(base: type) -> None:
    """A built-in base releases an instance that has the GC header it expects."""

    class Sub(base):  # type: ignore[misc,valid-type]
        y: list[str]

        def __new__(cls, y: list[str]) -> Any:
            return base.__new__(cls)

        def __init__(self, y: list[str]) -> None:
            self.y = y

    cls: Any = configure(gc=False)(dataclasses.dataclass(init=False, eq=False)(Sub))
    for _ in range(50):
        made = decode(DOCUMENT, list[cls])
        assert [one.y for one in made] == [["a", "b"], []]
        made[0].y.append(made[1])
        gc.collect(0)
        del made


def test_containers_of_untracked_instances() -> None:
    """A tuple or dict that holds them stays tracked: it may join a cycle later."""
    (made, _) = decode(DOCUMENT, list[Usual])
    holders: list[Any] = [(made, 1), {"a": made}, decode(b'{"a":[]}', dict[str, Any])]
    holders.append(decode(b'{"a":[],"b":[]}', dict[str, list[int]]))
    for _ in range(3):
        gc.collect()
    assert [gc.is_tracked(one) for one in holders] == [True] * 4


def keep_cycles(name: str) -> None:
    """In a child: cycles of every kind through instances, and collections."""
    cls = globals()[name]
    (made, other) = decode(DOCUMENT, list[cls])
    weak = None
    with contextlib.suppress(TypeError):
        weak = weakref.ref(made)
    shown = ShownDict(1, [])
    made.x, made.y = made, [made]
    other.x, other.y = shown, [made]
    shown.y = [other, vars(made) if hasattr(made, "__dict__") else None]
    found = weakref.ref(shown)
    del made, other, shown
    for generation in (0, 1, 2, 2):
        gc.collect(generation)
    # Nothing is freed, and every object is intact.
    assert found() is not None
    one = found().y[0]
    assert one.x is found()
    assert one.y[0].x is one.y[0]
    assert one.y[0].y == [one.y[0]]
    assert weak is None or weak() is one.y[0]
    # Once a cycle is broken, its objects are freed.
    one.y[0].x = one.y[0].y = None
    one.y = one.x = None
    del one
    gc.collect()
    assert found() is None
    assert weak is None or weak() is None


@pytest.mark.parametrize("name", OPEN)
def test_a_cycle_is_kept(name: str) -> None:
    """It leaks, as documented, until it is broken; no crash."""
    in_child(keep_cycles, name)


def leave_cycles(name: str) -> None:
    """In a child: cycles that still exist when the interpreter exits."""
    cls = globals()[name]
    for made in decode(DOCUMENT, list[cls]):
        made.x, made.y = made, [made, ShownDict(1, [made])]
    gc.collect()


@pytest.mark.parametrize("name", OPEN)
def test_a_cycle_at_exit(name: str) -> None:
    """The interpreter exits normally."""
    in_child(leave_cycles, name)


def test_cycles_without_untracked_instances_are_freed() -> None:
    """An untracked instance outside of a cycle does not keep it."""
    (made, _) = decode(DOCUMENT, list[Slots])
    shown = ShownDict(1, [])
    shown.y = [shown, made]
    found = weakref.ref(shown)
    del shown
    gc.collect()
    assert found() is None
    assert made.x == 1


@pytest.mark.parametrize("cls", CLASSES, ids=IDS)
def test_nothing_is_left_behind(cls: Any) -> None:
    """Without a cycle, each instance dies with its last reference."""
    decoder = Decoder(list[cls])
    gc.disable()
    try:
        call = functools.partial(ledger.repeat_call, lambda: decoder.decode(DOCUMENT))
        call(50)
        assert not ledger.grown(call, 400)
    finally:
        gc.enable()
