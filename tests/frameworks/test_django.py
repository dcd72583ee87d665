"""Django: the same texts, values, rows and errors with and without the adapter."""

from __future__ import annotations

import json
import os

os.environ["DJANGO_SETTINGS_MODULE"] = "helpers.django_settings"

import django
import pytest
from django.core.exceptions import BadRequest
from django.core.exceptions import ValidationError as DjangoValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connections, models
from django.http import JsonResponse as StockResponse
from django.test import RequestFactory
from django.utils.translation import gettext_lazy

import snooze
from helpers.framework_cases import PLAIN, RICH, TYPED, User, outcome
from snooze import json as snooze_json
from snooze.ext.django import JSONDecoder, JSONEncoder, JsonResponse, decode_body

django.setup()

CASES = {**PLAIN, **RICH, "lazy": [gettext_lazy("yes")]}
ARGUMENTS = (
    {},
    {"indent": 2},
    {"ensure_ascii": False},
    {"sort_keys": True, "separators": (",", ":")},
    {"skipkeys": True, "allow_nan": False},
)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=repr)
def test_same_texts(arguments: dict) -> None:
    """As `cls` of json.dumps, with any other argument: to the byte."""
    for value in CASES.values():
        expected = outcome(json.dumps, value, cls=DjangoJSONEncoder, **arguments)
        assert outcome(json.dumps, value, cls=JSONEncoder, **arguments) == expected


@pytest.mark.parametrize("name", CASES)
def test_same_responses(name: str) -> None:
    def body(response: type, **arguments: object) -> object:
        made = response(CASES[name], **arguments)
        return made.content, made.headers, made.status_code

    for arguments in (
        {"safe": False},
        {},
        {"safe": False, "status": 201, "json_dumps_params": {"indent": 1}},
        {"safe": False, "encoder": DjangoJSONEncoder},
    ):
        ours, stock = (
            outcome(body, one, **arguments) for one in (JsonResponse, StockResponse)
        )
        assert ours == stock


def test_a_default_of_a_subclass_is_used() -> None:
    class Encoder(JSONEncoder):
        def default(self, o):
            return sorted(o) if isinstance(o, set) else super().default(o)

    value = {"ids": {2, 1}, "at": RICH["datetime"]}
    assert json.loads(Encoder().encode(value)) == {
        "ids": [1, 2],
        "at": "2026-11-23T18:30:05.123Z",
    }


def test_compiled_code_is_tried_first() -> None:
    """Nothing of Django's comes before the methods of snooze.json."""
    assert JSONEncoder.encode is snooze_json.JSONEncoder.encode
    assert JSONDecoder.decode is snooze_json.JSONDecoder.decode
    assert JSONEncoder.default is DjangoJSONEncoder.default


class Thing(models.Model):
    """A row with a JSON column."""

    data = models.JSONField(null=True, encoder=JSONEncoder, decoder=JSONDecoder)

    class Meta:
        app_label = "tests"


class StockThing(models.Model):
    """The same table, with Django's own classes."""

    data = models.JSONField(null=True, encoder=DjangoJSONEncoder)

    class Meta:
        app_label = "tests"
        db_table = "tests_thing"


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request):
    """Return the name of a database with the table."""
    name = "default"
    if request.param == "postgresql":
        name = "postgresql"
        connections.settings[name] = connections.settings["default"] | {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "postgres",
            "USER": "snooze",
            "HOST": request.getfixturevalue("postgresql_host"),
        }
    with connections[name].schema_editor() as editor:
        editor.create_model(Thing)
    yield name
    connections[name].connection.close()  # Django keeps databases in memory open


@pytest.mark.parametrize("case", PLAIN)
def test_same_rows(case: str, database: str) -> None:
    """What one encoder stored, the other's model reads."""
    value = PLAIN[case]
    ours = Thing.objects.using(database).create(data=value)
    stock = StockThing.objects.using(database).create(data=value)
    expected = StockThing.objects.using(database).get(pk=stock.pk).data
    assert Thing.objects.using(database).get(pk=stock.pk).data == expected
    assert Thing.objects.using(database).get(pk=ours.pk).data == expected
    assert StockThing.objects.using(database).get(pk=ours.pk).data == expected


def test_queries(database: str) -> None:
    """Lookups into documents, dates by the encoder, null."""
    manager = Thing.objects.using(database)
    value = {"a": {"b": [1, 2**70]}, "at": RICH["datetime"], "none": None}
    row = manager.create(data=value)
    empty = manager.create(data=None)
    assert manager.filter(data__a__b__0=1).get() == row
    assert manager.filter(data__at=RICH["datetime"]).get() == row
    assert manager.filter(data__isnull=True, pk__gte=row.pk).get() == empty
    assert manager.get(pk=row.pk).data["a"]["b"] == [1, 2**70]
    assert list(manager.filter(pk=row.pk).values_list("data__a", flat=True)) == [
        {"b": [1, 2**70]}
    ]


def test_a_field_refuses_what_the_encoder_refuses() -> None:
    for model in (Thing, StockThing):
        with pytest.raises(DjangoValidationError, match="must be valid JSON"):
            model(data={1, 2}).full_clean()


@pytest.mark.parametrize("body", TYPED)
def test_typed_bodies(body: bytes) -> None:
    """Django answers BadRequest with status 400; the cause tells what was wrong."""
    decoder = snooze.Decoder(list[User])
    request = RequestFactory().post("/", body, content_type="application/json")
    fits = TYPED[body]
    if fits:
        assert decode_body(request, decoder) == decoder.decode(body)
        return
    with pytest.raises(BadRequest, match=r"line 1 column") as caught:
        decode_body(request, decoder)
    assert isinstance(caught.value.__cause__, snooze.ValidationError) is (fits is False)
