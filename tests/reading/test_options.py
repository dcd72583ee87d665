"""The reading options of `Decoder`: what is refused when one is made."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import snooze
from snooze import Decoder

UNKNOWN = {
    "syntax": ("JSON5", "hjson", "", None, 5),
    "numbers": ("Decimal", "int", None, 0),
    "nan": ("null", True, ""),
    "duplicates": ("both", None, 1),
    "surrogates": ("ignore", None),
    "encoding": ("utf8", "utf-16", None),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_values_are_refused(name: str) -> None:
    """With the known ones in the message, by Decoder and by decode."""
    for value in UNKNOWN[name]:
        options: Any = {name: value}
        with pytest.raises(
            ValueError, match=rf"^{name}: expected .* or .*, found "
        ) as caught:
            Decoder(**options)
        with pytest.raises(ValueError, match=f"^{name}: ") as again:
            snooze.decode(b"1", **options)
        assert str(caught.value) == str(again.value)


@pytest.mark.parametrize("name", ["max_depth", "max_size"])
def test_counts_are_checked(name: str) -> None:
    """An int of at least 1, and not a bool."""
    wrong: Any
    for wrong in (True, "1", 1.0):
        options: Any = {name: wrong}
        with pytest.raises(TypeError, match=f"^{name} needs an int or None, not"):
            Decoder(**options)
    for wrong in (0, -1):
        options = {name: wrong}
        with pytest.raises(ValueError, match=f"^{name}={wrong} is too small"):
            Decoder(**options)


def test_hooks_are_callable() -> None:
    """Both of them."""
    for name in ("object_hook", "object_pairs_hook"):
        options: Any = {name: "dict"}
        with pytest.raises(TypeError, match=f"^{name} needs a callable, not 'dict'"):
            Decoder(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"object_hook": dict, "object_pairs_hook": dict},
            "cannot be combined: use one",
        ),
        ({"object_pairs_hook": dict, "duplicates": "error"}, "gets all pairs"),
        ({"object_pairs_hook": dict, "duplicates": "first"}, "gets all pairs"),
        ({"max_depth": 1_000_001}, "the most is 1000000"),
        ({"type": int, "max_depth": 1025}, "the most with a type or at is 1024"),
        ({"at": "/a", "max_depth": 1025}, "the most with a type or at is 1024"),
        (
            {"type": float, "numbers": "decimal"},
            "'decimal' cannot be combined with a type",
        ),
        ({"type": list[Any], "numbers": "raw"}, "'raw' cannot be combined with a type"),
        ({"type": float, "nan": "accept"}, "'accept' cannot be combined with a type"),
        ({"type": float, "nan": "error"}, "'error' cannot be combined with a type"),
        (
            {"type": dict, "duplicates": "first"},
            "'first' cannot be combined with a type",
        ),
        ({"type": str, "surrogates": "keep"}, "'keep' cannot be combined with a type"),
        (
            {"type": dict, "object_hook": len},
            "object_hook cannot be combined with a type",
        ),
        ({"at": "/a", "numbers": "raw"}, "'raw' cannot be combined with at"),
        ({"numbers": "raw", "strict": False}, "strict has no meaning without a type"),
        (
            {"syntax": "jsonc", "unknown": "forbid"},
            "unknown has no meaning without a type",
        ),
        (
            {"syntax": "jsonc", "dec_hook": len},
            "dec_hook has no meaning without a type",
        ),
        (
            {"type": int, "syntax": "jsonc", "skip": "fast"},
            "skip='fast' has no meaning",
        ),
    ],
)
def test_contradictions_are_refused(options: dict[str, Any], message: str) -> None:
    """When the Decoder is made, before any document."""
    with pytest.raises(ValueError, match=message):
        Decoder(**options)


def test_a_misspelt_option_is_refused() -> None:
    """With the names of the others."""
    wrong: Any = {"duplicate": "error"}
    with pytest.raises(TypeError, match="unexpected keyword argument 'duplicate'"):
        Decoder(**wrong)
    with pytest.raises(TypeError, match="options are .*duplicates"):
        snooze.decode(b"1", **wrong)
    with pytest.raises(TypeError, match="options are .*duplicates"):
        snooze.decode(b"1", object_hook=len, **wrong)


OPTIONS: tuple[dict[str, Any], ...] = (
    {"syntax": "json5", "numbers": "decimal"},
    {"duplicates": "error", "max_size": 100, "encoding": "detect"},
    {"object_hook": len},
    {"max_depth": 3},
)


@pytest.mark.parametrize("options", OPTIONS)
def test_a_decoder_is_pickled_and_copied_by_its_options(
    options: dict[str, Any],
) -> None:
    """Also its repr shows them."""
    decoder = Decoder(**options)
    again = pickle.loads(pickle.dumps(decoder))
    assert repr(again) == repr(decoder) == repr(copy.copy(decoder))
    for name in options:
        assert name in repr(decoder)
    document = b'{"a": {"b": 1}}'
    assert again.decode(document) == decoder.decode(document)


def test_defaults_change_nothing() -> None:
    """They are not even in the repr."""
    decoder: Decoder[Any] = Decoder(
        syntax="json", numbers="float", nan=None, duplicates="last", encoding="utf-8"
    )
    assert repr(decoder) == "Decoder(Any)"
    assert repr(Decoder(max_depth=None, max_size=None)) == "Decoder(Any)"


def test_validate_only_obeys_the_options() -> None:
    """It returns None, or raises."""
    for options in OPTIONS:
        decoder = Decoder(**options)
        assert decoder.validate_only(b'{"a": 1}') is None
        with pytest.raises(snooze.JSONDecodeError):
            decoder.validate_only(b"[1")
    with pytest.raises(snooze.ValidationError):
        Decoder(list[int], syntax="jsonc").validate_only("['a',]".replace("'", '"'))
