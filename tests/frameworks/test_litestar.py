"""Litestar: the same answers with and without the adapter; bodies decoded by snooze."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Annotated, Any

import msgspec
import pytest
from litestar import Litestar, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import ImproperlyConfiguredException
from litestar.params import FromPath, JSONBody
from litestar.plugins.pydantic import PydanticPlugin
from litestar.testing import TestClient
from pydantic import BaseModel, Field

import snooze
from helpers.framework_cases import BODIES, MOMENT, PLAIN, RICH, TYPED, Name, User
from snooze.ext import litestar as ext_litestar
from snooze.ext.litestar import JSONRequest, JSONResponse, provide_body

JSON = {"content-type": "application/json"}


class Item(msgspec.Struct):
    """What Litestar makes of `data` itself."""

    id: int
    name: str = "x"


class Model(BaseModel):
    """Written by the type encoders of Litestar's plugin."""

    at: Any


class Odd:
    """A class that only a type encoder of the application knows."""


DOCUMENTS = {
    **{name: PLAIN[name] for name in PLAIN if name != "text"},
    **{
        name: RICH[name]
        for name in RICH
        if name not in {"object", "surrogate", "bytes"}
    },
    "odd": [Odd(), {"path": PurePosixPath("a/b")}],
    "struct": Item(1),
    "model": Model(at=MOMENT),
}


def application(ours: bool) -> TestClient:
    """Return a client of one application, with or without the adapter."""

    @get("/document/{name:str}")
    async def document(name: FromPath[str]) -> Any:
        return DOCUMENTS[name]

    @get("/text/{kind:str}")
    async def text(kind: FromPath[str]) -> Any:
        response = {"plain": "text/plain", "msgpack": "application/x-msgpack"}[kind]
        return Response([1], media_type=response) if kind == "msgpack" else "a"

    @post("/any")
    async def any_value(data: JSONBody[Any]) -> Any:
        return {"text": repr(data)}

    @post("/request")
    async def request(request: Request) -> Any:
        return {"text": repr(await request.json()), "again": repr(await request.json())}

    @post("/item")
    async def item(data: JSONBody[Item]) -> Item:
        return data

    classes: dict[str, Any] = {}
    if ours:
        classes = {"response_class": JSONResponse, "request_class": JSONRequest}
    app = Litestar(
        [document, text, any_value, request, item],
        type_encoders={Odd: lambda _: "odd"},
        openapi_config=None,
        **classes,
    )
    return TestClient(app)


OURS, STOCK = application(True), application(False)


def utc(value: Any) -> Any:
    """Return a document with `Z` for UTC, as msgspec writes it."""
    return json.loads(json.dumps(value).replace("+00:00", "Z"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_same_documents(name: str) -> None:
    """The values that a client reads, the status and the content type."""
    ours, stock = OURS.get(f"/document/{name}"), STOCK.get(f"/document/{name}")
    assert ours.headers["content-type"] == stock.headers["content-type"]
    if name == "keys of constants":  # msgspec has no bool and no None as a key
        assert (ours.status_code, stock.status_code) == (200, 500)
        return
    assert (ours.status_code, stock.status_code) == (200, 200)
    assert utc(ours.json()) == stock.json()


@pytest.mark.parametrize("kind", ["plain", "msgpack"])
def test_other_media_types_are_left_alone(kind: str) -> None:
    ours, stock = OURS.get(f"/text/{kind}"), STOCK.get(f"/text/{kind}")
    assert (ours.content, ours.headers) == (stock.content, stock.headers)


@pytest.mark.parametrize("value", [object(), "\ud800", [Odd()]], ids=repr)
def test_same_errors(value: object) -> None:
    """What neither can write raises Litestar's exception."""
    for response in (JSONResponse([value]), Response([value])):
        with pytest.raises(Exception) as caught:
            response.render([value], "application/json")
        kind = type(caught.value).__module__
        assert kind.startswith("litestar."), (response, caught.value)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("path", ["/any", "/request"])
def test_same_values_and_errors(name: str, path: str) -> None:
    """Wrong JSON is 400 for `data`; the text of the error is snooze's."""
    ours, stock = (
        client.post(path, content=BODIES[name], headers=JSON)
        for client in (OURS, STOCK)
    )
    if name == "not UTF-8" and path == "/any":  # msgspec's error is not caught there
        assert (ours.status_code, stock.status_code) == (400, 500)
        return
    assert ours.status_code == stock.status_code
    if stock.status_code == 201:
        assert ours.json() == stock.json()
    elif path == "/any":
        assert ours.status_code == 400


@pytest.mark.parametrize("body", [b'{"id": 1}', b'{"id": "x"}', b"{}", b"[]", b"{"])
def test_data_is_checked_by_litestar(body: bytes) -> None:
    ours, stock = (
        client.post("/item", content=body, headers=JSON) for client in (OURS, STOCK)
    )
    assert ours.status_code == stock.status_code
    if body != b"{":
        assert ours.json() == stock.json()


@post("/users", dependencies={"users": provide_body(list[User])})
async def users(users: NamedDependency[list[User]]) -> list[User]:
    return users


@post("/first", dependencies={"user": provide_body(snooze.Decoder(User, at="/0"))})
async def first(user: NamedDependency[User]) -> User:
    return user


CLIENT = TestClient(Litestar([users, first], openapi_config=None))


@pytest.mark.parametrize("body", TYPED)
def test_typed_bodies(body: bytes) -> None:
    """All errors are Litestar's 400, with a list of problems."""
    response = CLIENT.post("/users", content=body, headers=JSON)
    fits = TYPED[body]
    assert response.status_code == (201 if fits else 400)
    if fits:
        assert response.json() == snooze.to_builtins(snooze.decode(body, list[User]))
    else:
        with pytest.raises(snooze.JSONDecodeError) as caught:
            snooze.decode(body, list[User], errors="all")
        assert response.json()["detail"] == str(caught.value)
        listed = [one["key"] for one in response.json().get("extra") or []]
        assert listed == [one.pointer for one in getattr(caught.value, "errors", [])]


def test_a_decoder_as_the_type() -> None:
    body = b'[{"id": 1, "name": "ann"}, "not looked at"]'
    assert CLIENT.post("/first", content=body).json()["name"] == "ann"
    with pytest.raises(TypeError, match="expected a type with options, found a Dec"):
        provide_body(snooze.Decoder(User), strict=False)


@pytest.mark.parametrize(
    "options", [{}, {"max_size": 10}, {"numbers": "raw"}, {"max_errors": 5}]
)
def test_options_of_any_value(options: dict[str, Any]) -> None:
    """Some of them exclude `errors`."""
    provide_body(Any, **options)


def test_subclasses_of_text_are_text() -> None:
    """A `str` as content is sent as it is, as by Litestar."""
    for response in (JSONResponse("x"), Response("x")):
        assert response.render(Name("x"), "application/json") == b"x"
    with pytest.raises(ImproperlyConfiguredException):
        JSONResponse("x").render([1], "image/png")


class Aliased(BaseModel):
    """Litestar's plugin writes the names of its fields, unless told otherwise."""

    user_id: int = Field(1, alias="userId")
    nick: str | None = None


class Shout(str):
    """A class that snooze knows, with an encoder of the application."""

    __slots__ = ()


@pytest.mark.parametrize(
    "options", [{}, {"exclude_none": True}, {"prefer_alias": True}]
)
def test_options_of_plugins_hold(options: dict[str, Any]) -> None:
    """Plugins give them as type encoders."""

    @get("/")
    async def model() -> Any:
        return [Aliased(), Aliased(nick="x")]

    bodies = [
        TestClient(Litestar([model], plugins=[PydanticPlugin(**options)], **arguments))
        .get("/")
        .text
        for arguments in ({}, {"response_class": JSONResponse})
    ]
    assert bodies[0] == bodies[1]


def test_type_encoders_come_before_the_types_of_snooze() -> None:
    """As in Litestar, whose own code calls them."""

    @get("/", type_encoders={Shout: lambda value: f"{value}!"})
    async def shout() -> Any:
        return {"a": Shout("x")}

    bodies = [
        TestClient(Litestar([shout], **arguments)).get("/").text
        for arguments in ({}, {"response_class": JSONResponse})
    ]
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("cls", [object, list[int], int | None, "x"], ids=repr)
def test_type_encoders_that_litestar_never_calls(cls: Any) -> None:
    """They change nothing, and others are called."""
    encoders: Any = {cls: repr, Odd: lambda _: "odd"}

    @get("/", type_encoders=encoders)
    async def values() -> Any:
        return {"a": [1, "x", None], "b": Odd(), "day": MOMENT.date()}

    bodies = [
        TestClient(Litestar([values], **arguments)).get("/").text
        for arguments in ({}, {"response_class": JSONResponse})
    ]
    assert bodies[0] == bodies[1]
    assert ext_litestar._made(tuple(encoders.items())).encode([Odd()]) == b'["odd"]'


def test_texts_of_numbers_that_differ() -> None:
    """As docs/frameworks.md lists them: a Decimal that is no number, large floats."""
    value = [{1e16: 1e22}, Decimal("NaN"), Decimal("Infinity"), Decimal("1E+5")]
    ours = JSONResponse(value).render(value, "application/json")
    stock = Response(value).render(value, "application/json")
    assert ours == b'[{"1e+16":1e+22},null,null,"1E+5"]'
    assert stock == b'[{"1e16":1e22},"NaN","Infinity","1E+5"]'


def test_private_fields_of_attrs_are_written_unless_excluded() -> None:
    """Unlike Litestar, as docs/frameworks.md says; and a duration has minutes."""
    attrs = pytest.importorskip("attrs")
    fields = {
        "name": attrs.field(type=str, default="mira"),
        "_shown": attrs.field(type=str, default="a"),
        "_hidden": attrs.field(
            type=Annotated[str, snooze.Field(exclude=True)], default="b"
        ),
    }
    account = attrs.make_class("Account", fields)

    @get("/")
    async def show() -> Any:
        return {"account": account(), "for": dt.timedelta(seconds=90)}

    app = Litestar([show], response_class=JSONResponse)
    found = TestClient(app).get("/").json()
    assert found == {"account": {"name": "mira", "_shown": "a"}, "for": "PT1M30S"}
