"""kombu, celery and Redis: messages and values with snooze's functions.

kombu and celery send through their in-memory transport; redis-py and Django's cache talk
to fakeredis, which answers as a Redis server does.
"""

from __future__ import annotations

import contextlib
import datetime
import decimal
import uuid
from typing import Any

import celery
import fakeredis
import kombu
import pytest
from celery.contrib.testing.worker import start_worker
from kombu import serialization
from kombu.utils import json as kombu_json

import snooze
from helpers.framework_cases import BODIES, MOMENT, PLAIN, RICH, User, outcome
from snooze import json as snooze_json
from snooze.ext.kombu import JSONEncoder, dumps, loads, register

CASES = {
    **PLAIN,
    **RICH,
    "marked": {"__type__": "decimal", "__value__": "1.10"},
    "of an unknown type": {"__type__": "mystery", "__value__": 1},
    "with a third member": {"__type__": "decimal", "__value__": "1", "x": 1},
}


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """Undo what a test registers."""
    registry = serialization.registry
    for name in ("_encoders", "_decoders", "name_to_type", "type_to_name"):
        monkeypatch.setattr(registry, name, dict(getattr(registry, name)))


@pytest.mark.parametrize("name", CASES)
def test_same_texts_and_values(name: str) -> None:
    """As kombu's serializer, both ways: dates, Decimals and UUIDs survive."""
    expected = outcome(kombu_json.dumps, CASES[name])
    assert outcome(dumps, CASES[name]) == expected
    if expected[0] == "value":
        text = dumps(CASES[name])
        for form in (text, text.encode(), bytearray(text.encode())):
            assert outcome(loads, form) == outcome(kombu_json.loads, form)


def test_compiled_code_is_tried_first() -> None:
    """Nothing of kombu's comes before the methods of snooze.json."""
    assert JSONEncoder.encode is snooze_json.JSONEncoder.encode
    assert JSONEncoder.default is kombu_json.JSONEncoder.default


def test_rich_values_survive() -> None:
    value = [
        MOMENT,
        datetime.date(2026, 1, 2),
        decimal.Decimal("1.10"),
        uuid.UUID(int=7),
    ]
    assert loads(dumps(value)) == value
    assert loads(memoryview(dumps(value).encode())) == value


@pytest.mark.parametrize("name", BODIES)
def test_same_values_and_errors(name: str) -> None:
    ours, stock = (outcome(one, BODIES[name]) for one in (loads, kombu_json.loads))
    assert ours == stock


def test_marks_behind_escapes() -> None:
    """A mark is found however its letters are written."""
    marked = '{"__type__": "decimal", "__value__": "1.10"}'
    for letter in "_type":
        for escape in (f"\\u{ord(letter):04x}", f"\\u{ord(letter):04X}"):
            text = marked.replace(letter, escape, 1)
            assert loads(text) == kombu_json.loads(text) == decimal.Decimal("1.10")


def test_objects_with_their_own_form() -> None:
    class Money:
        def __json__(self):
            return {"amount": 1}

    assert dumps([Money()]) == '[{"amount": 1}]'


@pytest.mark.parametrize("name", ["snooze", "json"])
def test_messages_between_both(name: str) -> None:
    """A consumer that knows only `json` reads the messages, and the other way."""
    register(name)
    value = {"at": MOMENT, "n": [1, None, 2**70]}
    with kombu.Connection("memory://") as connection:
        queue = connection.SimpleQueue(f"q-{name}")
        for serializer in (name, "json"):
            queue.put(value, serializer=serializer)
            message = queue.get(timeout=5)
            assert message.content_type == "application/json"
            assert message.payload == value
            assert kombu_json.loads(message.body) == value
            message.ack()
        queue.close()


def test_celery_tasks() -> None:
    """A worker runs a task whose arguments and result pass through snooze."""
    register()
    app = celery.Celery(broker="memory://", backend="cache+memory://")
    app.conf.update(
        task_serializer="snooze",
        result_serializer="snooze",
        accept_content=["snooze", "json"],
    )

    @app.task
    def later(at, days):
        return {"at": at + datetime.timedelta(days=days)}

    with start_worker(app, perform_ping_check=False):
        result = later.delay(MOMENT, 2).get(timeout=20)
    assert result == {"at": MOMENT + datetime.timedelta(days=2)}


def test_redis_values() -> None:
    """Bytes in, bytes out."""
    client = fakeredis.FakeRedis()
    users = [User(1, "ann"), User(2, "jo", datetime.date(2026, 1, 2))]
    client.set("users", snooze.dumps(users))
    assert snooze.decode(client.get("users"), list[User]) == users
    client.publish("news", snooze.dumps({"at": MOMENT}))
    with pytest.raises(snooze.JSONDecodeError):
        snooze.loads(client.get("missing"))


class Serializer:
    """What Django's RedisCache takes as its OPTIONS' serializer."""

    def dumps(self, obj: Any) -> bytes | int:
        return obj if type(obj) is int else snooze_json.dumps(obj).encode()

    def loads(self, data: bytes) -> Any:
        return snooze_json.loads(data)


def test_django_cache(monkeypatch) -> None:
    """Values, integers that Redis counts, and what has no JSON form."""
    from django.conf import settings
    from django.core.cache.backends.redis import RedisCache

    with contextlib.suppress(RuntimeError):
        settings.configure(CACHES={})
    server = fakeredis.FakeServer()
    options = {"serializer": Serializer()}
    cache = RedisCache("redis://fake", {"OPTIONS": options})
    monkeypatch.setattr(
        type(cache._cache),
        "get_client",
        lambda *_, **__: fakeredis.FakeRedis(server=server),
    )
    for name, value in PLAIN.items():
        cache.set("key", value)
        assert cache.get("key") == snooze_json.loads(snooze_json.dumps(value)), name
    cache.set("count", 1)
    assert cache.incr("count", 4) == 5
    assert cache.get("count") == 5
    assert cache.get("nothing", "default") == "default"
    with pytest.raises(TypeError, match="Object of type set"):
        cache.set("key", {1})
