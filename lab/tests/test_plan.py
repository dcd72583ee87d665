"""Studies become contests; invalid entries in a study's file are refused."""

from __future__ import annotations

import pytest

from snooze_lab.model import AGAIN, Contest, Factors
from snooze_lab.planning import plan

STUDY = """
name = "s999_test"
title = "A test"
seed = "none"
question = "Does it work?"

[[table]]
name = "one"
title = "One"
operation = "loads"
workloads = ["twitter", "canada"]
contenders = ["snooze", "orjson", "json"]
instruments = ["isolated", "interleaved"]
factors = { gc = ["default", "off"] }
blocks = 3

[table.smoke]
workloads = ["twitter"]
factors = {}

[table.full]
blocks = 9

[[table]]
name = "two"
title = "Two"
operation = "dumps"
workloads = ["twitter"]
contenders = ["snooze", "json"]
baseline = "json"

[table.full]
"""


def test_profiles_replace_what_they_name():
    study = plan.parse(STUDY, "here")
    smoke, full = study.of("smoke"), study.of("full")
    assert [one.name for one in smoke] == ["one"]
    assert [one.name for one in full] == ["one", "two"]
    assert study.of("standard") == []
    assert [one.id for one in smoke[0].contests] == ["s999_test/one/twitter/loads"]
    assert smoke[0].contests[0].blocks == 3
    assert {one.blocks for one in full[0].contests} == {9}
    assert [one.id for one in full[0].contests] == [
        "s999_test/one/twitter/loads",
        "s999_test/one/twitter/loads?gc=off",
        "s999_test/one/canada/loads",
        "s999_test/one/canada/loads?gc=off",
    ]


def test_the_reference_is_entered_twice():
    full = plan.parse(STUDY, "here").of("full")
    assert full[0].contests[0].contenders == ("snooze", "orjson", AGAIN, "json")
    assert full[1].contests[0].contenders == ("snooze", "json")


def test_lists_of_contenders_have_names():
    lists = '[contenders]\nfew = ["snooze", "json"]\n\n[[table]]'
    text = STUDY.replace("[[table]]", lists, 1)
    text = text.replace(
        'contenders = ["snooze", "orjson", "json"]', 'contenders = "few"'
    )
    study = plan.parse(text, "here")
    assert study.of("smoke")[0].contests[0].contenders == ("snooze", "json")
    with pytest.raises(
        plan.StudyError, match="'one': no list 'many' of contenders; there are: few"
    ):
        plan.parse(text.replace('"few"', '"many"'), "here")


def test_contests_go_to_json_and_back():
    for table in plan.parse(STUDY, "here").of("full"):
        for contest in table.contests:
            assert Contest.from_json(contest.as_json()) == contest


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (('name = "one"', 'nam = "one"'), 'no member "nam", found one at $.table[0]'),
        (
            ('operation = "loads"', "operation = 1"),
            "expected str, found int at $.table[0].operation",
        ),
        (
            ("blocks = 3", 'blocks = "3"'),
            "expected int, found str at $.table[0].blocks",
        ),
        (('gc = ["default", "off"]', 'gc = ["maybe"]'), "no factor gc"),
        (('gc = ["default", "off"]', 'rain = ["off"]'), "no factor rain"),
        (
            ("[table.full]\nblocks = 9", "[table.full]\nblock = 9"),
            'no member "block", found one at $.table[0].full',
        ),
        (('name = "two"', 'name = "one"'), "a second table 'one'"),
        (('title = "A test"', "title = 3"), "expected str, found int at $.title"),
        (("blocks = 3", "blocks = "), "here:"),
        (
            ('contenders = ["snooze", "json"]\n', ""),
            'expected member "contenders", found none at $.table[1]',
        ),
        (
            ("blocks = 3", 'metrics = ["memroy"]'),
            "found 'memroy' at $.table[0].metrics[0]",
        ),
        (
            ('"isolated", "interleaved"', '"alone"'),
            "expected 'isolated' or 'interleaved', found 'alone' at",
        ),
        (("[table.full]", '[table.full]\nfactors = { gc = ["no"] }'), "no factor gc"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(change, text):
    with pytest.raises(plan.StudyError) as caught:
        plan.parse(STUDY.replace(*change, 1), "here")
    assert text in str(caught.value)
    assert "here" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (('gc = ["default", "off"]', 'cache = ["cold"]'), "cache=cold: loads does"),
        (("blocks = 3", "loops = 3"), "loops: the interleaved"),
        (("blocks = 3", "repeats = 3"), "repeats: of memory"),
        (('"isolated", "inter', '"inter'), ""),
    ],
)
def test_what_no_instrument_heeds_is_refused(change, text):
    study = plan.parse(STUDY.replace(*change, 1), "here")
    if not text:
        assert study.of("full")
        return
    with pytest.raises(plan.StudyError, match=f"one/twitter/loads.*: {text}"):
        study.of("full")


def test_every_study_asks_only_for_what_is_heeded():
    for profile in plan.PROFILES:
        assert all(plan.find(name).of(profile) is not None for name in plan.names())


def test_factors_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="factor gc: expected one of default, off"):
        Factors(gc="sometimes")


def test_only_chooses_by_parts_of_names(monkeypatch):
    study = plan.parse(STUDY, "here")
    monkeypatch.setattr(plan, "find", lambda _name: study)
    ((_, tables),) = plan.chosen(["s999"], "full", ["canada"])
    assert [one.id for table in tables for one in table.contests] == [
        "s999_test/one/canada/loads",
        "s999_test/one/canada/loads?gc=off",
    ]
    with pytest.raises(plan.StudyError, match="no contest with mars in its name"):
        plan.chosen(["s999"], "full", ["mars"])


def test_a_study_that_is_not_there():
    with pytest.raises(plan.StudyError, match="no study 's777'; there are:"):
        plan.find("s777")
