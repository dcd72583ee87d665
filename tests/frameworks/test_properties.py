"""Generated values and bodies: each adapter agrees with the framework's own JSON.

The other modules name the cases that matter; here are those that nobody thought of.
"""

from __future__ import annotations

import datetime
import io
import json
import os
import re

os.environ["DJANGO_SETTINGS_MODULE"] = "helpers.django_settings"

import django
import flask

django.setup()

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from flask.json.provider import DefaultJSONProvider
from hypothesis import given
from hypothesis import strategies as st
from kombu.utils import json as kombu_json
from rest_framework import parsers, renderers
from starlette.responses import JSONResponse as StarletteResponse

from helpers import strategies
from helpers.framework_cases import Colour, Level, Name, Pair, User, outcome
from snooze.ext import django as ext_django
from snooze.ext import flask as ext_flask
from snooze.ext import kombu as ext_kombu
from snooze.ext import rest_framework as ext_rest_framework
from snooze.ext import starlette as ext_starlette

APP = flask.Flask("test")
#: Functions that write, with the adapter and without it.
WRITERS = {
    "flask": (ext_flask.JSONProvider(APP).dumps, DefaultJSONProvider(APP).dumps),
    "django": (
        lambda value: ext_django.JSONEncoder().encode(value),
        lambda value: DjangoJSONEncoder().encode(value),
    ),
    "rest_framework": (
        ext_rest_framework.JSONRenderer().render,
        renderers.JSONRenderer().render,
    ),
    "kombu": (ext_kombu.dumps, kombu_json.dumps),
}
READERS = {
    "flask": (ext_flask.JSONProvider(APP).loads, DefaultJSONProvider(APP).loads),
    "rest_framework": (
        lambda body: ext_rest_framework.JSONParser().parse(io.BytesIO(body)),
        lambda body: parsers.JSONParser().parse(io.BytesIO(body)),
    ),
    "kombu": (ext_kombu.loads, kombu_json.loads),
}
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    strategies.ints,
    strategies.floats,
    strategies.texts,
    strategies.broken_texts,
    st.datetimes(timezones=st.none() | st.just(datetime.UTC)),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.decimals(),
    st.uuids(),
    st.binary(max_size=4),
    st.sampled_from([Name("x"), Level.HIGH, Colour.RED, User(1, "ann"), Pair(1, [])]),
)
SMALL_FLOAT = re.compile(r"-?(0\.0000[0-9]+|[0-9](\.[0-9]+)?e-0?[0-9]+)")
KEYS = strategies.texts | st.integers() | st.floats() | st.none() | st.booleans()
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.tuples(inner)
        | st.dictionaries(
            st.sampled_from(["__type__", "__value__", "x"]), inner, max_size=3
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", WRITERS)
@given(VALUES)
def test_same_texts(name: str, value: object) -> None:
    """To the byte, or the same exception."""
    ours, stock = WRITERS[name]
    assert outcome(ours, value) == outcome(stock, value)


@given(VALUES)
def test_same_documents_of_starlette(value: object) -> None:
    """What Starlette writes has the same value; what it refuses may be written."""
    expected = outcome(StarletteResponse, value)
    if expected[0] != "value":
        found = outcome(ext_starlette.JSONResponse, value)
        assert found[0] == "value" or found == expected
        return
    stock, ours = StarletteResponse(value).body, ext_starlette.JSONResponse(value).body
    assert json.loads(ours, object_pairs_hook=named) == json.loads(
        stock, object_pairs_hook=named
    )


def named(members: list[tuple[str, object]]) -> dict[str, object]:
    """Return an object in which the names of small floats are json's."""
    return {
        repr(float(name)) if SMALL_FLOAT.fullmatch(name) else name: value
        for name, value in members
    }


@pytest.mark.parametrize("name", READERS)
@given(strategies.documents() | strategies.mutated_documents())
def test_same_values(name: str, body: bytes) -> None:
    """The value, or the same exception."""
    ours, stock = READERS[name]
    assert outcome(ours, body) == outcome(stock, body)


MARKED = st.recursive(
    st.datetimes() | st.decimals(allow_nan=False) | st.uuids() | st.binary(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.fixed_dictionaries({"a": inner}),
    max_leaves=6,
)


@given(MARKED)
def test_messages_survive(value: object) -> None:
    """Values that kombu marks are read as they were written."""
    assert ext_kombu.loads(ext_kombu.dumps(value)) == value
