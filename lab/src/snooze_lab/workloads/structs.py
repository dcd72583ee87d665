"""Structures as workloads, whose contenders are ways of use: s004, `byob --typed`.

Separate from ways.py, which knows neither documents nor jobs. `structs?of=twitter` has
the structures of the fourth seed, the same as in lab/native; `typed?path=mine.json`
that of the user's own document (inference.py). The library of a way is imported only
when the way is entered.
"""

from __future__ import annotations

import json
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from snooze_lab.contenders.base import Calls, Contender, Need, UnsupportedError
from snooze_lab.workloads import documents, generated, inference, shapes, ways
from snooze_lab.workloads.base import Workload, WorkloadError, difference
from snooze_lab.workloads.ways import digest_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders.base import Call
    from snooze_lab.model import Factors
    from snooze_lab.operations import Job

__all__ = ["STRUCTURES", "Structures", "difference", "digest_of", "projected"]


def _some(whole: shapes.Record, names: str, **more: Any) -> shapes.Record:
    """Return a class with some of the members of another, in this order."""
    known = whole.fields | more
    return shapes.Record(whole.name, {name: known[name] for name in names.split()})


USER = _some(
    shapes.USER,
    "id name screen_name location description verified followers_count friends_count "
    "statuses_count",
    verified=bool,
)
STATUS = _some(
    shapes.STATUS,
    "created_at id text user retweet_count favorite_count",
    user=USER,
)
TWITTER = shapes.Record("TwitterData", {"statuses": shapes.Many(STATUS)})
CITM = _some(shapes.CITM, "events performances")
#: The structures of the seed, and the workload that each is read from.
STRUCTURES = {"twitter": TWITTER, "citm": CITM}
DOCUMENTS = {"twitter": "twitter", "citm": "citm_catalog"}


def projected(structure: str, text: bytes | None = None) -> bytes:
    """Return the members of a structure as compact JSON, which both halves write.

    `text` is the whole document; by default that of the laboratory's workload. Without
    it, or with a look-alike that lacks these members, a document that has them is made.
    WorkloadError for an unknown structure.
    """
    if text is None:
        return _usual(structure)
    value = shapes.projected(_shape(structure), json.loads(text))
    return generated.compact(value)


@cache
def _usual(structure: str) -> bytes:
    # Not at the top: that package imports this module when it lists its workloads.
    from snooze_lab.workloads import find  # noqa: PLC0415

    shape = _shape(structure)
    try:
        return projected(structure, find(DOCUMENTS[structure]).texts[0])
    except (ValueError, KeyError, TypeError, OSError):
        dice = generated.Dice(320)
        value = shapes.look_alike(shape, dice)
        if structure == "twitter":
            value["statuses"] = [shapes.look_alike(STATUS, dice) for _ in range(100)]
        return generated.compact(value)


def _shape(structure: str) -> shapes.Record:
    if structure not in STRUCTURES:
        known = ", ".join(STRUCTURES)
        raise WorkloadError(f"structs of '{structure}'; there are: {known}")
    return STRUCTURES[structure]


def _refused(_value: Any) -> NoReturn:
    raise UnsupportedError("a way of using a library has the calls of its job only")


def _no_writer(_need: Need) -> Call:
    _refused(None)


class Structures(Workload):
    """A document and its structure: `encode` writes its instances, `decode` reads them.

    `shape` is the structure; None infers it from the document. `baselines` are the ways
    that are entered twice, by operation.
    """

    def __init__(
        self,
        text: Callable[[], bytes],
        shape: shapes.Record | None,
        baselines: dict[str, str],
    ) -> None:
        """Keep the arguments; the document is read when it is first used."""
        super().__init__("structs", lambda: [text()])
        self._shape = shape
        self._baselines = baselines

    @cached_property
    def subject(self) -> ways.Subject:
        """The structure with its document."""
        text = self.texts[0]
        shape = self._shape or inference.shape_of(json.loads(text))
        return ways.Subject(shape, text)

    def enter(
        self, operation: str, names: list[str]
    ) -> tuple[list[Contender], dict[str, str]]:
        """Return the ways that can take part, and the reasons of the others."""
        known = ways.uses(operation, self._baselines)
        ready: list[Contender] = []
        absent: dict[str, str] = {}
        for name in names:
            use = known.get(name)
            reason = self.subject.absent(use) if use else f"no such way to {operation}"
            if reason or use is None:
                absent[name] = reason
                continue
            calls = Calls(_refused, _refused, _no_writer)
            ready.append(Contender(name, ways.version(use.library), None, calls))
        return ready, absent

    def job(self, operation: str, contender: Contender, factors: Factors) -> Job:
        """Return the job of a way."""
        if factors.buffer != "fresh" or factors.input != "bytes":
            raise UnsupportedError("ways take bytes, and write to fresh output")
        known = ways.uses(operation, self._baselines)
        return self.subject.job(operation, known[contender.name])


def structures(of: str = "twitter") -> Structures:
    """Return a structure of the seed: `twitter` or `citm`."""
    return Structures(lambda: projected(of), _shape(of), ways.BASELINES)


def typed(path: str) -> Structures:
    """Return the user's document with the structure that is found in it."""
    document = documents.file(path)
    if len(document.texts) != 1:
        raise WorkloadError(f"typed?path={path}: expected the path of one file")
    return Structures(lambda: document.texts[0], None, ways.UNTYPED)


WORKLOADS = {"structs": structures, "typed": typed}
