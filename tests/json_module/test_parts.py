"""`snooze.json.decoder` and the others, which stand for the modules inside of `json`."""

from __future__ import annotations

import importlib
import inspect
import io
import json
import json.tool
import pickle
import subprocess
import sys
import typing
from unittest import mock

import pytest

import snooze
from helpers import isolated
from snooze import json as ours
from snooze.json import decoder, encoder, scanner, tool

PARTS = {"decoder": {"JSONDecoder"}, "encoder": {"JSONEncoder"}, "scanner": set()}
#: What says which module it is.
OF_A_MODULE = {
    *("__builtins__", "__cached__", "__file__", "__loader__"),
    *("__name__", "__package__", "__spec__"),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_has_the_names_of_json_with_the_classes_of_snooze(name):
    standard = getattr(json, name)
    part = importlib.import_module(f"snooze.json.{name}")
    assert part is getattr(ours, name) is sys.modules[f"snooze.json.{name}"]
    assert {*dir(part)} - OF_A_MODULE == {*dir(standard)} - OF_A_MODULE
    for member, value in vars(standard).items():
        if member in PARTS[name]:
            assert getattr(part, member) is getattr(ours, member) is not value
        elif member not in OF_A_MODULE:
            assert getattr(part, member) is value
    assert part.__doc__ == standard.__doc__


def test_statements_are_ported_by_a_rename():
    program = (
        "from {0}.decoder import *\n"
        "from {0}.decoder import JSONDecodeError, scanstring\n"
        "from {0}.encoder import JSONEncoder, encode_basestring_ascii\n"
        "from {0}.scanner import make_scanner\n"
        "import {0}.encoder\n"
        "try: JSONDecoder().decode('[')\n"
        "except JSONDecodeError as error: pos = error.pos\n"
        "text = JSONEncoder(indent=1).encode(['a'])\n"
    )
    for name in ("json", "snooze.json"):
        found = {}
        exec(program.format(name), found)
        assert (found["pos"], found["text"]) == (1, '[\n "a"\n]')
    assert found["JSONDecoder"] is ours.JSONDecoder
    assert found["JSONDecodeError"] is json.JSONDecodeError


def test_a_part_is_a_module_for_tools():
    for part in (decoder, encoder):
        # Its file gives it the spec, when it is first imported by name.
        importlib.import_module(part.__name__)
        assert part.__name__ == part.__spec__.name
        assert part.__file__.endswith(f"{part.__name__.rpartition('.')[2]}.py")
        assert importlib.util.find_spec(part.__name__) is part.__spec__
        assert importlib.reload(part) is part
        assert repr(part).startswith(f"<module '{part.__name__}' from ")
    for value in (decoder.JSONDecoder, encoder.JSONEncoder):
        assert pickle.loads(pickle.dumps(value)) is value


def test_classes_have_the_signatures_of_json():
    """Programs choose the arguments that they pass on by their names."""
    for name in ("JSONDecoder", "JSONEncoder"):
        expected = inspect.signature(getattr(json, name))
        assert inspect.signature(getattr(ours, name)) == expected
    options = {"object_hook": len, "strict": False, "other": 1}
    known = inspect.signature(ours.JSONDecoder).parameters
    made = ours.JSONDecoder(
        **{name: options[name] for name in options if name in known}
    )
    assert made.decode('{"a": "\t"}') == 1

    class Own(ours.JSONDecoder):
        pass

    assert inspect.signature(Own) == inspect.signature(json.JSONDecoder)


def test_functions_have_no_annotations():
    """As those of json: what such names stand for cannot be asked at run time."""
    for function in (
        *(ours.dump, ours.dumps, ours.load, ours.loads),
        *(ours.JSONEncoder.encode, ours.JSONDecoder.decode),
    ):
        assert typing.get_type_hints(function) == {}
    for name in ("dump", "dumps", "load", "loads"):
        known = inspect.signature(getattr(json, name)).parameters.values()
        found = inspect.signature(getattr(ours, name)).parameters.values()
        # Others, of later versions, go through `kw`.
        assert list(found) == [one for one in known if one in found]


#: Replaces a method before snooze is imported.
REPLACED = """\
import io, json
json.{name} = {change}
from snooze import json as ours
results = []
for module in (json, ours):
    file = io.StringIO()
    module.dump([1], file)
    results.append(
        [
            module.dumps([1]),
            module.dumps([1, {{2}}], default=list, indent=1),
            file.getvalue(),
            module.JSONEncoder().encode([1]),
            module.loads("[1]"),
            module.loads(b"[1]"),
            module.load(io.StringIO("[1]")),
            module.JSONDecoder().decode("[1]"),
        ]
    )
expected, found = results
assert found == expected, (found, expected)
assert "mine" in found, found
"""


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("JSONEncoder.encode", "lambda self, o: 'mine'"),
        ("JSONEncoder.iterencode", "lambda self, o, _one_shot=False: iter(['mine'])"),
        ("JSONDecoder.decode", "lambda self, s: 'mine'"),
        ("JSONDecoder.raw_decode", "lambda self, s, idx=0: ('mine', 3)"),
    ],
)
def test_methods_that_were_replaced_before_the_import(name, change):
    """They are called, as those that are replaced after it."""
    done = subprocess.run(
        [sys.executable, "-c", REPLACED.format(name=name, change=change)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_what_is_replaced_in_a_part_is_replaced_where_it_is_called():
    """Python's own code calls it, and finds it in its own module."""

    def write(_text):
        return "'mine'"

    value = {1: "a"}  # Python's own code writes keys that are not str
    with (
        mock.patch("snooze.json.encoder.c_make_encoder", None),
        mock.patch("snooze.json.encoder.encode_basestring_ascii", write),
    ):
        assert json.encoder.c_make_encoder is None
        assert ours.JSONEncoder().encode(value) == "{'mine': 'mine'}"
    assert ours.JSONEncoder().encode(value) == json.dumps(value) == '{"1": "a"}'
    assert encoder.c_make_encoder is json.encoder.c_make_encoder is not None

    encoder.added = 5
    assert json.encoder.added == 5
    del encoder.added
    assert not hasattr(json.encoder, "added")
    # The classes are not shared.
    with mock.patch("snooze.json.decoder.JSONDecoder", 5):
        assert json.decoder.JSONDecoder is json.JSONDecoder


def installed() -> None:
    """In a child: `import json.decoder` imports the part, and later Python's again."""
    import json.decoder as before

    snooze.install()
    import json.decoder
    import json.encoder
    import json.tool
    from json.decoder import JSONDecoder

    assert json.decoder is sys.modules["json.decoder"] is ours.decoder
    assert json.encoder is sys.modules["json.encoder"] is ours.encoder
    assert JSONDecoder is ours.JSONDecoder
    assert json.tool.json is ours
    snooze.uninstall()
    import json.decoder as after

    assert after is before
    assert sys.modules["json.encoder"].JSONEncoder is not ours.JSONEncoder


def test_install_has_the_same_parts():
    isolated.in_child(installed)


def run(*words, given):
    return subprocess.run(
        [sys.executable, "-m", *words],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ('{"b": 1, "a": [1.50]}', []),
        ('{"b": 1, "a": "\u00e9"}', ["--sort-keys", "--compact"]),
        ("[1]\n[2]\n", ["--json-lines"]),
        ('{"b": 1', []),
        ("[1]", ["--no-such-option"]),
        ("[1]", ["no-such-file.json"]),
    ],
)
@pytest.mark.parametrize("module", ["snooze.json.tool", "snooze.json"])
def test_the_tool_runs_as_that_of_json(given, words, module):
    expected = run("json.tool", *words, given=given)
    done = run(module, *words, given=given)
    assert (done.stdout, done.returncode) == (expected.stdout, expected.returncode)
    # With the same last line; the lines before it may name the program.
    assert done.stderr.splitlines()[-1:] == expected.stderr.splitlines()[-1:]
    assert "Traceback" not in done.stderr


class Open(io.StringIO):
    """An output that json.tool cannot close."""

    def close(self):
        pass


def test_the_tool_is_a_module(monkeypatch):
    assert {*dir(json.tool)} - OF_A_MODULE <= {*dir(tool)}
    assert (tool.__name__, tool.json) == ("snooze.json.tool", ours)
    assert json.tool.json is json
    monkeypatch.setattr(sys, "argv", ["tool", "--compact"])
    monkeypatch.setattr(sys, "stdin", io.StringIO("[1,  2]"))
    out = Open()
    monkeypatch.setattr(sys, "stdout", out)
    tool.main()
    assert out.getvalue() == "[1,2]\n"
    assert scanner is json.scanner
