"""The documents are true: their code runs, their links resolve, their names exist.

Separate because prose rots without a test. Every fenced block has a language, and every
language has a check: `pycon` is run by doctest, `python` is executed, `sh` and
`console` are parsed and their targets, scripts, commands and options are looked up,
`text` is prose. Generated tables and charts are compared with what the scripts write.
"""

from __future__ import annotations

import doctest
import importlib.metadata
import importlib.util
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
import types
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import snooze
from helpers.scripts import script

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [
    "README.md",
    "DESIGN.md",
    "COMPARE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/benchmarks.md",
    "docs/frameworks.md",
    "docs/porting.md",
    "docs/reference.md",
    "docs/json.md",
    "docs/documents.md",
    "docs/reading.md",
    "docs/command.md",
    "docs/scale.md",
    "docs/tested.md",
    "docs/typed.md",
    "lab/BIAS.md",
    "lab/BYOB.md",
    "lab/METERS.md",
    "lab/METHODOLOGY.md",
    "lab/README.md",
    "lab/native/README.md",
]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Libraries that the examples use but not every test environment has.
OPTIONAL = {"msgspec", "ssrjson", "pyarrow", "pyrjson", "pydantic"}


def text_of(name: str) -> str:
    """Return a document's text."""
    return (ROOT / name).read_text("utf-8")


def blocks(name: str, *languages: str) -> list[str]:
    """Return the fenced blocks of a document in these languages, in order."""
    found = FENCE.findall(text_of(name))
    return [body for language, body in found if language in languages]


def prose(name: str) -> str:
    """Return the document without its fenced blocks."""
    return FENCE.sub("", text_of(name))


def test_every_document_is_listed() -> None:
    """A new document must be listed, so that it is tested."""
    found = {path.name for path in ROOT.glob("*.md")}
    for pattern in ("docs/**/*.md", "lab/*.md", "lab/native/*.md"):
        found |= {path.relative_to(ROOT).as_posix() for path in ROOT.glob(pattern)}
    assert found == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_block_has_a_check(name: str) -> None:
    """Every block has a known language, and no fence is left open."""
    text = text_of(name)
    languages = {language for language, _ in FENCE.findall(text)}
    assert languages <= {"console", "pycon", "python", "sh", "text"}
    assert text.count("```") == 2 * len(FENCE.findall(text))


def program(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the namespace of a new `__main__`, where pickle and annotations look names up."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    return vars(module)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_examples_print_what_they_show(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The `pycon` blocks of a document are one session; its output is compared."""
    source = "\n".join(blocks(name, "pycon"))
    if name in ("README.md", "docs/reference.md", "docs/typed.md"):
        assert source
    names = program(monkeypatch)
    examples = doctest.DocTestParser().get_doctest(source, names, name, name, 0)
    examples.globs = names  # not the copy that the parser makes
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(examples, out=report.append)
    assert not runner.failures, "".join(report)
    assert runner.tries == source.count(">>> ")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_programs_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`python` blocks are whole programs with assertions.

    A block that imports an optional library is skipped where that is not installed.
    Those of docs/frameworks.md need an environment of their own, where
    tests/frameworks/test_recipes.py runs them; here they are compiled.
    """
    for source in blocks(name, "python"):
        assert "assert" in source
        code = compile(source, name, "exec")
        if name == "docs/frameworks.md":
            continue
        others = re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE)
        missing = [one for one in others if importlib.util.find_spec(one) is None]
        if missing and set(missing) <= OPTIONAL:
            continue
        exec(code, program(monkeypatch))


def commands(name: str) -> list[list[str]]:
    """Every command of a document: in shell blocks, and in prose between backquotes."""
    lines = "\n".join(blocks(name, "sh")).splitlines()
    session = "\n".join(blocks(name, "console")).replace("\\\n", "")
    lines += re.findall(r"^\$ (.*)", session, re.MULTILINE)
    prefixes = ("make ", "python ", "pip ", "snooze-lab ", ".venv/bin/")
    spans = re.findall(r"`([^`\n]+)`", prose(name))
    lines += [span for span in spans if span.startswith(prefixes)]
    split = [shlex.split(line, comments=True) for line in lines]
    return [words for words in split if words]


def targets() -> set[str]:
    """Return the targets of the Makefile."""
    return set(re.findall(r"^([a-z][\w-]*):", text_of("Makefile"), re.MULTILINE))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_exist(name: str) -> None:
    """Shell blocks parse; targets, variables, scripts and options exist."""
    shell = shutil.which("bash")
    for source in blocks(name, "sh"):
        if shell:
            subprocess.run([shell, "-n"], input=source, text=True, check=True)
    for words in commands(name):
        program, *rest = words
        assert rest, words
        if program == "make":
            makes(rest)
        elif program == "pip":
            assert rest in [["install", one] for one in (".", ".[cli]", "./lab")]
        elif program == "snooze-lab":
            assert rest[0] in verbs(), words
        elif program == "snooze":
            commands_of_snooze(rest)
        elif program == "eval":
            commands_of_snooze(shlex.split(rest[0].strip("$()"))[1:])
        elif program == "snooze-native":
            offers(rest)
        elif program == "cargo":
            assert rest[0] in ("test", "bench"), words
        else:
            assert program in ("python", ".venv/bin/python"), words
            runs(rest)


def makes(words: list[str]) -> None:
    """Assert that the Makefile has these targets and variables."""
    makefile = text_of("Makefile")
    for word in words:
        variable, is_setting, value = word.partition("=")
        if not is_setting:
            assert word in targets(), words
            continue
        assert f"\n{variable} ?=" in makefile, words
        if variable == "RACE":
            race_accepts(shlex.split(value))
        if variable == "TARGET":
            assert (ROOT / f"fuzz/fuzz_targets/{value}.rs").is_file()


def offers(words: list[str]) -> None:
    """Assert that the native program of the laboratory has these options."""
    files = ROOT.glob("lab/native/src/*.rs")
    source = "".join(path.read_text("utf-8") for path in files)
    for option in (word for word in words if word.startswith("--")):
        assert f'"{option}"' in source, option


def commands_of_snooze(words: list[str]) -> None:
    """Assert that the command line of snooze has these commands and options."""
    app = pytest.importorskip("snooze._cli.app").app
    command = app.commands.get(words[0], app)
    options = {one for option in command.params for one in option.opts}
    for word in words:
        if word.startswith("-") and words[0] != "tool":
            assert word in options | {"--help"}, words
    assert words[0] in app.commands or words == ["--help"], words


def verbs() -> set[str]:
    """The commands of the laboratory's command line."""
    source = text_of("lab/src/snooze_lab/cli.py")
    verb = r"^@app\.command\(\)\n(?:@.*\n)?def (\w+)"
    found = re.findall(verb, source, re.MULTILINE)
    found += re.findall(r'^@app\.command\(\s*"(\w+)"', source, re.MULTILINE)
    return {*found, *re.findall(r'app\.add_typer\(\w+, name="(\w+)"', source)}


def runs(words: list[str]) -> None:
    """Assert that Python would find the program."""
    if words[:2] == ["-m", "snooze_lab.race"]:
        race_accepts(words[2:])
    elif words[:2] == ["-m", "pytest"]:
        files = [word for word in words[2:] if not word.startswith("-")]
        assert all((ROOT / file).is_file() for file in files), words
    elif words[0] == "-m":
        places = [sys.prefix, *sys.path, str(ROOT / "lab" / "src")]
        parts = words[1].split(".")
        assert importlib.util.find_spec(parts[0]) or any(
            Path(place, *parts).exists() for place in places
        ), words
    else:
        assert (ROOT / words[0]).is_file() or "*" in words[0], words


def race_accepts(options: list[str]) -> None:
    """Assert that the race accepts these options; it does not run."""
    if options == ["--help"]:
        return
    code = (
        "import sys; from snooze_lab.race import command; command.parse(sys.argv[1:])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *options],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "lab" / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def anchors(path: Path) -> set[str]:
    """Return the anchors of a document's headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {anchor_of(one) for one in headings}


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_links_lead_somewhere(name: str) -> None:
    """Files and headings that are linked to exist."""
    text = prose(name)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    links += re.findall(r'\b(?:src|srcset|href)="([^"]*)"', text)
    for link in links:
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def files_of_test(module: str) -> list[Path]:
    """The files of this suite or the laboratory's with this name."""
    return [*ROOT.glob(f"tests/**/{module}.py"), *ROOT.glob(f"lab/tests/{module}.py")]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_named_tests_exist(name: str) -> None:
    """Each `folder/test_module::test_name` and each file of tests exists."""
    text = text_of(name)
    for module, function in re.findall(r"(test_\w+)::(test_\w+)", text):
        source = "".join(path.read_text("utf-8") for path in files_of_test(module))
        assert f"\ndef {function}(" in source, f"{module}::{function}"
    for module in re.findall(r"\b(test_\w+)\.py", text):
        assert files_of_test(module), module


@pytest.mark.parametrize("name", DOCUMENTS)
def test_named_files_exist(name: str) -> None:
    """Paths in inline code are files or folders of the repository."""
    tops = "crates|src/snooze|tests|scripts|lab|docs|fuzz|requirements|snooze-core"
    for path in re.findall(rf"`((?:{tops}|snooze-py)/[\w./-]+)`", prose(name)):
        places = [ROOT / path, ROOT / "crates" / path]
        assert any(place.exists() for place in places), path


def test_every_difference_has_its_test() -> None:
    """Every row of the table of differences names a test."""
    differences = text_of("COMPARE.md").split("## Differences from orjson")[1]
    rows = [line for line in differences.splitlines() if line.startswith("|")]
    rows = [row for row in rows if not row.startswith(("| case ", "|---"))]
    assert len(rows) > 40
    for row in rows:
        assert len(row.split(" | ")) == 4, row
        assert re.search(r"`(?:\w+/)+test_\w+::test_\w+` \|$", row), row


def test_every_option_is_described() -> None:
    """The reference lists every option with its value, and no other."""
    rows = re.findall(
        r"^\| `(OPT_\w+)` \| (\d+) \|", text_of("docs/reference.md"), re.MULTILINE
    )
    described = {name: int(value) for name, value in rows}
    options = [name for name in snooze.__all__ if name.startswith("OPT_")]
    assert described == {name: getattr(snooze, name) for name in options}
    assert f"All {len(options)} `OPT_*`" in text_of("README.md")


TYPED_TABLES = {
    "Decoder": snooze.Decoder,
    "Encoder": snooze.Encoder,
    "configure": snooze.configure,
    "Field": snooze.Field,
}


@pytest.mark.parametrize("name", TYPED_TABLES)
def test_every_typed_option_is_described(name: str) -> None:
    """The reference has a row for every option, and no other."""
    section = re.split(
        rf"^### {name}$", text_of("docs/reference.md"), flags=re.MULTILINE
    )[1]
    section = re.split(r"^##", section, flags=re.MULTILINE)[0]
    cells = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    described = [word for cell in cells for word in re.findall(r"`(\w+)`", cell)]
    parameters = inspect.signature(TYPED_TABLES[name]).parameters
    assert described == [one for one in parameters if one not in ("self", "type")]
    # The first value in a row is the default, if there is one.
    for names, values in re.findall(r"^\| (`.*?) \| (.*?) \|", section, re.MULTILINE):
        for one in re.findall(r"`(\w+)`", names):
            default = repr(parameters[one].default).replace("'", '"')
            assert default == "NOT_GIVEN" or values.startswith(f"`{default}`"), one


def test_every_name_is_described() -> None:
    """The reference mentions every public name."""
    text = text_of("docs/reference.md")
    hidden = {"__version__"}
    for name in set(snooze.__all__) - hidden:
        assert re.search(rf"`{name}\b", text), name


def test_peers_are_those_of_the_lock() -> None:
    """The tests that are fetched are of the version that is installed."""
    peers = script("peers")
    assert {"cattrs", "mashumaro", "msgspec"} == set(peers.names())
    for project in map(peers.peer, peers.names()):
        lock = text_of(f"requirements/{project.lock}.lock")
        assert f"\n{project.name}=={project.version} " in lock
        assert project.sha256 in lock
        if project.lock == "frameworks":
            named = f"{project.name} {project.version} "
            assert named in text_of("docs/frameworks.md")
        reasons = {reason for reason, _ in project.expected().values()}
        assert all(reason.endswith(".") for reason in reasons)


def test_requirements_are_those_of_the_build() -> None:
    """The documents state Cargo.toml's Rust version; the changelog has the release."""
    oldest = re.search(r'^rust-version = "(.*)"', text_of("Cargo.toml"), re.MULTILINE)
    assert oldest is not None
    for name in ("README.md", "CONTRIBUTING.md"):
        stated = set(re.findall(r"Rust\s+(\d+\.\d+)", text_of(name)))
        assert stated == {oldest[1]}, name
    assert f"## [{importlib.metadata.version('snooze')}]" in text_of("CHANGELOG.md")


def test_published_figures_are_those_of_their_records() -> None:
    """The front page, the tables of two more, the charts: what the script writes."""
    results = script("results")
    files = results.published(results.recorded())
    assert {"README.md", "docs/benchmarks.md"} < set(files)
    for name, text in files.items():
        assert text == text_of(name), name
    charts = {path.name for path in (ROOT / results.IMAGES).iterdir()}
    assert charts == {Path(name).name for name in files if name.endswith(".svg")}


def test_published_figures_follow_their_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Another figure in a record is another figure in every table and in the chart."""
    results = script("results")
    load, asked = results.tables.load, results.recorded()

    def faster(path: Path) -> Any:
        record = load(path)
        for cell in record["cells"]:
            if cell["direction"] != "loads":
                continue
            if cell["group"] in {"documents", "layouts"}:
                cell["speed_relative_to_orjson"]["snooze"] = [9876.54, 9870, 9880]
            if cell["group"] == "layouts":  # docs/json.md shows the ratio to json
                cell["speed_relative_to_orjson"]["json"] = [1.0, 0.9, 1.1]
        return record

    monkeypatch.setattr(results.tables, "load", faster)
    files = results.published(asked)
    for name, text in files.items():
        assert "9876.54" in text, name
        assert "9876.54" not in text_of(name)


def test_noise_that_was_not_measured_is_no_figure() -> None:
    """A record without cells has no noise of 0.0 %; rows of threads have their own."""
    results = script("results")
    path = results.recorded()[0]
    record = results.tables.load(path) | {"cells": []}
    row = {"scaling": {"orjson": [1.0, 0.9, 1.1], "orjson again": [0.9, 0.8, 1.0]}}
    record["threads"] = [row]
    text = " ".join(results.introduction("a/record.json", record))
    assert results.UNMEASURED in " ".join(text.split())
    assert "against itself" not in text
    assert results.results_calls.noise([record], "threads").endswith(": 11 %.")
    assert not results.results_calls.noise([record], "subinterpreters")


def test_two_records_of_one_race_are_refused() -> None:
    """Which of them counts is the caller's decision."""
    results = script("results")
    path, *_ = results.recorded()
    records = {"a.json": results.tables.load(path), "b.json": results.tables.load(path)}
    with pytest.raises(SystemExit, match=r"a\.json and b\.json both have the group"):
        results.tables.check(records)


def test_charts_are_pictures_and_nothing_else() -> None:
    """They parse, fit a phone unscaled, and load or run nothing."""
    results = script("results")
    for one in results.chart.PICTURES:
        text = text_of(f"{results.IMAGES}/{one.name}")
        root = ElementTree.fromstring(text)
        tags = {node.tag.partition("}")[2] for node in root.iter()}
        assert tags == {"svg", "title", "text", "rect"}
        assert "href" not in text
        assert "url(" not in text
        sizes = [
            int(node.get("font-size", "0"))
            for node in root.iter()
            if node.tag.endswith("text")
        ]
        assert min(sizes) >= 14
        assert int(root.get("width", "0")) <= (830 if one.wide else 360)
        for node in root.iter():
            if node.tag.endswith("rect"):
                right = float(node.get("x", "")) + float(node.get("width", ""))
                assert right + results.chart.FIGURE <= int(root.get("width", "0"))


def test_the_front_page_is_a_page() -> None:
    """It stays short enough to be read."""
    assert len(text_of("README.md").splitlines()) <= 130


#: What people need every day: where the front page leads, and names that are there.
EVERYDAY = {
    "docs/json.md": ("snooze.install()", "JSONEncoder"),
    "docs/documents.md#layouts": ("ensure_ascii", "separators", "indent"),
    "docs/reading.md": ("`numbers`", "duplicate", "json5"),
    "docs/reference.md#encoder": ("nan", "decimal", "hooks", "timespec"),
    "docs/reference.md#load-dump": ("load(", "dump(", ".gz", "mmap"),
    "docs/reference.md#errors": ("lineno", "snippet", "pointer"),
    "docs/command.md": ("snooze format", "snooze query", "completion"),
    "docs/frameworks.md": ("FastAPI", "Django", "SQLAlchemy", "logging"),
    "docs/documents.md": ("snooze.patch", "snooze.jsonpath", "snooze.infer"),
}


def section(link: str) -> str:
    """Return the text that a link leads to: a document, or the part under a heading."""
    path, _, anchor = link.partition("#")
    text = text_of(path)
    if not anchor:
        return text
    parts = re.split(r"^(#+) (.*)$", text, flags=re.MULTILINE)
    depth, found = 0, []
    for level, heading, body in zip(
        *(parts[1 + n :: 3] for n in range(3)), strict=True
    ):
        if depth and len(level) <= depth:
            break
        if not depth and anchor_of(heading) == anchor:
            depth = len(level)
        if depth:
            found.append(body)
    return "".join(found)


@pytest.mark.parametrize("link", EVERYDAY)
def test_the_front_page_leads_to_what_is_needed_every_day(link: str) -> None:
    """In one click, to a text that has it."""
    assert f"]({link})" in text_of("README.md")
    found = section(link)
    assert [name for name in EVERYDAY[link] if name not in found] == []


def test_every_document_is_on_the_site() -> None:
    """The site has a page for each document, with a title, and its links resolve."""
    site = script("docs_site")
    assert set(site.DOCUMENTS) == set(DOCUMENTS)
    titles = site.navigation()
    for source, name in site.DOCUMENTS.items():
        assert name in titles
        text = FENCE.sub("", site.page(source))
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            path = link.partition("#")[0]
            assert path.startswith(("https://", "lab/record/")) or (
                path in {"", *titles, *site.FILES.values()}
            ), link


def test_the_site_refuses_links_without_a_target() -> None:
    """A document that links to what the site lacks ends the build."""
    site = script("docs_site")
    assert site.target("../COMPARE.md#numpy", "docs/typed.md") == "compare.md#numpy"
    with pytest.raises(SystemExit, match="on no page of the site"):
        site.target("crates/snooze-py/src/lib.rs", "README.md")


def test_the_site_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    """Links may lead anywhere; scripts, styles, pictures and fonts may not."""
    site = script("docs_site")
    page = tmp_path / "page.html"
    page.write_text('<a href="https://a.example">a</a><img src="images/a.svg">')
    assert site.loaded(tmp_path) == []
    for text in (
        '<script src="https://a.example/a.js"></script>',
        '<link rel="stylesheet" href="//a.example/a.css">',
        '<img alt="" src=https://a.example/a.png>',
        "<style>@import url(https://a.example/a.css);</style>",
        "<style>a { background: url('https://a.example/a.png') }</style>",
    ):
        page.write_text(text)
        assert len(site.loaded(tmp_path)) >= 1, text


def test_the_site_shows_the_chart_in_its_own_scheme() -> None:
    """Each scheme has its picture, wide and narrow."""
    text = script("docs_site").page("README.md")
    sources = re.findall(r'"(images/[\w.#-]+)"', text)
    assert sources == [
        "images/speed-narrow-light.svg",
        "images/speed-wide-light.svg#only-light",
        "images/speed-narrow-dark.svg",
        "images/speed-wide-dark.svg#only-dark",
    ]


@pytest.mark.parametrize("table", ["compare_table", "compare_typed"])
def test_comparison_table_is_what_libraries_do(table: str) -> None:
    """The cells of COMPARE.md are what the installed libraries do now."""
    compare = script(table)
    committed = compare.TABLE.committed()
    assert tuple(committed) == compare.NAMES
    for name, cells in committed.items():
        try:
            found = compare.column(name)
        except ImportError:
            assert name in {*OPTIONAL, "orjson"}, name
            continue
        rows = zip(compare.titles(), found, cells, strict=True)
        # The interpreter's own limits depend on its version; the table is of 3.11.
        varies = {"Python's"} if sys.version_info[:2] != (3, 11) else set()
        known = [row for row in rows if row[1] != "not tested" and row[2] not in varies]
        assert {title: one for title, one, _ in known} == {
            title: one for title, _, one in known
        }, name
