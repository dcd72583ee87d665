"""`install`, `uninstall` and `python -m snooze run`."""

from __future__ import annotations

import importlib.util
import os
import py_compile
import shutil
import subprocess
import sys
import sysconfig
import threading
import types
import zipfile

import pytest

import snooze
from helpers import isolated


def installed() -> None:
    """In a child: both modules are replaced, and put back."""
    import json as before

    assert before.__name__ == "json"
    snooze.install(as_orjson=True, orjson_version="9.9.9")
    import json
    from json import dumps

    import orjson
    import orjson.orjson

    assert json.__name__ == "snooze.json"
    assert dumps([1]) == "[1]"
    assert orjson.__version__ == orjson.orjson.__version__ == "9.9.9"
    assert orjson.dumps({1: 2}, option=orjson.OPT_NON_STR_KEYS) == b'{"1":2}'
    assert orjson.orjson.loads is snooze.loads
    assert importlib.util.find_spec("orjson").name == "orjson"
    import json.tool

    assert json.tool.main
    assert issubclass(orjson.JSONDecodeError, before.JSONDecodeError)
    snooze.install(as_orjson=True)
    snooze.uninstall()
    import json as after

    assert after is before
    assert "snooze" not in str(sys.modules.get("orjson"))
    snooze.uninstall()


def replaced_since() -> None:
    """In a child: what another part of the program put there since is left alone."""
    import types

    snooze.install()
    other = types.ModuleType("json")
    sys.modules["json"] = other
    snooze.uninstall()
    assert sys.modules["json"] is other


def json_alone() -> None:
    """In a child: only orjson is replaced."""
    snooze.install(json=False, as_orjson=True)
    import json

    import orjson

    assert json.__name__ == "json"
    assert orjson.loads is snooze.loads
    assert orjson.__version__.count(".") == 2


def reloaded() -> None:
    """In a child: `importlib.reload(json)` changes nothing that programs see."""
    import importlib
    import json.decoder as python_decoder

    snooze.install()
    import json
    import json.decoder

    old, path = json.JSONDecoder(), list(json.__path__)
    for _ in range(2):
        assert importlib.reload(json) is json is snooze.json
        assert (
            json.dumps({1: 2, "a": {"b": float("nan")}}) == '{"1": 2, "a": {"b": NaN}}'
        )
        assert json.loads("[1, NaN]", parse_constant=str) == [1, "NaN"]
        assert json.JSONEncoder(default=str).encode([1j]) == '["1j"]'
        assert json.JSONDecoder().decode(" [1]") == old.decode("[1]") == [1]
        assert issubclass(json.JSONDecoder, python_decoder.JSONDecoder)
        assert json.__path__ == path
        assert json.decoder is sys.modules["json.decoder"]
        assert json.decoder.JSONDecoder is json.JSONDecoder
        assert json.encoder.JSONEncoder is json.JSONEncoder
        assert json.scanner.__name__ == "json.scanner"
    import json.tool

    assert json.tool.main
    snooze.uninstall()
    import json as after

    assert after.dumps is not snooze.json.dumps
    assert after.decoder is python_decoder
    importlib.reload(snooze.json)
    assert snooze.json.dumps({1: 2}) == '{"1": 2}'


def imported_again() -> None:
    """In a child: modules that are forgotten and imported again are whole, too."""
    snooze.install()
    forgotten = [name for name in sys.modules if name.startswith("snooze.json")]
    for name in forgotten:
        del sys.modules[name]
    import snooze.json as again

    assert again.dumps({1: 2}) == '{"1": 2}'
    assert again.dumps([{1}], default=list) == "[[1]]"
    assert again.dumps([{1}], default=lambda _: {2: 3}) == '[{"2": 3}]'
    assert again.JSONDecoder().decode("[1]") == [1]


def submodules() -> None:
    """In a child: those imported before, between and after are attributes of json."""
    import json.tool

    of_python = json.tool
    snooze.install()
    import json.tool

    assert json.__name__ == "snooze.json"
    assert json.tool is not of_python
    snooze.install()
    snooze.uninstall()
    import json.tool

    assert json.tool is sys.modules["json.tool"] is of_python
    del sys.modules["json.tool"], json.tool
    snooze.install()
    import json.tool

    between = json.tool
    snooze.uninstall()
    import json.tool

    assert json.__name__ == "json"
    assert json.tool is not between


def modules_for_tools() -> None:
    """In a child: each has a file and a spec, by which it can be found and reloaded."""
    snooze.install()
    for name in ("json", "json.decoder", "json.encoder"):
        module, spec = sys.modules[name], importlib.util.find_spec(name)
        assert spec is module.__spec__ is not None
        assert module.__file__ == spec.origin
        assert spec.name == module.__name__ == f"snooze.{name}"
        assert importlib.reload(module) is module is sys.modules[name]
    snooze.uninstall()
    assert importlib.util.find_spec("json.decoder").name == "json.decoder"
    for name in ("decoder", "encoder"):
        assert getattr(sys.modules["json"], name) is sys.modules[f"json.{name}"]


@pytest.mark.parametrize(
    "case",
    [
        installed,
        replaced_since,
        json_alone,
        reloaded,
        imported_again,
        submodules,
        modules_for_tools,
    ],
)
def test_modules_are_replaced_for_the_whole_program(case):
    isolated.in_child(case)


def test_senseless_arguments_are_refused():
    with pytest.raises(ValueError, match="found neither"):
        snooze.install(json=False)
    with pytest.raises(ValueError, match="expected as_orjson=True"):
        snooze.install(orjson_version="1")


def command(*words, folder):
    return subprocess.run(
        [sys.executable, "-m", "snooze", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )


SCRIPT = """\
import json, sys
import beside
print(json.__name__, __name__, sys.argv[1:], beside.VALUE, json.dumps([1]))
"""


def test_a_program_runs_as_python_would_run_it(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "program.py").write_text(SCRIPT)
    (inner / "beside.py").write_text("VALUE = 7\n")
    done = command("run", "inner/program.py", "--as-orjson", "x", folder=tmp_path)
    assert done.stderr == ""
    expected = "snooze.json __main__ ['--as-orjson', 'x'] 7 [1]\n"
    assert done.stdout == expected
    done = command("run", "-m", "program", "y", folder=inner)
    assert done.stdout == "snooze.json __main__ ['y'] 7 [1]\n"


@pytest.mark.parametrize("safe", ["", "1"])
def test_the_installed_command_finds_the_modules_beside(tmp_path, safe):
    """As `python -m` does: its own folder is not that of the program."""
    script = shutil.which("snooze", path=sysconfig.get_path("scripts"))
    if script is None:
        pytest.skip("the command is not installed")
    (tmp_path / "program.py").write_text(SCRIPT)
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    for words in (["program.py"], ["-m", "program"]):
        done = subprocess.run(
            [script, "run", *words, "x"],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "PYTHONSAFEPATH": safe},
        )
        if safe:
            assert "No module named" in done.stderr
        else:
            assert done.stderr == ""
            assert done.stdout == "snooze.json __main__ ['x'] 7 [1]\n"


def test_a_module_runs_where_no_folder_is(tmp_path):
    """The current one may have been removed."""
    code = (
        "import os, sys; from snooze.__main__ import main; os.rmdir(os.getcwd()); "
        "main(['run', '-m', 'json.tool', '--help'])"
    )
    (tmp_path / "gone").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path / "gone",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: ")


def test_modules_of_json_run_too(tmp_path):
    (tmp_path / "file.json").write_text("[1]")
    done = command("run", "-m", "json.tool", "file.json", folder=tmp_path)
    assert done.stdout == "[\n    1\n]\n"


def test_orjson_is_installed_for_a_program(tmp_path):
    (tmp_path / "program.py").write_text(
        "import json, orjson\nprint(json.__name__, orjson.__version__)\n"
    )
    done = command(
        "run", "--no-json", "--as-orjson=3.9.1", "program.py", folder=tmp_path
    )
    assert done.stdout == "json 3.9.1\n"


def test_the_exit_status_of_a_program_is_kept(tmp_path):
    (tmp_path / "program.py").write_text("raise SystemExit(5)\n")
    assert command("run", "program.py", folder=tmp_path).returncode == 5
    (tmp_path / "program.py").write_text("1/0\n")
    done = command("run", "program.py", folder=tmp_path)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run",), "expected a script or -m MODULE"),
        (("run", "-m"), "expected a script or -m MODULE"),
        (("run", "--what", "a.py"), "expected --as-orjson or --no-json, found --what"),
        (("run", "--no-json", "a.py"), "expected --as-orjson with it"),
    ],
)
def test_mistakes_are_explained(tmp_path, words, said):
    done = command(*words, folder=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert "usage: python -m snooze run" in done.stderr
    assert command("run", "--help", folder=tmp_path).returncode == 0


def test_the_import_warns_of_nothing() -> None:
    """Reading `json.__version__` warns from 3.15 on."""
    code = "import snooze.json; print(snooze.json.dumps([1]), snooze.json.__version__)"
    command = [sys.executable, "-W", "error", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[1] 2.0.9\n"


LATE = """\
import __main__, atexit, json, pickle, sys, threading, time, typing

class Kept:
    one: "Kept"

def late(where):
    time.sleep(0.1)
    pickle.loads(pickle.dumps(Kept()))
    assert typing.get_type_hints(Kept) == {"one": Kept}
    print(where, json.__name__, sys.modules["__main__"] is __main__, flush=True)

atexit.register(late, "at the end")
threading.Thread(target=late, args=("in a thread",)).start()
"""


@pytest.mark.parametrize("kind", ["script", "module", "folder", "archive", "compiled"])
def test_a_program_is_main_to_its_end(tmp_path, kind):
    """Threads and functions at exit run when the last line has run."""
    path = tmp_path / "late.py"
    path.write_text(LATE)
    words = ["late.py"]
    if kind == "module":
        words = ["-m", "late"]
    elif kind == "folder":
        (tmp_path / "folder").mkdir()
        path.rename(tmp_path / "folder" / "__main__.py")
        words = ["folder"]
    elif kind == "archive":
        with zipfile.ZipFile(tmp_path / "late.pyz", "w") as archive:
            archive.writestr("__main__.py", LATE)
        words = ["late.pyz"]
    elif kind == "compiled":
        py_compile.compile(str(path), str(tmp_path / "late.pyc"))
        words = ["late.pyc"]
    done = command("run", *words, folder=tmp_path)
    assert done.stderr == ""
    assert done.stdout == "".join(
        f"{where} snooze.json True\n" for where in ("in a thread", "at the end")
    )


def test_the_variables_of_a_program_are_those_of_python(tmp_path):
    """No name of the command is among them, and no future statement of it holds."""
    (tmp_path / "program.py").write_text(
        "import sys\n"
        "def f(x: int): pass\n"
        "names = sorted(set(vars()) - {'__cached__'})\n"
        "print(sys.argv, __file__, __spec__, f.__annotations__, names)\n"
    )
    ours = command("run", "program.py", "a", folder=tmp_path).stdout
    python = subprocess.run(
        [sys.executable, "program.py", "a"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    ).stdout
    assert ours == python


def test_installing_while_modules_are_imported():
    """Other threads may change `sys.modules` meanwhile."""
    ends = threading.Event()

    def change():
        while not ends.is_set():
            for number in range(200):
                sys.modules[f"snooze_test_{number}"] = types.ModuleType("x")
            for number in range(200):
                del sys.modules[f"snooze_test_{number}"]

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for _ in range(300):
            snooze.install()
            snooze.uninstall()
    finally:
        ends.set()
        thread.join()
