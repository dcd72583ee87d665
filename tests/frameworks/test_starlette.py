"""Starlette: documents and errors as with its own JSONResponse; typed bodies."""

from __future__ import annotations

import enum
import json
from typing import Self

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse as StockResponse
from starlette.routing import Route
from starlette.testclient import TestClient

import snooze
from helpers.framework_cases import MOMENT, PLAIN, RICH, TYPED, User, outcome
from snooze.ext.starlette import JSONResponse, decode_body

USERS = snooze.Decoder(list[User])


async def count(request: Request) -> JSONResponse:
    return JSONResponse({"users": await decode_body(request, USERS)})


CLIENT = TestClient(Starlette(routes=[Route("/", count, methods=["POST"])]))


@pytest.mark.parametrize("name", PLAIN)
def test_same_documents(name: str) -> None:
    """The values that a client reads are the same; so are status and headers."""
    ours, stock = JSONResponse(PLAIN[name]), StockResponse(PLAIN[name])
    assert json.loads(ours.body) == json.loads(stock.body)
    assert ours.raw_headers[1] == stock.raw_headers[1]  # the content type
    if name != "floats":  # 1e-7 in place of 1e-07
        assert ours.body == stock.body


def test_small_floats_as_keys_are_other_names() -> None:
    """The only documents whose values differ; both are read as the same floats."""
    content = {1e-7: 1, 0.00001: 2, -1.5e-9: 3, 1e-10: 4, 0.0001: 5, 1e22: 6}
    ours, stock = json.loads(JSONResponse(content).body), StockResponse(content).body
    assert list(ours) == ["1e-7", "0.00001", "-1.5e-9", "1e-10", "0.0001", "1e+22"]
    names = ["1e-07", "1e-05", "-1.5e-09", "1e-10", "0.0001", "1e+22"]
    assert list(json.loads(stock)) == names
    assert [float(name) for name in ours] == [float(name) for name in names]


class Label(enum.StrEnum):
    """An enum whose members are other texts than their values."""

    RED = ("red", "Rouge")

    def __new__(cls, text: str, value: str) -> Self:
        member = str.__new__(cls, text)
        member._value_ = value
        return member


def test_members_of_enums_are_their_value() -> None:
    """Also if json writes what they are by their base class; see docs/frameworks.md."""
    content = {Label.RED: [Label.RED]}
    assert StockResponse(content).body == b'{"red":["red"]}'
    assert JSONResponse(content).body == b'{"Rouge":["Rouge"]}'


@pytest.mark.parametrize("name", RICH)
def test_same_errors_or_more_types(name: str) -> None:
    """What Starlette refuses is written, or refused with the same exception."""
    stock = outcome(StockResponse, RICH[name])
    assert stock[0] != "value"
    try:
        body = JSONResponse(RICH[name]).body
    except Exception as error:
        assert outcome(JSONResponse, RICH[name]) == stock
        assert name in {"object", "nan", "infinity", "surrogate"}
        assert "$" in str(error.__cause__)
    else:
        assert snooze.loads(body) == snooze.to_builtins(RICH[name], str_keys=True)


def test_options_of_a_subclass() -> None:
    """Its encoder is used, with a fallback for what it does not know."""

    class Sorted(JSONResponse):
        media_type = "application/problem+json"
        encoder = snooze.Encoder(sort_keys=True, enc_hook=str)

    response = Sorted({"b": 1, "a": ValueError("x")})
    assert response.body == b'{"a":"x","b":1}'
    assert response.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("body", TYPED)
def test_typed_bodies(body: bytes) -> None:
    """Wrong JSON is 400, JSON of another form 422; the text names the place."""
    response = CLIENT.post("/", content=body)
    fits = TYPED[body]
    assert response.status_code == {True: 200, False: 422, None: 400}[fits]
    if fits:
        assert response.json() == {"users": snooze.to_builtins(USERS.decode(body))}
    else:
        with pytest.raises(snooze.JSONDecodeError) as caught:
            USERS.decode(body)
        assert response.text == str(caught.value)


def test_dates_are_rfc_3339() -> None:
    assert json.loads(JSONResponse([MOMENT]).body) == [MOMENT.isoformat()]
