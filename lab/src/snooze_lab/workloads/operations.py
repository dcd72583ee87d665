"""The operations on a workload: the call to time, its argument, and its verification.

Separate so that neither instrument knows formats, documents or kinds of objects: both
get a `Job`. The timed call is the contender's own, wrapped only in a loop where a
workload has many documents, or in a read of every field where that is the operation;
building the argument and judging the result are never timed; digests are of plain
values, so equal for every library and format.
"""

from __future__ import annotations

import hashlib
import json
import marshal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze_lab import contenders
from snooze_lab.contenders.base import UnsupportedError
from snooze_lab.timing import heartbeat
from snooze_lab.timing.verified import Changed, Places
from snooze_lab.workloads.base import layout_of, same

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from snooze_lab.contenders.base import Call, Contender
    from snooze_lab.model import Factors
    from snooze_lab.workloads import Workload

#: The last version of marshal without references: sharing inside a value does not show.
PLAIN_MARSHAL = 2
#: Operations on documents; workloads of Python objects have others.
PLAIN = ("loads", "dumps", "touch", "sort", "indent", "phases", "copy")


def _undigested(_result: Any) -> str:
    """Digest nothing: for jobs of the race, where no two processes are compared."""
    raise NotImplementedError("a worker needs a job with a digest")


@dataclass(frozen=True)
class Job:
    """One call of one contender, ready to be timed.

    `argument` makes a new argument for the call. `fault` says what is wrong with a
    result; `size` is the number of bytes of JSON or of the contender's own format that
    one call reads or writes. `changed` makes changed documents, which show a cache of
    results; None, or a result of None, where there are none. `digest` is for workers:
    each process must have the result that was verified.
    """

    call: Call
    argument: Callable[[], Any]
    fault: Call
    size: Callable[[Any], int]
    changed: Callable[[], Changed | None] | None = None
    digest: Callable[[Any], str] = _undigested


def job(
    operation: str, workload: Workload, contender: Contender, factors: Factors
) -> Job:
    """Return the job of a cell.

    Raises UnsupportedError if the contender cannot do it, and ValueError for an
    operation that no workload has.
    """
    special = getattr(workload, "job", None)
    if special is not None:
        made: Job = special(operation, contender, factors)
        return made
    if operation in {"loads", "touch"}:
        return _reading(operation, workload, contender, factors)
    if operation == "phases":
        return _both(workload, contender)
    if operation in {"dumps", "copy"}:
        return _writing(workload, contender, factors)
    if operation in {"sort", "indent"}:
        return layout_of(workload, operation).job(operation, contender, factors)
    raise ValueError(
        f"workload {workload.name}: no operation {operation!r}; "
        f"there are: {', '.join(PLAIN)}"
    )


def enter(
    workload: Workload, operation: str, names: list[str]
) -> tuple[list[Contender], dict[str, str]]:
    """Return the contenders that can take part, and the reasons of the others.

    A workload whose contenders are ways of using a library answers for itself. Each is
    entered by itself, so that an import that crashes or hangs is attributed to it.
    """
    special = getattr(workload, "enter", None)
    ready: list[Contender] = []
    absent: dict[str, str] = {}
    for name in names:
        heartbeat.running(name)
        found, missing = (
            contenders.enter([name]) if special is None else special(operation, [name])
        )
        ready += found
        absent |= missing
    heartbeat.own()
    return ready, absent


def patience(workload: Workload, calls: int = 1) -> float:
    """Return the seconds that a contender has for a number of calls in a row."""
    if getattr(workload, "job", None) is not None:
        return heartbeat.OBJECTS_S * calls
    return heartbeat.CALL_S + heartbeat.BYTE_S * workload.size * calls


def encoded(
    texts: Sequence[bytes], values_of: Callable[[], Sequence[Any]], contender: Contender
) -> list[Any]:
    """Return documents as the contender reads them; not timed.

    Their values are requested only for another format: to parse them takes long.
    """
    calls = contender.calls
    if calls.source is not None:
        pairs = zip(texts, values_of(), strict=True)
        return [calls.source(text, value) for text, value in pairs]
    if contender.format == "json":
        return list(texts)
    return [calls.dumps(calls.prepare(value)) for value in values_of()]


def _reading(
    operation: str, workload: Workload, contender: Contender, factors: Factors
) -> Job:
    calls = contender.calls
    call = calls.loads
    if operation == "touch":
        call = _touching(call, calls.touch)
    as_text = factors.input == "str"
    if as_text and contender.format != "json":
        raise UnsupportedError(f"{contender.format} is read from bytes only")

    def given(
        texts: Sequence[bytes], values_of: Callable[[], Sequence[Any]]
    ) -> list[Any]:
        found = encoded(texts, values_of, contender)
        return [text.decode() for text in found] if as_text else found

    inputs = given(workload.texts, lambda: workload.values)
    size = sum(len(one.encode() if as_text else one) for one in inputs)
    many = len(inputs) != 1

    def plain(result: Any) -> list[Any]:
        return [calls.plain(one) for one in (result if many else [result])]

    def fault(result: Any) -> str:
        wanted = list(workload.values)
        return "" if equal(plain(result), wanted) else "differs from json's result"

    def changed() -> Changed | None:
        values = [json.loads(text) for text in workload.texts]
        places = Places(values)
        if not places:
            return None

        def renew() -> Any:
            places.change()
            texts = [json.dumps(one, separators=(",", ":")).encode() for one in values]
            found = given(texts, lambda: values)
            return found if many else found[0]

        return Changed(renew, lambda result: equal(plain(result), values))

    return Job(
        call=_each(call, many=many),
        argument=lambda: inputs if many else inputs[0],
        fault=fault,
        digest=lambda result: digest(plain(result)),
        size=lambda _result: size,
        changed=None if contender.format == "floor" else changed,
    )


def _both(workload: Workload, contender: Contender) -> Job:
    """Return the job of a document that is read and written again.

    The worker times its phases separately; this verifies them.
    """
    if contender.format != "json":
        raise UnsupportedError("phases begin with a file of JSON")
    loads, dumps = contender.loads, contender.dumps
    if len(workload.texts) != 1:
        raise UnsupportedError("phases are of one document")
    text = workload.texts[0]

    def both(given: Any) -> tuple[Any, Any]:
        tree = loads(given)
        return tree, dumps(tree)

    def plain(result: tuple[Any, Any]) -> list[Any]:
        return [result[0], json.loads(result[1])]

    def fault(result: tuple[Any, Any]) -> str:
        if not equal(result[0], workload.values[0]):
            return "differs from json's result"
        if type(result[1]) is not bytes:
            return f"what it wrote is {type(result[1]).__name__}, not bytes"
        try:
            found = json.loads(result[1])
        except ValueError as reason:
            return f"what it wrote cannot be read: {reason}"[:200]
        right = equal(found, workload.values[0])
        return "" if right else "what it wrote is not the value"

    return Job(
        call=both,
        argument=lambda: text,
        fault=fault,
        digest=lambda result: digest(plain(result)),
        size=lambda result: len(result[1]),
    )


def _touching(loads: Call, touch: Call | None) -> Call:
    """Return a read that also builds everything that is otherwise built on access."""
    if touch is None:
        return loads

    def touching(text: Any) -> Any:
        found = loads(text)
        touch(found)
        return found

    return touching


def _writing(  # noqa: C901 - all parts of a job in one place
    workload: Workload, contender: Contender, factors: Factors
) -> Job:
    calls = contender.calls
    many = len(workload.texts) != 1
    call = calls.dumps
    buffer = bytearray()
    reused = factors.buffer == "reused"
    if reused:
        call = _into(calls.into, buffer, many=many)

    def argument() -> Any:
        found = [calls.prepare(json.loads(text)) for text in workload.texts]
        return found if many else found[0]

    def outputs_of(result: Any) -> list[Any]:
        if reused:
            return [bytes(buffer[:result])]
        return list(result) if many else [result]

    def read(result: Any) -> list[Any]:
        outputs = outputs_of(result)
        if contender.format == "json":
            for text in outputs:
                if type(text) is not bytes:
                    raise TypeError(f"it is {type(text).__name__}, not bytes")
            return [json.loads(text) for text in outputs]
        return [calls.plain(calls.loads(text)) for text in outputs]

    def fault(result: Any) -> str:
        try:
            found = read(result)
        except Exception as reason:  # noqa: BLE001 - whatever reading it raises
            return f"what it wrote cannot be read: {reason}"[:200]
        wanted = list(workload.values)
        return "" if equal(found, wanted) else "what it wrote is not the value"

    def changed() -> Changed | None:
        values = [json.loads(text) for text in workload.texts]
        places = Places(values)
        # What the contender writes must be what is changed.
        kept = all(calls.prepare(one) is one for one in values)
        if not places or not kept:
            return None

        def renew() -> Any:
            places.change()
            return values if many else values[0]

        return Changed(renew, lambda result: equal(read(result), values))

    return Job(
        call=_each(call, many=many),
        argument=argument,
        fault=fault,
        digest=lambda result: digest(read(result)),
        size=lambda result: sum(map(len, outputs_of(result))),
        changed=None if contender.format == "floor" else changed,
    )


def _into(
    into: Callable[[Any, bytearray], int] | None, buffer: bytearray, *, many: bool
) -> Call:
    """Return a call that writes into a buffer and returns the length of the output."""
    if into is None:
        raise UnsupportedError("it cannot write into a buffer that is used again")
    if many:
        raise UnsupportedError("a buffer is used again for single documents only")
    write = into
    return lambda value: write(value, buffer)


def _each(call: Call, *, many: bool) -> Call:
    """Return a call over all documents; for one document the call itself."""
    if not many:
        return call

    def each(found: list[Any]) -> list[Any]:
        return [call(one) for one in found]

    return each


def equal(found: Any, wanted: Any) -> bool:
    """Tell whether plain values are equal, with equal types all the way down.

    As `same`, which also allows another order of members, but much faster if the order
    is the same, as usual.
    """
    try:
        if marshal.dumps(found, PLAIN_MARSHAL) == marshal.dumps(wanted, PLAIN_MARSHAL):
            return True
    except ValueError:  # not a plain value, or nested too deep
        pass
    return same(found, wanted)


def digest(value: Any) -> str:
    """Return SHA-256 of a plain value, including types and the order of members."""
    return hashlib.sha256(marshal.dumps(value, PLAIN_MARSHAL)).hexdigest()
