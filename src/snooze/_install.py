"""Put snooze under ``import json`` and ``import orjson``, for a whole program.

Separate because it replaces modules of other packages in ``sys.modules``. Invariants:
``uninstall`` leaves what was there before; a module that another program part has put
in the same place since is left alone. Exported by ``snooze``; used by ``python -m
snooze run``.
"""

from __future__ import annotations

import sys
from types import ModuleType

#: What was in the place of each module that is installed, None for nothing.
_before: dict[str, ModuleType | None] = {}
_installed: dict[str, ModuleType] = {}
#: Submodules of json that were imported before, and that snooze.json does not have:
#: `import json.tool` would find them, and not make an attribute of json.
_hidden: dict[str, ModuleType] = {}
#: The version of orjson whose behaviour snooze has.
ORJSON_VERSION = "3.13.0"
_ORJSON = ("orjson", "orjson.orjson")


def install(
    *, json: bool = True, as_orjson: bool = False, orjson_version: str | None = None
) -> None:
    """Let ``import json``, and ``import orjson`` if asked, import snooze.

    For programs and packages that cannot be edited. Import statements that have run
    already keep what they imported, so call it first.

    Args:
        json: Whether ``import json`` imports ``snooze.json``. Default True.
        as_orjson: Whether ``import orjson`` imports snooze's functions. orjson itself
            need not be installed. Default False.
        orjson_version: The ``__version__`` that this ``orjson`` has, for programs that
            check it. Default None: the version of orjson whose behaviour snooze has.

    Raises:
        ValueError: Nothing is to be installed, or a version is given without
            ``as_orjson``.

    Examples:
        >>> import snooze
        >>> snooze.install()
        >>> import json
        >>> json.__name__
        'snooze.json'
        >>> snooze.uninstall()
    """
    if not json and not as_orjson:
        raise ValueError("expected json=True or as_orjson=True, found neither")
    if orjson_version is not None and not as_orjson:
        raise ValueError("orjson_version: expected as_orjson=True with it")
    if json:
        # Their files give the parts a spec, by which tools find modules.
        import snooze.json.decoder  # noqa: PLC0415 - imported only if wanted
        import snooze.json.encoder  # noqa: PLC0415 - likewise

        module = snooze.json
        module._share_path()  # noqa: SLF001 - of one package
        _hidden.update(_take_submodules(module))
        _put("json", module)
        for part in (snooze.json.decoder, snooze.json.encoder):
            _put(f"json.{part.__name__.rpartition('.')[2]}", part)
    if as_orjson:
        version = ORJSON_VERSION if orjson_version is None else orjson_version
        outer, inner = (_as_orjson(name, version) for name in _ORJSON)
        vars(outer)["orjson"] = inner
        _put("orjson", outer)
        _put("orjson.orjson", inner)


def uninstall() -> None:
    """Undo ``install``; without effect if nothing is installed.

    Examples:
        >>> import snooze
        >>> snooze.uninstall()
    """
    for name, module in _installed.items():
        if sys.modules.get(name) is not module:
            continue
        before = _before[name]
        if before is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = before
        if name == "json":
            _take_submodules(before)
            sys.modules.update(_hidden)
    _installed.clear()
    _before.clear()
    _hidden.clear()


def _take_submodules(module: ModuleType | None) -> dict[str, ModuleType]:
    """Let `import` load the submodules of json again that a module does not have."""
    found = {
        name: one
        for name, one in sys.modules.copy().items()  # other threads may import
        if name.startswith("json.")
        and name not in _installed
        and not hasattr(module, name.removeprefix("json."))
    }
    for name in found:
        sys.modules.pop(name, None)
    return found


def _put(name: str, module: ModuleType) -> None:
    # A second installation must not take the first for what was there before.
    if name not in _installed or sys.modules.get(name) is not _installed[name]:
        _before[name] = sys.modules.get(name)
    sys.modules[name] = _installed[name] = module


def _as_orjson(name: str, version: str) -> ModuleType:
    """Return a module with the names of orjson."""
    from importlib.machinery import ModuleSpec  # noqa: PLC0415 - not at import time

    import snooze  # noqa: PLC0415 - this module is imported by it

    module = ModuleType(name, snooze.__doc__)
    # importlib.util.find_spec, which programs ask, reads it.
    module.__spec__ = ModuleSpec(name, None)
    for known in ("Fragment", "JSONDecodeError", "JSONEncodeError", "dumps", "loads"):
        setattr(module, known, getattr(snooze, known))
    for known in snooze.__all__:
        if known.startswith("OPT_"):
            setattr(module, known, getattr(snooze, known))
    names = sorted(known for known in vars(module) if known[0] != "_")
    vars(module).update(__version__=version, __all__=("__version__", *names))
    return module
