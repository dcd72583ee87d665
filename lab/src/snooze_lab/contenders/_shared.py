"""Common code of the contenders' files: writers with options, refusals.

Separate so that a contender's file holds only the code specific to its library.
Invariants: standard library only; an option that a library does not have is refused,
never ignored. Used by the contenders' files of this package.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import Call, Calls, Need, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable


def refuse(need: Need, *known: str) -> None:
    """Raise UnsupportedError for a need that is not among `known`."""
    for name in ("sort_keys", "indent", "non_str_keys", "numpy", "default"):
        if getattr(need, name) and name not in known:
            raise UnsupportedError(f"no option for {name}")


def plain_only(dumps: Call) -> Callable[[Need], Call]:
    """Return a writer for libraries that take part with plain values only."""

    def writer(need: Need) -> Call:
        refuse(need)
        return dumps

    return writer


def hook(need: Need) -> dict[str, Any]:
    """Return the argument `default`, if any."""
    return {"default": need.default} if need.default else {}


def with_options(dumps: Call, **options: Any) -> Call:
    """Return `dumps` with these arguments; without any, `dumps` itself."""
    return partial(dumps, **options) if options else dumps


def like_orjson(module: Any, dumps: Call | None = None) -> Calls:
    """Return the calls of a library with orjson's interface.

    `dumps` is the call that returns `bytes`, where that has another name.
    """
    write = dumps or module.dumps

    def writer(need: Need) -> Call:
        option = (
            need.sort_keys * module.OPT_SORT_KEYS
            | need.indent * module.OPT_INDENT_2
            | need.non_str_keys * module.OPT_NON_STR_KEYS
            | need.numpy * module.OPT_SERIALIZE_NUMPY
        )
        found = {"option": option} if option else {}
        return with_options(write, **found, **hook(need))

    return Calls(module.loads, write, writer)


def like_json(module: Any) -> Calls:
    """Return the calls of a library with the interface of the standard library's."""
    dumps = module.dumps

    def writer(need: Need) -> Call:
        separators = (",", ": ") if need.indent else (",", ":")
        options = {
            "ensure_ascii": False,
            "separators": separators,
            "indent": 2 if need.indent else None,
            "sort_keys": need.sort_keys,
            "default": need.default or need.fallback,
        }
        return lambda value: dumps(value, **options).encode()

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, separators=(",", ":")).encode()

    return Calls(module.loads, encode, writer)
