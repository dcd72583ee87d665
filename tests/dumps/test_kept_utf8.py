"""Texts that are dumped again and again keep their UTF-8; all others stay as they are.

`sys.getsizeof` of a str counts the UTF-8 that it keeps. Separate from test_str because
these tests are about several calls, and about memory.
"""

from __future__ import annotations

import copy
import gc
import json
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

import pytest

import snooze
import snooze.json as snooze_json
from helpers import ledger
from helpers.isolated import in_child, needs_module
from helpers.starvation import each_failure

if TYPE_CHECKING:
    from collections.abc import Callable

#: After so many calls everything that is to be kept has been.
MANY = 60

needs_gil = pytest.mark.skipif(
    bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    reason="strings are left unchanged without a GIL",
)
needs_layouts = pytest.mark.skipif(
    hasattr(sys, "gettotalrefcount") or snooze.cpu_tiers()["active"] == "scalar",
    reason="a debug build and the scalar tier may use the C-API only",
)


def new_str(text: str) -> str:
    """Return a str of its own that keeps nothing."""
    return "".join(list(text))


def size(value: Any) -> int:
    """Return the bytes of all strings in a document, names included."""
    if isinstance(value, str):
        return sys.getsizeof(value)
    if isinstance(value, dict):
        return sum(size(key) + size(item) for key, item in value.items())
    return sum(map(size, value)) if isinstance(value, list) else 0


def expected(value: Any) -> bytes:
    """Return the standard library's text."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


DOCUMENTS: dict[str, Callable[[], Any]] = {
    "latin": lambda: [new_str(f"caf\u00e9 {n}") for n in range(300)],
    "cyrillic": lambda: [{"k": new_str(f"\u0434\u0430 {n}")} for n in range(300)],
    "chinese": lambda: [new_str("\u4f60\u597d" * 20) for n in range(50)],
    "emoji": lambda: {f"e{n}": new_str(f"\U0001f600{n}") for n in range(200)},
    "escapes": lambda: [new_str('\u597d"\n\x01\\') for n in range(200)],
    "one long": lambda: [new_str("\u597d" * 5000)],
    "names": lambda: {new_str(f"\u0434{n}"): n for n in range(300)},
    "mixed": lambda: [[new_str("ascii" * n), new_str("\u00e9" * n)] for n in range(90)],
}


@needs_gil
@needs_layouts
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_that_is_dumped_often_keeps_its_utf8(name: str) -> None:
    """The first calls change nothing; later ones keep UTF-8; the text never changes."""
    document = DOCUMENTS[name]()
    written, before = expected(document), size(document)
    for _ in range(8):
        assert snooze.dumps(document) == written
        assert size(document) == before
    for _ in range(MANY):
        assert snooze.dumps(document) == written
    assert size(document) > before
    kept = size(document)
    for _ in range(MANY):
        assert snooze.dumps(document) == written
    assert size(document) == kept


@needs_gil
@needs_layouts
def test_encoder_keeps_utf8_too() -> None:
    """An Encoder writes strings as dumps does."""
    document = DOCUMENTS["chinese"]()
    encoder, before = snooze.Encoder(list[str]), size(document)
    for _ in range(MANY):
        assert encoder.encode(document) == expected(document)
    assert size(document) > before


def test_new_objects_stay_as_they_are() -> None:
    """Documents that are made anew for each call keep nothing, but for rare guesses."""
    changed = 0
    for _ in range(500):
        document = DOCUMENTS["chinese"]()
        before = size(document)
        snooze.dumps(document)
        changed += size(document) != before
    assert changed <= 25


def test_short_documents_stay_as_they_are() -> None:
    """Encoding a few characters costs less than keeping them saves."""
    document = [new_str("\u597d" * 200)]
    before = size(document)
    for _ in range(MANY):
        snooze.dumps(document)
    assert size(document) == before


def test_huge_texts_stay_as_they_are() -> None:
    """A text of more than a million characters is never doubled."""
    document = [new_str("\u597d" * (2**20 + 1))]
    before = size(document)
    for _ in range(20):
        snooze.dumps(document)
    assert size(document) == before


def test_a_surrogate_is_an_error_each_time() -> None:
    """What cannot be encoded is never kept, and what is kept stays right."""
    good = [new_str("\u597d" * 30) for _ in range(50)]
    bad = [*good, new_str("\u597d\ud800")]
    for _ in range(MANY):
        with pytest.raises(snooze.JSONEncodeError, match="surrogates"):
            snooze.dumps(bad)
        assert snooze.dumps(good) == expected(good)


def test_a_kept_text_is_written_in_other_documents() -> None:
    """Options, positions and copies write the kept UTF-8 as they write characters."""
    document = DOCUMENTS["escapes"]()
    for _ in range(MANY):
        snooze.dumps(document)
    text = document[-1]
    assert snooze.dumps({text: text}) == expected({text: text})
    assert snooze.dumps(copy.deepcopy(document)) == expected(document)
    sort = snooze.dumps({text: 1, "a": 2}, option=snooze.OPT_SORT_KEYS)
    assert json.loads(sort) == {text: 1, "a": 2}
    assert snooze_json.dumps(text) == json.dumps(text)


def keep_and_release() -> str:
    """In a child: the memory that kept texts hold is freed with them."""

    def round_trip() -> None:
        document = DOCUMENTS["chinese"]()
        for _ in range(20):
            snooze.dumps(document)

    for _ in range(20):
        round_trip()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(50):
        round_trip()
    gc.collect()
    return str(sys.getallocatedblocks() - before)


def test_kept_utf8_is_freed_with_the_str() -> None:
    """Nothing stays when the strings are gone."""
    assert int(in_child(keep_and_release)) < 20


def starve_keeping() -> str:
    """In a child: every allocation of the call that keeps a text fails once."""

    def case() -> Callable[[], Any]:
        document = DOCUMENTS["chinese"]()
        for _ in range(8):
            snooze.dumps(document)
        return lambda: snooze.dumps(document)

    count = each_failure(case, 1)
    left = ledger.grown(lambda times: each_failure(case, times), 12)
    assert not left, f"left behind by each round of failures: {left}"
    return str(count)


@pytest.mark.slow
@needs_module("_testcapi")
def test_failing_allocations() -> None:
    """A text that cannot be kept is MemoryError, and nothing is left behind."""
    assert int(in_child(starve_keeping)) > 0
