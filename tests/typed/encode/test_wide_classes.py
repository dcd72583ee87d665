"""Classes with more fields than CPython shares the names of between instances.

From thirty on, instances keep their attributes in dicts. They must be written as those
of small classes are, whatever was done to the dict.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

import snooze

#: Below and above the limit.
WIDTHS = (3, 28, 29, 30, 31, 64)


class Odd:
    """A class that snooze does not know."""


def wide(count: int, **namespace: Any) -> type:
    """Return a new class; its names are made at run time, as code generators do."""
    fields = [
        (f"field_{number}", Any, dataclasses.field(default=None))
        for number in range(count)
    ]
    return dataclasses.make_dataclass("Wide", fields, namespace=namespace)


def expected(instance: Any) -> dict[str, Any]:
    return {
        one.name: getattr(instance, one.name) for one in dataclasses.fields(instance)
    }


def check(cls: type, *instances: Any) -> None:
    """Write the instances alone and in a list, by an Encoder and by dumps."""
    encoder = snooze.Encoder(cls)
    many = snooze.Encoder(list[cls])
    wanted = [expected(one) for one in instances]
    for _ in range(2):
        for instance, one in zip(instances, wanted, strict=True):
            assert json.loads(encoder.encode(instance)) == one
        assert json.loads(many.encode(list(instances))) == wanted
    assert json.loads(snooze.dumps(list(instances))) == wanted


@pytest.mark.parametrize("width", WIDTHS)
def test_instances_of_every_origin_are_written(width):
    cls = wide(width)
    made = cls(*range(width))
    text = snooze.dumps({f"field_{number}": -number for number in range(width)})
    decoded = snooze.Decoder(cls).decode(text)
    # In another order.
    reordered = cls.__new__(cls)
    for number in reversed(range(width)):
        setattr(reordered, f"field_{number}", str(number))
    replaced = cls(*range(width))
    replaced.__dict__ = {
        f"field_{number}": [number] for number in (*range(1, width), 0)
    }
    nested = cls(*range(width))
    nested.field_1 = {"a": [made.field_0, "é"]}
    check(cls, made, decoded, reordered, replaced, nested, made)


@pytest.mark.parametrize("width", WIDTHS)
def test_deleted_attributes_are_looked_up_in_the_class(width):
    cls = wide(width)
    broken = cls(*range(width))
    del broken.field_2
    # The class has the default.
    assert json.loads(snooze.Encoder(cls).encode(broken))["field_2"] is None
    del cls.field_2
    with pytest.raises(AttributeError, match="field_2"):
        snooze.Encoder(cls).encode(broken)
    with pytest.raises(AttributeError, match="field_2"):
        snooze.Encoder(list[cls]).encode([cls(*range(width)), broken])


@pytest.mark.parametrize("width", WIDTHS)
def test_properties_come_before_attributes(width):
    cls = wide(width)
    instance = cls(*range(width))
    encoder = snooze.Encoder(cls)
    assert json.loads(encoder.encode(instance))["field_1"] == 1
    cls.field_1 = property(lambda self: f"of {self.field_0}")
    assert json.loads(encoder.encode(instance))["field_1"] == "of 0"
    assert json.loads(snooze.Encoder(cls).encode(instance))["field_1"] == "of 0"
    del cls.field_1
    assert json.loads(encoder.encode(instance))["field_1"] == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_own_attribute_access_is_used(width):
    def access(self, name):
        value = object.__getattribute__(self, name)
        return value + 100 if name == "field_2" else value

    cls = wide(width, __getattribute__=access)
    instance = cls(*range(width))
    assert json.loads(snooze.Encoder(cls).encode(instance))["field_2"] == 102


@pytest.mark.parametrize("width", WIDTHS)
def test_hooks_may_change_the_instance(width):
    cls = wide(width)
    instance = cls(*range(width))
    instance.field_1 = Odd()

    def hook(value):
        instance.field_2 = "changed"
        instance.extra = 1
        instance.__dict__ = dict(reversed(instance.__dict__.items()))
        return type(value).__name__

    text = snooze.Encoder(cls, enc_hook=hook).encode(instance)
    found = json.loads(text)
    assert found["field_1"] == "Odd"
    assert found["field_2"] == "changed"
    assert list(found) == [f"field_{number}" for number in range(width)]


@pytest.mark.parametrize("width", [5, *WIDTHS])
def test_a_class_that_changes_while_it_is_looked_at_is_looked_up(width):
    """Looking at `__class__` modifies the class, so that nothing known of it holds."""

    def modifying(_self):
        cls.changed = 1
        return cls

    cls = wide(width, __class__=property(modifying))
    instance = cls(*range(width))
    instance.field_1 = Odd()

    def hook(_value):
        cls.field_2 = property(lambda _self: "property")
        return "odd"

    encoder = snooze.Encoder(cls, enc_hook=hook)
    cls.changed = 0
    assert json.loads(encoder.encode(instance))["field_2"] == "property"


@pytest.mark.parametrize("width", WIDTHS)
def test_fields_may_be_left_out(width):
    cls = wide(width)
    instance = cls(*[None, *range(1, width)])
    text = snooze.Encoder(cls, omit_none=True).encode(instance)
    assert json.loads(text) == {f"field_{n}": n for n in range(1, width)}
    assert snooze.Decoder(cls).decode(snooze.Encoder(cls).encode(instance)) == instance
