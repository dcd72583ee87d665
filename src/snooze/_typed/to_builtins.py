"""`to_builtins`: a value as dicts, lists, strings and numbers.

Separate from `calls`, because the result is not text. Invariant: apart from objects
that are kept, the result is what `decode(encode(obj, type))` returns; it is made that
way, with tokens in the text for the objects that are kept. Used by users.
"""

from __future__ import annotations

import functools

from snooze._decode_error import JSONDecodeError
from snooze._snooze import DecoderBase, EncoderBase, JSONEncodeError
from snooze._typed.calls import cached_codec, codec_cache, enc_hook_during
from snooze._typed.codec_parts import check_hook, defaults_of, explicit_options
from snooze._typed.errors import ValidationError, fail
from snooze._typed.lazy_typing import TYPE_CHECKING, Any, resolved
from snooze._typed.options import check_bool, check_omit_none, check_rename

if TYPE_CHECKING:
    import builtins
    from collections.abc import Callable
    from typing import Literal

    from snooze._typed.options import Rename


class _Encoder(EncoderBase):
    """Writes the text from which the result is read."""

    __slots__ = ("_options", "_type")

    def __init__(  # noqa: PLR0913 - one keyword for each option
        self,
        type: Any = Any,  # noqa: A002 - as in Encoder
        *,
        keep: tuple[type, ...] = (),
        str_keys: bool = False,
        omit_none: bool | Literal["all"] = False,
        omit_defaults: bool = False,
        rename: Rename | None = None,
        sort_keys: bool = False,
        enc_hook: Callable[[Any], Any] | None = None,
    ) -> None:
        """Check the options and compile the type."""
        options = {
            "keep": keep,
            "str_keys": str_keys,
            "omit_none": omit_none,
            "omit_defaults": omit_defaults,
            "rename": rename,
            "sort_keys": sort_keys,
            "enc_hook": enc_hook,
        }
        if not isinstance(keep, tuple) or not all(
            isinstance(one, _TYPE) for one in keep
        ):
            raise TypeError(f"to_builtins: keep needs a tuple of classes, not {keep!r}")
        for name in ("str_keys", "omit_defaults", "sort_keys"):
            check_bool(options[name], name, "to_builtins")
        check_omit_none(omit_none, "to_builtins")
        if rename is not None:
            check_rename(rename, "to_builtins")
        check_hook(options, "enc_hook")
        self._type = resolved(type)
        self._options = options
        self._prepare()

    def _prepare(self) -> None:
        """Compile the type."""
        from snooze._typed import plans  # noqa: PLC0415 - not at import time

        self._compile(plans.building(self._type, self._options, _Encoder))


_TYPE = type
_DEFAULTS = defaults_of(_Encoder.__init__)


@functools.cache
def _decoder() -> DecoderBase:
    decoder = DecoderBase()
    nodes = (("any value", (("any",),)),)
    options = (True, None, False, None)
    decoder._compile((1, nodes, (), 0, options, fail))  # noqa: SLF001
    return decoder


_encoder = codec_cache(_Encoder)


def to_builtins(  # noqa: PLR0913 - one keyword for each option
    obj: Any,
    type: Any = Any,  # noqa: A002 - as in encode
    *,
    keep: tuple[builtins.type, ...] = (),
    str_keys: bool = False,
    omit_none: bool | Literal["all"] = False,
    omit_defaults: bool = False,
    rename: Rename | None = None,
    sort_keys: bool = False,
    enc_hook: Callable[[Any], Any] | None = None,
) -> Any:
    """Return a value as dicts, lists, strings, numbers, bools and None.

    The same as `decode(encode(obj, type))`, without a loss: NaN and infinities stay
    floats, keys stay numbers, and instances of the classes in `keep` stay what they
    are. For libraries that write something else than JSON (YAML, TOML, MessagePack,
    databases), and for tests. `convert` is the way back.

    Args:
        obj: The value.
        type: The type to read it as. Default `Any`: each value by its own class.
        keep: Classes whose instances are kept, in a tuple, such as `(datetime, bytes)`
            for a library that can write these. What is in a kept object is not looked
            at. Default `()`.
        str_keys: True makes every key a str, as in JSON. Default False: keys that are
            exactly int, float, bool or None, or instances of a class in `keep`, stay
            what they are.
        omit_none: As for `Encoder`. Default False.
        omit_defaults: As for `Encoder`. Default False.
        rename: As for `Encoder`. Default None.
        sort_keys: As for `Encoder`. Default False.
        enc_hook: As for `Encoder`. Default None.

    Returns:
        New containers with the same contents.

    Raises:
        JSONEncodeError: A value does not fit the type, JSON cannot represent it, or
            containers are nested more than 1024 deep.
        TypeError: The type is not supported, or an option has the wrong type.
        ValueError: An option has an unknown value.

    Examples:
        >>> import dataclasses, datetime, snooze
        >>> @dataclasses.dataclass
        ... class Event:
        ...     day: datetime.date
        ...     sizes: tuple[int, ...] = ()
        >>> event = Event(datetime.date(2026, 11, 21), (1, 2))
        >>> snooze.to_builtins({7: event})
        {7: {'day': '2026-11-21', 'sizes': [1, 2]}}
        >>> snooze.to_builtins(event, keep=(datetime.date,))["day"]
        datetime.date(2026, 11, 21)
    """
    options = {
        "keep": keep,
        "str_keys": str_keys,
        "omit_none": omit_none,
        "omit_defaults": omit_defaults,
        "rename": rename,
        "sort_keys": sort_keys,
        "enc_hook": enc_hook,
    }
    return enc_hook_during(
        lambda given: _call(cached_codec(_encoder, _Encoder, _DEFAULTS, type, given)),
        obj,
        explicit_options(options, _DEFAULTS),
    )


def _call(encoder: _Encoder) -> Callable[[Any], Any]:
    decoder = _decoder()

    def built(obj: Any) -> Any:
        written = encoder._encode_kept(obj)  # noqa: SLF001
        try:
            return decoder._decode_kept(written)  # noqa: SLF001
        except ValidationError as error:  # a key that is kept and cannot be hashed
            raise JSONEncodeError(str(error)) from error
        except JSONDecodeError as error:
            raise JSONEncodeError("a Raw or Fragment is not JSON") from error

    return built
