"""SQLAlchemy: a column type whose values are instances of your classes.

    from snooze.ext.sqlalchemy import TypedJSON

Plain JSON columns need no adapter: docs/frameworks.md has the arguments of
``create_engine``. Invariants: the database sees JSON of the dialect's own type; a
stored document that does not fit the type is an error, not a wrong object.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from snooze import Converter, Decoder, Encoder
from snooze._missing import unusable

try:
    from sqlalchemy import JSON, type_coerce
    from sqlalchemy.sql import operators
    from sqlalchemy.sql.elements import Null
    from sqlalchemy.types import TypeDecorator
except ImportError as error:
    raise unusable(__name__, "sqlalchemy", error) from error

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect
    from sqlalchemy.sql.operators import OperatorType
    from sqlalchemy.types import TypeEngine

__all__ = ("TypedJSON",)

T = TypeVar("T")

#: What compares whole documents.
_WHOLE = {
    operators.eq,
    operators.ne,
    operators.is_distinct_from,
    operators.is_not_distinct_from,
    operators.in_op,
    operators.not_in_op,
}


class TypedJSON(TypeDecorator[T], Generic[T]):
    """A JSON column of a dataclass or of any other type of a ``Decoder``.

    None is SQL's NULL. Statements compare whole documents with instances, by ``==``,
    ``!=``, ``in_``, ``not_in``, ``is_distinct_from`` and ``is_not_distinct_from``. A
    part, ``column["theme"]``, is plain JSON. On PostgreSQL the column is ``JSON``; pass
    ``impl=JSONB()`` for the other type, the only one whose documents PostgreSQL
    compares. SQLAlchemy notices a new object, not a changed attribute of the old one.

    Args:
        target: The type: ``TypedJSON(User)``, ``TypedJSON(list[User])``.
        impl: The JSON type of the dialect. Default: ``sqlalchemy.JSON``. For several
            dialects: ``JSON().with_variant(JSONB(), "postgresql")``.

    Raises:
        TypeError: The type is not supported or has no hash, or `impl` is no JSON type.
            When a statement is executed: a value is none of the type.
        ValidationError: When a row is read: the document does not fit the type.

    Examples:
        >>> from sqlalchemy import (
        ...     Column,
        ...     MetaData,
        ...     Table,
        ...     create_engine,
        ...     insert,
        ...     select,
        ... )
        >>> from snooze.ext.sqlalchemy import TypedJSON
        >>> table = Table(
        ...     "t", MetaData(), Column("sizes", TypedJSON(dict[str, set[int]]))
        ... )
        >>> engine = create_engine("sqlite://")
        >>> with engine.begin() as connection:
        ...     table.create(connection)
        ...     _ = connection.execute(insert(table), {"sizes": {"a": {1}}})
        ...     connection.scalar(select(table.c.sizes))
        {'a': {1}}
    """

    impl: TypeEngine[Any] | type[TypeEngine[Any]] = JSON
    cache_ok = True
    #: Values may be of any class, as those of `JSON`.
    hashable = False

    def __init__(self, target: Any, *, impl: JSON | type[JSON] | None = None) -> None:
        """Compile the type."""
        super().__init__()
        self.target = target
        own: Any = JSON() if impl is None else impl
        own = own() if isinstance(own, type) else own
        if not isinstance(own, JSON):
            raise TypeError(f"impl: expected a JSON type of SQLAlchemy, found {impl!r}")
        self.impl = _with_null(own)
        try:
            hash(target)  # a part of the keys of SQLAlchemy's cache of statements
        except TypeError as error:
            raise TypeError(f"target: expected a type with a hash: {error}") from None
        self._encoder: Encoder[Any] = Encoder(target, nan="error")
        self._converter: Converter[Any] = Converter(target)

    def __repr__(self) -> str:
        """Return the call, as Alembic writes it into a migration."""
        target = self.target
        is_class = isinstance(target, type) and not hasattr(target, "__origin__")
        name = target.__qualname__ if is_class else repr(target)
        variants = "".join(
            f".with_variant({kind!r}, {dialect!r})"
            for dialect, kind in self.impl_instance._variant_mapping.items()  # noqa: SLF001
        )
        is_default = type(self.impl) is JSON and not variants
        own = "" if is_default else f", impl={self.impl!r}{variants}"
        return f"TypedJSON({name}{own})"

    if not TYPE_CHECKING:  # a type checker sees an attribute that can be set

        @property
        def comparator_factory(self) -> Any:
            """What makes expressions of a column: those of the JSON type, and parts."""
            return _with_parts(self.impl_instance.comparator_factory)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the JSON type of a dialect; a variant has its own form of None."""
        own = self.impl_instance.dialect_impl(dialect)
        return _with_null(own) if isinstance(own, JSON) else own

    def process_bind_param(
        self,
        value: T | None,
        dialect: Dialect,  # noqa: ARG002 - as in TypeDecorator
    ) -> Any:
        """Return what the JSON type of the dialect writes."""
        # Not values of a document: JSON's null, and the database's.
        if value is None or value is JSON.NULL or isinstance(value, Null):
            return value
        return _plain.decode(self._encoder.encode(value))

    def process_result_value(
        self,
        value: Any,
        dialect: Dialect,  # noqa: ARG002 - as in TypeDecorator
    ) -> T | None:
        """Return the instance that a document describes."""
        return None if value is None else self._converter.convert(value)

    def coerce_compared_value(
        self, op: OperatorType | None, value: Any
    ) -> TypeEngine[Any]:
        """Compare whole documents as instances, and parts as plain JSON."""
        if op in _WHOLE:
            return self
        return self.impl_instance.coerce_compared_value(op, value)


def _with_null(own: JSON) -> JSON:
    """Return a copy of a JSON type whose None is SQL's NULL."""
    made = own.copy()
    made.none_as_null = True
    # The first releases of SQLAlchemy 2.0 do not copy them.
    made._variant_mapping = own._variant_mapping  # noqa: SLF001
    return made


@functools.cache
def _with_parts(base: Any) -> Any:
    """Return a class of comparators whose parts are plain JSON."""

    def part(self: Any, index: Any) -> Any:
        # SQLAlchemy would give the part the type of the whole document.
        return type_coerce(self.expr, self.type.impl_instance)[index]

    bases = (TypeDecorator.Comparator, base)
    return type("Comparator", bases, {"__slots__": (), "__getitem__": part})


#: Reads integers of any size, which `loads` would round.
_plain: Decoder[Any] = Decoder()
