"""The command and what other formats hold that JSON or Python does not: no traceback."""

from __future__ import annotations

import json
import os

import pytest

from helpers.command import Done
from snooze._cli import members

pytestmark = pytest.mark.usefixtures("folder")


@pytest.mark.parametrize(
    "text", ["a: !!bool maybe\n", 'a: !!int ""\n', "a: !!timestamp abc\n", "[" * 5000]
)
def test_wrong_yaml(text):
    """Its readers of tags do not check the text before."""
    pytest.importorskip("yaml")
    done = Done("convert", "--from", "yaml", data=text)
    assert (done.out, done.status) == ("", 1)
    assert done.err.startswith("snooze: <stdin>: expected yaml: ")


def test_wrong_msgpack():
    """Some errors of its reader have no text."""
    msgpack = pytest.importorskip("msgpack")
    timestamp = msgpack.packb(msgpack.Timestamp(2**40, 5))
    for data in (timestamp, b"\xc1", b"\x91" * 5000):
        done = Done("convert", "--from", "msgpack", data=data)
        assert (done.out, done.status) == ("", 1)
        assert done.err.startswith("snooze: <stdin>: expected msgpack: ")
        assert not done.err.endswith(": \n")


def test_keys_of_msgpack_that_are_no_strings():
    """They have names in JSON; two with one name are an error."""
    msgpack = pytest.importorskip("msgpack")
    done = Done("convert", "--from", "msgpack", data=msgpack.packb({1: [2.5]}))
    assert (json.loads(done.out), done.status) == ({"1": [2.5]}, 0)
    twice = msgpack.packb({1: 1, "1": 2})
    done = Done("convert", "--from", "msgpack", data=twice)
    assert (done.out, done.status) == ("", 1)
    assert "are one name in JSON" in done.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- {1: a}\n- {'1': b}\n", '"1"\na\nb\n'),
        ("- {1: a}\n- {true: b}\n", '"1","true"\na,\n,b\n'),
        ("- {true: a, null: 3}\n", '"true","null"\na,3\n'),
    ],
)
def test_names_of_columns_are_those_of_json(text, expected):
    """Python has 1 and True as one key, and 1 and "1" as two."""
    pytest.importorskip("yaml")
    done = Done("convert", "--from", "yaml", "--to", "csv", data=text)
    assert (done.out, done.status) == (expected.replace('"', ""), 0)


def test_integers_that_toml_does_not_have():
    """A reader of TOML would refuse the file."""
    pytest.importorskip("tomli_w")
    for number in (2**63, -(2**63) - 1):
        done = Done("convert", "--to", "toml", data=f'{{"a":{{"b":{number}}}}}')
        assert (done.out, done.status) == ("", 1)
        assert f"TOML has integers of 64 bits, found {number} at /a/b" in done.err
    done = Done("convert", "--to", "toml", data=f'{{"a":{2**63 - 1}}}')
    assert (done.out, done.status) == (f"a = {2**63 - 1}\n", 0)


def test_documents_that_are_too_deep_for_other_formats():
    """The message names the file and the reason."""
    pytest.importorskip("yaml")
    text = "[" * 1000 + "]" * 1000
    done = Done("convert", "--to", "yaml", data=text)
    assert (done.out, done.status) == ("", 1)
    assert done.err == "snooze: <stdin>: cannot be written as yaml: nested too deep\n"


@pytest.mark.parametrize("indent", ["000100", "00099999999999", "0017", "17", "-1", ""])
def test_an_indent_out_of_range(indent):
    """Leading zeros change nothing."""
    done = Done("format", f"--indent={indent}", data="[1]")
    assert (done.out, done.status) == ("", 2)
    assert "expected 0 to 16 or tab" in done.err


def test_a_patch_that_would_lose_a_member_stays(folder):
    """Its output may be the file of the patch."""
    (folder / "x.json").write_text('{"c":{}}')
    (folder / "m.json").write_text('{"a":null,"a":1}')
    done = Done("patch", "--merge", "x.json", "m.json", "-o", "m.json")
    assert done.status == 1
    assert (folder / "m.json").read_text() == '{"a":null,"a":1}'


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_a_file_that_is_replaced_keeps_its_owner(folder):
    """Otherwise its owner could not read it any more."""
    path = folder / "a.json"
    path.write_text("[1]")
    path.chmod(0o640)
    os.chown(path, 65534, 65533)
    assert Done("format", "--in-place", "a.json").status == 0
    found = path.stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (65534, 65533, 0o640)


@pytest.mark.parametrize("target", ["json", "ndjson", "csv", "toml", "msgpack"])
def test_aliases_that_stand_for_too_many_values(target):
    """Some hundred bytes would be gigabytes; YAML keeps the aliases."""
    pytest.importorskip("yaml")
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 9):
        items = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{items}]")
    done = Done("convert", "--from", "yaml", "--to", target, data="\n".join(lines))
    assert (done.raw, done.status) == (b"", 1)
    assert "its aliases would expand to 1234567900 values; the file has 100" in done.err
    done = Done("convert", "--from", "yaml", "--to", "yaml", data="\n".join(lines))
    assert (done.err, done.status) == ("", 0)
    assert "*id" in done.out
    done = Done("convert", "--from", "yaml", data="\n".join(lines[:4]))
    assert done.status == 0
    assert len(json.loads(done.out)["a3"]) == 10


def test_large_documents_without_aliases(monkeypatch):
    """A long list and a wide table are what they are."""
    yaml = pytest.importorskip("yaml")
    monkeypatch.setattr(members, "MOST_VALUES", 1000)
    for value in ([0.5] * 5000, [list(range(300)) for _ in range(20)]):
        done = Done("convert", "--from", "yaml", data=yaml.safe_dump(value))
        assert (json.loads(done.out), done.status) == (value, 0)


def test_an_alias_of_its_own_container():
    """It has no text."""
    pytest.importorskip("yaml")
    done = Done("convert", "--from", "yaml", data="&a [1, *a]")
    assert (done.out, done.status) == ("", 1)
