"""pydantic: models through `model_dump`, through `default`, and as a type."""

from __future__ import annotations

import datetime
import json
import uuid
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, Field, ValidationError, field_validator

import snooze


class Part(BaseModel):
    """A model inside a model."""

    price: Decimal
    size: int = 2**70


class Order(BaseModel):
    """A model with an alias, a validator and parts."""

    order_id: uuid.UUID = Field(alias="orderId")
    at: datetime.datetime
    parts: list[Part] = []
    labels: dict[int, Any] = {}

    @field_validator("parts")
    @classmethod
    def some(cls, parts: list[Part]) -> list[Part]:
        if not parts:
            raise ValueError("no parts")
        return parts


ORDER = Order(
    orderId=uuid.UUID(int=7),
    at=datetime.datetime(2026, 11, 23, tzinfo=datetime.UTC),
    parts=[Part(price=Decimal("1.10"))],
    labels={1: None},
)
ENCODER = snooze.Encoder(enc_hook=lambda model: model.model_dump())


def test_model_dump() -> None:
    """Python objects, which an Encoder writes: what pydantic writes itself."""
    ours = json.loads(ENCODER.encode(ORDER.model_dump(by_alias=True)))
    stock = json.loads(ORDER.model_dump_json(by_alias=True))
    ours["at"] = ours["at"].replace("+00:00", "Z")
    assert ours == stock


def test_options_of_model_dump() -> None:
    dumped = ORDER.model_dump(exclude={"at", "labels"}, mode="json")
    assert json.loads(snooze.Encoder().encode(dumped)) == json.loads(
        ORDER.model_dump_json(exclude={"at", "labels"})
    )


def test_default() -> None:
    """Models inside other objects."""
    part = Part(price=Decimal(2), size=3)
    text = snooze.dumps(
        {"parts": [part]}, default=lambda model: model.model_dump(mode="json")
    )
    assert text == b'{"parts":[{"price":"2","size":3}]}'


@pytest.mark.parametrize(
    "body",
    [
        ORDER.model_dump_json(by_alias=True).encode(),
        b'{"orderId": 1}',
        b'{"orderId": "00000000-0000-0000-0000-000000000007", "at": "x", "parts": []}',
    ],
)
def test_validation_of_what_snooze_read(body: bytes) -> None:
    """`model_validate(loads(body))` accepts and refuses what pydantic itself does."""
    found = []
    for read in (
        lambda: Order.model_validate(snooze.Decoder().decode(body)),
        lambda: Order.model_validate_json(body),
    ):
        try:
            found.append(read())
        except ValidationError as error:
            found.append([(one["loc"], one["type"]) for one in error.errors()])
    if isinstance(found[0], list):
        assert [loc for loc, _ in found[0]] == [loc for loc, _ in found[1]]
    else:
        assert found[0] == found[1] == ORDER


def test_a_model_is_a_type() -> None:
    """`decode` and `encode` use pydantic's own methods for a model."""
    body = b'{"price": "1.10"}'
    assert snooze.decode(body, Part) == Part(price=Decimal("1.10"))
    assert json.loads(snooze.encode(ORDER)) == json.loads(
        ORDER.model_dump_json(by_alias=True)
    )
    with pytest.raises(snooze.ValidationError, match="price"):
        snooze.decode(b"{}", Part)
