"""What a Decoder, an Encoder and a Converter share: checks of options, pickling, repr.

Separate because the codecs are long enough: each of their options has a type, a default
and a description. Invariant: a check raises before anything is compiled. Called by
`codecs`, `converter` and `to_builtins`; part of `import snooze`.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING
from snooze._typed.options import check_choice

if TYPE_CHECKING:
    from typing import Any


def defaults_of(init: Any) -> dict[str, Any]:
    """Return the defaults of the keyword-only parameters."""
    return dict(init.__kwdefaults__)


def check_new(codec: Any) -> None:
    """Raise if a codec was made before: its plan stays what it was."""
    if hasattr(codec, "_type"):
        name = type(codec).__name__
        raise TypeError(f"{name}.__init__(): called again; make a new {name}")


def check_errors(options: dict[str, Any], defaults: dict[str, Any]) -> None:
    """Check `errors` and `max_errors`."""
    check_choice("errors", options["errors"], ("first", "all"))
    most = options["max_errors"]
    if isinstance(most, bool) or not isinstance(most, int):
        raise TypeError(f"max_errors needs an int, not {most!r}")
    if not 1 <= most < 2**63:
        raise ValueError(f"max_errors={most} is not possible: use 1 to 2**63 - 1")
    if most != defaults["max_errors"] and options["errors"] == "first":
        raise ValueError("max_errors has no meaning without errors='all'")
    options["max_errors"] = int(most)  # the extension takes no subclass


def check_hook(options: dict[str, Any], name: str) -> None:
    if options[name] is not None and not callable(options[name]):
        raise TypeError(f"{name} needs a callable, not {options[name]!r}")


def explicit_options(
    options: dict[str, Any], defaults: dict[str, Any]
) -> dict[str, Any]:
    """Return the options that differ from their defaults.

    Types are compared first, so that `__eq__` of a hook is never called.
    """
    return {
        name: value
        for name, value in options.items()
        if type(value) is not type(defaults[name]) or value != defaults[name]
    }


def compile_now(codec: Any) -> None:
    """Compile the type, or leave it to the first call if a name is not defined yet."""
    from snooze._typed.scope import Unresolved  # noqa: PLC0415 - not at import time

    try:  # noqa: SIM105 - contextlib would be one more import
        codec._prepare()  # noqa: SLF001 - of a codec
    except Unresolved:
        pass


def codec_repr(name: str, tp: Any, options: dict[str, Any]) -> str:
    from snooze._typed.generics import type_name  # noqa: PLC0415 - not at import

    arguments = [type_name(tp), *(f"{key}={one!r}" for key, one in options.items())]
    return f"{name}({', '.join(arguments)})"


def remake(cls: Any, tp: Any, options: dict[str, Any]) -> Any:
    """Make a codec from its pickle."""
    return cls(tp, **options)
