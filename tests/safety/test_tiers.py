"""The SIMD tiers: chosen at import, lowered by SNOOZE_CPU, with equal results."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from typing import Any

import pytest

import snooze
from helpers import subjects
from helpers.isolated import DEBUG_MALLOC, in_child

TIERS = ("scalar", "v128", "avx2", "avx512")


def test_cpu_tiers() -> None:
    """Names are in ascending order; runnable ones are compiled; the active one is runnable."""
    tiers = snooze.cpu_tiers()
    assert list(tiers) == ["compiled", "runnable", "active"]
    assert all(name in TIERS for name in tiers["compiled"])
    assert tiers["compiled"] == tuple(n for n in TIERS if n in tiers["compiled"])
    assert tiers["runnable"] == tuple(
        n for n in tiers["compiled"] if n in tiers["runnable"]
    )
    assert tiers["runnable"][0] == "scalar"
    assert tiers["active"] in tiers["runnable"]
    limit = os.environ.get("SNOOZE_CPU")
    if not limit:
        assert tiers["active"] == tiers["runnable"][-1]
    else:
        assert TIERS.index(tiers["active"]) <= TIERS.index(limit)
    with pytest.raises(TypeError):
        snooze.cpu_tiers(1)


def active() -> str:
    """In a child: return the active tier."""
    return str(snooze.cpu_tiers()["active"])


@pytest.mark.parametrize("limit", TIERS)
def test_the_variable_lowers_the_tier(limit: str) -> None:
    """To that tier where the processor has it, otherwise to the best one below."""
    below = [
        name
        for name in snooze.cpu_tiers()["runnable"]
        if TIERS.index(name) <= TIERS.index(limit)
    ]
    assert in_child(active, SNOOZE_CPU=limit).strip() == below[-1]


def test_the_tier_does_not_depend_on_what_memory_held() -> None:
    """The check of layouts ignores what the interpreter leaves uninitialised.

    CPython's debug allocator fills new memory with a pattern.
    """
    assert in_child(active, **DEBUG_MALLOC).strip() == active()


@pytest.mark.parametrize("value", ["AVX2", "sse2", "avx2 ", "all", "\udcff"])
def test_an_unknown_tier_is_an_error(value: str) -> None:
    """The import fails with an error that lists the tiers."""
    run = subprocess.run(
        [sys.executable, "-c", "import snooze"],
        env=os.environ | {"SNOOZE_CPU": value},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    last = run.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: "), run.stderr
    assert all(word in last for word in ("SNOOZE_CPU", *TIERS)), last


def test_an_empty_tier_is_none() -> None:
    """As for other programs: `SNOOZE_CPU= python …` sets nothing."""
    best = snooze.cpu_tiers()["runnable"][-1]
    assert in_child(active, SNOOZE_CPU="").strip() == best


def corpus() -> list[Any]:
    """Return calls over texts of every length and alphabet, broken texts, and all cases."""
    rng = random.Random(5)
    alphabets = (
        "abc",
        'a"\\',
        "a\n\x01",
        "\u00e9a",
        "\u8a9ea\u00e9",
        '\U0001f600\u8a9e"',
    )
    calls: list[Any] = [
        case() for name, case in subjects.CASES.items() if "cpu" not in name
    ]
    for alphabet in alphabets:
        for length in range(200):
            text = "".join(rng.choice(alphabet) for _ in range(length))
            calls.append(lambda text=text: snooze.dumps([text, {text: text}]))
            for ascii_only in (True, False):
                document = json.dumps(
                    ["x" * (length % 7), text], ensure_ascii=ascii_only
                )
                calls.append(lambda document=document: snooze.loads(document))
                damaged = bytearray(document.encode())
                damaged[rng.randrange(len(damaged))] = rng.choice(
                    b'\xff\x80\xed"\\\x00 ]'
                )
                calls.append(lambda damaged=damaged: snooze.loads(damaged))
    # Each byte at which a kernel may stop, at places in the first and second vector.
    for code in [
        *range(0x30),
        *range(0x5A, 0x60),
        *range(0x7D, 0x102),
        0xD7FF,
        0xE000,
        0xFFFF,
    ]:
        for place in (0, 7, 15, 16, 31, 40, 63, 64, 77):
            text = "x" * place + chr(code) + "y" * (90 - place)
            calls.append(lambda text=text: snooze.dumps([text, text + "\u8a9e"]))
            raw = f'["{text}"]'
            calls.append(lambda raw=raw: snooze.loads(raw.encode()))
            calls.append(lambda raw=raw: snooze.loads(raw))
    for _ in range(500):
        spaces = "".join(rng.choice(" \n\t\r") for _ in range(rng.randrange(90)))
        number = repr(rng.uniform(-1, 1) * 10 ** rng.randrange(-30, 30))
        calls.append(lambda d=f"[{spaces}{number}{spaces},{spaces}1]": snooze.loads(d))
    return calls


def digest() -> str:
    """In a child: return one digest of all outcomes."""
    total = hashlib.sha256()
    for call in corpus():
        try:
            result: Any = call()
        except (TypeError, ValueError) as exc:
            result = (type(exc).__name__, str(exc))
        total.update(repr(result).encode("utf-8", "backslashreplace") + b"\0")
    return total.hexdigest()


@pytest.mark.slow
def test_every_tier_gives_the_same_results() -> None:
    """Bytes, values and errors of the whole corpus are equal."""
    runnable = snooze.cpu_tiers()["runnable"]
    digests = {tier: in_child(digest, SNOOZE_CPU=tier) for tier in runnable}
    assert len(set(digests.values())) == 1, digests
