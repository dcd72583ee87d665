"""The structures of the fourth seed in Python: each way is correct, or is caught."""

import json

import pytest

from snooze_lab import model
from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.workloads import (
    WorkloadError,
    base,
    documents,
    find,
    generated,
    shapes,
    structs,
    ways,
)

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
PAIRS = [(s, o) for s in structs.STRUCTURES for o in ways.OPERATIONS]


def text_of(structure):
    """Return a document of a structure with members that it does not declare."""
    value = shapes.look_alike(structs.STRUCTURES[structure], generated.Dice(5), 2)
    return generated.indented(value, 2)


def subject_of(structure):
    """Return a structure with a document of it."""
    text = structs.projected(structure, text_of(structure))
    return ways.Subject(structs.STRUCTURES[structure], text)


@pytest.fixture(params=PAIRS, ids="-".join)
def found(request):
    """The subject, the operation, and the jobs of the ways that can take part."""
    structure, operation = request.param
    subject = subject_of(structure)
    there = {
        name: subject.job(operation, use)
        for name, use in ways.uses(operation).items()
        if not subject.absent(use)
    }
    return subject, operation, there


def test_every_way_is_right_or_says_what_it_lacks(found):
    subject, operation, there = found
    known = ways.uses(operation)
    assert WANTED[operation] <= known.keys()
    for name, use in known.items():
        assert use.name == name
        assert use.note
        assert name in there or "cannot be imported" in subject.absent(use)
    digests = set()
    for name, job in there.items():
        result = job.call(job.argument())
        assert job.size(result) == len(subject.text)
        assert job.fault(result) == "", name
        if operation == "encode":
            assert len(result) == len(subject.text), name
        digests.add(job.digest(result))
    assert len(digests) == 1


def test_the_standard_library_always_takes_part(found):
    _, operation, there = found
    assert {"encode": "json asdict", "decode": "json loads"}[operation] in there
    assert ways.version("json") == "standard library"


def test_a_wrong_member_is_caught(found):
    subject, operation, there = found
    for name, job in there.items():
        other = json.loads(subject.text)
        del other[next(iter(other))]
        wrong = json.dumps(other).encode() if operation == "encode" else other
        assert job.fault(wrong) != "", name
    if operation == "encode":
        assert "not bytes" in there["json asdict"].fault(subject.text.decode())


def test_a_wrong_class_is_caught():
    pytest.importorskip("snooze")
    subject = subject_of("twitter")
    known = ways.uses("decode")
    job = subject.job("decode", known["snooze slots"])
    assert "in the place of" in job.fault(json.loads(subject.text))
    other = subject.job("decode", known["snooze dataclass"])
    assert "in the place of" in job.fault(other.call(other.argument()))


def test_a_member_of_another_type_is_caught():
    assert base.difference({"a": [1, True]}, {"a": [1, True]}) == ""
    assert base.difference({"a": [1, 1]}, {"a": [1, True]}).startswith("$.a[1]: int")
    assert base.difference({"a": 1.0}, {"a": 1}).startswith("$.a: float")
    assert "1 elements instead of 2" in base.difference([1], [1, 2])
    assert "other members" in base.difference({"a": 1, "b": 2}, {"a": 1})
    assert base.difference([0.0], [-0.0]).startswith("$[0]: another value")


def test_no_two_arguments_share_their_strings():
    job = subject_of("twitter").job("encode", ways.uses("encode")["json asdict"])
    one, other = job.argument(), job.argument()
    assert one == other
    assert one.statuses[0].text is not other.statuses[0].text


def test_the_order_of_members_is_no_difference():
    assert structs.digest_of({"a": 1, "b": 2}) == structs.digest_of({"b": 2, "a": 1})
    assert structs.digest_of({"a": 1}) != structs.digest_of({"a": 2})


def test_what_is_not_known_is_named():
    with pytest.raises(WorkloadError, match="there are: twitter, citm"):
        find("structs?of=github")
    with pytest.raises(UnsupportedError, match="one of encode, decode"):
        ways.uses("loads")


@pytest.mark.parametrize("structure", structs.STRUCTURES)
def test_there_is_always_a_document(structure):
    """The original's members, or those of a look-alike, which is said."""
    value = json.loads(structs.projected(structure))
    assert list(value) == list(structs.STRUCTURES[structure].fields)
    size = len(structs.projected(structure))
    if documents.original(structs.DOCUMENTS[structure]).exists():
        assert size == {"twitter": 81_927, "citm": 496_682}[structure]
    else:
        assert size > 10_000


def test_a_library_that_is_not_there_is_reported(monkeypatch):
    import importlib  # replaced in this test

    real = importlib.import_module

    def refuse(name, *rest):
        if name == "attrs":
            raise ImportError("No module named 'attrs'")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", refuse)
    subject, known = subject_of("twitter"), ways.uses("encode")
    assert "No module named 'attrs'" in subject.absent(known["snooze attrs"])
    assert subject.absent(known["json asdict"]) == ""
