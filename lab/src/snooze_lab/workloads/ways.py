"""The structures of study s004 as a workload whose contenders are ways of use.

Separate from structs.py, which knows the ways but neither workloads nor jobs. Here the
contenders are named for ways (`snooze slots`, `msgspec Struct`), so this workload lists
those that can take part. Invariant: the library of a way is imported only when the way
is entered. Used through `workloads.find("structs?of=twitter")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from snooze_lab.contenders.base import Calls, Contender, Need, UnsupportedError
from snooze_lab.workloads import structs
from snooze_lab.workloads.base import Workload, WorkloadError

if TYPE_CHECKING:
    from snooze_lab.contenders.base import Call
    from snooze_lab.model import Factors
    from snooze_lab.operations import Job


def _refused(_value: Any) -> NoReturn:
    raise UnsupportedError("a way of using a library has the calls of its job only")


def _no_writer(_need: Need) -> Call:
    _refused(None)


class Structures(Workload):
    """One structure: `encode` writes its instances, `decode` reads them."""

    def __init__(self, of: str) -> None:
        """Keep the structure's name; WorkloadError if it is unknown."""
        if of not in structs.STRUCTURES:
            known = ", ".join(structs.STRUCTURES)
            raise WorkloadError(f"structs of {of!r}; there are: {known}")
        super().__init__("structs", lambda: [structs.projected(of)])
        self.of = of

    def enter(
        self, operation: str, names: list[str]
    ) -> tuple[list[Contender], dict[str, str]]:
        """Return the ways that can take part, and the reasons of the others."""
        known = structs.ways(self.of, operation)
        ready: list[Contender] = []
        absent: dict[str, str] = {}
        for name in names:
            if name not in known:
                absent[name] = f"no such way to {operation}"
            elif known[name].absent:
                absent[name] = known[name].absent
            else:
                calls = Calls(_refused, _refused, _no_writer)
                version = known[name].version or "standard library"
                ready.append(Contender(name, version, None, calls))
        return ready, absent

    def job(self, operation: str, contender: Contender, factors: Factors) -> Job:
        """Return the job of a way."""
        # The one import upward: operations.py imports workloads, these need its Job.
        from snooze_lab.operations import Job  # noqa: PLC0415

        if factors.buffer != "fresh" or factors.input != "bytes":
            raise UnsupportedError("ways take bytes, and write to fresh output")
        opened = structs.ways(self.of, operation)[contender.name].open()
        return Job(
            call=opened.call,
            argument=opened.argument,
            fault=opened.check,
            digest=opened.digest,
            size=lambda _result: opened.size,
        )


def structures(of: str = "twitter") -> Structures:
    """Return a structure of the seed: `twitter` or `citm`."""
    return Structures(of)


WORKLOADS = {"structs": structures}
