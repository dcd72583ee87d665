"""The options of an Encoder for single values: hooks, NaN, surrogates, times, keys.

Separate from `codecs`, which `import snooze` loads: this file is loaded only for an
encoder that has one of these options, and to compile one. Invariant: an option of a
wrong type or value, and one that contradicts another, is an error when the encoder is
made. Called by `codecs` and `plans`.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from snooze import _text
from snooze._typed import arrays, hooks
from snooze._typed.options import check_formats

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The most containers inside each other, which is also the default.
DEEPEST = 1024
#: The options of dumps, as bits.
_NAIVE_UTC, _NO_FRACTION, _UTC_Z, _OMIT_NONE = 2, 8, 128, 8192
#: The digits of the fraction of a second.
_DIGITS = {"auto": None, "seconds": 0, "milliseconds": 3, "microseconds": 6}


def policies(options: Mapping[str, Any]) -> tuple[Any, ...] | str:
    """Return the options as the compiled encoder takes them: alone, that for NaN."""
    found = _policies(options)
    nan = options["nan"]
    is_plain = nan in {"null", "error"} and found[1:] == _PLAIN[1:]
    return nan if is_plain else found


def _policies(options: Mapping[str, Any]) -> tuple[Any, ...]:
    timespec = options.get("timespec", "auto")
    config = _NAIVE_UTC * options.get("naive_utc", False)
    config |= _UTC_Z * options.get("utc_z", False)
    config |= _NO_FRACTION * (timespec == "seconds")
    config |= _OMIT_NONE * (options.get("omit_none") == "all")
    known = hooks.of_options(options)
    return (
        options["nan"],
        options.get("surrogates", "error"),
        options.get("max_depth", DEEPEST),
        options.get("key_hook"),
        known.overridden() if known else 0,
        _DIGITS[timespec],
        config,
        arrays.floats,
    )


_PLAIN = _policies({"nan": "null"})

#: Formats of datetimes that are numbers.
_UNIX = ("unix", "unix_ms", "unix_us")


def check(options: Mapping[str, Any]) -> None:
    """Check the options of an Encoder that this file knows.

    Raises TypeError for a value of another type, ValueError for an unknown one or two
    that contradict each other.
    """
    _check_functions(options)
    for name in ("iterables", "naive_utc", "utc_z"):
        if not isinstance(options[name], bool):
            raise TypeError(
                f"Encoder: {name} needs True or False, not {options[name]!r}"
            )
    depth = options["max_depth"]
    if not isinstance(depth, int) or isinstance(depth, bool):
        raise TypeError(f"Encoder: max_depth needs an int, not {depth!r}")
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"Encoder: max_depth={depth} is not from 1 to {DEEPEST}")
    formats = options["formats"]
    if formats is not None:
        check_formats(formats, "Encoder")
        if options["naive_utc"] and formats.get(dt.datetime) in _UNIX:
            raise ValueError(
                "Encoder: naive_utc has no effect on datetimes in the format "
                f"{formats[dt.datetime]!r}; give one of the two"
            )
        for cls in options["hooks"] or ():
            if cls in formats:
                raise ValueError(
                    f"Encoder: {cls.__name__} has both a hook and a format; give one"
                )
    _check_json(options)


def _check_functions(options: Mapping[str, Any]) -> None:
    functions = options["hooks"]
    if functions is not None:
        if not hasattr(functions, "items"):
            raise TypeError(
                "Encoder: hooks needs a dict such as {Decimal: str}, from classes to "
                f"functions, not {functions!r}"
            )
        for cls, function in functions.items():
            if not isinstance(cls, type):
                raise TypeError(f"Encoder: hooks needs classes, not {cls!r}")
            if cls is object:
                raise ValueError(
                    "Encoder: a hook for object would get every value; enc_hook gets "
                    "those that cannot be written"
                )
            if not callable(function):
                raise TypeError(
                    f"Encoder: hooks needs a callable for {cls.__name__}, not "
                    f"{function!r}"
                )
    if options["json_method"] is not None:
        _check_method(options["json_method"])


def _check_method(method: Any) -> None:
    if not isinstance(method, str):
        raise TypeError(
            "Encoder: json_method needs the name of a method, such as '__json__', "
            f"not {method!r}"
        )
    if not method.isidentifier():
        raise ValueError(f"Encoder: json_method={method!r} is not the name of a method")
    if hasattr(object, method):
        raise ValueError(
            f"Encoder: json_method={method!r} is a method of every object; give one "
            "that only some classes have, such as '__json__'"
        )


def _check_json(options: Mapping[str, Any]) -> None:
    """Refuse to lay out text that is not JSON, or that is no text in UTF-8."""
    if _text.is_native(options):
        return
    for name, value in (("nan", "literal"), ("surrogates", "escape")):
        if options[name] == value:
            raise ValueError(
                f"Encoder: {name}={value!r} cannot be combined with ensure_ascii, "
                "with other separators than the usual ones, or with an indent of both "
                "spaces and tabs: these read the text again, and it is not JSON"
            )
