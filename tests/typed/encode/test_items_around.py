"""An array in pieces inside a document: `at` and `around` of `iter_items`, `dump_items`."""

from __future__ import annotations

import collections
import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.text("ab/~é", max_size=3)
SCALARS = st.none() | st.integers(-5, 5) | st.text(max_size=3) | st.just([])
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)
    ),
    max_leaves=8,
)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"sort_keys": True},
    {"newline": True, "separators": (", ", ": ")},
    {"separators": (" ,", " :\n")},
    {"ensure_ascii": True},
    {"indent": 2},
    {"indent": 0, "newline": True},
    {"indent": "\t", "sort_keys": True},
    {"indent": " \t", "separators": (", ", " : "), "ensure_ascii": True},
]


def text(
    values: Any, at: str, around: Any = None, encoder: Any = None, **options: Any
) -> bytes:
    """Return all pieces, joined."""
    encoder = encoder or snooze.Encoder()
    return b"".join(encoder.iter_items(values, at, around=around, **options))


@given(
    around=st.dictionaries(NAMES, DOCUMENTS, max_size=3),
    steps=st.lists(NAMES, min_size=1, max_size=3),
    values=st.lists(SCALARS, max_size=4),
    options=st.sampled_from(OPTIONS),
    size=st.integers(1, 30),
)
def test_the_pieces_are_the_document_with_the_array(
    around: Any, steps: list[str], values: list[Any], options: Any, size: int
) -> None:
    """The text is that of the document with a list in the place."""
    at, encoder = snooze.pointer.join(steps), snooze.Encoder(**options)
    before = snooze.dumps(around)
    place = container = expected = snooze.loads(before)
    for position, step in enumerate(steps):
        place = container
        if not isinstance(place, dict):
            return  # another test has these
        is_last = position == len(steps) - 1
        container = place.setdefault(step, [] if is_last else {})
    if container != []:
        with pytest.raises(ValueError, match="expected an empty list or nothing at"):
            encoder.iter_items(values, at, around=around)
        return
    place[steps[-1]] = values
    found = text(iter(values), at, around, encoder, size=size)
    assert found == encoder.encode(expected)
    # What was passed is as it was.
    assert snooze.dumps(around) == before


def test_the_place() -> None:
    """A missing member is added last, an empty list stays where it is."""
    assert text([1], "/a") == b'{"a":[1]}'
    assert text([], "/a/b") == b'{"a":{"b":[]}}'
    assert text([1], "/n", {"a": 2}) == b'{"a":2,"n":[1]}'
    assert text([1], "/n", {"n": (), "a": 2}) == b'{"n":[1],"a":2}'
    assert text([1], "/0/n", [{"a": 2}, 3]) == b'[{"a":2,"n":[1]},3]'
    assert text([1], "/1", [3, []]) == b"[3,[1]]"
    assert text([1], "/", {}) == b'{"":[1]}'
    assert text([1], "/a~1b~0", {}) == b'{"a/b~":[1]}'
    ordered = collections.OrderedDict(z=1)
    assert text([1], "/a", ordered) == b'{"z":1,"a":[1]}'
    assert text([1], "/a", ordered, snooze.Encoder(sort_keys=True)) == (
        b'{"a":[1],"z":1}'
    )


def test_around_is_encoded_by_its_classes() -> None:
    """The type of the Encoder is that of the values; its options hold for all."""

    @dataclasses.dataclass
    class Page:
        size: int
        next_page: str | None = None

    encoder = snooze.Encoder(int, omit_none=True, rename="camel", hooks={range: list})
    around = {"page": Page(3), "ids": range(2)}
    assert text([1, 2], "/rows", around, encoder) == (
        b'{"page":{"size":3},"ids":[0,1],"rows":[1,2]}'
    )
    with pytest.raises(snooze.JSONEncodeError, match="expected int, found str") as info:
        text([1, "2"], "/rows", around, encoder)
    assert info.value.__notes__ == ["in $.rows[1]"]


def test_errors_come_at_the_call() -> None:
    """Before a value is asked for."""
    encoder = snooze.Encoder()

    def check(error: type[Exception], message: str, at: Any, around: Any) -> None:
        values = iter([1])
        with pytest.raises(error, match=message):
            encoder.iter_items(values, at, around=around)
        assert next(values) == 1

    check(ValueError, "around needs at, the place", "", {})
    check(ValueError, "is not a JSON Pointer", "a", None)
    check(TypeError, "at needs a JSON Pointer", 1, None)
    check(ValueError, r"nothing at \$\.a, found list with items", "/a", {"a": [1]})
    check(ValueError, r"nothing at \$\.a, found dict", "/a", {"a": {}})
    check(ValueError, r"nothing at \$\[0\], found NoneType", "/0", [None])
    check(TypeError, r"expected dict or list at \$\.a, found int", "/a/b", {"a": 1})
    check(TypeError, r"at \$, found tuple; to_builtins", "/0", ([],))
    check(TypeError, r"names that are str at \$, found int", "/1", {1: []})
    check(snooze.pointer.PointerError, 'expected an index below 1 at ""', "/1", [[]])
    check(snooze.pointer.PointerError, "expected an array index", "/-", [[]])
    check(snooze.JSONEncodeError, "not JSON serializable", "/a", {"b": object()})
    check(snooze.JSONEncodeError, "nested deeper", "/a" * 5000, None)
    hooked = snooze.Encoder(hooks={dict: lambda _: {}})
    with pytest.raises(ValueError, match=r"an array at \$\.a in .* found 0 of them"):
        hooked.iter_items([], "/a")


def test_hooks_see_no_part_of_the_array() -> None:
    """Where a hook could write what is around it, only plain containers may be there."""

    class Named(dict[str, Any]):
        def __json__(self) -> Any:
            return {"named": dict(self)}

    around = Named(n=1)
    assert text([2], "/a", around) == b'{"n":1,"a":[2]}'
    for options in ({"hooks": {Named: dict}}, {"json_method": "__json__"}):
        encoder = snooze.Encoder(**options)
        with pytest.raises(
            TypeError, match=r"expected plain dict or list at \$, found"
        ):
            encoder.iter_items([], "/a", around=around)
        assert text([2], "/a", {"n": 1}, encoder) == b'{"n":1,"a":[2]}'
        assert text([2], "/a", {"n": [1]}, encoder) == b'{"n":[1],"a":[2]}'
    lists = snooze.Encoder(hooks={list: lambda items: {"items": tuple(items)}})
    assert lists.encode({"a": []}) == b'{"a":{"items":[]}}'
    assert text([[2]], "", None, lists) == b'[{"items":[2]}]'
    assert text([2], "/a", {"b": [3]}, lists) == b'{"b":{"items":[3]},"a":[2]}'


def test_what_a_subclass_stores_is_written() -> None:
    """As `encode` does, whatever its methods say."""

    class Odd(dict[str, Any]):
        def keys(self) -> Any:
            return ["other"]

        def __getitem__(self, name: str) -> Any:
            return 7

    assert text([1], "/b", Odd(a=1)) == b'{"a":1,"b":[1]}'
    assert text([1], "/b", collections.defaultdict(int, a=1)) == b'{"a":1,"b":[1]}'


def test_the_depth_of_the_array_counts() -> None:
    """The array is one more level than what is around it."""
    encoder = snooze.Encoder(max_depth=3)
    assert text([1], "/a/a", None, encoder) == b'{"a":{"a":[1]}}'
    with pytest.raises(snooze.JSONEncodeError, match="nested deeper than max_depth=3"):
        text([1], "/a/a/a", None, encoder)
    with pytest.raises(snooze.JSONEncodeError, match="nested deeper"):
        text([], "/a" * 100_000)


def test_files(tmp_path: Path) -> None:
    """The file is the document; what `iter_items` of a Decoder reads back."""
    path = tmp_path / "a.json"
    encoder, rows = snooze.Encoder(), ({"id": number} for number in range(50_000))
    around = {"rows": [], "total": 50_000}
    assert encoder.dump_items(rows, path, "/rows", around=around) == 50_000
    assert path.read_bytes().endswith(b'{"id":49999}],"total":50000}')
    found = snooze.Decoder(dict[str, int]).iter_items(path, "/rows")
    assert [row["id"] for row in found] == list(range(50_000))
    with pytest.raises(ValueError, match="found int"):
        encoder.dump_items([], path, "/rows", around={"rows": 1})
    with pytest.raises(snooze.JSONEncodeError) as info:
        encoder.dump_items([1, object()], path, "/rows")
    assert info.value.__notes__ == ["in $.rows[1]"]
    assert path.read_bytes().startswith(b'{"rows":[{"id":0},')
