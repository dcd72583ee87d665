"""`default` of `snooze.json` may change what is written, as that of `json` may.

Documents are made twice, because one call changes them.
"""

from __future__ import annotations

import collections
import enum
import io
import json
import math
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.isolated import FREE_THREADED
from snooze import json as ours

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    FREE_THREADED, reason="the rest of a list is copied before default is called"
)


class Colour(enum.IntEnum):
    """json writes it as an integer."""

    RED = 1


class Thing:
    """An object for `default`."""


def outcome(call: Callable[[], Any]) -> Any:
    """Return a result, or the exception with its notes.

    From 3.14 on json adds notes, which differ where Python's own code began again.
    """
    try:
        return call()
    except Exception as error:
        has_notes = sys.version_info < (3, 14)
        notes = getattr(error, "__notes__", None) if has_notes else None
        return type(error), str(error), notes


def copies_members() -> bool:
    """Tell whether json writes the members that a dict had when it was opened."""
    table: dict[str, Any] = {"a": Thing()}

    def default(_: Any) -> Any:
        table["new"] = 1
        return "o"

    return "new" not in json.dumps([table], default=default)


def by_dump(module: Any, document: Any, default: Any, options: Any) -> str:
    """Return what is written to a file."""
    file = io.StringIO()
    module.dump(document, file, default=default, **options)
    return file.getvalue()


def by_encoder(module: Any, document: Any, default: Any, options: Any) -> str:
    """Return the text of an encoder."""
    return module.JSONEncoder(default=default, **options).encode(document)


def same(make: Callable[[], tuple[Any, Any]], **options: Any) -> Any:
    """Compare the text, the exception and the calls, with those of json."""
    expected = None
    calls: list[list[str]] = []
    for module in (json, ours):
        document, default = make()
        noted: list[str] = []
        calls.append(noted)

        def noting(o: Any, default: Any = default, noted: Any = noted) -> Any:
            noted.append(type(o).__name__)
            return default(o)

        found = outcome(
            lambda m=module, d=document, n=noting: m.dumps(d, default=n, **options)
        )
        if module is json:
            expected = found
        assert found == expected
        document, default = make()
        found = outcome(
            lambda m=module, d=document, n=default: by_encoder(m, d, n, options)
        )
        assert found == expected
    assert calls[0] == calls[1]
    return expected


#: What only Python's own code writes, for the result of `default` or beside it.
LEFT = [
    *(math.nan, -math.inf, 2**80, -(2**63) - 1, Colour.RED, {1: 2}, {None: [True]}),
    *([[math.nan]], {"a": 2**64}, collections.OrderedDict(a=1), "\x7f", ["\ud800"]),
    *({"a": [{"b": (Colour.RED, {2.5: None})}]}, "\x7f\ud800"),
]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"indent": 2},
    {"indent": "\t", "sort_keys": True},
    {"indent": 0, "separators": (" ,", " : ")},
    {"separators": (",", ":"), "ensure_ascii": False},
]


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_change_beside_what_python_writes(left: Any, options: Any) -> None:
    """Python's own code begins before the first call, and not after it."""

    def before() -> tuple[Any, Any]:
        refs: dict[str, Any] = {}

        def default(_: Any) -> Any:
            refs["o"] = 1
            return "o"

        return {"refs": refs, "items": [Thing(), left], "refs again": refs}, default

    same(before, **options)

    def after() -> tuple[Any, Any]:
        items: list[Any] = [left, Thing(), 1, 2]

        def default(_: Any) -> Any:
            items.pop(0)
            return "o"

        return [items, items], default

    same(after, **options)


@pytest.mark.parametrize("left", LEFT)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_result_that_python_writes(left: Any, options: Any) -> None:
    """In its place, so that the text around it is that of the document before."""
    if options.get("ensure_ascii") is False and "ud800" in ascii(left):
        pytest.skip("documented: Python's own code begins again")
    for keep in (0, 2):

        def make(keep: int = keep) -> tuple[Any, Any]:
            items: list[Any] = [1, Thing(), 2, {"a": Thing(), "b": "é"}]

            def default(_: Any) -> Any:
                del items[keep:]
                return left

            return {"x": [[items]], "y": items}, default

        text = same(make, **options)
        assert "Thing" not in str(text)


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("key", ["k", 1, None, 2.5])
def test_a_dict_that_changes(key: Any, options: Any) -> None:
    """With an indent, RuntimeError if its size is another."""
    if not copies_members():
        pytest.skip("documented: this json writes the dict as `default` leaves it")
    for change in (
        lambda table: table.update(new=1),
        lambda table: table.update(b=5),
        dict.clear,
        lambda table: table.pop("b"),
        lambda table: table.update({7: 8}),
        lambda table: (table.pop("b"), table.update(c=3)),
    ):

        def make(change: Any = change) -> tuple[Any, Any]:
            table: dict[Any, Any] = {"a": Thing(), "b": 1}
            if key != "k" and "sort_keys" not in options:
                table[key] = 2

            def default(_: Any) -> Any:
                change(table)
                return "o"

            return [table], default

        same(make, **options)


@pytest.mark.parametrize(
    ("change", "indented"),
    [
        (lambda table: table.update(b=2), '{\n "a": "o",\n "b": 2\n}'),
        (lambda table: table.update(new=1), None),
        (lambda table: table.pop("b"), None),
        (lambda table: table.clear(), None),
        (
            lambda table: (table.pop("a"), table.update(c=3)),
            '{\n "a": "o",\n "b": 1,\n "c": 3\n}',
        ),
    ],
)
def test_what_is_written_of_a_dict_that_changes(change: Any, indented: Any) -> None:
    """The same on each version: its members when it was begun; documented."""

    def document() -> tuple[Any, Any]:
        table: dict[str, Any] = {"a": Thing(), "b": 1}
        return table, lambda _: (change(table), "o")[1]

    value, default = document()
    assert ours.dumps(value, default=default) == '{"a": "o", "b": 1}'
    value, default = document()
    if indented is None:
        with pytest.raises(RuntimeError, match="changed size"):
            ours.dumps(value, default=default, indent=1)
    else:
        assert ours.dumps(value, default=default, indent=1) == indented


def test_results_in_results() -> None:
    """`default` is called for an object inside of what Python's own code writes."""

    def make() -> tuple[Any, Any]:
        items: list[Any] = [Thing(), 1]

        def default(o: Any) -> Any:
            if items:
                items.clear()
                return [math.nan, {1}, {"a": {2}}]
            assert isinstance(o, set)
            return sorted(o) if o != {2} else 2**70

        return items, default

    assert same(make) == '[[NaN, [1], {"a": 1180591620717411303424}]]'
    assert "\n" in same(make, indent=3)
    assert same(make, allow_nan=False)[0] is ValueError


def test_an_exception_after_a_change() -> None:
    """With the notes that json gives it."""

    def make() -> tuple[Any, Any]:
        table: dict[str, Any] = {"a": [Thing()], "b": 1}

        def default(o: Any) -> Any:
            if isinstance(o, Thing):
                return [math.nan, 1j]
            raise LookupError("no")

        return table, default

    assert same(make)[0] is LookupError

    def keys() -> tuple[Any, Any]:
        return [Thing()], lambda _: {"a": {(1, 2): 3}}

    assert same(keys)[0] is TypeError
    assert same(keys, skipkeys=True) == '[{"a": {}}]'
    assert same(keys, skipkeys=True, indent=1).startswith('[\n {\n  "a": {')


@pytest.mark.parametrize("options", [{}, {"indent": 1}, {"sort_keys": True}])
@pytest.mark.parametrize("left", [None, math.nan])
def test_a_circle_through_default(left: Any, options: Any) -> None:
    """json notes the object until its result is written."""

    class Later:
        ready = False

    def make() -> tuple[Any, Any]:
        def default(o: Any) -> Any:
            if not o.ready:
                o.ready = True
                return {"retry": o, "left": left}
            return "ready"

        return [Later()], default

    kind, text, _ = same(make, **options)
    assert kind is ValueError
    assert text == "Circular reference detected"
    same(make, check_circular=False, **options)

    def itself() -> tuple[Any, Any]:
        return [Thing()], lambda o: o

    assert same(itself, **options)[0] is ValueError

    def outer() -> tuple[Any, Any]:
        document: list[Any] = [Thing(), 1]
        return document, lambda _: [document, left]

    assert same(outer, **options)[0] is ValueError

    def twice() -> tuple[Any, Any]:
        one = Thing()
        return [one, {"a": one}], lambda _: [left]

    assert isinstance(same(twice, **options), str)


def test_deep_results_and_many_open_ones() -> None:
    """Python's own code writes what is too deep for compiled code, in its place."""
    for outer, inner in ((250, 4), (250, 5), (3, 254), (0, 255), (100, 200)):

        def make(outer: int = outer, inner: int = inner) -> tuple[Any, Any]:
            items: list[Any] = [1, Thing(), 2]

            def default(_: Any) -> Any:
                del items[0]
                result: Any = []
                for _ in range(inner - 1):
                    result = [result]
                return result

            document: Any = items
            for _ in range(outer - 1):
                document = {"a": document}
            return document, default

        assert isinstance(same(make), str)
        same(make, indent=1)

    class Step:
        def __init__(self, left: int) -> None:
            self.left = left

    def steps() -> tuple[Any, Any]:
        return [Step(280)], lambda o: [Step(o.left - 1)] if o.left else "end"

    assert "end" in same(steps)


def test_a_circle_is_found_before_a_call() -> None:
    """Also one of containers only."""
    circle: list[Any] = [Thing()]
    circle.append(circle)
    called: list[Any] = []
    with pytest.raises(ValueError, match="Circular reference detected"):
        ours.dumps(circle, default=lambda o: called.append(o))
    assert len(called) == 1


def test_a_file_has_the_text_of_dumps() -> None:
    """json.dump goes on in a dict that has changed, or raises RuntimeError."""

    def default(_: Any) -> Any:
        table["b"] = 1
        return 0

    table: dict[str, Any] = {"a": Thing()}
    with pytest.raises(RuntimeError, match="changed size"):
        by_dump(json, table, default, {})
    table = {"a": Thing()}
    assert by_dump(ours, table, default, {}) == '{"a": 0}'
    table = {"a": Thing(), "n": math.nan}
    with pytest.raises(RuntimeError, match="changed size"):
        by_dump(ours, table, default, {})


def test_what_default_adds_is_not_foreseen() -> None:
    """Documented: Python's own code begins again, with the document as it is then."""
    items: list[Any] = [Thing()]
    refs: dict[str, Any] = {}

    def default(_: Any) -> Any:
        refs["o"] = 1
        items.append(math.nan)
        return 0

    assert ours.dumps([refs, items], default=default) == '[{"o": 1}, [0, NaN]]'


VALUES = st.recursive(
    st.sampled_from([Thing, Thing, Thing, math.nan, 2**64, Colour.RED, {1: 2}, "\x7f"])
    | st.integers(-5, 5)
    | st.text(max_size=3)
    | st.none(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=15,
)


def built(value: Any) -> Any:
    """Return a new document, with things in the place of their class."""
    if isinstance(value, list):
        return [built(one) for one in value]
    if isinstance(value, dict):
        return {name: built(one) for name, one in value.items()}
    return Thing() if value is Thing else value


@given(
    VALUES,
    st.lists(st.sampled_from(LEFT) | st.integers(), min_size=1, max_size=3),
    st.sampled_from(OPTIONS[:2]),
)
def test_any_documents(value: Any, results: Any, options: Any) -> None:
    """Each call takes away an item of each list of the document, the first one."""

    def make() -> tuple[Any, Any]:
        document = [built(value)]
        lists: list[Any] = []

        def find(one: Any) -> None:
            if type(one) is list:
                lists.append(one)
                for item in one:
                    find(item)
            elif type(one) is dict:
                for item in one.values():
                    find(item)

        find(document)
        waiting = list(results)

        def default(_: Any) -> Any:
            for one in lists:
                del one[:1]
            return waiting.pop() if len(waiting) > 1 else waiting[0]

        return document, default

    same(make, **options)
