"""The structures of the fourth seed in Python: each way is correct, or is caught."""

import json

import pytest

from snooze_lab import model
from snooze_lab.workloads import generated, shapes, structs

WANTED = {
    "encode": {
        "snooze slots",
        "snooze dataclass",
        "snooze attrs",
        "snooze TypedDict",
        "msgspec Struct",
        "msgspec dataclass",
        "orjson dataclass",
        "orjson slots",
        "pydantic",
        "json asdict",
        "snooze dumps dicts",
        "orjson dumps dicts",
        model.AGAIN,
    },
    "decode": {
        "snooze slots",
        "snooze dataclass",
        "snooze attrs",
        "snooze TypedDict",
        "msgspec Struct",
        "msgspec dataclass",
        "pydantic",
        "orjson loads",
        "json loads",
        model.AGAIN,
    },
}
PAIRS = [(s, o) for s in structs.STRUCTURES for o in structs.OPERATIONS]


def text_of(structure):
    """Return a document of a structure with members that it does not declare."""
    value = shapes.look_alike(structs.STRUCTURES[structure], generated.Dice(5), 2)
    return generated.indented(value, 2)


@pytest.fixture(params=PAIRS, ids="-".join)
def found(request):
    structure, operation = request.param
    return structs.ways(structure, operation, text_of(structure)), structure, operation


def test_every_way_is_right_or_says_what_it_lacks(found):
    ways, structure, operation = found
    assert WANTED[operation] <= ways.keys()
    compact = structs.projected(structure, text_of(structure))
    digests = set()
    for name, way in ways.items():
        assert way.name == name
        assert way.note
        if way.absent:
            assert "cannot be imported" in way.absent
            continue
        opened = way.open()
        assert opened.size == len(compact)
        result = opened.call(opened.argument())
        assert opened.check(result) == "", name
        if operation == "encode":
            assert len(result) == len(compact), name
        digests.add(opened.digest(result))
    assert len(digests) == 1


def test_the_standard_library_always_takes_part(found):
    ways, _, operation = found
    name = {"encode": "json asdict", "decode": "json loads"}[operation]
    assert ways[name].absent == ""
    assert ways[name].version == ""


def test_a_wrong_member_is_caught(found):
    ways, _, operation = found
    for way in ways.values():
        if way.absent:
            continue
        opened = way.open()
        other = json.loads(json.dumps(opened.wanted))
        (name,) = list(other)[:1]
        del other[name]
        wrong = json.dumps(other).encode() if operation == "encode" else other
        assert opened.check(wrong) != "", way.name
    text = json.dumps(opened.wanted)
    assert operation == "decode" or "not bytes" in ways["json asdict"].open().check(
        text
    )


def test_a_wrong_class_is_caught():
    way = structs.ways("twitter", "decode", text_of("twitter"))["snooze slots"]
    if way.absent:
        pytest.skip(way.absent)
    opened = way.open()
    assert "in the place of" in opened.check(opened.wanted)
    other = structs.ways("twitter", "decode", text_of("twitter"))["snooze dataclass"]
    assert "in the place of" in opened.check(other.open().call(other.open().argument()))


def test_a_member_of_another_type_is_caught():
    assert structs.differs({"a": [1, True]}, {"a": [1, True]}) == ""
    assert structs.differs({"a": [1, 1]}, {"a": [1, True]}).startswith("$.a[1]: int")
    assert structs.differs({"a": 1.0}, {"a": 1}).startswith("$.a: float")
    assert "1 elements instead of 2" in structs.differs([1], [1, 2])
    assert "other members" in structs.differs({"a": 1, "b": 2}, {"a": 1})


def test_no_two_arguments_share_their_strings():
    ways = structs.ways("twitter", "encode", text_of("twitter"))
    opened = ways["json asdict"].open()
    one, other = opened.argument(), opened.argument()
    assert one == other
    assert one.statuses[0].text is not other.statuses[0].text


def test_the_order_of_members_is_no_difference():
    assert structs.digest_of({"a": 1, "b": 2}) == structs.digest_of({"b": 2, "a": 1})
    assert structs.digest_of({"a": 1}) != structs.digest_of({"a": 2})


def test_what_is_not_known_is_named():
    with pytest.raises(structs.StructureError, match="one of twitter, citm"):
        structs.ways("github", "encode")
    with pytest.raises(structs.StructureError, match="one of encode, decode"):
        structs.ways("twitter", "loads")


@pytest.mark.parametrize("structure", structs.STRUCTURES)
def test_there_is_always_a_document(structure):
    """The original's members, or those of a look-alike, which is said."""
    value = json.loads(structs.projected(structure))
    assert list(value) == list(structs.STRUCTURES[structure].fields)
    size = len(structs.projected(structure))
    if structs.note(structure):
        assert structs.note(structure) == "look-alike"
        assert size > 10_000
    else:
        assert size == {"twitter": 81_927, "citm": 496_682}[structure]


def test_a_library_that_is_not_there_is_reported(monkeypatch):
    import importlib  # replaced in this test

    real = importlib.import_module

    def refuse(name, *rest):
        if name == "attrs":
            raise ImportError("No module named 'attrs'")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", refuse)
    ways = structs.ways("twitter", "encode", text_of("twitter"))
    assert "No module named 'attrs'" in ways["snooze attrs"].absent
    assert ways["json asdict"].absent == ""
