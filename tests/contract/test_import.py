"""What `import snooze` loads, and that names which come late are as good as others.

Separate from the surface of the module, because most of this needs a fresh process. No
time is measured: the modules that an import adds are listed exactly, and the lookup of
`snooze.loads` is read from the interpreter's own specialised code.
"""

from __future__ import annotations

import dis
import importlib
import inspect
import json
import pickle
import pydoc
import subprocess
import sys
from typing import Any
from unittest import mock

import pytest

import snooze
from helpers.interpreters import Interpreters

LATE = sys.version_info >= (3, 14)
OWN_INTERPRETERS = pytest.mark.skipif(
    sys.version_info < (3, 12),
    reason="subinterpreters have their own GIL from 3.12 on: NOT tested here",
)

#: With late names, all that an import adds.
LOADED = {
    "snooze",
    "snooze._fork",
    "snooze._package",
    "snooze._snooze",
    "_datetime",
    "datetime",
}
#: Without them, what it adds of snooze, and the modules that it needs of the library.
NAMES_LOADED = {
    "snooze",
    "snooze._decode_error",
    "snooze._documents",
    "snooze._files",
    "snooze._fork",
    "snooze._install",
    "snooze._names",
    "snooze._scan",
    "snooze._scan.api",
    "snooze._scan.arguments",
    "snooze._scan.scan",
    "snooze._scan.outcome",
    "snooze._scan.writing",
    "snooze._snooze",
    "snooze._text",
    "snooze._typed",
    "snooze._typed.calls",
    "snooze._typed.codec_parts",
    "snooze._typed.codecs",
    "snooze._typed.constraints",
    "snooze._typed.converter",
    "snooze._typed.errors",
    "snooze._typed.item_reader",
    "snooze._typed.item_writer",
    "snooze._typed.line_reader",
    "snooze._typed.line_writer",
    "snooze._typed.field",
    "snooze._typed.lazy_typing",
    "snooze._typed.metadata",
    "snooze._typed.options",
    "snooze._typed.partial",
    "snooze._typed.places",
    "snooze._typed.raw",
    "snooze._typed.to_builtins",
    "snooze._typed.unset",
    # Its place: the file runs when it is first used.
    "snooze.json",
    "snooze.jsonpath",
    "snooze.pointer",
}
NEEDED = "import os, collections.abc, contextvars, datetime, functools, json, types, __future__; "


def fresh(code: str, *options: str) -> list[str]:
    """Run a program in a new process; the words that it prints."""
    command = [sys.executable, "-I", *options, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def added(before: str, *options: str) -> set[str]:
    """The modules that `import snooze` adds after other imports."""
    # Without `site`, a process does not find the folder of packages by itself.
    folder = inspect.getfile(snooze).rpartition("snooze")[0]
    return set(
        fresh(
            f"import sys; sys.path.append({folder!r}); {before}"
            "seen = set(sys.modules); import snooze; snooze.loads(snooze.dumps([1.5]));"
            "print(*sorted(set(sys.modules) - seen))",
            *options,
        )
    )


@pytest.mark.parametrize("options", [("-S",), ()], ids=["without site", "with site"])
def test_the_modules_that_an_import_loads(options: tuple[str, ...]) -> None:
    """Exactly these; each module more is time that every program pays."""
    if LATE:
        assert added("", *options) == LOADED
        assert added("import datetime; ", *options) == LOADED - {
            "_datetime",
            "datetime",
        }
    else:
        assert added(NEEDED, *options) == NAMES_LOADED


@pytest.mark.skipif(not LATE, reason="all names come with the import: NOT late here")
def test_the_modules_that_the_first_late_name_loads() -> None:
    """Those that come with the import before 3.14, and no more."""
    late = NAMES_LOADED - LOADED - {"snooze.json"}
    words = fresh(
        f"{NEEDED}import sys, snooze; seen = set(sys.modules); snooze.Decoder;"
        "print(*sorted(set(sys.modules) - seen))"
    )
    assert set(words) == late


def test_an_import_compiles_no_pattern() -> None:
    """Compiling one may take longer than loading the module that has it."""
    words = fresh(
        f"{NEEDED}import json, re; compiled = []; real = re._compiler.compile\n"
        "def noted(*args): compiled.append(args[0]); return real(*args)\n"
        "re._compiler.compile = noted\n"
        "import snooze; snooze.Decoder; print(len(compiled))"
    )
    assert words == ["0"]


@pytest.mark.skipif(not LATE, reason="all names come with the import: NOT late here")
def test_an_error_loads_its_class_and_no_other_names() -> None:
    """`JSONDecodeError` alone needs `json`; naming it is like raising one."""
    for use in ("snooze.JSONDecodeError", "from snooze import JSONDecodeError"):
        code = f"import sys, snooze; {use}; print(*sys.modules)"
        words = fresh(code)
        assert {"snooze._decode_error", "json.decoder"} <= set(words)
        assert "snooze._names" not in words
    words = fresh(
        "import sys, snooze\n"
        "try: snooze.loads('[')\n"
        "except ValueError as error: raised = type(error)\n"
        "assert raised is snooze.JSONDecodeError\n"
        "import json; assert issubclass(raised, json.JSONDecodeError)\n"
        "print(*sys.modules)"
    )
    assert "snooze._names" not in words


def test_json_runs_when_it_is_first_used() -> None:
    """Its place is there with the package, its contents come later."""
    words = fresh(
        "import sys, snooze\n"
        "def there():\n"
        "    module = sys.modules.get('snooze.json')\n"
        "    members = {} if module is None else object.__getattribute__(module, '__dict__')\n"
        "    return 'dumps' in members\n"
        "snooze.Decoder; from snooze import *; print(there())\n"
        "snooze.json.dumps; print(there())"
    )
    assert words == ["False", "True"]


def test_attributes_of_the_package_are_specialised() -> None:
    """So `snooze.loads` costs a check and a load, not a lookup (PEP 659)."""

    def call() -> Any:
        return snooze.loads("1")

    def load() -> Any:
        return snooze.Decoder

    def inner() -> Any:
        return snooze.json.dumps

    for function in (call, load, inner):
        for _ in range(200):
            function()
        names = {one.opname for one in dis.get_instructions(function, adaptive=True)}
        assert names & {"LOAD_ATTR_MODULE", "LOAD_METHOD_MODULE"}, names


def test_every_name_is_listed_before_it_is_used() -> None:
    """By `dir`, and so by completion and by `inspect`; nothing is listed twice."""
    code = "import snooze; print(*dir(snooze)); print('|', *snooze.__all__)"
    words = fresh(code)
    listed, public = words[: words.index("|")], words[words.index("|") + 1 :]
    modules = {"json", "jsonpath", "pointer"}
    assert {*public, *modules, "__doc__", "__path__"} <= set(listed)
    assert len(listed) == len(set(listed))


FORMS = {
    "star": "from snooze import *; Decoder, loads, JSONDecodeError, scan, UNSET",
    "names": "from snooze import Decoder, jsonpath, pointer; jsonpath.find, pointer.get",
    "submodule first": "import snooze.jsonpath; assert snooze.jsonpath.find",
    "attribute": "import snooze; snooze.jsonpath.find; snooze.pointer.get",
    "json as attribute": "import snooze, sys; assert snooze.json.dumps(1) == '1'; "
    "from snooze import json; assert sys.modules['snooze.json'] is json is snooze.json; "
    "import snooze.json as again; assert again is json; assert type(json) is type(sys)",
    "json by from": "from snooze import json; import json as standard, snooze; "
    "assert json.dumps is not standard.dumps; assert snooze.json is json; "
    "assert json.__spec__.name == 'snooze.json' and json.__path__ and json.__file__",
    "json by import": "import snooze.json, json; assert snooze.json.dumps([]) == '[]'; "
    "assert snooze.json.dumps is not json.dumps",
    "json's part first": "from snooze.json.decoder import JSONDecoder; import snooze; "
    "assert snooze.json.JSONDecoder is JSONDecoder",
    "json assigned": "import snooze; snooze.json.dumps = 5; from snooze import json; "
    "assert json.dumps == 5 and json.loads('1') == 1; del json.dumps; "
    "assert not hasattr(snooze.json, 'dumps')",
    "json deleted first": "import snooze; del snooze.json.dumps; "
    "assert not hasattr(snooze.json, 'dumps') and snooze.json.loads('1') == 1",
    "json listed": "import snooze; assert 'dumps' in dir(snooze.json); "
    "from snooze import json; assert 'dumps' in vars(json)",
    "json reloaded": "import importlib, snooze; kept = snooze.json; "
    "importlib.reload(snooze); assert snooze.json is kept and kept.dumps(1) == '1'",
    "json removed": "import snooze, sys; first = snooze.json\n"
    "for name in [*sys.modules]:\n  if name.startswith('snooze'): del sys.modules[name]\n"
    "import snooze as second; assert second.json.dumps is not first.dumps\n"
    "assert first.dumps(1) == second.json.dumps(1) == '1'",
    "inner first": "import snooze._typed.codecs; import snooze; snooze.Decoder",
    "members": "import inspect, snooze; found = dict(inspect.getmembers(snooze)); "
    "assert found['Decoder'] is snooze.Decoder and set(snooze.__all__) <= set(found)",
    "reload": "import importlib, snooze; kept = snooze.Decoder; "
    "assert importlib.reload(snooze) is snooze and snooze.Decoder is kept; "
    "assert snooze.loads('[1]') == [1]",
    "missing": "import snooze; assert not hasattr(snooze, 'Encodre')\n"
    "try: from snooze import Encodre\nexcept ImportError: pass\nelse: raise SystemExit(1)",
    "an error made before any": "import json, snooze; error = "
    "snooze.JSONDecodeError('no', '[1', 1); assert error.pointer == '/0'; "
    "assert isinstance(error, json.JSONDecodeError)",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_import(form: str) -> None:
    """Each in a process where no name has been used before."""
    fresh(FORMS[form])


def test_an_error_raised_by_a_hook_before_any_other_names_its_place() -> None:
    """The extension knows the class although it has raised none itself."""
    fresh(
        "import snooze\n"
        "def hook(tp, value): raise snooze.JSONDecodeError('no', '[1', 1)\n"
        "class Own: pass\n"
        "try: snooze.decode('[1]', list[Own], dec_hook=hook)\n"
        "except snooze.JSONDecodeError as error: print(error)\n"
    )
    fresh(
        "import snooze\n"
        "try: snooze.Decoder(list[int]).decode('[1,]')\n"
        "except ValueError as error: assert 'at $[0]' in error.__notes__[0], error\n"
        "else: raise SystemExit(1)"
    )


def test_help_shows_every_name() -> None:
    """The text of `help(snooze)` has classes, functions and constants."""
    text = pydoc.plain(pydoc.render_doc(snooze))
    assert snooze.__doc__
    assert snooze.__doc__.partition("\n")[0] in text
    for name in snooze.__all__:
        assert name in text, name


def test_the_package_is_a_module_for_inspect_and_pickle() -> None:
    """Tools that look at modules take it for one; it pickles where its class is own."""
    assert inspect.ismodule(snooze)
    assert inspect.getsourcefile(snooze)
    assert inspect.getmodule(snooze.Decoder) is not None
    assert repr(snooze).startswith("<module 'snooze' from ")
    if LATE:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(snooze, protocol)) is snooze


def test_errors_pickle_into_a_process_that_used_no_name() -> None:
    """By the name of their class in the package."""
    with pytest.raises(snooze.JSONDecodeError) as caught:
        snooze.loads("[1,")
    with pytest.raises(snooze.ValidationError) as other:
        snooze.decode('["1"]', list[int])
    for error in (caught.value, other.value):
        text = pickle.dumps(error).hex()
        words = fresh(
            f"import pickle; error = pickle.loads(bytes.fromhex('{text}'));"
            "print(type(error).__module__, type(error).__name__, error.pos, error)"
        )
        assert words[:3] == ["snooze", type(error).__name__, str(error.pos)]
        assert " ".join(words[3:]) == str(error)


def test_late_names_can_be_replaced_and_deleted() -> None:
    """As names of any module: by assignment, by `mock.patch`, and by `del`."""
    fresh(
        "import snooze; from unittest import mock\n"
        "with mock.patch('snooze.Decoder', 5): assert snooze.Decoder == 5\n"
        "assert isinstance(snooze.Decoder, type)\n"
        "snooze.Encoder = 7; snooze.Field; assert snooze.Encoder == 7\n"
    )
    fresh(
        "import snooze, importlib\n"
        "del snooze.Decoder\n"
        "assert not hasattr(snooze, 'Decoder') and 'Decoder' not in dir(snooze)\n"
        "snooze.Encoder; del snooze.Encoder\n"
        "assert not hasattr(snooze, 'Encoder') and not hasattr(snooze, 'Decoder')\n"
        "try: del snooze.Decoder\n"
        "except AttributeError: pass\n"
        "else: raise AssertionError\n"
        "snooze.Decoder = 5; assert snooze.Decoder == 5; del snooze.Decoder\n"
        "assert not hasattr(snooze, 'Decoder')\n"
        "snooze.dump = snooze.Field = snooze.loads = 5; importlib.reload(snooze)\n"
        "assert 5 not in (snooze.dump, snooze.Field, snooze.loads)\n"
        "assert snooze.Decoder and snooze.Encoder and snooze.jsonpath.find\n"
        "from unittest import mock\n"
        "with mock.patch('snooze.scan', 5): pass\n"
        "assert callable(snooze.scan)\n"
    )
    with mock.patch("snooze.loads", json.loads):
        assert snooze.loads is json.loads
    assert snooze.loads is not json.loads


REMOVED = """
import sys, snooze
early = {early}
for name in [name for name in sys.modules if name.partition(".")[0] == "snooze"]:
    del sys.modules[name]
import snooze as second

def raised(module):
    try:
        module.loads("[")
    except module.JSONDecodeError as error:
        return type(error)

modules = [snooze, second]
for module in modules[::{order}]:
    assert raised(module) is module.JSONDecodeError
assert snooze is not second
if early:
    assert raised(snooze) is early
    sys.modules["snooze"] = None
    assert raised(snooze) is early
"""


@pytest.mark.parametrize("early", ["None", "snooze.JSONDecodeError"])
@pytest.mark.parametrize("order", [1, -1])
def test_errors_are_of_the_class_that_a_program_has(early: str, order: int) -> None:
    """Also where the modules are removed, or hidden, before the first error."""
    fresh(REMOVED.format(early=early, order=order))


AGAIN = """
import importlib.util, sys, snooze
{before}
spec = importlib.util.find_spec("snooze")
second = importlib.util.module_from_spec(spec)
{hidden}
spec.loader.exec_module(second)
assert second is not snooze
assert set(second.__all__) | {{"jsonpath", "pointer"}} <= set(dir(second))
assert all(hasattr(second, name) for name in second.__all__)
assert second.Decoder(list[int]).decode("[1]") == second.jsonpath.find(1, "$")
try:
    second.loads("[")
except second.JSONDecodeError as error:
    assert type(error) is snooze.JSONDecodeError or {is_hidden}
second.Decoder = 5
assert snooze.Decoder != 5 and second.Decoder == 5
"""


@pytest.mark.parametrize("before", ["", "snooze.Decoder"])
@pytest.mark.parametrize("hidden", ["", "del sys.modules['snooze']"])
def test_a_module_made_by_hand_has_every_name(before: str, hidden: str) -> None:
    """Tools make a second module object of a file, and `sys.modules` has the first."""
    fresh(AGAIN.format(before=before, hidden=hidden, is_hidden=bool(hidden)))


LAZY = """
import importlib.util, sys
spec = importlib.util.find_spec("snooze")
spec.loader = importlib.util.LazyLoader(spec.loader)
snooze = importlib.util.module_from_spec(spec)
sys.modules["snooze"] = snooze
spec.loader.exec_module(snooze)
assert snooze.Decoder(list[int]).decode("[1]") == [1]
assert "Encoder" in dir(snooze) and snooze.pointer.get([7], "/0") == 7
"""


def test_the_lazy_loader_of_the_library() -> None:
    """It changes the class of the module, too."""
    fresh(LAZY)


THREADS = """
import threading, sys
sys.setswitchinterval(1e-6)
start = threading.Barrier(8)
found, failures = [], []

def work(number):
    try:
        start.wait()
        import snooze
        names = ["JSONDecodeError", "Decoder", "jsonpath", "scan", "Field", "json"]
        names = names[number % 6:] + names[:number % 6]
        got = {name: getattr(snooze, name) for name in names}
        got["JSONEncoder"] = got["json"].JSONEncoder
        import snooze.json.decoder
        got["JSONDecoder"] = snooze.json.decoder.JSONDecoder
        try:
            snooze.loads("[")
        except got["JSONDecodeError"] as error:
            got["raised"] = type(error)
        found.append(got)
    except BaseException as error:
        failures.append(error)

threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failures, failures
assert len(found) == 8
assert all(got == found[0] for got in found)
assert found[0]["raised"] is found[0]["JSONDecodeError"]
assert found[0]["JSONDecoder"] is found[0]["json"].JSONDecoder
"""


def test_threads_that_import_at_once() -> None:
    """All get the same objects."""
    for _ in range(5):
        fresh(THREADS)


BESIDE_JSON = """
import importlib.machinery, sys, threading, time
started = threading.Event()
failures = []

class Slow(importlib.machinery.PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != "json":
            return None
        spec = super().find_spec(name, path, target)
        execute = spec.loader.exec_module
        def slow(module):
            started.set()
            time.sleep(0.3)  # the other thread comes to its import of json
            execute(module)
        spec.loader.exec_module = slow
        return spec

def guarded(work):
    try:
        work()
    except BaseException as error:
        failures.append(error)

def first():
    import json

def second():
    started.wait()
    import snooze
    try:
        snooze.loads("[")
    except snooze.JSONDecodeError:
        return
    raise AssertionError

assert "json" not in sys.modules
sys.meta_path.insert(0, Slow)
threads = [threading.Thread(target=guarded, args=(work,)) for work in (first, second)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failures, failures
"""


def test_an_import_while_another_thread_imports_json() -> None:
    """No thread waits for a lock of the other."""
    fresh(BESIDE_JSON)


ISOLATED = """
import snooze
try:
    snooze.loads("[1,]")
except ValueError as error:
    assert type(error) is snooze.JSONDecodeError and error.pointer == "/0"
else:
    raise AssertionError
assert snooze.Decoder(list[int]).decode("[1]") == [1]
assert "Encoder" in dir(snooze)
"""


@OWN_INTERPRETERS
def test_interpreters_have_names_of_their_own() -> None:
    """Each loads its own late names, before and after the main interpreter did."""
    interpreters = Interpreters()
    for _ in range(2):
        interpreters.run_once(ISOLATED)
    classes = [snooze.JSONDecodeError, snooze.Decoder]
    interpreters.run_once(ISOLATED)
    assert classes == [snooze.JSONDecodeError, snooze.Decoder]
    assert importlib.import_module("snooze") is snooze
