"""Property-based comparison with the standard library, under every combination."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from helpers.equality import assert_same
from snooze import Decoder, JSONDecodeError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec=None)),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(codec=None)), inner)
    ),
    max_leaves=20,
)
OPTIONS = st.fixed_dictionaries(
    {"nan": st.just("accept"), "surrogates": st.just("keep")},
    optional={
        "syntax": st.sampled_from(["json", "jsonc", "json5"]),
        "duplicates": st.sampled_from(["last", "first", "error"]),
        "encoding": st.sampled_from(["utf-8", "utf-8-sig", "detect"]),
        "max_depth": st.just(5000),
        "max_size": st.just(10**9),
        "object_hook": st.just(lambda found: found),
    },
)


@given(VALUES, OPTIONS, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_json_writes_is_read_as_json_reads_it(
    value: Any, options: dict[str, Any], indent: Any, ascii_only: bool
) -> None:
    """Under all options together."""
    document = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    if not ascii_only and any("\ud800" <= char <= "\udfff" for char in document):
        document = json.dumps(value, indent=indent)
    assert_same(Decoder(**options).decode(document), json.loads(document))
    parsed = json.loads(document, parse_float=Decimal, parse_constant=Decimal)
    found = Decoder(numbers="decimal", **options).decode(document)
    assert repr(found) == repr(parsed)


TOKENS = st.lists(
    st.sampled_from(
        [
            *"[]{},:",
            '"a"',
            '"\\ud800"',
            "1",
            "-0.5e3",
            "true",
            "nul",
            "NaN",
            "Infinity",
            " ",
        ]
    ),
    max_size=12,
)


@given(TOKENS)
def test_what_json_refuses_is_refused(tokens: list[str]) -> None:
    """Documents and what is almost one."""
    document = "".join(tokens)
    decoder: Decoder[Any] = Decoder(nan="accept", surrogates="keep")
    try:
        expected = json.loads(document)
    except json.JSONDecodeError:
        for syntax in ("json", "jsonc"):
            try:
                found = Decoder(nan="accept", surrogates="keep", syntax=syntax).decode(
                    document
                )
            except JSONDecodeError as error:
                assert 0 <= error.pos <= len(document)
            else:
                # Only a trailing comma makes one of these tokens' documents JSONC.
                assert syntax == "jsonc"
                assert ",]" in document.replace(" ", "") or ",}" in document.replace(
                    " ", ""
                )
                del found
    else:
        found = decoder.decode(document)
        assert json.dumps(found) == json.dumps(expected)
        assert (
            not (isinstance(found, float) and math.isnan(found))
            or document.strip() == "NaN"
        )
