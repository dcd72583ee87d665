"""The plans of codecs: what `Decoder` and `Encoder` hand to the extension.

Separate from `codecs`, which `import snooze` loads, because all that reads types is
needed here, and takes longer to load than the rest of snooze. Called by `codecs`, when
the first codec is made.
"""

from __future__ import annotations

import collections
import functools
from collections import abc
from decimal import Decimal
from typing import Any

from snooze._typed import lower_decode, lower_encode, model
from snooze._typed.codecs import Encoder
from snooze._typed.errors import fail, tokens
from snooze._typed.introspect import build
from snooze._typed.options import UNSET, Options


def decoding(tp: Any, options: dict[str, Any]) -> Any:
    """Return what a decoder of a type compiles; `options` has every one."""
    defaults = Options(
        rename=UNSET if options["rename"] is None else options["rename"],
        unknown=UNSET if options["unknown"] is None else options["unknown"],
        gc=options["gc"],
    )
    at = options["at"]
    plan = (
        options["strict"],
        options["errors"] == "all",
        options["skip"] == "fast",
        None if at is None else tokens(at),
    )
    ir = lower_decode.lower(build(tp, defaults), plan, options["dec_hook"])
    return (*ir, fail)


def encoding(tp: Any, options: dict[str, Any], said: dict[str, Any]) -> Any:
    """Return what an encoder of a type compiles; `said` is what is no default."""
    defaults = Options(
        rename=UNSET if options["rename"] is None else options["rename"],
        omit_none=options["omit_none"] or UNSET,
        omit_defaults=options["omit_defaults"] or UNSET,
    )
    plan = (
        functools.partial(_resolve, said),
        options["enc_hook"],
        options["nan"],
        options["decimal"],
        options["sort_keys"],
    )
    return lower_encode.lower(build(tp, defaults), plan)


#: What `Any` takes from classes that are none of their own: subclasses of these.
_BASES: tuple[Any, ...] = (
    str,
    int,
    float,
    Decimal,
    list,
    tuple,
    dict,
    bytes,
    bytearray,
    memoryview,
    set,
    frozenset,
    collections.deque,
    abc.Mapping,
    abc.Set,
)


def _resolve(options: dict[str, Any], cls: type) -> Encoder[Any] | None:
    """Return an Encoder for a class that a plan met where it says `Any`, or None.

    Classes that are not known go to `enc_hook`; subclasses of known ones are encoded as
    what they are based on.
    """
    node = build(cls)
    if not isinstance(node, model.Custom):
        return Encoder(cls, **options)
    for base in cls.__mro__[1:]:
        if base is object:
            break
        if not isinstance(build(base), model.Custom):
            return Encoder(base, **options)
    for base in _BASES:
        if issubclass(cls, base):
            return Encoder(bytes if base is memoryview else base, **options)
    return None
