"""Flask: the same texts, values and errors with and without the adapter."""

from __future__ import annotations

import json

import flask
import pytest
from flask.json.provider import DefaultJSONProvider
from markupsafe import Markup

import snooze
from helpers.framework_cases import BODIES, PLAIN, RICH, TYPED, User, outcome
from snooze.ext.flask import JSONProvider, decode_body

USERS = snooze.Decoder(list[User])
CASES = {**PLAIN, **RICH, "markup": [Markup("<b>")]}
#: Attributes of a provider.
OPTIONS = (
    {},
    {"ensure_ascii": False},
    {"sort_keys": False},
    {"compact": False},
    {"compact": True, "mimetype": "application/problem+json"},
    {"default": staticmethod(repr)},
)


def application(base: type, options: dict, debug: bool = False) -> flask.Flask:
    """Return an application whose provider has these attributes."""
    app = flask.Flask("test")
    app.debug = debug
    app.json = type("Provider", (base,), options)(app)

    @app.post("/any")
    def any_value() -> dict:
        return {"text": repr(flask.request.get_json())}

    @app.post("/silent")
    def silent() -> dict:
        return {"text": repr(flask.request.get_json(silent=True))}

    @app.post("/users")
    def users() -> flask.Response:
        return flask.jsonify(decode_body(USERS))

    return app


def written(app: flask.Flask, value: object) -> object:
    """Return what `jsonify` makes: body and content type."""
    with app.app_context():
        response = flask.jsonify(value)
        return response.get_data(), response.content_type


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_same_responses(options: dict, debug: bool) -> None:
    """To the byte, or the same exception, whatever the attributes are."""
    ours = application(JSONProvider, options, debug)
    stock = application(DefaultJSONProvider, options, debug)
    for value in CASES.values():
        assert outcome(written, ours, value) == outcome(written, stock, value)


def test_arguments_of_dumps() -> None:
    """All of them reach `json.dumps`; unknown ones are refused."""
    ours, stock = flask.Flask("a"), flask.Flask("b")
    ours.json = JSONProvider(ours)
    for arguments in ({"indent": 3}, {"skipkeys": True}, {"default": None}, {"x": 1}):
        for value in CASES.values():
            expected = outcome(stock.json.dumps, value, **arguments)
            assert outcome(ours.json.dumps, value, **arguments) == expected


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("path", ["/any", "/silent"])
def test_same_values_and_errors(name: str, path: str) -> None:
    """A wrong body is 400, with or without silence, as in Flask."""
    ours, stock = (
        application(base, {})
        .test_client()
        .post(path, data=BODIES[name], content_type="application/json")
        for base in (JSONProvider, DefaultJSONProvider)
    )
    assert (ours.status_code, ours.data) == (stock.status_code, stock.data)
    if name == "cut" and path == "/any":
        assert ours.status_code == 400


def test_test_client_and_template_filter() -> None:
    """`json=` of the client and `tojson` of templates go through the provider."""
    app = application(JSONProvider, {})
    response = app.test_client().post("/any", json={"b": "<é>"})
    assert response.get_json() == {"text": "{'b': '<é>'}"}
    with app.app_context():
        text = flask.render_template_string("{{ {'a': '<'}|tojson }}")
    assert text == '{"a": "\\u003c"}'


@pytest.mark.parametrize("body", TYPED)
def test_typed_bodies(body: bytes) -> None:
    client = application(JSONProvider, {}).test_client()
    response = client.post("/users", data=body, content_type="application/json")
    fits = TYPED[body]
    assert response.status_code == {True: 200, False: 422, None: 400}[fits]
    if fits:
        assert [one["id"] for one in json.loads(response.data)] == [
            user.id for user in USERS.decode(body)
        ]
    else:
        assert "line 1 column" in response.text


def test_other_content_types_are_refused() -> None:
    """With the status of `request.get_json`."""
    client = application(JSONProvider, {}).test_client()
    for path in ("/users", "/any"):
        assert client.post(path, data=b"[]").status_code == 415
