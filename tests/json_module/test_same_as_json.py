"""`snooze.json` gives the texts, values and exceptions of `json`, whatever the input."""

from __future__ import annotations

import collections
import datetime
import enum
import io
import json
import math
import sys
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import strategies
from snooze import _snooze
from snooze import json as ours

WHOLE = {"a": [1, 2.5, None, True], "é": {"ü": "\U0001f600\x7f\n"}, "n": {}, "e": []}


class Colour(enum.IntEnum):
    """An int that json writes as its number."""

    RED = 1


class Text(str):
    """A str of another class."""

    __slots__ = ()


class Pair(NamedTuple):
    """A tuple of another class."""

    a: object
    b: object


def outcome(call, *arguments, **keywords):
    """Return the result and its type, or the exception's type, text and attributes."""
    try:
        found = call(*arguments, **keywords)
    except Exception as error:
        place = (getattr(error, name, None) for name in ("pos", "lineno", "doc"))
        notes = getattr(error, "__notes__", None)
        return type(error), str(error), *place, notes, type(error.__context__)
    return type(found), repr(found)


def same_dumps(value, **keywords):
    expected = outcome(json.dumps, value, **keywords)
    found = outcome(ours.dumps, value, **keywords)
    plain, mine = io.StringIO(), io.StringIO()
    written = outcome(json.dump, value, plain, **keywords)
    wrote = outcome(ours.dump, value, mine, **keywords)
    if RecursionError in {expected[0], written[0]}:
        # Its text and depth depend on which function of the interpreter is the last.
        assert (found[0], wrote[0]) == (expected[0], written[0])
        return expected
    assert found == expected
    assert wrote == written
    # Also what was written before an exception.
    assert mine.getvalue() == plain.getvalue()
    return expected


def same_loads(text, **keywords):
    expected = outcome(json.loads, text, **keywords)
    assert outcome(ours.loads, text, **keywords) == expected
    return expected


STYLES = st.fixed_dictionaries(
    {},
    optional={
        "ensure_ascii": st.booleans(),
        "sort_keys": st.booleans(),
        "indent": st.sampled_from(
            [None, 0, 1, 2, 4, 17, -1, "", "\t", "--", "é", True]
        ),
        "separators": st.sampled_from(
            [None, (",", ":"), (", ", " : "), ("", ""), (" ; " * 9, "=>"), ("ä", "ö")]
        ),
        "allow_nan": st.booleans(),
        "check_circular": st.booleans(),
        "skipkeys": st.booleans(),
    },
)
KEYS = st.one_of(
    strategies.texts,
    st.integers(),
    st.floats(),
    st.booleans(),
    st.none(),
    strategies.broken_texts,
)
VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        strategies.floats,
        strategies.texts,
        strategies.broken_texts,
        st.builds(Text, strategies.texts),
        st.just(Colour.RED),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=6),
        st.tuples(inner, inner),
        st.builds(Pair, inner, inner),
        st.dictionaries(strategies.texts, inner, max_size=6),
        st.dictionaries(KEYS, inner, max_size=3),
        st.builds(
            collections.OrderedDict,
            st.dictionaries(strategies.texts, inner, max_size=3),
        ),
    ),
    max_leaves=30,
)


@given(VALUES, STYLES)
def test_texts_are_those_of_json(value, style):
    same_dumps(value, **style)


@pytest.mark.parametrize("style", [{}, {"indent": 1}, {"sort_keys": True}])
@pytest.mark.parametrize("checked", [True, False])
@pytest.mark.parametrize("kind", ["list", "dict", "both"])
def test_cycles_end_as_in_json(kind, checked, style):
    cycle: list[object] = [1.5]
    member: dict[str, object] = {"a": "x"}
    cycle.append(member if kind == "both" else cycle)
    member["b"] = cycle if kind == "both" else member
    value = member if kind == "dict" else cycle
    found = same_dumps(["before", value], check_circular=checked, **style)
    # With 32 bits no memory is left for an indented text of that depth.
    assert found[0] in ({ValueError} if checked else {RecursionError, MemoryError})


class Complex(json.JSONEncoder):
    """An encoder of the standard library with a `default`."""

    def default(self, o):
        return [o.real, o.imag] if isinstance(o, complex) else super().default(o)


@given(st.lists(VALUES | st.complex_numbers() | st.binary(max_size=2)), STYLES)
def test_encoders_of_users(values, style):
    same_dumps(values, cls=Complex, **style)


@given(strategies.json_values(), STYLES)
@settings(max_examples=300)
def test_texts_of_plain_values_are_those_of_json(value, style):
    same_dumps(value, **style)


@given(st.floats(1e-12, 1e-3) | st.floats(1e14, 1e18) | st.floats())
@settings(max_examples=500)
def test_floats_are_written_in_pythons_notation(value):
    if math.isfinite(value):
        assert ours.dumps(value) == ours.dumps([value])[1:-1] == repr(value)


@given(VALUES, st.booleans())
def test_values_are_those_of_json(value, ascii_only):
    kind, *_ = outcome(json.dumps, value, ensure_ascii=ascii_only, skipkeys=True)
    if kind is str:
        written = json.dumps(value, ensure_ascii=ascii_only, skipkeys=True)
        same_loads(written)
        same_loads(f" {written}\n")
        same_loads(written[:-1])
        for codec in ("utf-8", "utf-8-sig", "utf-16", "utf-32-be"):
            same_loads(written.encode(codec, "surrogatepass"))
        same_loads(bytearray(written.encode("utf-8", "surrogatepass")))


@given(st.text(st.sampled_from('{}[]",:0123456789-+.eE tfn\\u d8\ud800é'), max_size=12))
@settings(max_examples=500)
def test_what_is_no_json_raises_the_same(text):
    same_loads(text)
    same_loads(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            "nul",
            "[1,]",
            '{"a" 1}',
            '{"a":1,}',
            "[1 2]",
            '"\n"',
            '"\\x"',
            "01",
        ),
        *("NaN", "[Infinity]", "-Infinity", "-0", "1e400", "-1e999", "1E5", "0.0"),
        *("18446744073709551616", "-9223372036854775809", "9" * 400, "1" + "0" * 30),
        *('"\\ud800"', '"\\ud83d\\ude00"', "\ufeff1", '{"a":1,"a":2}', "[" * 300),
        *(
            "[1.0, 9300000000000000000, 12345678901234567890123]",
            "[1.5, 9223372036e10]",
        ),
        *("[[1.5, 99999999999999999999]]", "1" * 4301),
    ],
)
def test_documents_of_every_kind_are_read_the_same(text):
    same_loads(text)
    same_loads(text.encode())


def test_deep_documents_are_read_the_same():
    for depth in (1, 254, 255, 400):
        text = "[" * depth + "]" * depth
        assert ours.loads(text) == json.loads(text)
    text = "[" * 100_000
    same_loads(text)


@pytest.mark.parametrize("wrong", [None, 1, [], memoryview(b"1"), object])
def test_what_is_no_text_raises_the_same(wrong):
    same_loads(wrong)


def test_hooks_are_called_as_json_calls_them():
    text = '{"a": [1, 2.5, NaN], "b": {"c": 12345678901234567890123}}'
    for name in (
        *("object_hook", "object_pairs_hook", "parse_float"),
        *("parse_int", "parse_constant"),
    ):
        seen = {}
        for module in (json, ours):
            calls = []
            module.loads(text, **{name: lambda value, calls=calls: calls.append(value)})
            seen[module] = calls
        assert repr(seen[json]) == repr(seen[ours]) != "[]"
    same_loads(text, cls=json.JSONDecoder)
    same_loads(text, cls=ours.JSONDecoder)
    same_loads('"\n"', strict=False)


def test_default_is_called_once_for_each_object():
    calls = []

    def default(value):
        calls.append(value)
        return str(value)

    day = datetime.date(2026, 1, 2)
    value = [1, {"a": day}, day]
    assert ours.dumps(value, default=default) == json.dumps(value, default=str)
    assert calls == [day, day]


class Encoder(json.JSONEncoder):
    """Writes sets."""

    def default(self, o):
        return sorted(o)


class OwnEncoder(ours.JSONEncoder):
    """Writes sets, and something around them."""

    def default(self, o):
        return sorted(o)

    def iterencode(self, o, _one_shot=False):
        yield from ("<", *super().iterencode(o, _one_shot), ">")


def test_classes_of_encoders_keep_what_they_override():
    assert ours.dumps({"a": {2, 1}}, cls=Encoder) == '{"a": [1, 2]}'
    assert OwnEncoder().encode({2, 1}) == "<[1, 2]>"
    assert OwnEncoder().encode([1]) == "<[1]>"
    for keywords in ({}, {"indent": 3}, {"ensure_ascii": False}, {"sort_keys": True}):
        expected = json.JSONEncoder(**keywords).encode(WHOLE)
        assert ours.JSONEncoder(**keywords).encode(WHOLE) == expected
        assert "".join(ours.JSONEncoder(**keywords).iterencode(WHOLE)) == expected
    assert isinstance(ours.JSONEncoder(), json.JSONEncoder)


def patched(module):
    """Return what the module gives while methods of its classes are replaced."""
    found = []
    for name, change in (
        ("default", lambda _self, value: type(value).__name__),
        ("encode", lambda _self, _value: "patched"),
        ("iterencode", lambda _self, _value, _one_shot=False: iter(["patched"])),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module.JSONEncoder, name, change)
            found.append([outcome(module.dumps, one) for one in ([1], [{1}])])
    for name in ("decode", "raw_decode"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module.JSONDecoder, name, lambda *_, **__: ("patched", 3))
            found.append(outcome(module.loads, "[1]"))
    return found


def test_replaced_methods_of_the_classes_are_used():
    assert patched(ours) == patched(json)
    for name in ("encode", "iterencode", "default"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(json.JSONEncoder, name, lambda *_, **__: "patched")
            same_dumps([1])
            same_dumps([{1}])


class OldDecoder(ours.JSONDecoder):
    """Calls the constructor of Python's class, as old programs do."""

    def __init__(self, **kw):
        json.JSONDecoder.__init__(self, **kw)


def test_decoders_keep_what_is_set_on_them():
    text = json.dumps(WHOLE)
    assert ours.JSONDecoder().decode(text) == WHOLE
    assert ours.JSONDecoder().raw_decode(text + "x") == (WHOLE, len(text))
    assert ours.JSONDecoder(parse_int=str).decode("[1]") == ["1"]
    assert ours.JSONDecoder(strict=False).decode('"\t"') == "\t"
    assert isinstance(ours.JSONDecoder(), json.JSONDecoder)
    assert OldDecoder(object_hook=len).decode('[{"a":1}]') == [1]
    with pytest.raises(TypeError):
        ours.JSONDecoder().decode(b"1")
    for change in (
        {"scan_once": lambda _text, _at: ("mine", 3)},
        {"raw_decode": lambda _text, idx=0: ("mine", 3 + idx)},
        {"parse_float": str},
    ):
        found = []
        for cls in (json.JSONDecoder, ours.JSONDecoder):
            decoder = cls()
            vars(decoder).update(change)
            found.append(decoder.decode("[1]"))
        assert found[0] == found[1]
    for cls in (json.JSONDecoder, ours.JSONDecoder):
        decoder = cls(parse_float=str)
        decoder.parse_float = float  # too late: Python's scanner has str
        assert decoder.decode("[1.5]") == ["1.5"]


def test_an_encoder_keeps_what_is_set_on_it():
    for cls in (json.JSONEncoder, ours.JSONEncoder):
        encoder = cls()
        encoder.iterencode = lambda _value, _one_shot=False: iter("mine")
        assert encoder.encode([1]) == "mine"


class Indent(int):
    """Counts how often it is used."""

    used = 0

    def __rmul__(self, other):
        type(self).used += 1
        return other * 2


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"separators": iter((",", ":"))},
        lambda: {"separators": [", ", ": "]},
        lambda: {"separators": ",:"},
        lambda: {"separators": (",",)},
        lambda: {"indent": 10**30},
        lambda: {"indent": Text("--")},
        lambda: {"indent": 1.5},
        lambda: {"sort_keys": [1], "ensure_ascii": ""},
        lambda: {"sort_keys": 1, "ensure_ascii": 0},
    ],
)
def test_unusual_arguments_are_used_as_json_uses_them(make):
    for value in ("a", [1, {"é": 2}], [1, {1: "é"}]):
        expected = outcome(json.dumps, value, **make())
        assert outcome(ours.dumps, value, **make()) == expected


def test_arguments_are_evaluated_as_often_as_json_does():
    for value in ([1], [{1: 2}]):
        Indent.used = 0
        expected = json.dumps(value, indent=Indent(3))
        count, Indent.used = Indent.used, 0
        assert ours.dumps(value, indent=Indent(3)) == expected
        assert Indent.used == count


@pytest.mark.parametrize(
    "text", ["[1e19, 1.5]", "[[1.5, 1e300], -9.3e18]", "[9300000000000000000.5]"]
)
def test_large_floats_are_read_by_compiled_code(text):
    assert _snooze.json_loads(text) == json.loads(text)


def test_files_are_read_and_written():
    file = io.StringIO()
    ours.dump(WHOLE, file, indent=1)
    assert file.getvalue() == json.dumps(WHOLE, indent=1)
    file.seek(0)
    assert ours.load(file) == WHOLE
    assert ours.load(io.BytesIO(json.dumps(WHOLE).encode("utf-16"))) == WHOLE


def test_unknown_arguments_are_refused_as_json_refuses_them():
    for call, value in ((ours.dumps, 1), (ours.loads, "1")):
        with pytest.raises(TypeError, match="unexpected keyword argument"):
            call(value, nonsense=1)
    with pytest.raises(TypeError):
        ours.dumps(1, True)


def test_circles_raise_the_same():
    circle = []
    circle.append([circle])
    members = {}
    members["a"] = members
    same_dumps(circle)
    same_dumps(members)


def test_the_module_has_every_public_name_of_json():
    assert sorted(ours.__all__) == sorted(json.__all__)
    for name in json.__all__:
        assert hasattr(ours, name)
    for name in ("scanner", "codecs", "detect_encoding"):
        assert getattr(ours, name) is getattr(json, name)


@pytest.mark.parametrize("name", ["skipkeys", "check_circular", "allow_nan"])
def test_arguments_that_refuse_to_be_evaluated(name):
    class Bad:
        def __bool__(self):
            raise ZeroDivisionError

    for module in (json, ours):
        with pytest.raises(ZeroDivisionError):
            module.dumps({"a": 1}, **{name: Bad()})
        with pytest.raises(ZeroDivisionError):
            module.dump({"a": 1}, io.StringIO(), **{name: Bad()})
        with pytest.raises(ZeroDivisionError):
            module.JSONEncoder(**{name: Bad()}).encode({"a": 1})


def test_usual_objects_are_written_and_read_by_compiled_code():
    """Without this, everything above would hold for Python's own code alone."""
    for value in (WHOLE, [], {}, "é", 1.5, -(2**63), 2**64 - 1, [[[]]], ("a", 1)):
        style = (", ", ": ", None, True, False, None)
        assert _snooze.json_dumps(value, *style) == json.dumps(value)
    text = json.dumps(WHOLE)
    assert _snooze.json_loads(text) == _snooze.json_loads(text.encode()) == WHOLE


@pytest.mark.parametrize(
    "value",
    [
        *(Colour.RED, Text("a"), Pair(1, 2), collections.OrderedDict(a=1), {1: 2}),
        *(2**64, -(2**63) - 1, math.nan, math.inf, datetime.date(2026, 1, 2), {1}),
        *(object(), b"a"),
    ],
)
def test_compiled_code_leaves_everything_else(value):
    for nested in (value, [value], {"a": value}):
        with pytest.raises(TypeError):
            _snooze.json_dumps(nested, ", ", ": ", None, True, False, None)


def test_compiled_code_leaves_the_escape_of_delete():
    """Python has one in ASCII output; `snooze.json` puts it in the text."""
    for nested in ("\x7f", ["\x7f" * 40], {"a\x7f": 1}):
        found = _snooze.json_dumps(nested, ", ", ": ", None, True, False, None)
        assert found.replace("\x7f", "\\u007f") == json.dumps(nested)
        for keywords in (
            {},
            {"ensure_ascii": False},
            {"indent": "\x7f"},
            {"separators": ("\x7f", ":")},
            {"separators": (",", "\x7f"), "sort_keys": True},
        ):
            same_dumps(nested, **keywords)
            same_dumps([nested, {1}], default=list, **keywords)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        (1, ",", ":", None, True),
        (1, ",", ":", None, True, False),
        (1, 2, ":", None, True, False, None),
        (1, ",", "ö", None, True, False, None),
        (1, ",", ":", " " * 17, True, False, None),
        (1, ",", ":", 4, True, False, None),
        (object(), ",", ":", None, True, False, 1),
        (object(), ",", ":", None, True, False, (str,)),
        (object(), ",", ":", None, True, False, (str, [])),
    ],
)
def test_compiled_code_checks_its_arguments(arguments):
    with pytest.raises(TypeError):
        _snooze.json_dumps(*arguments)


def test_no_reference_is_lost():
    value = [object(), "é" * 40, {"k": [1.5]}]
    plain = value[1:]
    before = [sys.getrefcount(one) for one in value]
    for _ in range(50):
        ours.dumps(plain)
        with pytest.raises(TypeError):
            ours.dumps(value)
    assert [sys.getrefcount(one) for one in value] == before
