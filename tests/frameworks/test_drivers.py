"""psycopg and asyncpg on a real PostgreSQL: json and jsonb, in and out."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import psycopg
import pytest
from psycopg.types.json import Json, Jsonb, set_json_dumps, set_json_loads

import snooze
from helpers.framework_cases import MOMENT, PLAIN, User
from snooze import json as snooze_json
from snooze.ext.asyncpg import set_json_codecs

RICH = {"user": User(1, "ann"), "at": MOMENT, "big": 2**70, "ids": {3}}
KINDS = {"json": Json, "jsonb": Jsonb}


@pytest.fixture
def connection(postgresql_host: str):
    """Return a connection of psycopg."""
    address = f"host={postgresql_host} user=snooze dbname=postgres"
    with psycopg.connect(address) as opened:
        yield opened


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_psycopg_reads_and_writes_the_same(
    kind: str, binary: bool, connection: psycopg.Connection
) -> None:
    """With snooze.json: for each document what psycopg's own functions give."""

    def read() -> list[Any]:
        cursor = connection.cursor(binary=binary)
        query = f"select %s::{kind}, (%s::{kind})::text"
        wrap = KINDS[kind]
        return [
            cursor.execute(query, [wrap(value), wrap(value)]).fetchone()
            for value in PLAIN.values()
        ]

    stock = read()
    set_json_dumps(snooze_json.dumps, connection)
    set_json_loads(snooze_json.loads, connection)
    assert read() == stock


@pytest.mark.parametrize("kind", KINDS)
def test_psycopg_takes_bytes(kind: str, connection: psycopg.Connection) -> None:
    """So `dumps`, `encode` and `decode` fit as they are."""
    set_json_dumps(snooze.encode, connection)
    set_json_loads(snooze.Decoder().decode, connection)
    query = f"select %s::{kind}"
    [value] = connection.execute(query, [KINDS[kind](RICH)]).fetchone()
    assert value == snooze.to_builtins(RICH, str_keys=True)
    set_json_dumps(snooze.dumps, connection)
    set_json_loads(snooze.loads, connection)
    [value] = connection.execute(query, [KINDS[kind]([MOMENT])]).fetchone()
    assert value == [MOMENT.isoformat()]


def test_psycopg_typed(connection: psycopg.Connection) -> None:
    """A Decoder as the function for one type of row."""
    set_json_loads(snooze.Decoder(list[User]).decode, connection)
    text = '[{"id": 1, "name": "ann"}]'
    [value] = connection.execute("select %s::jsonb", [text]).fetchone()
    assert value == [User(1, "ann")]
    with pytest.raises(snooze.ValidationError, match="expected array, found object"):
        connection.execute("select '{}'::json").fetchone()


def run(host: str, use: Any) -> Any:
    """Run a coroutine with a connection of asyncpg that has the codecs."""

    async def main() -> Any:
        pool = await asyncpg.create_pool(
            host=host,
            user="snooze",
            database="postgres",
            min_size=1,
            max_size=2,
            init=set_json_codecs,
        )
        async with pool, pool.acquire() as connection:
            return await use(connection)

    return asyncio.run(main())


@pytest.mark.parametrize("kind", KINDS)
def test_asyncpg(kind: str, postgresql_host: str) -> None:
    """Objects in, objects out, null apart from NULL; integers are exact."""

    async def use(connection: asyncpg.Connection) -> None:
        query = f"select $1::{kind}, ($1::{kind})::text"
        for name, value in {**PLAIN, "rich": RICH}.items():
            read, text = await connection.fetchrow(query, value)
            expected = snooze.to_builtins(value, str_keys=True)
            assert read == expected or value is None, name
            assert (text is None) == (value is None)
            if text is not None:
                assert snooze_json.loads(text) == expected
        assert await connection.fetchval(f"select 'null'::{kind}") is None
        assert await connection.fetchval(f"select array['1'::{kind}]") == [1]

    run(postgresql_host, use)


@pytest.mark.parametrize("value", [float("nan"), object()], ids=["nan", "object"])
def test_asyncpg_refuses(value: object, postgresql_host: str) -> None:
    """What has no JSON form is an error before anything is sent."""

    async def use(connection: asyncpg.Connection) -> None:
        with pytest.raises(asyncpg.DataError, match=r"at \$\.a"):
            await connection.fetchval("select $1::jsonb", {"a": value})
        assert await connection.fetchval("select $1::jsonb", [1]) == [1]

    run(postgresql_host, use)
