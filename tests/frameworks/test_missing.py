"""An adapter whose package is missing or too old says what to install."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import types

import pytest

import snooze.ext

#: Module -> the package that it imports, and its name for pip.
PACKAGES = {
    "aiohttp": ("aiohttp", "aiohttp"),
    "asyncpg": ("asyncpg", "asyncpg"),
    "django": ("django", "django"),
    "fastapi": ("fastapi", "fastapi"),
    "flask": ("flask", "flask"),
    "kombu": ("kombu", "kombu"),
    "litestar": ("litestar", "litestar"),
    "rest_framework": ("rest_framework", "djangorestframework"),
    "sqlalchemy": ("sqlalchemy", "sqlalchemy"),
    "starlette": ("starlette", "starlette"),
}
#: Needs the standard library only.
ALONE = {"logging"}


def public() -> set[str]:
    """Return the names of the modules of `snooze.ext`."""
    found = pkgutil.iter_modules(snooze.ext.__path__)
    return {one.name for one in found if one.name[0] != "_"}


def test_every_adapter_is_listed() -> None:
    """A new module needs a line here."""
    assert public() == set(PACKAGES) | ALONE


@pytest.fixture
def imported(monkeypatch):
    """Return a function that imports an adapter anew, with a module in its way."""

    def again(module: str, package: str, substitute: object) -> None:
        for known in list(sys.modules):
            own = known == f"snooze.ext.{module}"
            if own or known == package or known.startswith(f"{package}."):
                monkeypatch.delitem(sys.modules, known)
        monkeypatch.setitem(sys.modules, package, substitute)
        importlib.import_module(f"snooze.ext.{module}")

    return again


@pytest.mark.parametrize("module", sorted(PACKAGES))
def test_a_missing_package_is_named(module: str, imported) -> None:
    package, name = PACKAGES[module]
    if module == "rest_framework" and importlib.util.find_spec("django") is None:
        pytest.skip("needs Django to come that far")
    with pytest.raises(ImportError) as caught:
        imported(module, package, None)
    assert str(caught.value) == (
        f"snooze.ext.{module} needs the package {name}, which is not installed: "
        f"pip install {name}"
    )
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)


@pytest.mark.parametrize("module", ["aiohttp", "flask"])
def test_an_old_package_is_named(module: str, imported) -> None:
    with pytest.raises(ImportError) as caught:
        imported(module, module, types.ModuleType(module))
    text = str(caught.value)
    assert text.startswith(f"snooze.ext.{module} cannot use the installed {module} (")
    assert text.endswith(f": pip install --upgrade {module}")


def test_snooze_imports_no_adapter() -> None:
    """Neither at import nor when codecs are made."""
    code = (
        "import sys, snooze; snooze.Decoder(list[int]).decode(b'[1]'); "
        "assert not [name for name in sys.modules if name.startswith('snooze.ext')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
