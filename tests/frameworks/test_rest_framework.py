"""Django REST framework: the same answers with and without the adapter."""

from __future__ import annotations

import json
import os

os.environ["DJANGO_SETTINGS_MODULE"] = "helpers.django_settings"

import django
import pytest

django.setup()

from rest_framework import parsers, renderers, serializers
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory
from rest_framework.views import APIView

from helpers.framework_cases import BODIES, PLAIN, RICH, outcome
from snooze import json as snooze_json
from snooze.ext.rest_framework import JSONParser, JSONRenderer

CASES = {
    **PLAIN,
    **RICH,
    "generator": "a generator, made for each call",
    "text of bytes": b"\xff",
    "address": __import__("ipaddress").ip_address("10.0.0.1"),
}
#: Attributes of the renderer, which DRF sets from its settings.
OPTIONS = (
    {},
    {"compact": False},
    {"ensure_ascii": True},
    {"strict": False},
)
ACCEPTED = ("application/json", "application/json; indent=4", "application/json; q=1")


@pytest.mark.parametrize("accepted", ACCEPTED)
@pytest.mark.parametrize("options", OPTIONS, ids=repr)
def test_same_texts(options: dict, accepted: str) -> None:
    """To the byte, or the same exception."""
    ours = type("Ours", (JSONRenderer,), options)()
    stock = type("Stock", (renderers.JSONRenderer,), options)()
    for name, value in CASES.items():
        pair = []
        for renderer in (ours, stock):
            given = (i for i in "ab") if name == "generator" else value
            pair.append(outcome(renderer.render, given, accepted, {"indent": None}))
        assert pair[0] == pair[1], name


def test_compiled_code_is_tried_first() -> None:
    """Nothing of the framework's comes before the methods of snooze.json."""
    encoder = JSONRenderer.encoder_class
    assert encoder.encode is snooze_json.JSONEncoder.encode
    assert encoder.default is renderers.JSONRenderer.encoder_class.default


class Row(serializers.Serializer):
    """What a view writes."""

    id = serializers.IntegerField()
    name = serializers.CharField()


def row_data(many: bool = True) -> object:
    """Return what a serializer makes of one row or of two: its own dict or list."""
    row = {"id": 1, "name": "é"}
    return Row([row, row], many=True).data if many else Row(row).data


@pytest.mark.parametrize(
    "data",
    [
        row_data(),
        row_data(many=False),
        {"count": 2, "results": row_data(), "first": row_data(many=False)},
    ],
    ids=["rows", "row", "page"],
)
def test_data_of_serializers_is_written_by_compiled_code(
    data: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lists and dicts are of the framework's own classes."""
    expected = renderers.JSONRenderer().render(data)
    given = repr(data)

    def never(*_: object) -> None:
        raise AssertionError("Python's own code was called")

    monkeypatch.setattr(json.encoder, "c_make_encoder", never)
    assert JSONRenderer().render(data) == expected
    assert repr(data) == given


def test_data_of_serializers_deeper_inside() -> None:
    """The same text; None, and data with an error of their own, as well."""
    for data in ([row_data()], {"a": {"b": row_data()}}, {"a": row_data(), 1: {2}}):
        pair = [
            outcome(renderer.render, data, "application/json; indent=2")
            for renderer in (JSONRenderer(), renderers.JSONRenderer())
        ]
        assert pair[0] == pair[1]
    assert JSONRenderer().render(None) == b""


class Thing(serializers.Serializer):
    """What a view checks."""

    id = serializers.IntegerField()
    price = serializers.DecimalField(max_digits=6, decimal_places=2)
    at = serializers.DateTimeField()


def answer(body: bytes, content_type: str, ours: bool, checked: bool) -> tuple:
    """Return what a view answers to a body."""

    class View(APIView):
        parser_classes = [JSONParser if ours else parsers.JSONParser]
        renderer_classes = [JSONRenderer if ours else renderers.JSONRenderer]

        def post(self, request):
            if not checked:
                return Response({"text": repr(request.data)})
            thing = Thing(data=request.data)
            thing.is_valid(raise_exception=True)
            return Response(thing.data)

    request = APIRequestFactory().generic("POST", "/", body, content_type=content_type)
    response = View.as_view()(request).render()
    return response.status_code, response.content, response.headers


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize(
    "content_type",
    ["application/json", "application/json; charset=utf-16", "text/plain"],
)
def test_same_values_and_errors(name: str, content_type: str) -> None:
    """A wrong body is 400 with the framework's text; another type is 415."""
    ours, stock = (answer(BODIES[name], content_type, one, False) for one in (1, 0))
    assert ours == stock
    if name == "cut":
        assert ours[0] == (415 if content_type == "text/plain" else 400)


@pytest.mark.parametrize(
    "body",
    [
        b'{"id": 1, "price": "1.10", "at": "2026-11-23T00:00:00Z"}',
        b'{"id": 1, "price": 1.1, "at": "2026-11-23"}',
        b'{"id": 123456789012345678901234567890}',
        b"[]",
    ],
)
def test_same_answers_of_serializers(body: bytes) -> None:
    ours, stock = (answer(body, "application/json", one, True) for one in (1, 0))
    assert ours == stock


def test_nan_without_strict() -> None:
    """STRICT_JSON = False lets NaN in, as in the framework."""
    parser = type("Loose", (JSONParser,), {"strict": False})()
    from io import BytesIO

    [value] = parser.parse(BytesIO(b"[NaN]"))
    assert value != value  # noqa: PLR0124 - NaN
