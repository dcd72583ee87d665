"""`gc=False`: instances that the cyclic collector does not see.

What it changes is whether an instance is tracked, and nothing else: values, copies,
weak references and the end of an instance are as ever. What it costs is said by tests
too: a cycle through such an instance stays, and nothing crashes on it.
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
    """The quick way: head and slots alone."""

    x: int
    y: list[str]


@configure(gc=False)
@dataclasses.dataclass
class Usual:
    """With a `__dict__`."""

    x: int
    y: list[str]


@configure(gc=False)
@dataclasses.dataclass(slots=True, weakref_slot=True)
class Weak:
    """More than the slots of its fields."""

    x: int
    y: list[str]


@configure(gc=False)
@dataclasses.dataclass(slots=True)
class Post:
    """With code that runs behind the fields."""

    x: int
    y: list[str]

    def __post_init__(self) -> None:
        """See what is tracked: nothing may rely on when that ends."""
        gc.is_tracked(self)


@configure(gc=False)
@dataclasses.dataclass(slots=True, init=False)
class Own:
    """With a constructor of its own."""

    x: int
    y: list[str]

    def __init__(self, x: int, y: list[str]) -> None:
        """Store them."""
        self.x, self.y = x, y


@configure(gc=False)
@attrs.define
class Attrs:
    """Of attrs, with slots and a weak reference."""

    x: int
    y: list[str]


@configure(gc=False)
@attrs.define(slots=False)
class AttrsDict:
    """Of attrs, with a `__dict__`."""

    x: int
    y: list[str]


@configure(gc=False, array_like=False)
class Named(NamedTuple):
    """A tuple."""

    x: int
    y: list[str]


class Plain(NamedTuple):
    """What `Made` adds to."""

    x: int
    y: list[str]


@configure(gc=False, array_like=False)
class Made(Plain):
    """A tuple whose class is called."""

    def __new__(cls, x: int, y: list[str]) -> Made:  # noqa: PYI034 - itself
        """Call on."""
        return super().__new__(cls, x, y)


CLASSES = [Slots, Usual, Weak, Post, Own, Attrs, AttrsDict, Named, Made]
IDS = [one.__name__ for one in CLASSES]
#: Those whose attributes can be set.
OPEN = IDS[:7]
#: What finalisers have seen.
FINALIZED: list[int] = []
BACK: list[Any] = []


@dataclasses.dataclass(slots=True)
class Shown:
    """What says nothing."""

    x: int
    y: list[str]


@dataclasses.dataclass
class ShownDict:
    """What says nothing, with a `__dict__`."""

    x: int
    y: list[str]


@pytest.mark.parametrize("cls", CLASSES, ids=IDS)
@pytest.mark.parametrize("errors", ["first", "all"])
def test_instances_are_not_tracked(cls: Any, errors: Any) -> None:
    """Those of every layout, in a list that is tracked; the values are all the same."""
    made = Decoder(list[cls], errors=errors).decode(DOCUMENT)
    assert made == [cls(1, ["a", "b"]), cls(2, [])]
    assert [gc.is_tracked(one) for one in made] == [False, False]
    assert gc.is_tracked(made)
    assert gc.is_tracked(made[0].y)
    # One that the class itself makes is what it always was.
    assert gc.is_tracked(cls(1, []))
    assert gc.is_tracked(copy.copy(made[0]))
    gc.collect()
    assert made == [cls(1, ["a", "b"]), cls(2, [])]
    assert Encoder(list[cls]).encode(made) == DOCUMENT.replace(b" ", b"")


@pytest.mark.parametrize("cls", [Shown, ShownDict])
def test_tracked_unless_said(cls: Any) -> None:
    """Nothing is hidden without the option; `gc=True` says so too."""
    (made, _) = decode(DOCUMENT, list[cls])
    assert gc.is_tracked(made)
    (made, _) = Decoder(list[cls], gc=True).decode(DOCUMENT)
    assert gc.is_tracked(made)


@pytest.mark.parametrize("cls", [Shown, ShownDict])
def test_option_of_a_decoder(cls: Any) -> None:
    """It holds for classes that do not say; what a class says comes first."""
    (made, _) = Decoder(list[cls], gc=False).decode(DOCUMENT)
    assert not gc.is_tracked(made)
    (made, _) = decode(DOCUMENT, list[cls], gc=False)
    assert not gc.is_tracked(made)
    said = configure(gc=True)(type(cls.__name__, (cls,), {"__slots__": ()}))
    (made, _) = decode(DOCUMENT, list[dataclasses.dataclass(said)], gc=False)
    assert gc.is_tracked(made)
    (made, _) = decode(DOCUMENT, list[Slots], gc=True)
    assert not gc.is_tracked(made)


def test_subclasses_inherit_it() -> None:
    """As every option; a subclass may say otherwise."""

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


def test_classes_that_the_collector_never_sees() -> None:
    """Instances without anything inside have no words for the collector."""

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


def test_what_is_no_instance_of_the_class() -> None:
    """What a constructor returns instead stays as it is, tracked or not."""
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


def test_what_others_have_too() -> None:
    """An instance that is not new stays tracked: its cycles are others' business."""
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
    """A dict is no instance of the class; a Decoder's option leaves it alone."""

    class Dict(TypedDict):
        x: int

    (made,) = Decoder(list[Dict], gc=False).decode(b'[{"x": 1}]')
    assert made == {"x": 1}
    configure(gc=False)(Dict)
    for use in (Decoder, Encoder, schema):
        with pytest.raises(TypeError) as caught:
            use(Dict)
        assert str(caught.value).endswith(
            "Dict: gc=False is for instances of a class; a TypedDict is a dict, which "
            "looks after itself"
        )


@pytest.mark.parametrize("value", [None, 0, 1, "no"])
def test_only_bools(value: Any) -> None:
    """True or False, as for the other options."""
    with pytest.raises(TypeError) as caught:
        configure(gc=value)
    assert str(caught.value) == f"configure: gc needs True or False, not {value!r}"
    with pytest.raises(TypeError) as caught:
        Decoder(int, gc=value)
    assert str(caught.value) == f"Decoder: gc needs True or False, not {value!r}"


def test_pickle_and_repr() -> None:
    """The option travels with the codec."""
    decoder = pickle.loads(pickle.dumps(Decoder(list[Shown], gc=False)))
    assert repr(decoder).endswith("Shown], gc=False)")
    (made, _) = decoder.decode(DOCUMENT)
    assert not gc.is_tracked(made)
    assert repr(Decoder(int, gc=True)) == "Decoder(int)"
    (made, _) = pickle.loads(pickle.dumps(Decoder(list[Slots]))).decode(DOCUMENT)
    assert not gc.is_tracked(made)


def test_copies_are_tracked() -> None:
    """Only what a Decoder makes is hidden: pickle and copy make their own."""
    (made, _) = decode(DOCUMENT, list[Usual])
    for other in (pickle.loads(pickle.dumps(made)), copy.deepcopy(made)):
        assert other == made
        assert gc.is_tracked(other)
    assert gc.is_tracked(dataclasses.replace(made, x=2))


@pytest.mark.parametrize("cls", [Weak, Usual, Attrs])
def test_weak_references(cls: Any) -> None:
    """They end when the instance does, and are called."""
    (made, _) = decode(DOCUMENT, list[cls])
    ended: list[Any] = []
    weak = weakref.ref(made, ended.append)
    gc.collect()
    assert weak() is made
    del made
    assert weak() is None
    assert ended == [weak]


def test_finalizers() -> None:
    """They run, once for each instance."""
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
    """An instance that is hidden is as good as another."""
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


def end_chains() -> None:
    """In a child: long chains of instances end without deep recursion."""
    for cls in (Slots, Usual, Weak, Post, Own, Attrs, AttrsDict):
        one: Any = None
        for made in decode(
            b"[%s]" % b",".join([b'{"x":1,"y":[]}'] * 50_000), list[cls]
        ):
            made.x, one = one, made
        del one, made


def test_long_chains_end() -> None:
    """Where releasing one releases the next, the interpreter takes turns."""
    in_child(end_chains)


@pytest.mark.parametrize(
    "base",
    [
        *(dict, list, set, bytearray, Exception, StopIteration, ImportError, OSError),
        *(collections.OrderedDict, collections.deque, io.BytesIO, property),
    ],
)
def test_bases_that_the_collector_knows(base: type) -> None:
    """What releases an instance of a built-in base finds it as it expects it."""

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


def test_what_holds_them_stays_tracked() -> None:
    """A tuple or dict of them may become part of a cycle later."""
    (made, _) = decode(DOCUMENT, list[Usual])
    holders: list[Any] = [(made, 1), {"a": made}, decode(b'{"a":[]}', dict[str, Any])]
    holders.append(decode(b'{"a":[],"b":[]}', dict[str, list[int]]))
    for _ in range(3):
        gc.collect()
    assert [gc.is_tracked(one) for one in holders] == [True] * 4


def hold(name: str) -> None:
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
    # Nothing of it is freed, and all of it is whole.
    assert found() is not None
    one = found().y[0]
    assert one.x is found()
    assert one.y[0].x is one.y[0]
    assert one.y[0].y == [one.y[0]]
    assert weak is None or weak() is one.y[0]
    # Taken apart, it is freed.
    one.y[0].x = one.y[0].y = None
    one.y = one.x = None
    del one
    gc.collect()
    assert found() is None
    assert weak is None or weak() is None


@pytest.mark.parametrize("name", OPEN)
def test_a_cycle_is_kept(name: str) -> None:
    """It leaks, as documented, until it is broken; nothing crashes."""
    in_child(hold, name)


def leave(name: str) -> None:
    """In a child: cycles that are there when the interpreter ends."""
    cls = globals()[name]
    for made in decode(DOCUMENT, list[cls]):
        made.x, made.y = made, [made, ShownDict(1, [made])]
    gc.collect()


@pytest.mark.parametrize("name", OPEN)
def test_a_cycle_at_the_end(name: str) -> None:
    """The interpreter ends without minding it."""
    in_child(leave, name)


def test_cycles_without_hidden_instances_are_freed() -> None:
    """A hidden instance outside of a cycle does not keep it."""
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
    """Without a cycle, each instance ends with its last reference."""
    decoder = Decoder(list[cls])
    gc.disable()
    try:
        call = functools.partial(ledger.repeat_call, lambda: decoder.decode(DOCUMENT))
        call(50)
        assert not ledger.grown(call, 400)
    finally:
        gc.enable()
