"""SQLAlchemy on real SQLite and PostgreSQL: JSON columns and typed columns."""

from __future__ import annotations

import dataclasses
import datetime
import json
import pickle
from decimal import Decimal
from typing import Annotated, Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

import snooze
from helpers.framework_cases import MOMENT, PLAIN, User, outcome
from snooze import json as snooze_json
from snooze.ext.sqlalchemy import TypedJSON

ADDRESSES = {
    "sqlite": "sqlite://",
    "psycopg": "postgresql+psycopg://snooze@/postgres?host={}",
}


@pytest.fixture(params=ADDRESSES)
def address(request) -> str:
    """Return the address of a database."""
    text = ADDRESSES[request.param]
    if "{}" not in text:
        return text
    return text.format(request.getfixturevalue("postgresql_host"))


@pytest.fixture
def connected(address: str):
    """Return a function that connects with arguments of create_engine."""
    engines = []

    def connect(**arguments: Any) -> sa.Connection:
        engine = sa.create_engine(address, **arguments)
        engines.append(engine)
        return connections.enter_context(engine.connect())

    from contextlib import ExitStack

    with ExitStack() as connections:
        yield connect
    for engine in engines:
        engine.dispose()


def temporary(*columns: sa.Column) -> sa.Table:
    """Return a table that ends with its connection."""
    key = sa.Column("id", sa.Integer, primary_key=True)
    return sa.Table("thing", sa.MetaData(), key, *columns, prefixes=["TEMPORARY"])


PLAIN_TABLE = temporary(sa.Column("data", sa.JSON))
RECIPES: dict[str, dict[str, Any]] = {
    "same as json": {
        "json_serializer": snooze_json.dumps,
        "json_deserializer": snooze_json.loads,
    },
    "more types": {
        "json_serializer": snooze.Encoder(nan="error").encode_str,
        "json_deserializer": snooze.Decoder().decode,
    },
    "lambda": {
        "json_serializer": lambda obj: snooze.dumps(obj).decode(),
        "json_deserializer": snooze.loads,
    },
}


def stored(connection: sa.Connection, value: object) -> tuple[Any, Any, Any]:
    """Store a value; return it as it is read, its SQL type and its text."""
    PLAIN_TABLE.create(connection, checkfirst=True)
    connection.execute(sa.insert(PLAIN_TABLE), {"data": value})
    column = PLAIN_TABLE.c.data
    order = sa.desc(PLAIN_TABLE.c.id)
    kind = "typeof" if connection.dialect.name == "sqlite" else "pg_typeof"
    raw = sa.select(
        sa.type_coerce(column, sa.JSON),
        sa.cast(getattr(sa.func, kind)(column), sa.String),
        sa.cast(column, sa.String) if kind == "typeof" else sa.cast(column, sa.Text),
    )
    return tuple(connection.execute(raw.order_by(order).limit(1)).one())


@pytest.mark.parametrize("name", PLAIN)
def test_same_rows(name: str, connected) -> None:
    """With snooze.json the stored text and the value that is read are the same."""
    ours = stored(connected(**RECIPES["same as json"]), PLAIN[name])
    stock = stored(connected(), PLAIN[name])
    assert ours == stock
    assert ours[1] in {"text", "json"}  # text of SQLite's, not a BLOB


def test_more_types(connected) -> None:
    """An Encoder writes dates and dataclasses, and integers of any size are exact."""
    value = {1: [MOMENT, User(1, "ann"), Decimal("1.10"), 2**70]}
    read, kind, _ = stored(connected(**RECIPES["more types"]), value)
    assert kind in {"text", "json"}
    assert read == snooze.to_builtins(value, str_keys=True)
    assert outcome(stored, connected(), value)[0] != "value"


def test_a_lambda(connected) -> None:
    value = {"at": MOMENT, "a": [1, None]}
    read, kind, text = stored(connected(**RECIPES["lambda"]), value)
    assert (read["a"], kind in {"text", "json"}) == ([1, None], True)
    assert text == snooze.dumps(value).decode()


def test_bytes_become_blobs_in_sqlite() -> None:
    """The reason for the recipes: the bytes of `dumps` are no text there."""
    engine = sa.create_engine("sqlite://", json_serializer=snooze.dumps)
    with engine.connect() as connection:
        assert stored(connection, [1])[1] == "blob"
    engine.dispose()


@dataclasses.dataclass
class Settings:
    """The type of a column."""

    theme: str = "light"
    since: datetime.date | None = None
    limits: dict[str, Decimal] = dataclasses.field(default_factory=dict)
    big: int = 2**70


VALUE = Settings("dark", datetime.date(2026, 11, 23), {"a": Decimal("1.10")})


@pytest.fixture(params=[None, JSONB], ids=["json", "jsonb"])
def typed_table(request, address: str) -> sa.Table:
    """Return a table with a typed column, of either type of PostgreSQL."""
    if request.param is not None and address.startswith("sqlite"):
        pytest.skip("JSONB is of PostgreSQL")
    impl = None if request.param is None else request.param()
    return temporary(sa.Column("data", TypedJSON(Settings, impl=impl)))


def test_typed_columns(typed_table: sa.Table, connected) -> None:
    """Instances in, instances out; NULL; comparisons and paths."""
    connection = connected()
    typed_table.create(connection)
    rows = [{"data": VALUE}, {"data": None}, {"data": Settings()}]
    connection.execute(sa.insert(typed_table), rows)
    column = typed_table.c.data
    read = connection.scalars(sa.select(column).order_by(typed_table.c.id)).all()
    assert read == [VALUE, None, Settings()]

    def count(condition: Any) -> int:
        query = sa.select(sa.func.count()).select_from(typed_table).where(condition)
        return connection.scalar(query)

    assert count(column.is_(None)) == 1
    assert count(column["theme"].as_string() == "dark") == 1
    assert count(column["limits"]["a"].as_string() == "1.10") == 1
    if str(typed_table.c.data.type.impl).startswith("JSONB"):
        assert count(column == VALUE) == 1
        assert count(column != VALUE) == 1


def test_null_of_json_and_of_the_database() -> None:
    """Neither is a value of the type: both pass, as in a plain JSON column."""
    engine = sa.create_engine("sqlite://")
    table = sa.Table(
        "nulls",
        sa.MetaData(),
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("any", TypedJSON(Any)),
        sa.Column("number", TypedJSON(int)),
    )
    with engine.begin() as connection:
        table.create(connection)
        rows = [
            {"any": sa.JSON.NULL, "number": sa.JSON.NULL},
            {"any": None, "number": 1},
        ]
        connection.execute(sa.insert(table), rows)
        connection.execute(sa.insert(table).values(any=sa.null(), number=2))
        stored = sa.text("SELECT any, number FROM nulls ORDER BY id")
        assert connection.execute(stored).all() == [
            ("null", "null"),
            (None, 1),  # a column of SQLite's type JSON keeps numbers
            (None, 2),
        ]
        read = sa.select(table.c.any, table.c.number).order_by(table.c.id)
        assert connection.execute(read).all() == [(None, None), (None, 1), (None, 2)]


def test_parts_are_plain_json(typed_table: sa.Table, connected) -> None:
    """They are read and compared as those of a plain JSON column."""
    connection = connected()
    typed_table.create(connection)
    rows = [{"data": VALUE}, {"data": None}, {"data": Settings()}]
    connection.execute(sa.insert(typed_table), rows)
    typed = typed_table.c.data
    plain = sa.type_coerce(typed, type(typed.type.impl_instance)())
    for column in (typed, plain):
        parts = sa.select(
            column["theme"],
            column["limits"].as_json(),
            column["limits"]["a"],
            column[("limits", "a")].as_string(),
        )
        found = connection.execute(parts.order_by(typed_table.c.id)).all()
        assert found[0] == ("dark", {"a": "1.10"}, "1.10", "1.10")
        assert found[2][:2] == ("light", {})
    statements = [
        str(
            sa.select(typed_table.c.id)
            .where(column["big"] == 2, column["limits"]["a"] != "x")
            .compile(connection)
        )
        for column in (typed, plain)
    ]
    assert statements[0] == statements[1]
    aliased = typed_table.alias().c.data
    assert not isinstance(aliased["theme"].type, TypedJSON)
    assert isinstance(aliased.type, TypedJSON)


def test_instances_are_compared(typed_table: sa.Table, connected) -> None:
    """Whole documents, by every operator that JSON columns have for them."""
    connection = connected()
    typed_table.create(connection)
    rows = [{"data": VALUE}, {"data": None}, {"data": Settings()}]
    connection.execute(sa.insert(typed_table), rows)
    column = typed_table.c.data
    conditions = {
        column == VALUE: [1],
        column.in_([VALUE, Settings("x")]): [1],
        column.in_([]): [],
        column.not_in([VALUE]): [3],
        column.is_distinct_from(VALUE): [2, 3],
        column.is_not_distinct_from(VALUE): [1],
        column.is_not_distinct_from(None): [2],
    }
    is_json = connection.dialect.name == "postgresql" and not isinstance(
        column.type.impl_instance, JSONB
    )
    if is_json:
        pytest.skip("PostgreSQL compares jsonb only")
    for condition, wanted in conditions.items():
        query = sa.select(typed_table.c.id).where(condition).order_by(typed_table.c.id)
        assert connection.scalars(query).all() == wanted, condition
    with pytest.raises(sa.exc.StatementError, match="expected"):
        connection.execute(sa.select(column).where(column.in_([5])))


@pytest.mark.parametrize("value", ["text", Settings(theme=1), {"theme": "dark"}])
def test_values_of_another_type_are_refused(value: Any, connected) -> None:
    table = temporary(sa.Column("data", TypedJSON(Settings)))
    connection = connected()
    table.create(connection)
    with pytest.raises(sa.exc.StatementError, match="expected") as caught:
        connection.execute(sa.insert(table), {"data": value})
    assert isinstance(caught.value.orig, TypeError)


def test_nan_is_refused(connected) -> None:
    table = temporary(sa.Column("data", TypedJSON(dict[str, float])))
    connection = connected()
    table.create(connection)
    with pytest.raises(sa.exc.StatementError, match="found NaN at"):
        connection.execute(sa.insert(table), {"data": {"a": float("nan")}})


def test_documents_of_another_form_are_refused(connected) -> None:
    """A row that another program wrote."""
    connection = connected()
    PLAIN_TABLE.create(connection)
    connection.execute(sa.insert(PLAIN_TABLE), {"data": {"theme": 1}})
    column = sa.type_coerce(PLAIN_TABLE.c.data, TypedJSON(Settings))
    with pytest.raises(snooze.ValidationError, match=r"expected str, found int at \$"):
        connection.execute(sa.select(column)).all()


class Base(DeclarativeBase):
    """The base of the models."""


class Account(Base):
    """A model with a typed column."""

    __tablename__ = "account"
    id: Mapped[int] = mapped_column(primary_key=True)
    settings: Mapped[Settings] = mapped_column(TypedJSON(Settings))
    tags: Mapped[list[str]] = mapped_column(TypedJSON(list[str]), default=list)


def test_models(address: str) -> None:
    """A new object is noticed; statements with the type are cached and pickled."""
    engine = sa.create_engine(address)
    Base.metadata.create_all(engine)
    try:
        with Session(engine) as session:
            session.add(Account(settings=VALUE))
            session.commit()
            account = session.scalars(sa.select(Account)).one()
            assert (account.settings, account.tags) == (VALUE, [])
            theme = sa.select(Account.settings["theme"])
            assert session.scalars(theme).one() == "dark"
            account.settings = dataclasses.replace(VALUE, theme="light")
            session.commit()
            session.expire_all()
            assert session.get(Account, account.id).settings.theme == "light"
    finally:
        Base.metadata.drop_all(engine)
        engine.dispose()
    one, other = TypedJSON(Settings), TypedJSON(Settings)
    assert one._static_cache_key == other._static_cache_key
    assert one._static_cache_key != TypedJSON(list[Settings])._static_cache_key
    again = pickle.loads(pickle.dumps(Account.settings.type))
    assert again.process_bind_param(Settings("x"), None)["theme"] == "x"


def test_the_text_in_the_database_is_json(connected) -> None:
    table = temporary(sa.Column("data", TypedJSON(Settings)))
    connection = connected()
    table.create(connection)
    connection.execute(sa.insert(table), {"data": VALUE})
    text = connection.scalar(sa.select(sa.cast(table.c.data, sa.Text)))
    assert json.loads(text) == snooze.to_builtins(VALUE)


def test_the_repr_is_a_call_that_makes_the_type_again() -> None:
    """Alembic writes it into migrations."""
    for column, text in (
        (TypedJSON(Settings), "TypedJSON(Settings)"),
        (TypedJSON(list[int]), "TypedJSON(list[int])"),
        (
            TypedJSON(Settings, impl=JSONB()),
            "TypedJSON(Settings, impl=JSONB(none_as_null=True, astext_type=Text()))",
        ),
        (
            TypedJSON(Settings, impl=sa.JSON().with_variant(JSONB(), "postgresql")),
            "TypedJSON(Settings, impl=JSON(none_as_null=True)"
            ".with_variant(JSONB(astext_type=Text()), 'postgresql'))",
        ),
    ):
        assert repr(column) == text
        names = {"TypedJSON": TypedJSON, "Settings": Settings, "JSONB": JSONB}
        made = eval(text, {**names, "Text": sa.Text, "JSON": sa.JSON})
        assert repr(made) == text


def test_rows_with_values_without_a_hash_are_unique() -> None:
    """As those of `JSON`: rows with entities are told apart by identity."""
    engine = sa.create_engine("sqlite://")
    Account.metadata.create_all(engine)
    with Session(engine) as session:
        session.add(Account(settings=VALUE))
        session.commit()
        [(one, settings)] = session.query(Account, Account.settings).all()
        assert one.settings == settings == VALUE


def test_the_type_of_the_column_may_be_a_class() -> None:
    """As SQLAlchemy takes it."""
    assert isinstance(TypedJSON(Settings, impl=JSONB).impl, JSONB)


def test_none_is_null_in_variants(connected) -> None:
    """Also if another type stands for JSON in the database, in statements and rows."""
    plain = sa.JSON().with_variant(JSONB(), "postgresql")
    plain = plain.with_variant(sqlite.JSON(), "sqlite")
    table = temporary(sa.Column("data", TypedJSON(Settings, impl=plain)))
    connection = connected()
    table.create(connection)
    connection.execute(sa.insert(table), [{"data": None}, {"data": VALUE}])
    column = table.c.data
    kind = sa.select(table.c.id).where(column.is_(None))
    assert connection.scalars(kind).all() == [1]
    equal = sa.select(column).where(column == VALUE)
    assert connection.scalars(equal).all() == [VALUE]
    if connection.dialect.name == "postgresql":
        name = sa.cast(sa.func.pg_typeof(column), sa.Text)
        assert set(connection.scalars(sa.select(name))) == {"jsonb"}
    # The given type is not changed.
    assert not plain.none_as_null
    assert not plain.dialect_impl(connection.dialect).none_as_null


@pytest.mark.parametrize("impl", [sa.String(), sa.String, "JSON", 5, TypedJSON(int)])
def test_other_types_of_columns_are_refused(impl: Any) -> None:
    with pytest.raises(TypeError, match="^impl: expected a JSON type of SQLAlchemy, f"):
        TypedJSON(Settings, impl=impl)


def test_a_target_without_a_hash_is_refused() -> None:
    """SQLAlchemy could not execute a statement with it."""
    with pytest.raises(TypeError, match="^target: expected a type with a hash: unhash"):
        TypedJSON(Annotated[dict[str, int], ["a note"]])
