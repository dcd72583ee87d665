"""The picture of the architecture, held against the sources.

Who may import whom, where unsafe code lives, where versions and processors are told
apart, how long a file may be, and what no file may name. Reads text only: no build, well
under a second. Each rule lists its exceptions with the reason.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
CORE = ROOT / "crates" / "snooze-core" / "src"
PY = ROOT / "crates" / "snooze-py" / "src"
FOLDERS = (
    "crates",
    "src",
    "scripts",
    "tests",
    "typing_tests",
    "lab",
    "fuzz",
    ".ci",
    ".cargo",
)
IGNORED = {"target", "__pycache__", "corpus", "artifacts"}
LONGEST = 600
#: Data in a file's form: tables of studies and of what seeds published.
TABLES = ("lab/src/snooze_lab/studies", "lab/src/snooze_lab/published")

#: module -> modules of the same crate that it may use; a folder is one module.
CORE_LAYERS = {
    "arch": {"error"},
    "error": set(),
    "gzip": set(),
    "names": set(),
    "text": set(),
    "number": {"arch", "error"},
    "out": {"arch", "error", "number"},
    "unescape": {"arch", "error"},
    "read": {"arch", "error", "number", "unescape"},
    "dialect": {"arch", "error", "number", "read"},
    "rewrite": {"arch", "error", "number", "out", "read"},
    "blocks": {"arch", "error", "number", "out", "read", "rewrite", "unescape"},
    "columns": {"arch", "error", "names", "number", "read", "text"},
    "lines": {"arch", "columns", "error", "out", "read", "rewrite", "text"},
}
PY_LAYERS = {
    "docstrings": set(),
    "boxed": set(),
    "py": {"boxed", "docstrings"},
    "options": {"py"},
    "arguments": {"options", "py", "text_layout"},
    "per_thread": {"py"},
    "pool": {"boxed", "per_thread", "py"},
    "calls": {"py"},
    "runtime": {"calls", "per_thread", "py"},
    "starvation": set(),
    "arrow": {"boxed"},
    "scan": {"arrow", "description", "py"},
    "lines": {"arrow"},
    "description": {"py"},
    "kept": set(),
    "text_layout": {"py"},
    "rewrite": {"decode", "py", "runtime", "text_layout"},
    "blocks": {"py", "runtime"},
    "decode": {"description", "kept", "pool", "py", "runtime"},
    "encode": {
        "description",
        "kept",
        "options",
        "text_layout",
        "pool",
        "py",
        "runtime",
    },
    "module": {
        "arguments",
        "arrow",
        "blocks",
        "decode",
        "description",
        "docstrings",
        "encode",
        "lines",
        "options",
        "pool",
        "py",
        "rewrite",
        "runtime",
        "scan",
        "starvation",
        "text_layout",
    },
}
#: Folders of `decode` and of `encode`: their files use neither each other's nor, from
#: the files beside them, anything inside. Typed decoding reads values of any type as
#: untyped decoding does.
DIRECTIONS = ("decode", "encode")
WALKS = ("policy", "typed", "untyped")
WALKS_BELOW = {("decode", "typed"): {"untyped"}}
#: The rooms of unsafe code: the files that say so, each for itself and what is below it.
ROOMS = {
    "crates/snooze-core/src/arch/mod.rs",
    "crates/snooze-core/src/out/mod.rs",
    "crates/snooze-py/src/arrow/mod.rs",
    "crates/snooze-py/src/boxed.rs",
    "crates/snooze-py/src/module/mod.rs",
    "crates/snooze-py/src/pool.rs",
    "crates/snooze-py/src/py/mod.rs",
    "crates/snooze-py/src/starvation.rs",
}
LAB = ROOT / "lab" / "src" / "snooze_lab"
#: Folders of what runs in a worker, or where nothing is installed: any interpreter, the
#: standard library only. Others may be imported inside functions.
LAB_WORKER = {
    "contenders",
    "data",
    "machine",
    "meters",
    "model",
    "race",
    "timing",
    "units",
    "worker",
    "workloads",
}
#: Folders of the laboratory -> the others that they may use.
LAB_LAYERS = {
    "model": set(),
    "data": set(),
    "units": set(),
    "machine": {"units"},
    "meters": {"machine"},
    "contenders": {"model"},
    "timing": {"contenders", "machine", "model"},
    "workloads": {"contenders", "data", "model", "timing"},
    "worker": {"contenders", "machine", "meters", "model", "timing", "workloads"},
    "race": {
        "contenders",
        "data",
        "machine",
        "model",
        "timing",
        "units",
        "worker",
        "workloads",
    },
    "statistics": {"model", "timing", "units"},
    "stored": {"model", "statistics", "timing", "units"},
    "answer": {"contenders", "model", "stored", "units"},
    "planning": {"contenders", "data", "model", "worker", "workloads"},
    "native": {"data", "machine", "model", "planning", "workloads"},
    "published": {"model", "planning", "stored", "units"},
    "results": {
        "answer",
        "machine",
        "model",
        "native",
        "published",
        "race",  # the name of the file that it leaves
        "statistics",
        "stored",
        "workloads",
    },
    "energy": {"machine", "meters", "results", "statistics", "stored"},
    "report": {"machine", "model", "stored", "units"},
    "scale": {"data", "machine", "race", "stored", "worker", "workloads"},
    "running": {
        "contenders",
        "data",
        "machine",
        "meters",
        "model",
        "native",
        "planning",
        "race",
        "results",
        "scale",
        "statistics",
        "stored",
        "worker",
    },
    "gate": {"data", "model", "race", "statistics", "stored", "worker"},
}


def name(path: Path) -> str:
    """The path within the checkout."""
    return path.relative_to(ROOT).as_posix()


def code(path: Path) -> str:
    """Rust without comments: words in prose are no imports."""
    return re.sub(r"//[^\n]*", "", path.read_text("utf-8"))


def rust(folder: Path) -> list[Path]:
    """The Rust files of a crate."""
    files = sorted(folder.rglob("*.rs"))
    assert files, f"no Rust below {folder}"
    return files


def texts() -> list[Path]:
    """Every file that people wrote, and every lock file."""
    files = [path for path in ROOT.iterdir() if path.is_file()]
    for folder in FOLDERS:
        files += [path for path in (ROOT / folder).rglob("*") if path.is_file()]
    files += (ROOT / "requirements").glob("*")
    return [
        path
        for path in sorted(files)
        if IGNORED.isdisjoint(path.relative_to(ROOT).parts)
        and path.suffix not in {".so", ".pyc", ".png"}
        and path.name != ".git"  # of a worktree: a path of the machine
    ]


def found(
    pattern: str, files: list[Path], allowed: set[str] = frozenset()
) -> list[str]:
    """Lines of code that match where they may not."""
    hits = []
    for path in files:
        if any(
            name(path) == place or name(path).startswith(place + "/")
            for place in allowed
        ):
            continue
        hits += [
            f"{name(path)}: {line.strip()}"
            for line in code(path).splitlines()
            if re.search(pattern, line)
        ]
    return hits


def module_of(path: Path, crate: Path) -> str:
    """The module, top level of its crate, that a file belongs to."""
    return path.relative_to(crate).parts[0].removesuffix(".rs")


def expanded(tree: str, prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """The paths of a `use` tree."""
    start, brace, group = tree.strip().partition("{")
    parts = tuple(part for part in start.replace("::", " ").split(" as ")[0].split())
    if not brace:
        return [prefix + parts]
    paths, depth, first = [], 0, 0
    for index, letter in enumerate(group):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if (letter == "," and depth == 0) or depth < 0:
            if group[first:index].strip():
                paths += expanded(group[first:index], prefix + parts)
            first = index + 1
    return paths


def module_path(path: Path, crate: Path) -> tuple[str, ...]:
    """The path of the module that a file is."""
    parts = path.relative_to(crate).with_suffix("").parts
    return parts[:-1] if parts[-1] in {"mod", "lib"} else parts


def file_graph(crate: Path) -> dict[Path, set[Path]]:
    """By file of a crate, the others whose items it names; tests within it left out."""
    files = {module_path(path, crate): path for path in rust(crate)}
    graph = {}
    for module, path in files.items():
        text = code(path).split("#[cfg(test)]")[0]
        paths = []
        for tree in re.findall(r"\buse ([^;]+);", text):
            paths += expanded(tree)
        # A visibility names a module and uses nothing of it.
        inline = re.sub(r"\buse [^;]+;|\bpub\(in [^)]+\)", "", text)
        found = re.findall(r"(?<![\w:])(?:crate|self|super)(?:::\w+)+", inline)
        paths += [tuple(one.split("::")) for one in found]
        used = {target(one, module, files) for one in paths}
        graph[path] = {files[one] for one in used - {None, module}}
    return graph


def target(
    path: tuple[str, ...], here: tuple[str, ...], files: dict[tuple[str, ...], Path]
) -> tuple[str, ...] | None:
    """The module of the file that a path leads into, or None outside the crate."""
    if path[0] == "crate":
        whole = path[1:]
    elif path[0] in {"self", "super"}:
        up = sum(part == "super" for part in path)
        rest = tuple(part for part in path if part not in {"self", "super"})
        whole = here[: len(here) - up] + rest
    else:
        return None
    lengths = range(len(whole), -1, -1)
    return next(whole[:size] for size in lengths if whole[:size] in files)


@pytest.mark.parametrize(("crate", "layers"), [(CORE, CORE_LAYERS), (PY, PY_LAYERS)])
def test_arrows_point_down(crate: Path, layers: dict[str, set[str]]) -> None:
    """A module uses itself and those below it; the layers can be sorted."""
    graph = file_graph(crate)
    for path, used in graph.items():
        module = module_of(path, crate)
        if module == "lib":
            continue
        assert module in layers, f"{name(path)}: a module that has no layer yet"
        beyond = {module_of(one, crate) for one in used} - layers[module] - {module}
        assert not beyond, f"{name(path)} uses {sorted(beyond)}, which are above it"
    left = dict(layers)
    while left:
        lowest = {module for module, below in left.items() if not below & left.keys()}
        assert lowest, f"a cycle among {sorted(left)}"
        left = {module: left[module] for module in left.keys() - lowest}


def test_typed_and_untyped_share_what_is_beside_them() -> None:
    """Within a direction neither walk uses the other; what they share uses neither."""
    for path, used in file_graph(PY).items():
        direction, *inside = path.relative_to(PY).with_suffix("").parts
        if direction not in DIRECTIONS:
            continue
        walk = inside[0] if inside and inside[0] in WALKS else None
        for one in used:
            other, *rest = one.relative_to(PY).parts
            if other == direction and rest[0] in WALKS:
                below = WALKS_BELOW.get((direction, walk), set())
                assert rest[0] in {walk, *below}, f"{name(path)} uses {name(one)}"


@pytest.mark.parametrize("crate", [CORE, PY])
def test_no_files_use_each_other_in_a_circle(crate: Path) -> None:
    """The files of a crate can be sorted: each uses only files before it."""
    graph = file_graph(crate)
    while graph:
        lowest = {path for path, used in graph.items() if not used & graph.keys()}
        assert lowest, f"a circle among {sorted(map(name, graph))}"
        graph = {path: used for path, used in graph.items() if path not in lowest}


def test_the_core_knows_nothing_of_python() -> None:
    """Neither its code nor its manifest."""
    assert not found(r"\bpyo3|\bPy[A-Z_]|Py_3_", rust(CORE))
    assert "pyo3" not in (CORE.parent / "Cargo.toml").read_text("utf-8")


@pytest.mark.parametrize("folder", ["", "fuzz", "lab/native"])
def test_every_lock_file_knows_what_the_core_depends_on(folder: str) -> None:
    """Cargo refuses a lock file that lacks it: no fuzzing, no contender in Rust."""
    manifest = ROOT / "crates" / "snooze-core" / "Cargo.toml"
    wanted = tomllib.loads(manifest.read_text("utf-8"))["dependencies"]
    lock = tomllib.loads((ROOT / folder / "Cargo.lock").read_text("utf-8"))
    known = {one["name"]: one for one in lock["package"]}
    assert wanted.keys() <= set(known["snooze-core"]["dependencies"])
    found = {name: f"={known[name]['version']}" for name in wanted}
    versions = {
        name: one if isinstance(one, str) else one["version"]
        for name, one in wanted.items()
    }
    assert found == versions


def test_every_fuzz_target_is_a_program_of_its_own() -> None:
    """A file that the manifest does not name would be neither built nor run."""
    manifest = tomllib.loads((ROOT / "fuzz" / "Cargo.toml").read_text("utf-8"))
    named = {one["name"]: one["path"] for one in manifest["bin"]}
    files = (ROOT / "fuzz" / "fuzz_targets").glob("*.rs")
    assert named == {one.stem: f"fuzz_targets/{one.name}" for one in files}


def test_every_fuzz_target_is_explained() -> None:
    """The README has one row for each, in the order of the alphabet."""
    targets = {one.stem for one in (ROOT / "fuzz" / "fuzz_targets").glob("*.rs")}
    script = (ROOT / "scripts" / "fuzz.sh").read_text("utf-8")
    [python] = re.findall(r"^python_targets=\((.*)\)$", script, re.MULTILINE)
    text = (ROOT / "fuzz" / "README.md").read_text("utf-8")
    table = text.partition("| target | property |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (\w+) \|", table, re.MULTILINE)
    assert rows == sorted(targets | set(python.split()))


def test_the_c_api_is_called_in_its_rooms() -> None:
    """`pyo3_ffi` under py/ and module/."""
    base = "crates/snooze-py/src/"
    rooms = {base + place for place in ("py", "module")}
    assert not found(r"\bpyo3_ffi\b", rust(PY), rooms)


def test_intrinsics_are_in_arch() -> None:
    """`core::arch` and `std::arch` nowhere else."""
    assert not found(
        r"(?<!snooze_)\b(core|std)::arch\b|\b_mm\d*_\w+\(",
        rust(CORE) + rust(PY),
        {"crates/snooze-core/src/arch"},
    )


def test_versions_are_told_apart_in_one_file() -> None:
    """`Py_3_x` in py/compat.rs; elsewhere only in what that cannot hold.

    module/init.rs has the table of slots. py/refcount.rs is below compat, and names the
    one version whose counts it knows.
    """
    base = "crates/snooze-py/src/"
    assert not found(
        r"\bPy_3_\d",
        rust(PY),
        {base + one for one in ("py/compat.rs", "py/refcount.rs", "module/init.rs")},
    )
    lines = code(PY / "module" / "init.rs").splitlines()
    places = [index for index, line in enumerate(lines) if "Py_3_" in line]
    assert places
    for index in places:
        assert "SLOT_COUNT" in lines[index] or "PyModuleDef_Slot" in lines[index + 1]


def test_builds_without_a_gil_are_told_apart_in_py() -> None:
    """Elsewhere it is the constant FREE_THREADED."""
    assert not found(r"\bPy_GIL_DISABLED\b", rust(PY), {"crates/snooze-py/src/py"})


def test_processors_are_told_apart_in_one_file() -> None:
    """`target_arch` and detection of features in arch, and only there."""
    allowed = {"crates/snooze-core/src/arch/mod.rs"}
    assert not found(r"\btarget_arch\b", rust(CORE) + rust(PY), allowed)
    assert not found(
        r"is_x86_feature_detected|target_feature",
        rust(CORE) + rust(PY),
        {"crates/snooze-core/src/arch"},
    )


def test_unsafe_code_has_an_address() -> None:
    """The rooms allow it, for themselves; the rest is denied by the workspace."""
    allowing = {
        name(path)
        for path in rust(CORE) + rust(PY)
        if re.search(r"(allow|expect)\([^)]*unsafe_code", code(path))
    }
    assert allowing == ROOMS
    lints = (ROOT / "Cargo.toml").read_text("utf-8")
    for lint in ("unsafe_code", "unsafe_op_in_unsafe_fn", "undocumented_unsafe_blocks"):
        assert re.search(rf'{lint} = "(deny|forbid)"', lints), lint
    for manifest in (CORE.parent, PY.parent):
        text = (manifest / "Cargo.toml").read_text("utf-8")
        assert re.search(r"\[lints\]\s+workspace = true", text), manifest


def test_what_is_refused() -> None:
    """No `static mut`, no transmute, no nightly features, no star imports of our own."""
    files = rust(CORE) + rust(PY)
    # PyODict_Type is a static of CPython's, declared here because pyo3-ffi does not.
    statics = [
        hit for hit in found(r"\bstatic mut\b", files) if "PyODict_Type" not in hit
    ]
    assert not statics
    assert not found(r"\btransmute\b", files)
    assert not found(r"#!\[feature", files)
    for path in (ROOT / "src" / "snooze").glob("*.py*"):
        assert "import *" not in path.read_text("utf-8")


def imported(path: Path) -> list[tuple[str, bool]]:
    """Full names that a Python file imports when it runs, and whether in a function."""
    found = []
    waiting = [(ast.parse(path.read_text("utf-8")), False)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        if isinstance(node, ast.Import):
            found += [(one.name, inside) for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [(f"{node.module}.{one.name}", inside) for one in node.names]
        inside = inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        waiting += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


def lab() -> dict[str, list[tuple[Path, str, bool]]]:
    """By module of the laboratory, a folder being one, what its files import."""
    found: dict[str, list[tuple[Path, str, bool]]] = {}
    for path in sorted(LAB.rglob("*.py")):
        entries = found.setdefault(module_of(path, LAB).removesuffix(".py"), [])
        entries += [(path, *one) for one in imported(path)]
    return found


def lab_graph() -> dict[str, set[str]]:
    """By module of the laboratory, the others that it uses."""
    modules = lab()
    graph = {}
    for module, entries in modules.items():
        parts = [used.split(".") for _, used, _ in entries]
        own = {one[1] for one in parts if one[0] == "snooze_lab" and len(one) > 1}
        graph[module] = (own & modules.keys()) - {module}
    return graph


def test_workers_need_nothing_installed() -> None:
    """At import: the standard library, and one another."""
    for module, entries in lab().items():
        if module not in LAB_WORKER:
            continue
        for path, used, inside in entries:
            first = used.split(".")[0]
            known = first in sys.stdlib_module_names or first == "snooze_lab"
            assert known or inside, f"{name(path)} imports {used} at its top"
    for module, used in lab_graph().items():
        if module in LAB_WORKER:
            assert used <= LAB_WORKER, f"{module} uses {sorted(used - LAB_WORKER)}"


def test_arrows_of_the_laboratory_point_down() -> None:
    """Each layer uses only layers below it; no module uses the command line."""
    graph = lab_graph()
    assert LAB_LAYERS.keys() == graph.keys() - {"__init__", "__main__", "cli"}
    for module, below in LAB_LAYERS.items():
        beyond = graph[module] - below
        assert not beyond, f"{module} uses {sorted(beyond)}, which are above it"
    assert [module for module, used in graph.items() if "cli" in used] == ["__main__"]


def test_the_map_of_the_laboratory_is_true() -> None:
    """Its list has every folder, in an order in which each uses only earlier ones."""
    text = ast.get_docstring(ast.parse((LAB / "__init__.py").read_text("utf-8"))) or ""
    _, first, second = re.split(r"\n\n(?=    )", text)
    bare, others = (
        re.findall(r"\w+", " ".join(re.findall(r"^    (\S.*?)  ", group, re.MULTILINE)))
        for group in (first, second)
    )
    graph = lab_graph()
    assert set(bare) == LAB_WORKER
    assert {*bare, *others} == graph.keys() - {"__init__", "__main__"}
    before: set[str] = set()
    for module in (*bare, *others):
        late = graph[module] - before
        assert not late, f"{module} uses {sorted(late)}, which come later"
        before.add(module)


def test_files_can_be_paged_through() -> None:
    """Sources and scripts are at most 600 lines; tables and locks are not read."""
    for path in texts():
        if name(path).startswith(TABLES) and path.suffix == ".toml":
            continue
        if (
            path.suffix in {".rs", ".py", ".pyi", ".sh", ".toml"}
            or path.name == "Makefile"
        ):
            lines = len(path.read_text("utf-8").splitlines())
            assert lines <= LONGEST, f"{name(path)} has {lines} lines"


def test_every_file_says_what_it_is() -> None:
    """Rust and Python files begin with their documentation."""
    for path in rust(CORE) + rust(PY):
        assert path.read_text("utf-8").startswith("//!"), name(path)
    for folder in ("src", "scripts", "tests", "lab"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text("utf-8")
            assert re.match(r'(#![^\n]*\n)?r?"""', text), name(path)


#: Written in pieces, so that this file does not name what it forbids.
HOSTS = [
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.",
    "deb." + "debian",
    "crates." + "io/",
]
PLACES = [
    "/ro" + "ot/",
    "/ho" + "me/",
    "/Us" + "ers/",
    "/wo" + "rk/",
    "C:" + "\\\\Users",
]


@pytest.mark.parametrize("words", [HOSTS, PLACES], ids=["registries", "machine paths"])
def test_no_machine_is_named(words: list[str]) -> None:
    """No registry's host name and no place on somebody's machine."""
    for path in texts():
        text = path.read_text("utf-8", errors="replace")
        hits = [word for word in words if word in text]
        assert not hits, f"{name(path)} names {hits}"
