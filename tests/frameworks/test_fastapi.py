"""FastAPI: the same answers with and without the adapter; bodies decoded by snooze."""

from __future__ import annotations

import dataclasses
import gzip
import json
import types
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import pytest
from fastapi import APIRouter, Body, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse as StockResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel

import snooze
from helpers.framework_cases import BODIES, MOMENT, PLAIN, TYPED, User
from snooze.ext import fastapi as ext_fastapi
from snooze.ext.fastapi import JSONResponse, JSONRoute, decoded, request_body

JSON = {"content-type": "application/json"}


class Item(BaseModel):
    """A model that FastAPI checks bodies with."""

    id: int
    price: float = 1.0


def application(ours: bool) -> TestClient:
    """Return a client of one application, with or without the adapter."""
    response = JSONResponse if ours else StockResponse
    router = APIRouter(route_class=JSONRoute) if ours else APIRouter()

    @router.post("/any")
    async def any_value(value: Annotated[Any, Body()]) -> Any:
        return response({"type": type(value).__name__, "text": repr(value)})

    @router.post("/item")
    async def item(value: Item) -> Item:
        return value

    @router.get("/document/{name}", response_class=response)
    async def document(name: str):
        return response(PLAIN[name])

    app = FastAPI()
    app.include_router(router)
    return TestClient(app)


OURS, STOCK = application(True), application(False)


@pytest.mark.parametrize("name", PLAIN)
def test_same_documents(name: str) -> None:
    ours, stock = OURS.get(f"/document/{name}"), STOCK.get(f"/document/{name}")
    assert ours.json() == stock.json()
    assert ours.headers["content-type"] == stock.headers["content-type"]


@pytest.mark.parametrize("name", BODIES)
def test_same_values_and_errors(name: str) -> None:
    """The value that a handler gets, or the answer to a wrong body."""
    ours, stock = (
        client.post("/any", content=BODIES[name], headers=JSON)
        for client in (OURS, STOCK)
    )
    assert (ours.status_code, ours.json()) == (stock.status_code, stock.json())
    if name in {"cut", "trailing comma"}:
        assert ours.status_code == 422


@pytest.mark.parametrize(
    "body", [b'{"id": 1}', b'{"id": "x"}', b"{}", b"[]", b"", b'{"id": 1,']
)
@pytest.mark.parametrize("content_type", ["application/json", "text/plain", ""])
def test_same_answers_of_models(body: bytes, content_type: str) -> None:
    headers = {"content-type": content_type}
    ours, stock = (
        client.post("/item", content=body, headers=headers) for client in (OURS, STOCK)
    )
    assert (ours.status_code, ours.json()) == (stock.status_code, stock.json())


class GzipRequest(Request):
    """A request that unpacks its body, as FastAPI's documentation has it."""

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            self._body = gzip.decompress(await super().body())
        return self._body


class GzipRoute(JSONRoute):
    """A route that makes its own request."""

    def get_route_handler(self) -> Any:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Any:
            return await handler(GzipRequest(request.scope, request.receive))

        return handle


class LoggingRoute(JSONRoute):
    """A route that reads the body before FastAPI, or after an error."""

    early = True

    def get_route_handler(self) -> Any:
        handler = super().get_route_handler()

        async def handle(request: Request) -> Any:
            if self.early:
                await request.body()
            try:
                return await handler(request)
            except RequestValidationError:
                return StockResponse((await request.body()).decode(), 422)

        return handle


class LateRoute(LoggingRoute):
    """As above, after an error only."""

    early = False


@pytest.mark.parametrize("route", [LoggingRoute, LateRoute, GzipRoute])
def test_subclasses_of_the_route_read_the_body(
    route: type[JSONRoute], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before or after FastAPI, or in their own way; JSON is read by snooze."""
    read: list[bytes] = []

    def loads(body: bytes) -> Any:
        read.append(body)
        return json.loads(body)

    monkeypatch.setattr(ext_fastapi, "json", types.SimpleNamespace(loads=loads))
    router = APIRouter(route_class=route)

    @router.post("/")
    async def item(value: Item) -> Item:
        return value

    app = FastAPI()
    app.include_router(router)
    client = TestClient(app)
    for body, status in ((b'{"id":1}', 200), (b'{"id":"x"}', 422)):
        sent = gzip.compress(body) if route is GzipRoute else body
        response = client.post("/", content=sent, headers=JSON)
        assert response.status_code == status
        assert read.pop() == body
        if status == 422 and route is not GzipRoute:
            assert response.json() == body.decode()


def test_a_request_with_its_own_json() -> None:
    """It is used, as by FastAPI."""

    class Mine(Request):
        async def json(self) -> Any:
            return {"id": 7}

    class Route(JSONRoute):
        def get_route_handler(self) -> Any:
            handler = super().get_route_handler()

            async def handle(request: Request) -> Any:
                return await handler(Mine(request.scope, request.receive))

            return handle

    app = FastAPI()
    app.router.route_class = Route

    @app.post("/")
    async def item(value: Item) -> Item:
        return value

    assert TestClient(app).post("/", content=b"1", headers=JSON).json()["id"] == 7


APP = FastAPI()


@APP.post("/users", openapi_extra=request_body(list[User]))
async def users(body: Annotated[list[User], decoded(list[User])]) -> JSONResponse:
    return JSONResponse(body)


@APP.post("/first")
async def first(
    body: Annotated[User, decoded(snooze.Decoder(User, at="/0"))], by: str = ""
) -> JSONResponse:
    return JSONResponse({"user": body, "by": by, "at": MOMENT})


CLIENT = TestClient(APP)


@pytest.mark.parametrize("body", TYPED)
def test_typed_bodies(body: bytes) -> None:
    """All errors are FastAPI's 422, with places in its own form."""
    response = CLIENT.post("/users", content=body, headers=JSON)
    fits = TYPED[body]
    assert response.status_code == (200 if fits else 422)
    if fits:
        assert response.content == snooze.encode(snooze.decode(body, list[User]))
        return
    kinds = {entry["type"] for entry in response.json()["detail"]}
    assert kinds == {"json_invalid" if fits is None else "value_error"}


def test_every_problem_has_its_place() -> None:
    body = b'[{"id": "1", "name": "ann"}, {"id": 2}]'
    detail = CLIENT.post("/users", content=body, headers=JSON).json()["detail"]
    assert [entry["loc"] for entry in detail] == [["body", 0, "id"], ["body", 1]]
    assert detail[0]["msg"] == ("expected int, found str at $[0].id (line 1 column 9)")


@APP.post("/counts")
async def counts(body: Annotated[dict[str, int], decoded(dict[str, int])]) -> Any:
    return body


@APP.post("/lists")
async def lists(
    body: Annotated[Any, decoded(dict[str, list[int]], syntax="json5")],
) -> Any:
    return body


@APP.post("/stock")
async def stock_counts(body: dict[str, int]) -> Any:
    return body


@pytest.mark.parametrize(
    "name", ["a", "1", "01", "-1", "٣", "²", "", "~/", "9" * 5000], ids=lambda s: s[:9]
)
def test_names_of_members_are_names(name: str) -> None:
    """Also those of digits, which a JSON Pointer does not tell from indices."""
    body = json.dumps({name: "x"})
    ours, stock = (
        CLIENT.post(path, content=body, headers=JSON) for path in ("/counts", "/stock")
    )
    assert ours.status_code == stock.status_code == 422
    [entry], [wanted] = ours.json()["detail"], stock.json()["detail"]
    assert entry["loc"] == wanted["loc"] == ["body", name]


def test_names_beside_indices() -> None:
    """Also in a document that snooze rewrites before it decodes it."""
    body = "{'1': [2, /* no number */ 'x'], '0': 3}"
    detail = CLIENT.post("/lists", content=body, headers=JSON).json()["detail"]
    assert [entry["loc"] for entry in detail] == [["body", "1", 1], ["body", "0"]]


class Refuses(snooze.Decoder):
    """A Decoder whose errors are made by its user."""

    problems: ClassVar[Any]

    def decode(self, _document: Any) -> Any:
        raise snooze.ValidationError(self.problems)


@pytest.mark.parametrize(
    ("problems", "place"),
    [
        ("no such user", []),
        ([snooze.Problem("/a~1b/0", "", "", 0, 1, 1, "wrong")], ["a/b", "0"]),
    ],
)
def test_errors_of_users(problems: Any, place: list[str]) -> None:
    app = FastAPI()
    body = decoded(Refuses(int))
    Refuses.problems = problems

    @app.post("/")
    async def refused(_body: Any = body) -> None: ...

    answer = TestClient(app).post("/", content=b"1", headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["loc"] == ["body", *place]


def test_a_body_that_is_not_utf8() -> None:
    """FastAPI answers with 400; ours is an entry with a place."""
    answer = CLIENT.post("/counts", content=b"\xff", headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["detail"][0]["type"] == "json_invalid"


def test_a_body_is_required() -> None:
    """Also if the parameter has a default."""
    app = FastAPI()

    @app.post("/")
    async def counted(
        body: Annotated[dict[str, int] | None, decoded(dict[str, int] | None)] = None,
    ) -> Any:
        return body

    client = TestClient(app)
    assert client.post("/", content=b"null", headers=JSON).json() is None
    assert client.post("/", headers=JSON).status_code == 422


@pytest.mark.parametrize(
    "options",
    [{}, {"numbers": "decimal"}, {"max_size": 9}, {"threads": 2, "max_size": 9}],
)
def test_options_of_any_value(options: dict[str, Any]) -> None:
    decoded(Any, **options)


def test_errors_name_options_that_were_given() -> None:
    decoded(Any, max_errors=5)
    decoded(Any, at="/a", max_size=9)
    with pytest.raises(ValueError, match="^errors has no meaning without a type"):
        decoded(Any, errors="all", max_size=9)


def test_json_errors_have_the_form_of_fastapi() -> None:
    """The entry has the keys of FastAPI's own, and the position of the error."""
    detail = CLIENT.post("/users", content=b"[1,", headers=JSON).json()["detail"]
    stock = STOCK.post("/any", content=b"[1,", headers=JSON).json()["detail"]
    assert [entry.keys() for entry in detail] == [entry.keys() for entry in stock]
    assert detail[0]["loc"] == ["body", 3]


@pytest.mark.parametrize("content_type", ["text/plain", "", "text/json"])
def test_other_content_types_are_refused(content_type: str) -> None:
    """As by FastAPI, so that forms of other sites cannot send JSON."""
    headers = {"content-type": content_type}
    response = CLIENT.post("/users", content=b"[]", headers=headers)
    assert response.status_code == 422
    [entry] = response.json()["detail"]
    assert entry["type"] == "content_type"
    assert entry["msg"].startswith("expected the content type application/json")


@pytest.mark.parametrize("suffix", ["json; charset=utf-8", "problem+json"])
def test_content_types_of_json(suffix: str) -> None:
    headers = {"content-type": f"application/{suffix}"}
    assert CLIENT.post("/users", content=b"[]", headers=headers).status_code == 200


def test_a_decoder_and_other_parameters() -> None:
    body = b'[{"id": 1, "name": "ann"}, "not looked at"]'
    response = CLIENT.post("/first?by=me", content=body, headers=JSON)
    assert response.json() == {
        "user": {"id": 1, "name": "ann", "joined": None},
        "by": "me",
        "at": MOMENT.isoformat(),
    }


def test_options_with_a_decoder_are_refused() -> None:
    with pytest.raises(TypeError, match="expected a type with options, found a Dec"):
        decoded(snooze.Decoder(User), strict=False)


def test_the_body_is_described() -> None:
    """OpenAPI has the schema, without references that lead nowhere."""
    described = CLIENT.get("/openapi.json").json()["paths"]["/users"]["post"]
    body = described["requestBody"]
    assert body["required"] is True
    text = json.dumps(body["content"]["application/json"]["schema"])
    assert '"joined"' in text
    assert "$ref" not in text


T = TypeVar("T")


@dataclasses.dataclass
class Box(Generic[T]):
    """A class whose name in a schema has characters that are escaped."""

    content: T


def test_generic_bodies_are_described() -> None:
    content = request_body(dict[str, Box[list[Box[int]]]])["requestBody"]["content"]
    described = content["application/json"]["schema"]
    inner = described["additionalProperties"]["properties"]["content"]["items"]
    assert inner["properties"]["content"] == {"type": "integer"}


@dataclasses.dataclass
class Node:
    """A class that has itself as a part."""

    children: list[Node]


def test_a_recursive_body_is_described() -> None:
    content = request_body(Node)["requestBody"]["content"]
    described = content["application/json"]["schema"]
    assert described["properties"]["children"] == {"type": "array", "items": {}}


VALUES: list[dict[str, Any]] = [
    {"properties": [1]},
    {"$ref": "#/a", "$schema": "s", "$defs": {}},
    {"items": {"$ref": "#"}},
]


@dataclasses.dataclass
class Given:
    """A class whose default looks like a schema."""

    body: dict[str, Any] = dataclasses.field(default_factory=lambda: VALUES[1])
    properties: Box[int] | None = None


def described(type: Any) -> Any:  # noqa: A002 - as in request_body
    content = request_body(type)["requestBody"]["content"]
    return content["application/json"]["schema"]


@pytest.mark.parametrize("value", VALUES)
def test_values_in_schemas_stay_as_they_are(value: dict[str, Any]) -> None:
    found = described(Annotated[dict[str, Any], snooze.Meta(examples=[value])])
    assert found["examples"] == [value]
    extra = dict.fromkeys(("default", "const", "x-own"), value) | {"enum": [value]}
    found = described(Annotated[dict[str, Any], snooze.Meta(json_schema_extra=extra)])
    assert found.items() >= extra.items()


def test_defaults_stay_as_they_are() -> None:
    properties = described(Given)["properties"]
    whole = snooze.schema(Given)["$defs"]["Given"]["properties"]
    assert properties["body"] == whole["body"]
    assert "content" in properties["properties"]["anyOf"][0]["properties"]


@pytest.mark.parametrize(
    "reference", ["https://x.y/z", "#/a", "#/$defs/Missing", "#/$defs/Box[int]/x", 5]
)
def test_other_references_stay_as_they_are(reference: Any) -> None:
    meta = snooze.Meta(json_schema_extra={"$ref": reference})
    assert described(Annotated[dict[str, Any], meta])["$ref"] == reference
    inside = described(list[Annotated[Any, meta]])
    assert inside == {"type": "array", "items": {"$ref": reference}}


def test_references_to_the_whole_schema() -> None:
    extra = {"patternProperties": {"^a": {"$ref": "#"}}}
    found = described(Annotated[Any, snooze.Meta(json_schema_extra=extra)])
    assert found == {"patternProperties": {"^a": {"patternProperties": {"^a": {}}}}}


@snooze.configure(tag=True)
@dataclasses.dataclass
class Cat:
    """One of two classes with tags."""

    lives: int


@snooze.configure(tag=True)
@dataclasses.dataclass
class Dog:
    """The other."""

    tricks: list[Box[int]]


def test_a_body_of_several_classes_is_described() -> None:
    """Without a discriminator, which would refer to classes that are not there."""
    found = described(Cat | Dog)
    assert [one["title"] for one in found["oneOf"]] == ["Cat", "Dog"]
    assert "$defs" not in json.dumps(found)


def test_classes_of_a_union_keep_their_required_members() -> None:
    """Beside the reference to such a class stands that its tag is required, too."""
    found = described(list[Cat | Dog])["items"]["oneOf"]
    assert [one["required"] for one in found] == [["lives", "type"], ["tricks", "type"]]


def test_classes_that_lead_to_each_other_have_a_bounded_schema() -> None:
    """Written once for each way through them, eight would have 32 million characters."""
    names: dict[str, Any] = {}
    union = " | ".join(f"N{number}" for number in range(9))
    for number in range(9):
        made = dataclasses.make_dataclass(f"N{number}", [("arg", union)])
        made.__module__ = __name__
        names[f"N{number}"] = snooze.configure(tag=True)(made)
    globals().update(names)
    try:
        described_body = request_body(names["N0"])
    finally:
        for name in names:
            del globals()[name]
    text = json.dumps(described_body)
    assert len(text) < 500_000
    assert "$ref" not in text
