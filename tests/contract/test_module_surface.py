"""The module's names, values, signatures, documentation, exceptions and stubs."""

from __future__ import annotations

import importlib.metadata
import inspect
import json
import pathlib
import pickle
import subprocess
import sys
import textwrap
import types

import pytest

import snooze
from helpers.support import needs_orjson, orjson

OPTIONS = {
    "OPT_APPEND_NEWLINE": 1024,
    "OPT_INDENT_2": 1,
    "OPT_NAIVE_UTC": 2,
    "OPT_NON_STR_KEYS": 4,
    "OPT_OMIT_MICROSECONDS": 8,
    "OPT_PASSTHROUGH_DATACLASS": 2048,
    "OPT_PASSTHROUGH_DATETIME": 512,
    "OPT_PASSTHROUGH_SUBCLASS": 256,
    "OPT_SERIALIZE_DATACLASS": 0,
    "OPT_SERIALIZE_NUMPY": 16,
    "OPT_SERIALIZE_UUID": 0,
    "OPT_SORT_KEYS": 32,
    "OPT_STRICT_INTEGER": 64,
    "OPT_UTC_Z": 128,
}
NAMES = {
    "__version__",
    "dumps",
    "loads",
    "Fragment",
    "JSONDecodeError",
    "JSONEncodeError",
}


def test_every_orjson_name_is_there() -> None:
    """All twenty public names of orjson can be imported."""
    assert (NAMES | set(OPTIONS)) <= set(snooze.__all__)
    assert len(snooze.__all__) == len(set(snooze.__all__))
    for name in snooze.__all__:
        assert hasattr(snooze, name)


@pytest.mark.parametrize(("name", "value"), OPTIONS.items(), ids=OPTIONS)
def test_option_values(name: str, value: int) -> None:
    """Options are exact ints with orjson's values."""
    assert getattr(snooze, name) == value
    assert type(getattr(snooze, name)) is int


@needs_orjson
def test_same_names_as_orjson() -> None:
    """Every name in orjson's __all__ exists, and the constants are equal."""
    assert set(orjson.__all__) <= set(snooze.__all__)
    for name in orjson.__all__:
        if name.startswith("OPT_"):
            assert getattr(snooze, name) == getattr(orjson, name)


def test_star_import() -> None:
    """`from snooze import *` imports the functions and options."""
    names: dict[str, object] = {}
    exec("from snooze import *", names)
    assert names["dumps"] is snooze.dumps
    assert names["OPT_UTC_Z"] == 128


def test_version() -> None:
    """__version__ is the version of the installed distribution."""
    assert type(snooze.__version__) is str
    assert snooze.__version__ == importlib.metadata.version("snooze")


@pytest.mark.parametrize(
    ("function", "signature", "doc"),
    [
        (
            snooze.dumps,
            "(obj, /, default=None, option=None)",
            "Serialize Python objects to JSON.",
        ),
        (
            snooze.dumps_str,
            "(obj, /, default=None, option=None)",
            "Serialize Python objects to JSON, as a ``str``.",
        ),
        (snooze.loads, "(obj, /)", "Deserialize JSON to Python objects."),
    ],
    ids=["dumps", "dumps_str", "loads"],
)
def test_functions(
    function: types.BuiltinFunctionType, signature: str, doc: str
) -> None:
    """Builtin functions of this module with a readable signature."""
    assert isinstance(function, types.BuiltinFunctionType)
    assert function.__module__ == "snooze"
    assert function.__qualname__ == function.__name__
    assert str(inspect.signature(function)) == signature
    assert inspect.getdoc(function).splitlines()[0] == doc
    assert pickle.loads(pickle.dumps(function)) is function


def test_encode_error_is_type_error() -> None:
    """JSONEncodeError is TypeError itself."""
    assert snooze.JSONEncodeError is TypeError


def test_decode_error_class() -> None:
    """JSONDecodeError is a subclass of json.JSONDecodeError, in this module."""
    cls = snooze.JSONDecodeError
    assert (cls.__module__, cls.__qualname__) == ("snooze", "JSONDecodeError")
    assert cls.__mro__[:3] == (cls, json.JSONDecodeError, ValueError)


def decode_error(document: str | bytes) -> snooze.JSONDecodeError:
    """Return the error that reading `document` raises."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.loads(document)
    assert type(caught.value) is snooze.JSONDecodeError
    return caught.value


@pytest.mark.parametrize("document", ['["é",\nx]', b"", "[1,", b"\xff"], ids=repr)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_decode_error_pickles(document: str | bytes, protocol: int) -> None:
    """The error and all its attributes survive pickling."""
    error = decode_error(document)
    copy = pickle.loads(pickle.dumps(error, protocol))
    assert type(copy) is snooze.JSONDecodeError
    assert str(copy) == str(error)
    for name in ("msg", "doc", "pos", "lineno", "colno", "args"):
        assert getattr(copy, name) == getattr(error, name)


def test_decode_error_can_be_built_and_subclassed() -> None:
    """Other code may raise and subclass it, with the stdlib's arguments."""
    error = snooze.JSONDecodeError("msg", "a\nbc", 3)
    assert (error.lineno, error.colno, str(error)) == (
        2,
        2,
        "msg: line 2 column 2 (char 3)",
    )

    class Own(snooze.JSONDecodeError):
        pass

    assert isinstance(Own("m", "d", 0), ValueError)


def test_package_is_typed() -> None:
    """py.typed and the package's stubs are installed."""
    folder = pathlib.Path(snooze.__file__).parent
    assert (folder / "py.typed").is_file()
    assert "def dumps" in (folder / "_snooze.pyi").read_text(encoding="utf-8")
    assert "dumps as dumps" in (folder / "__init__.pyi").read_text(encoding="utf-8")


def test_import_loads_no_optional_library() -> None:
    """Importing loads neither numpy nor any other optional library."""
    code = "import sys, snooze; print(*sorted(sys.modules))"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "snooze" in loaded
    optional = {"numpy", "pytz", "dateutil", "pendulum", "orjson"}
    assert not optional & set(loaded)


def test_import_loads_only_the_names_of_what_works_on_documents() -> None:
    """What is behind `patch`, `jsonpath` and the others comes with the first call."""
    code = (
        "import sys, snooze; snooze.patch; print(*sorted(sys.modules)); "
        "snooze.patch({}, []); snooze.jsonpath.find(1, '$'); snooze.infer(1).schema(); print(*sys.modules)"
    )
    command = [sys.executable, "-c", code]
    before, after = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    behind = ("snooze._edit", "snooze._jsonpath", "snooze._infer")
    assert {"snooze.pointer", "snooze.jsonpath"} <= set(before.split())
    assert not [one for one in before.split() if one.startswith(behind)]
    assert set(behind) <= set(after.split())
    assert "click" not in after.split()


PROGRAM = """
import snooze as orjson
import dataclasses, datetime, decimal, enum, json, uuid

@dataclasses.dataclass
class Member:
    id: int
    active: bool = dataclasses.field(default=False)

class Kind(enum.Enum):
    A = "a"

def default(obj):
    if isinstance(obj, decimal.Decimal):
        return str(obj)
    raise TypeError

option = (
    orjson.OPT_INDENT_2 | orjson.OPT_NAIVE_UTC | orjson.OPT_UTC_Z
    | orjson.OPT_NON_STR_KEYS | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
)
value = {
    "when": datetime.datetime(1970, 1, 1),
    1: uuid.UUID(int=0),
    "members": [Member(1, True), Member(2)],
    "kind": Kind.A,
    "sum": decimal.Decimal("1.10"),
    "raw": orjson.Fragment(b"[0]"),
}
written: bytes = orjson.dumps(value, default=default, option=option)
assert written.endswith(b"}\\n"), written
back = orjson.loads(written)
assert back["when"] == "1970-01-01T00:00:00Z", back
assert back["members"][1] == {"id": 2, "active": False}, back
assert back["sum"] == "1.10" and back["raw"] == [0] and back["kind"] == "a"
assert json.loads(written) == back
try:
    orjson.loads(b'{"a":}')
except orjson.JSONDecodeError as error:
    assert isinstance(error, json.JSONDecodeError) and error.pos == 5
try:
    orjson.dumps(object(), default=default)
except orjson.JSONEncodeError as error:
    assert isinstance(error.__cause__, TypeError)
for name in orjson.__all__:
    getattr(orjson, name)
print("fine")
"""


def test_program_written_for_orjson() -> None:
    """A program needs no change but `import snooze as orjson`."""
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(PROGRAM)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr, run.returncode) == ("fine\n", "", 0)
