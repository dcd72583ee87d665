"""aiohttp: a real server and a real client on this machine, with and without snooze."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple

import aiohttp
import pytest
from aiohttp import web

import snooze
from helpers.framework_cases import BODIES, PLAIN, RICH, TYPED, User, outcome
from snooze import json as snooze_json
from snooze.ext.aiohttp import decode_body, json_response

USERS = snooze.Decoder(list[User])
JSON = {"content-type": "application/json"}


async def any_value(request: web.Request) -> web.Response:
    """Read with the function that the query names; answer with the value or error."""
    loads = snooze_json.loads if "ours" in request.query else json.loads
    try:
        value = await request.json(loads=loads)
    except ValueError as error:
        raise web.HTTPBadRequest(text=str(error)) from error
    return web.json_response({"text": repr(value)}, dumps=snooze_json.dumps)


async def users(request: web.Request) -> web.Response:
    return json_response(await decode_body(request, USERS), status=201)


async def echo(request: web.Request) -> web.Response:
    return web.Response(
        body=await request.read(), headers={"x-type": request.content_type}
    )


def talk(*calls: Any, **client: Any) -> list[Any]:
    """Start a server, make POST requests; return status, body and headers of each."""

    async def run() -> list[Any]:
        app = web.Application()
        app.add_routes(
            [web.post(f"/{one.__name__}", one) for one in (any_value, users, echo)]
        )
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        answers = []
        address = f"http://{host}:{port}"
        try:
            async with aiohttp.ClientSession(address, **client) as session:
                for path, arguments in calls:
                    async with session.post(path, **arguments) as response:
                        answers.append(
                            (response.status, await response.read(), response.headers)
                        )
        finally:
            await runner.cleanup()
        return answers

    return asyncio.run(run())


def stock_response(value: Any) -> Any:
    return web.json_response(value)


@pytest.mark.parametrize("name", PLAIN)
def test_same_documents(name: str) -> None:
    """Values, headers, and for snooze.json the text."""
    ours, stock = json_response(PLAIN[name]), stock_response(PLAIN[name])
    assert json.loads(ours.body) == json.loads(stock.body)
    assert ours.headers == stock.headers
    text = web.json_response(PLAIN[name], dumps=snooze_json.dumps).text
    assert text == stock.text


@pytest.mark.parametrize("name", RICH)
def test_more_types(name: str) -> None:
    """What is still refused is a TypeError that names the place."""
    kind, text = outcome(json_response, RICH[name])
    if name in {"object", "nan", "infinity"}:
        assert kind == "TypeError"
        assert "at $" in text
    else:
        assert kind == "value"


def test_arguments_of_the_response() -> None:
    response = json_response(
        {"b": 1, "a": 2},
        status=202,
        reason="Taken",
        headers={"x-a": "b"},
        content_type="application/problem+json",
        encoder=snooze.Encoder(sort_keys=True),
    )
    assert (response.status, response.reason, response.body) == (
        *(202, "Taken"),
        b'{"a":2,"b":1}',
    )
    assert response.headers["x-a"] == "b"
    assert response.headers["content-type"] == (
        "application/problem+json; charset=utf-8"
    )


def test_same_values_and_errors() -> None:
    """`loads=snooze.json.loads`: each body in one conversation."""
    bodies = [{"data": body, "headers": JSON} for body in BODIES.values()]
    ours = talk(*(("/any_value?ours", body) for body in bodies))
    stock = talk(*(("/any_value", body) for body in bodies))
    for name, one, other in zip(BODIES, ours, stock, strict=True):
        assert one[:2] == other[:2], name
    assert dict(zip(BODIES, ours, strict=True))["cut"][0] == 400


def test_typed_bodies() -> None:
    answers = talk(*(("/users", {"data": body}) for body in TYPED))
    for (body, fits), (status, text, _) in zip(TYPED.items(), answers, strict=True):
        assert status == {True: 201, False: 422, None: 400}[fits]
        if fits:
            assert text == snooze.dumps(USERS.decode(body))
        else:
            assert b"line 1 column" in text


@pytest.mark.parametrize(
    "client",
    [
        {"json_serialize": snooze_json.dumps},
        {"json_serialize": snooze.Encoder().encode_str},
        {"json_serialize": lambda obj: snooze.dumps(obj).decode()},
        {"json_serialize_bytes": snooze.dumps},
    ],
    ids=["json.dumps", "encode_str", "lambda", "bytes"],
)
def test_clients(client: dict) -> None:
    """What a client sends by `json=`, and its content type."""
    value = {"a": [1, "é", None]}
    [(status, body, headers)] = talk(("/echo", {"json": value}), **client)
    assert (status, json.loads(body)) == (200, value)
    assert headers["x-type"] == "application/json"


def test_a_client_needs_text() -> None:
    """The reason for the recipes: aiohttp cannot send the bytes of `dumps` itself."""
    with pytest.raises((TypeError, AttributeError)):
        talk(("/echo", {"json": [1]}), json_serialize=snooze.dumps)


class Row(NamedTuple):
    """A value that its annotation excludes."""

    a: int


@pytest.mark.parametrize("data", [{"a": "\ud800"}, Row("x"), [Row(None)]])  # type: ignore[arg-type]
def test_what_json_writes_is_written(data: Any) -> None:
    """A client may have sent the first one."""
    ours, theirs = json_response(data), web.json_response(data)
    assert json.loads(ours.body) == json.loads(theirs.body)


def test_what_neither_writes_is_refused() -> None:
    for data in ({"a": {1: object()}}, {"a": float("nan")}):
        with pytest.raises(TypeError):
            json_response(data)
