"""Typed decoding in each SIMD tier: equal values and equal errors."""

# ruff: noqa: B023 - each lambda is called before its names change
from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Annotated, Any

import snooze
from helpers import typed_subjects
from helpers.isolated import in_child
from helpers.threads import result_or_error
from snooze import Decoder, Field


@dataclass
class Nothing:
    """No field: every member is skipped."""


@dataclass
class Rest:
    """Every member is collected."""

    rest: Annotated[dict[str, Any], Field(rest=True)] = field(default_factory=dict)


def digest() -> str:
    """In a child: return one digest of the outcomes of all plans on many documents."""
    total = hashlib.sha256()
    for name, (tp, document, options) in typed_subjects.PLANS.items():
        decoder = Decoder(tp, **options)
        for pad in range(70):
            data = b" " * pad + document.encode().replace(
                b":", b" :" + b" " * (pad % 17), 2
            )
            total.update(
                repr(result_or_error(lambda d=data: decoder.decode(d))).encode()
            )
            cut = data[: len(data) - pad]
            total.update(
                repr(result_or_error(lambda d=cut: decoder.decode(d))).encode()
            )
            for bad in (b"\xff", b"\\", b'"', b"\x01"):
                place = (pad * 13) % len(data)
                damaged = data[:place] + bad + data[place:]
                total.update(
                    repr(result_or_error(lambda d=damaged: decoder.decode(d))).encode()
                )
        total.update(name.encode())
    for length in range(150):
        for unit in ("x", "\u00e9", "\u8a9e", '\\"', "\\u00e9"):
            text = unit * length
            for tp, document in (
                (str, f'"{text}"'),
                (dict[str, int], f'{{"{text}":1}}'),
                (Nothing, f'{{"{text}":"{text}"}}'),
                (Rest, f'{{"{text}":["{text}"]}}'),
            ):
                total.update(
                    repr(
                        result_or_error(lambda t=tp, d=document: snooze.decode(d, t))
                    ).encode()
                )
    return total.hexdigest()


def test_every_tier_gives_the_same_results() -> None:
    """Values and errors of all plans are equal."""
    runnable = snooze.cpu_tiers()["runnable"]
    seed = {"PYTHONHASHSEED": "0"}
    digests = {tier: in_child(digest, SNOOZE_CPU=tier, **seed) for tier in runnable}
    assert len(set(digests.values())) == 1, digests
