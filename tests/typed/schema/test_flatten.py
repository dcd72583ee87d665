"""The schema of classes with `Field(flatten=True)`."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import Annotated, Any

import jsonschema
import pytest

import snooze
from snooze import Field


@dataclass
class Size:
    """Two members that must both be there."""

    width: int
    height: Annotated[int, Field(alias="tall")]
    depth: int = 0


@dataclass
class Needed:
    """An instance is always there."""

    name: str
    size: Annotated[Size, Field(flatten=True)]


@dataclass
class Optional:
    """An instance may be missing."""

    size: Annotated[Size, Field(flatten=True)] = None  # type: ignore[assignment]


@dataclass
class Made:
    """A missing instance is made."""

    size: Annotated[Size, Field(flatten=True)] = field(
        default_factory=lambda: Size(1, 2)
    )


@dataclass
class Deep:
    """A class in a class."""

    name: str
    inner: Annotated[Optional, Field(flatten=True)] = field(default_factory=Optional)


@pytest.mark.parametrize("tp", [Needed, Optional, Made, Deep])
def test_members_of_a_missing_instance(tp: Any) -> None:
    """If one of them is there, so must be those that its class requires."""
    schema = snooze.schema(tp)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    names = ["width", "height", "tall", "depth"]
    for count in range(5):
        for chosen in itertools.combinations(names, count):
            document: dict[str, Any] = {"name": "a", **dict.fromkeys(chosen, 1)}
            try:
                snooze.decode(json.dumps(document), tp)
            except snooze.ValidationError:
                assert not validator.is_valid(document), document
            else:
                assert validator.is_valid(document), document


def test_the_keywords_for_it() -> None:
    """`dependentRequired`, and a rule for members with several names."""
    (found,) = snooze.schema(Optional)["$defs"].values()
    dependent = {"height": ["width"], "tall": ["width"], "depth": ["width"]}
    assert found["dependentRequired"] == dependent
    assert len(found["allOf"]) == 1
    (found,) = snooze.schema(Needed)["$defs"].values()
    assert found["required"] == ["name", "width"]
    assert "dependentRequired" not in found
