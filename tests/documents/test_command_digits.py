"""`snooze convert` from YAML, TOML and MessagePack: no digit is lost in silence."""

from __future__ import annotations

import json

import pytest

from helpers.command import Done

pytestmark = pytest.mark.usefixtures("folder")

PI = "3.14159265358979323846264338327950288"
#: Floats of YAML 1.1, and what they are in JSON.
FLOATS = {
    "12345678901234567890.5": "12345678901234567890.5",
    "-0.10000000000000000001": "-0.10000000000000000001",
    f"+{PI}": PI,
    ".10000000000000000001": "0.10000000000000000001",
    "-00_012_345_678_901.234_567_8": "-12345678901.2345678",
    "1_000.5": "1000.5",
    "1.": "1.0",
    ".5": "0.5",
    "1.10": "1.1",
    "-0.0": "-0.0",
    "1.0e+400": "1.0e400",
    "1.5E-400": "1.5e-400",
    "190:20:30.15": "685230.15",
    "1:00.10000000000000000001": "60.10000000000000000001",
    "-1:30.5": "-90.5",
    "!!float 3": "3.0",
    "!!float 1e5": "100000.0",
    "!!float 12345678901234567890123": "12345678901234567890123.0",
    "!!float 1:30.5e1": "365.0",
    "!!float .": None,
    "0o7": '"0o7"',
    "1e400": '"1e400"',
}


def converted(text: str | bytes, *words: str) -> str:
    """Return what a conversion writes that has no warning."""
    done = Done("convert", *words, data=text)
    assert (done.err, done.status) == ("", 0)
    return done.out


@pytest.mark.parametrize(("text", "expected"), FLOATS.items())
def test_numbers_of_yaml(text, expected):
    """A double that does not have all digits is not used."""
    pytest.importorskip("yaml")
    if expected is None:
        done = Done("convert", "-f", "yaml", data=f"- {text}")
        assert (done.out, done.status) == ("", 1)
        assert done.err.startswith("snooze: <stdin>: expected yaml: ")
        return
    words = ("-f", "yaml", "-t", "ndjson")
    wanted = expected.replace("1.0e400", "1.0e+400")
    assert converted(f"- {text}", *words) == f"{wanted}\n"
    assert converted(f"- a: {text}", *words) == f'{{"a":{wanted}}}\n'
    cell = wanted.strip('"')
    assert converted(f"- a: {text}", "-f", "yaml", "-t", "csv") == f"a\n{cell}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PI, PI),
        (f"-{PI}", f"-{PI}"),
        ("+9_007_199_254_740_993.0", "9007199254740993.0"),
        ("1e400", "1e400"),
        ("-1E-0400", "-1E-0400"),
        ("1e06", "1000000.0"),
        ("2.50", "2.5"),
        ("-0.0", "-0.0"),
    ],
)
def test_numbers_of_toml(text, expected):
    words = ("-f", "toml", "-t", "ndjson")
    found = converted(f"[[a]]\nb = [{text}]\n", "-f", "toml")
    assert "".join(found.split()) == f'{{"a":[{{"b":[{expected}]}}]}}'
    done = Done("convert", *words, data=f"a = {text}")
    assert done.err.endswith("expected an array, found an object\n")


@pytest.mark.parametrize("target", ["json", "ndjson", "csv"])
@pytest.mark.parametrize(
    ("form", "text"), [("yaml", "a: {}.inf"), ("toml", "a = {}inf")]
)
@pytest.mark.parametrize("sign", ["", "-", "+"])
def test_infinities_that_are_in_the_file(target, form, text, sign):
    """Only those have no place in JSON."""
    pytest.importorskip("yaml")
    done = Done("convert", "-f", form, "-t", target, data=text.format(sign))
    assert (done.out, done.status) == ("", 1)
    assert f"JSON has no {sign.strip('+')}inf, found one at /a" in done.err


@pytest.mark.parametrize("target", ["yaml", "toml", "msgpack"])
@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("yaml", "a: &a [%s, 0.5, %s]\nb: *a\n"),
        ("toml", "a = [%s, 0.5, %s]\n"),
        ("ndjson", '{"a":[%s,0.5,%s]}'),
    ],
)
def test_formats_of_doubles(target, form, text):
    """The warning is that of JSON; an alias is one list, whose numbers count once."""
    yaml = pytest.importorskip("yaml")
    msgpack, _ = pytest.importorskip("msgpack"), pytest.importorskip("tomli_w")
    import tomllib

    source = "ndjson" if form == "ndjson" else form
    done = Done("convert", "-f", source, "-t", target, data=text % (PI, f"-{PI}"))
    place = "/0/a/0" if form == "ndjson" else "/a/0"
    if (form, target) == ("ndjson", "toml"):  # an array is no table
        assert done.status == 1
        return
    assert done.status == 0
    assert done.err == (
        "snooze: <stdin>: warning: 2 numbers rounded to a double, the only kind that "
        f"{target} has: {PI} at {place}\n"
    )
    readers = {
        "yaml": yaml.safe_load,
        "toml": lambda raw: tomllib.loads(raw.decode()),
        "msgpack": msgpack.unpackb,
    }
    found = readers[target](done.raw)
    [value] = found if form == "ndjson" else [found]
    assert value["a"] == [float(PI), 0.5, -float(PI)]
    assert value.get("b", value["a"]) == value["a"]


@pytest.mark.parametrize(
    ("form", "text"), [("yaml", "a: {b: 1.0e+400}"), ("toml", "a.b = 1.0e+400")]
)
@pytest.mark.parametrize("target", ["yaml", "toml", "msgpack"])
def test_numbers_beyond_the_range_of_doubles(target, form, text):
    pytest.importorskip("yaml")
    done = Done("convert", "-f", form, "-t", target, data=text)
    assert (done.out, done.status) == ("", 1)
    assert "1.0e+400 at /a/b is beyond the range of a double" in done.err


@pytest.mark.parametrize(
    ("exponent", "status", "said"),
    [
        ("e99999999999999999999", 1, "is beyond the range of a double"),
        ("E-99999999999999999999", 0, "warning: a number rounded to a double"),
    ],
)
def test_exponents_that_decimal_does_not_take(exponent, status, said):
    pytest.importorskip("yaml")
    done = Done("convert", "-t", "yaml", data=f"[0{exponent},-0{exponent}]")
    assert (done.out, done.err, done.status) == ("- 0.0\n- -0.0\n", "", 0)
    done = Done("convert", "-t", "yaml", data=f"[1{exponent}]")
    assert done.status == status
    assert said in done.err


def test_pairs_of_yaml():
    """They are tuples in Python, which cannot be changed in place."""
    pytest.importorskip("yaml")
    text = f"!!omap [a: {PI}, b: 0.5]"
    assert converted(text, "-f", "yaml", "-t", "ndjson") == f'["a",{PI}]\n["b",0.5]\n'
    done = Done("convert", "-f", "yaml", "-t", "yaml", data=text)
    assert done.out == f"- - a\n  - {float(PI)}\n- - b\n  - 0.5\n"
    assert f"double, the only kind that yaml has: {PI} at /0/1" in done.err


def test_rings_of_yaml():
    pytest.importorskip("yaml")
    done = Done("convert", "-f", "yaml", "-t", "yaml", data=f"&a [*a, {PI}]")
    assert (done.out, done.status) == (f"&id001\n- *id001\n- {float(PI)}\n", 0)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        (PI, PI),
        ("2001-12-14t21:59:43.123456789Z", "2001-12-14T21:59:43.123456789+00:00"),
        ("2001-12-14t21:59:43.12345Z", "2001-12-14T21:59:43.123450+00:00"),
    ],
)
def test_keys_of_yaml(key, name):
    """A name in JSON has all digits, and an alias of the key is still no string."""
    pytest.importorskip("yaml")
    text = f"- {{&k {key} : 1, b: *k}}\n- {{{key} : 2}}"
    value = PI if key == PI else f'"{name}"'
    assert converted(text, "-f", "yaml", "-t", "ndjson") == (
        f'{{"{name}":1,"b":{value}}}\n{{"{name}":2}}\n'
    )
    twice = Done("convert", "-f", "yaml", data=f'{key} : 1\n"{name}": 2\n')
    assert (twice.out, twice.status) == ("", 1)
    found = Done("convert", "-f", "yaml", "-t", "csv", data=text)
    assert found.out.splitlines()[0] == f"{name},b"


TIMES = [
    ("2001-12-14t21:59:43.123456789Z", "2001-12-14T21:59:43.123456789+00:00"),
    ("2001-12-14 21:59:43.1234567", "2001-12-14T21:59:43.1234567"),
    ("2001-12-14 21:59:43.0000001 -5:30", "2001-12-14T21:59:43.0000001-05:30"),
    ("2001-12-14t21:59:43.123456000Z", "2001-12-14T21:59:43.123456+00:00"),
    ("2001-12-14t21:59:43.5Z", "2001-12-14T21:59:43.500000+00:00"),
    ("2001-12-14t21:59:43Z", "2001-12-14T21:59:43+00:00"),
    ("2001-12-14", "2001-12-14"),
]


@pytest.mark.parametrize(("text", "expected"), TIMES)
def test_times_of_yaml(text, expected):
    """All digits of a second; in CSV a date has no quotes."""
    pytest.importorskip("yaml")
    words = ("-f", "yaml", "-t")
    assert converted(f"- {text}", *words, "ndjson") == f'"{expected}"\n'
    assert converted(f"a: {text}", *words, "json") == f'{{\n  "a": "{expected}"\n}}\n'
    assert converted(f"- a: {text}", *words, "csv") == f"a\n{expected}\n"
    again = converted(f"- {text}", *words, "yaml")
    assert again == f"- {expected.replace('T', ' ')}\n"
    assert converted(again, *words, "ndjson") == f'"{expected}"\n'
    pytest.importorskip("tomli_w")
    again = converted(f"a: {text}", *words, "toml")
    assert again == f"a = {expected.replace('T', ' ')}\n"


def test_bytes_of_yaml():
    """In a cell of CSV they have no quotes either."""
    pytest.importorskip("yaml")
    text = "- a: !!binary aGVsbG8=\n  b: [!!binary aGVsbG8=]\n"
    found = converted(text, "-f", "yaml", "-t", "csv")
    assert found == 'a,b\naGVsbG8=,"[""aGVsbG8=""]"\n'


def test_a_time_as_the_document():
    pytest.importorskip("yaml")
    for text in ("2001-12-14t21:59:43.123456789Z", "2001-12-14t21:59:43Z"):
        done = Done("convert", "-f", "yaml", "-t", "ndjson", data=text)
        assert done.err.endswith("expected an array, found a time\n")


def test_times_of_msgpack():
    """They have nanoseconds."""
    msgpack = pytest.importorskip("msgpack")
    long, short = msgpack.Timestamp(1, 123456789), msgpack.Timestamp(1, 123456000)
    early = msgpack.Timestamp(-1, 1)
    texts = {
        long: "1970-01-01T00:00:01.123456789+00:00",
        short: "1970-01-01T00:00:01.123456+00:00",
        msgpack.Timestamp(253402300799, 999999999): (
            "9999-12-31T23:59:59.999999999+00:00"
        ),
        early: "1969-12-31T23:59:59.000000001+00:00",
    }
    words = ("-f", "msgpack", "-t")
    for value, text in texts.items():
        packed = msgpack.packb(value)
        assert json.loads(converted(packed, *words, "json")) == text
        packed = msgpack.packb([{"a": [value], value: value}])
        assert converted(packed, *words, "ndjson") == (
            f'{{"a":["{text}"],"{text}":"{text}"}}\n'
        )
        packed = msgpack.packb([{"a": value}])
        assert converted(packed, *words, "csv") == f"a\n{text}\n"
    done = Done("convert", *words, "csv", data=msgpack.packb({long: 1, texts[long]: 2}))
    assert (done.out, done.status) == ("", 1)
    done = Done("convert", *words, "msgpack", data=msgpack.packb([long]))
    assert (done.out, done.status) == ("", 1)
    assert "cannot be written as msgpack" in done.err
    pytest.importorskip("yaml")
    text = converted(msgpack.packb([long]), *words, "yaml")
    assert text == "- 1970-01-01 00:00:01.123456789+00:00\n"


@pytest.mark.parametrize("target", ["json", "toml"])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("00:32:00.123456789Z", None),
        ("a = 00:32:00.123456789", "a time cut to {}: 00:32:00.123456789 in line 1"),
        (
            "# 00:32:00.1234567\na = '00:32:00.1234567'\n"
            "[b]\nc = [2001-12-14T00:32:00.1234567Z, 00:00:00.0000001]",
            "2 times cut to {}: 00:32:00.1234567 in line 4",
        ),
        ("a = 00:32:00.123456000", ""),
        ("a = 00:32:00", ""),
        ('"00:32:00.1234567" = "\\"00:32:00.1234567"', ""),
        ('a = """"\n00:32:00.1234567\\""""" # 00:32:00.1234567', ""),
        ("a = ''''\n00:32:00.1234567\\'''''", ""),
        (
            'a = ["""""", 00:32:00.1234567]',
            "a time cut to {}: 00:32:00.1234567 in line 1",
        ),
    ],
)
def test_times_of_toml(target, text, said):
    """Its reader cuts them, whatever is written."""
    pytest.importorskip("tomli_w")
    done = Done("convert", "-f", "toml", "-t", target, data=text)
    if said is None:
        assert done.status == 1
        return
    cut = "microseconds, which is all that Python reads of TOML"
    message = f"snooze: <stdin>: warning: {said.format(cut)}\n" if said else ""
    assert (done.err, done.status) == (message, 0)


def test_times_of_a_day_in_yaml():
    """YAML has none: without quotes that is an integer to the base of 60."""
    pytest.importorskip("yaml")
    text = converted("a = 12:02:03\nb = 12:02:03.5", "-f", "toml", "-t", "yaml")
    assert text == "a: '12:02:03'\nb: '12:02:03.500000'\n"


def test_what_yaml_cannot_hold():
    """Nor any other format but MessagePack itself."""
    pytest.importorskip("yaml")
    msgpack = pytest.importorskip("msgpack")
    data = msgpack.packb([msgpack.ExtType(5, b"x")])
    done = Done("convert", "-f", "msgpack", "-t", "yaml", data=data)
    assert (done.out, done.status) == ("", 1)
    said = "cannot be written as yaml: YAML has nothing for a value of type ExtType"
    assert done.err == f"snooze: <stdin>: {said}\n"
    assert Done("convert", "-f", "msgpack", "-t", "msgpack", data=data).raw == data


def test_what_msgpack_cannot_hold():
    """The message says what it is, as for other values."""
    pytest.importorskip("msgpack")
    done = Done("convert", "-f", "toml", "-t", "msgpack", data="t = 10:00:00")
    assert (done.out, done.status) == ("", 1)
    said = "cannot be written as msgpack: MessagePack has nothing for a time of day"
    assert done.err == f"snooze: <stdin>: {said}\n"


def test_sets_of_yaml():
    """Lists of their keys, in the order of the file."""
    pytest.importorskip("yaml")
    names = [f"k{number}" for number in range(20)][::-1]
    text = "".join(f"? {name}\n" for name in names)
    found = converted(f"--- !!set\n{text}", "-f", "yaml", "-t", "ndjson")
    assert [json.loads(line) for line in found.splitlines()] == names
    inside = f"a: !!set {{{', '.join(names)}}}\nb: !!set {{? {PI}, ? 1.5, ? 2}}\n"
    found = converted(inside, "-f", "yaml")
    assert json.loads(found)["a"] == names
    assert "".join(found.split()).endswith(f'"b":[{PI},1.5,2]}}')
    again = converted("!!set {x, <<: {y, z}}", "-f", "yaml", "-t", "yaml")
    assert again == "- y\n- z\n- x\n"
    pytest.importorskip("tomli_w")
    assert "k19" in converted(
        f"a: !!set {{{text}}}".replace("\n", ","), "-f", "yaml", "-t", "toml"
    )
    done = Done("convert", "-f", "yaml", data="!!set {a, b: 1}")
    assert (done.out, done.status) == ("", 1)
    assert "a set has a value for 'b', which would be lost" in done.err
