"""Keys that are members of enums, values of a Literal, and numpy scalars."""

from __future__ import annotations

import enum
from typing import Annotated, Any, Literal

import pytest

import snooze


class Limit(enum.Enum):
    """Members whose values JSON does not have, and some that it has."""

    NAN = float("nan")
    INFINITE = float("inf")
    NOTHING = None
    LARGE = 1e300


@pytest.mark.parametrize("nan", ["null", "error", "literal", "string"])
@pytest.mark.parametrize("key", [Limit.NAN, Limit.INFINITE])
@pytest.mark.parametrize("type_", [Any, dict[Limit, int], dict[Any, int]])
def test_members_that_are_not_finite(type_: Any, key: Limit, nan: Any) -> None:
    """Two of them would be the same member, and no Decoder reads them again."""
    encoder = snooze.Encoder(type_, nan=nan)
    with pytest.raises(TypeError, match="expected a finite number, found "):
        encoder.encode({key: 1})


def test_other_members() -> None:
    """None is the key `null`."""
    for type_ in (Any, dict[Limit, int]):
        text = snooze.encode({Limit.NOTHING: 1, Limit.LARGE: 2}, type_)
        assert text == b'{"null":1,"1e+300":2}'
    with pytest.raises(TypeError, match="expected a finite number"):
        snooze.to_builtins({Limit.NAN: 1, Limit.INFINITE: 2})


def test_dumps_follows_orjson() -> None:
    """There the key is `null`."""
    option = snooze.OPT_NON_STR_KEYS
    assert snooze.dumps({Limit.NAN: 1}, option=option) == b'{"null":1}'
    assert snooze.dumps({float("inf"): 1}, option=option) == b'{"null":1}'


def test_literals_of_bool() -> None:
    """Those of other classes do not take them."""
    flags = dict[Literal[True, False], int]
    assert snooze.encode({True: 1, False: 2}, flags) == b'{"true":1,"false":2}'
    assert snooze.decode(b'{"true":1,"false":2}', flags) == {True: 1, False: 2}
    with pytest.raises(TypeError, match="as a key, found bool"):
        snooze.encode({True: 1}, dict[Literal[1, 2], int])
    with pytest.raises(TypeError, match="as a key, found int"):
        snooze.encode({1: 1}, flags)


def test_numpy_scalars() -> None:
    """They are keys where the Python numbers that they equal are."""
    numpy = pytest.importorskip("numpy")
    assert snooze.encode({numpy.int64(-1): 1}, dict[int, int]) == b'{"-1":1}'
    assert snooze.encode({numpy.uint8(3): 1}, dict[int, int]) == b'{"3":1}'
    assert snooze.encode({numpy.bool_(1): 1}, dict[bool, int]) == b'{"true":1}'
    assert snooze.encode({numpy.float32(0.1): 1}, dict[float, int]) == b'{"0.1":1}'
    for key, type_ in (
        (numpy.int64(1), dict[bool, int]),
        (numpy.bool_(1), dict[int, int]),
        (numpy.float32(1), dict[int, int]),
        (numpy.int64(1), dict[str, int]),
    ):
        with pytest.raises(TypeError, match="as a key, found"):
            snooze.encode({key: 1}, type_)
    with pytest.raises(TypeError, match="expected a finite number"):
        snooze.encode({numpy.float32("nan"): 1}, dict[float, int])


ESCAPED = ['a"b', "back\\slash", "line\n", "\x01", "\u00e9\n\U0001f600", "\\u0041"]
Escaped = enum.Enum("Escaped", {name: number for number, name in enumerate(ESCAPED)})
#: Each name is the value of another member.
Crossed = enum.Enum("Crossed", {'a"b': "c", "c": 'a"b'})


@pytest.mark.parametrize("sort_keys", [False, True])
@pytest.mark.parametrize("cls", [Escaped, Crossed])
def test_names_of_members_that_need_escapes(cls: Any, sort_keys: bool) -> None:
    """As a key a member has the text that it has as a value."""
    named = Annotated[cls, snooze.Format("name")]
    for member in cls:
        text = snooze.dumps({member.name: 1})
        assert snooze.encode({member: 1}, dict[named, int], sort_keys=sort_keys) == text
        assert snooze.decode(text, dict[named, int]) == {member: 1}
        for formats in ({cls: "name"}, {enum.Enum: "name"}):
            assert snooze.encode({member: 1}, formats=formats) == text
        assert snooze.to_builtins({member: 1}, dict[named, int]) == {member.name: 1}


def test_keys_with_escapes_and_surrogates() -> None:
    """A key that a Literal or an enum has is replaced like any other."""
    broken = '"\ud800'
    shown = enum.Enum("shown", {"A": broken})
    expected = '{"\\"\ufffd":1}'.encode()
    for key, tp in (
        (broken, dict[str, int]),
        (broken, dict[Literal[broken], int]),  # type: ignore[valid-type]
        (shown["A"], dict[shown, int]),  # type: ignore[valid-type]
        (shown["A"], dict),
    ):
        assert snooze.encode({key: 1}, tp, surrogates="replace") == expected
        escaped = snooze.encode({key: 1}, tp, surrogates="escape")
        assert escaped == b'{"\\"\\ud800":1}'
        with pytest.raises(TypeError, match="surrogates"):
            snooze.encode({key: 1}, tp)
