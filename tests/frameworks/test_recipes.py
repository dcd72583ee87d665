"""Each program of docs/frameworks.md runs, in a new process, as a reader would run it.

The docstrings of snooze.ext are examples, too. Programs that need PostgreSQL find its
address in DATABASE_URL, and are skipped without a server.
"""

from __future__ import annotations

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
TEXT = (ROOT / "docs" / "frameworks.md").read_text("utf-8")


def recipes() -> dict[str, str]:
    """Return the programs by the heading above them and their number below it."""
    found = {}
    for section in re.split(r"^## ", TEXT, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        blocks = re.findall(
            r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL
        )
        for number, block in enumerate(blocks, 1):
            found[f"{title} {number}"] = block
    return found


RECIPES = recipes()


def test_every_section_has_a_recipe() -> None:
    titles = re.findall(r"^## (.*)", TEXT, re.MULTILINE)
    without = set(titles) - {name.rpartition(" ")[0] for name in RECIPES}
    assert without == {"Which functions?", "Speed"}


def run(source: str, folder: Path, *options: str, **variables: str) -> None:
    """Run a program in a new process; fail with its error."""
    program = folder / "program.py"
    program.write_text(source, "utf-8")
    done = subprocess.run(
        [sys.executable, *options, str(program)],
        env=os.environ | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", RECIPES)
def test_recipes(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    source = RECIPES[name]
    assert "assert" in source
    variables = {"PYTHONWARNINGS": "error:::__main__"}
    if "DATABASE_URL" in source:
        host = request.getfixturevalue("postgresql_host")
        variables["DATABASE_URL"] = f"postgresql://snooze@/postgres?host={host}"
    run(source, tmp_path, **variables)


#: Their frameworks derive classes from those of `json`.
DERIVED = ("Flask 1", "Django 1", "Django REST framework 1", "Queues and caches 1")


@pytest.mark.parametrize("name", DERIVED)
def test_recipes_with_snooze_under_import_json(name: str, tmp_path: Path) -> None:
    """`python -m snooze run` and an adapter in the same program."""
    run(RECIPES[name], tmp_path, "-m", "snooze", "run")


MODULES = (
    *("aiohttp", "asyncpg", "django", "fastapi", "flask"),
    *("kombu", "litestar", "logging", "sqlalchemy", "starlette"),
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    """Every public function and class has an example or obeys that of a framework."""
    module = importlib.import_module(f"snooze.ext.{name}")
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 0


def test_public_names_are_described() -> None:
    """`__all__` lists what users import, and each has a docstring."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "helpers.django_settings")
    for name in (*MODULES, "rest_framework"):
        module = importlib.import_module(f"snooze.ext.{name}")
        for public in module.__all__:
            assert getattr(module, public).__doc__, f"{name}.{public}"
        assert f"snooze.ext.{name}" in TEXT
