"""The registry of contenders: their order, and the reasons of missing ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from snooze_lab import contenders, model
from snooze_lab.contenders import base

VALUE = {"name": "Zoë \U0001f40d", "list": [1, -2.5, True, None, "a/b"], "empty": {}}


def test_every_entry_is_a_contender() -> None:
    """Each JSON library of the lock has an entry, its note, and its place."""
    found = contenders.libraries()
    assert list(found)[:4] == ["snooze", "orjson", "orjson again", "json"]
    others = list(contenders.json_names())[4:]
    assert others == sorted(others)
    expected = "fastsimdjson msgspec oxjson pyrjson rapidjson simplejson ssrjson ujson"
    assert set(expected.split()) <= set(others)
    formats = [one.format != "json" for one in found.values()]
    assert formats == sorted(formats)
    for one in found.values():
        assert len(one.call_path) > 20 or one.unavailable, one.name


def test_the_reference_takes_part_twice() -> None:
    """orjson again is orjson: the same module, the same calls, another name."""
    found = contenders.libraries()
    again = found[model.AGAIN]
    assert again.bind is found["orjson"].bind
    assert again.module == found["orjson"].module == "orjson"


def test_a_name_that_nobody_has() -> None:
    """The error lists the known contenders."""
    with pytest.raises(contenders.UnknownContenderError, match=r"nobody.*snooze, orj"):
        contenders.enter(["nobody"])


def test_the_missing_have_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contenders that cannot be imported, that fail to bind, and that are abandoned."""

    def broken(module: Any) -> base.Calls:
        raise AttributeError(f"{module.__name__} has no dumps")

    made = {
        "gone": base.Library("gone", "no_such_module", "", broken, "note"),
        "broken": base.Library("broken", "json", "", broken, "note"),
        "dead": base.Library("dead", "json", "", broken, "", unavailable="since 2013"),
    }
    known = contenders.libraries()
    monkeypatch.setattr(contenders, "libraries", lambda: known | made)
    ready, absent = contenders.enter(["gone", "json", "broken", "dead"])
    assert [one.name for one in ready] == ["json"]
    assert ready[0].version == "standard library"
    assert "no_such_module" in absent["gone"]
    assert "json has no dumps" in absent["broken"]
    assert absent["dead"] == "since 2013"


def test_json_contenders_write_bytes_that_mean_the_value() -> None:
    """Every one that is here: UTF-8, compact, not escaped, and read back equal."""
    ready, _ = contenders.enter(contenders.json_names())
    assert {"json", "orjson"} <= {one.name for one in ready}
    wanted = json.dumps(VALUE, ensure_ascii=False, separators=(",", ":")).encode()
    for one in ready:
        assert one.dumps(VALUE) == wanted, one.name
        assert one.loads(wanted) == VALUE, one.name


def test_options_are_met_or_refused() -> None:
    """Sorting and an indent as orjson writes them, or an error; never left out."""
    ready, _ = contenders.enter(contenders.json_names())
    needs = {
        base.Need(sort_keys=True): b'{"a":1,"b":{"c":2}}',
        base.Need(indent=True): b'{\n  "b": {\n    "c": 2\n  },\n  "a": 1\n}',
    }
    refused = set()
    for need, wanted in needs.items():
        for one in ready:
            try:
                dumps = one.writer(need)
            except base.UnsupportedError:
                refused.add(one.name)
                continue
            assert dumps({"b": {"c": 2}, "a": 1}) == wanted, one.name
    assert "orjson" not in refused
    with pytest.raises(base.UnsupportedError, match="numpy"):
        base.plain_only(len)(base.Need(numpy=True))


def test_an_entry_that_names_no_function_says_so() -> None:
    """A new entry of contenders.toml with a misspelt `bind` is told apart."""
    with pytest.raises(ValueError, match="mine: expected the name of a function in"):
        contenders._entry("mine", bind="like_orjon", calls="loads and dumps")
    with pytest.raises(TypeError, match="distributon"):
        contenders._entry("mine", bind="like_orjson", calls="", distributon="mine")
