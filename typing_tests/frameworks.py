"""Adapters with right and wrong types, beside the types of the frameworks themselves.

mypy reads it in tests/frameworks/test_types.py, where the packages are installed:
exactly the lines that end with `# error` have one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, assert_type

import flask
import litestar
import sqlalchemy as sa
from aiohttp import web
from fastapi import APIRouter
from starlette.requests import Request

import snooze
from snooze.ext.aiohttp import decode_body as aiohttp_body
from snooze.ext.aiohttp import json_response
from snooze.ext.asyncpg import set_json_codecs
from snooze.ext.fastapi import JSONRoute, decoded, request_body
from snooze.ext.flask import JSONProvider
from snooze.ext.flask import decode_body as flask_body
from snooze.ext.kombu import dumps, loads, register
from snooze.ext.litestar import JSONRequest, provide_body
from snooze.ext.litestar import JSONResponse as LitestarResponse
from snooze.ext.logging import JSONFormatter
from snooze.ext.sqlalchemy import TypedJSON
from snooze.ext.starlette import JSONResponse, decode_body


@dataclass
class User:
    name: str


users = snooze.Decoder(list[User])


async def starlette_view(request: Request) -> JSONResponse:
    assert_type(await decode_body(request, users), list[User])
    await decode_body(request, User)  # error
    await decode_body(b"", users)  # error
    return JSONResponse([User("ann")], status_code=201)


async def aiohttp_view(request: web.Request) -> web.Response:
    assert_type(await aiohttp_body(request, users), list[User])
    json_response({}, status="200")  # error
    json_response({}, dumps=snooze.dumps)  # error
    return json_response({"a": 1}, headers={"a": "b"}, encoder=snooze.Encoder())


def flask_view() -> str:
    assert_type(flask_body(users), list[User])
    flask_body()  # error
    return ""


app = flask.Flask("shop")
app.json = JSONProvider(app)
assert_type(app.json.dumps(1), str)
router = APIRouter(route_class=JSONRoute)
APIRouter(route_class=JSONProvider)  # error
decoded(list[User], strict=False)
assert_type(request_body(User), dict[str, Any])
request_body(type=User)  # error

litestar.Litestar([], request_class=JSONRequest, response_class=LitestarResponse)
litestar.Litestar([], dependencies={"user": provide_body(User)})
litestar.Litestar([], dependencies={"user": users})  # error

assert_type(dumps([1]), str)
assert_type(loads(b"[1]"), Any)
dumps()  # error
loads(1)  # error
register("json")
register(1)  # error
JSONFormatter({"lineno": "line"}, time=None, encoder=snooze.Encoder())
JSONFormatter(["lineno"])  # error
JSONFormatter(time=True)  # error

column: sa.Column[User] = sa.Column(TypedJSON[User](User))
TypedJSON(User, impl=sa.JSON())
TypedJSON(User, impl=sa.Text())  # error
TypedJSON(User, strict=False)  # error


async def asyncpg_connection(connection: object) -> None:
    assert_type(await set_json_codecs(connection), None)
    await set_json_codecs()  # error
