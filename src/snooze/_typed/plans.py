"""The plans of codecs: the descriptions that `Decoder` and `Encoder` compile.

Separate from `codecs`, which `import snooze` loads: this file imports every module that
reads types, which takes longer than the rest of snooze. Called by `codecs`, first when
the first codec is made, and by Rust (`_resolve`).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from snooze import _text
from snooze._snooze import EncoderBase
from snooze._typed import (
    arrays,
    hooks,
    instances,
    lower_decode,
    lower_encode,
    model,
    write_options,
)
from snooze._typed.codecs import Encoder
from snooze._typed.errors import fail
from snooze._typed.introspect import build
from snooze._typed.options import NOT_GIVEN, Options
from snooze._typed.places import tokens

if TYPE_CHECKING:
    from collections.abc import Callable


def decoding(tp: Any, options: dict[str, Any]) -> Any:
    """Return the description of a decoder; `options` has all of them."""
    at = options["at"]
    plan = (
        options["strict"],
        options["max_errors"] if options["errors"] == "all" else None,
        options["skip"] == "fast",
        None if at is None else tokens(at),
    )
    root = build(tp, decoding_defaults(options))
    return (*lower_decode.lower(root, plan, options["dec_hook"]), fail)


def decoding_defaults(options: dict[str, Any]) -> Options:
    """Return what the options of a decoder say of all classes."""
    return Options(
        rename=NOT_GIVEN if options["rename"] is None else options["rename"],
        unknown=NOT_GIVEN if options["unknown"] is None else options["unknown"],
        gc=options["gc"],
    )


def converting(tp: Any, options: dict[str, Any]) -> Any:
    """Return the description of a converter; `options` has all of them."""
    most = options["max_errors"] if options["errors"] == "all" else None
    plan = (options["strict"], most, False, None)
    readable = instances.readable(from_attributes=options["from_attributes"])
    root = build(tp, decoding_defaults(options))
    description = lower_decode.lower(root, plan, options["dec_hook"], readable=readable)
    return (*description, fail), readable


def encoding(tp: Any, options: dict[str, Any], explicit: dict[str, Any]) -> Any:
    """Return the description of an encoder.

    `options` has all of them, `explicit` those that differ from their defaults.
    """
    return _encoding(tp, options, functools.partial(_resolve, Encoder, explicit))


def _encoding_defaults(options: dict[str, Any]) -> Options:
    """Return what the options of an encoder say of all classes."""
    rename = options.get("rename")
    return Options(
        rename=NOT_GIVEN if rename is None else rename,
        omit_none=bool(options.get("omit_none")) or NOT_GIVEN,
        omit_defaults=options.get("omit_defaults") or NOT_GIVEN,
        array_like=False if options.get("namedtuple") == "object" else NOT_GIVEN,
        formats=options.get("formats") or NOT_GIVEN,
    )


def _encoding(tp: Any, options: dict[str, Any], resolve: Any, *keep: Any) -> Any:
    plan = (
        resolve,
        options["enc_hook"],
        write_options.policies(options),
        options["decimal"],
        options["sort_keys"],
        _text.native(options),
        arrays.plain,
        *keep,
    )
    root = build(tp, _encoding_defaults(options), hooks.of_options(options))
    omits_none = options["omit_none"] == "all"
    return lower_encode.lower(root, plan, omits_none=omits_none)


def building(tp: Any, options: dict[str, Any], encoder: Any) -> Any:
    """Return the description of an encoder of `to_builtins`, of that class."""
    keep = (options["keep"], not options["str_keys"], arrays.floats)
    given = {**options, "nan": "error", "decimal": "str"}
    return _encoding(tp, given, functools.partial(_resolve, encoder, options), keep)


def encoder_of(node: model.Node) -> EncoderBase:
    """Return an encoder of a node, without options and hooks."""
    encoder = EncoderBase()
    resolve = functools.partial(_resolve, Encoder, {})
    policies = write_options.policies({"nan": "error"})
    plan = (resolve, None, policies, "str", False, None, arrays.plain)
    encoder._compile(lower_encode.lower(node, plan))  # noqa: SLF001
    return encoder


def _resolve(
    encoder: Callable[..., EncoderBase], options: dict[str, Any], cls: type
) -> EncoderBase | None:
    """Return an `encoder` for the class of a value where the plan says `Any`, or None.

    A class that snooze does not know is encoded as its nearest known base. None means
    that there is none: the value goes to `enc_hook`.
    """
    # A format gives some enums their only form, and a class may fit only with the names
    # or the layout that the options choose.
    node = build(cls, _encoding_defaults(options))
    known = hooks.of_options(options)
    if isinstance(node, model.Missing):
        # UNSET has no form in JSON; only the fields of classes can leave it out.
        return None
    if not isinstance(node, model.Custom) or (known and known.find(cls)):
        return encoder(cls, **options)
    if node.is_hooked and options.get("enc_hook") is None:
        return encoder(cls, **options)
    base = hooks.known_base(cls, iterables=options.get("iterables", False))
    return None if base is None else encoder(base, **options)
