"""httpx and requests: what they send and read with snooze's functions."""

from __future__ import annotations

import httpx
import pytest
import requests

import snooze
from helpers.framework_cases import BODIES, PLAIN, RICH, User, outcome
from snooze import json as snooze_json

JSON = {"content-type": "application/json"}


def answered(body: bytes) -> requests.Response:
    """Return what requests makes of an answer with this body."""
    response = requests.Response()
    response.status_code = 200
    response._content = body
    response.headers["content-type"] = "application/json"
    return response


#: `json=None` means no body for both.
SENT = [name for name in PLAIN if PLAIN[name] is not None]


@pytest.mark.parametrize("name", SENT)
def test_requests_sends_the_same_value(name: str) -> None:
    """`data=` with a content type, in place of `json=`."""
    value = PLAIN[name]
    stock = requests.Request("POST", "http://a.test", json=value).prepare()
    body = snooze_json.dumps(value).encode()
    ours = requests.Request("POST", "http://a.test", data=body, headers=JSON).prepare()
    if value in ({}, []):
        return  # requests takes an empty document for none, and sends nothing
    assert ours.body == stock.body
    assert ours.headers == stock.headers


@pytest.mark.parametrize("name", SENT)
def test_httpx_sends_the_same_value(name: str) -> None:
    """`content=` with a content type, in place of `json=`."""
    value = PLAIN[name]
    stock = httpx.Request("POST", "http://a.test", json=value)
    arguments = {"separators": (",", ":"), "ensure_ascii": False, "allow_nan": False}
    body = snooze_json.dumps(value, **arguments).encode()
    ours = httpx.Request("POST", "http://a.test", content=body, headers=JSON)
    assert ours.content == stock.content
    assert ours.headers == stock.headers


@pytest.mark.parametrize("name", BODIES)
def test_same_values_read(name: str) -> None:
    """`json.loads(response.content)` is `response.json()`, right or wrong."""
    body = BODIES[name]
    for response in (answered(body), httpx.Response(200, content=body)):
        ours = outcome(snooze_json.loads, response.content)
        stock = outcome(response.json)
        if stock[0] == "value" and name == "not UTF-8":  # requests guesses one
            assert ours[0] == "UnicodeDecodeError"
        else:
            assert (ours[0] == "value") == (stock[0] == "value")
            assert ours == stock or stock[0] != "value"


def test_typed_answers() -> None:
    """A Decoder reads the bytes of either."""
    users = snooze.Decoder(list[User])
    body = b'[{"id": 1, "name": "ann"}]'
    for response in (answered(body), httpx.Response(200, content=body)):
        assert users.decode(response.content) == [User(1, "ann")]


def test_a_transport() -> None:
    """A whole conversation of httpx: dates sent, typed values read."""

    def serve(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, content=request.content)

    with httpx.Client(transport=httpx.MockTransport(serve)) as client:
        user = User(1, "ann", RICH["date"]["day"])
        content = snooze.dumps([user])
        answer = client.post("http://a.test", content=content, headers=JSON)
        assert snooze.decode(answer.content, list[User]) == [user]
