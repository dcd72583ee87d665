"""The nodes and records of a plan while it is made, and their indices.

Separate because the plans of decoders and of encoders are numbered alike. Invariants: a
node or record has one index, which it gets before what it leads to, so types may be
recursive; records are in the order of their indices. Used by `lower_decode` and
`lower_encode`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snooze._typed import model

AttemptT = TypeVar("AttemptT")


class PlanTables(Generic[AttemptT]):
    """The tables of one plan.

    Args:
        attempts: The function for each union with FirstMatch, in this plan and in those
            of its alternatives.
    """

    def __init__(self, attempts: dict[model.Node, AttemptT]) -> None:
        """Start with empty tables."""
        self.attempts = attempts
        self.nodes: list[Any] = []
        self.records: list[Any] = []
        #: Records in the order of their indices; the last ones may have no plan yet.
        self.pending: list[model.Record] = []
        self.node_index: dict[tuple[Any, ...], int] = {}
        self.record_index: dict[model.Record, int] = {}
        self._open_unions: list[model.Ordered] = []

    def record(self, record: model.Record) -> int:
        """Return the index of a record, which is added if it is new."""
        if record in self.record_index:
            return self.record_index[record]
        index = self.record_index[record] = len(self.pending)
        self.pending.append(record)
        return index

    @contextmanager
    def inside(self, union: model.Ordered, place: str) -> Iterator[None]:
        """Lower the alternatives of a union with FirstMatch in this context.

        Raises:
            TypeError: The union is one of its own alternatives.
        """
        if union in self._open_unions:
            raise TypeError(
                f"{place}: a union with FirstMatch contains itself directly"
            )
        self._open_unions.append(union)
        try:
            yield
        finally:
            self._open_unions.pop()
