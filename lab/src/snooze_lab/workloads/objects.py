"""A workload of Python objects that no JSON text holds, and the check of its output.

Separate from kinds.py, which lists the objects. The reference defines the right result:
its text, or the value of its text where the order of members or the spelling of
instants may differ. It is imported only when something is judged; each contender gets
equal objects.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any

from snooze_lab.contenders.base import Need, UnsupportedError
from snooze_lab.model import REFERENCE
from snooze_lab.workloads.base import Workload, WorkloadError, same

if TYPE_CHECKING:
    from collections.abc import Callable

    from snooze_lab.contenders.base import Call, Contender
    from snooze_lab.model import Factors
    from snooze_lab.operations import Job

#: The operations on objects: all of them write, with the options they name.
OPERATIONS = ("dumps", "dataclass", "numpy", "nonstr", "nonstr-sort", "sort", "indent")


class Objects(Workload):
    """Objects to be written, and the expected text.

    `build` makes the value out of the contender's module, which may have its own class
    for it. `need` holds the options of `dumps`. `layout` requires exactly the bytes of
    the reference (order, white space).
    """

    def __init__(
        self,
        name: str,
        build: Callable[[Any], Any],
        need: Need,
        note: str = "",
        *,
        layout: bool = False,
    ) -> None:
        """Keep the arguments; nothing is built yet."""
        super().__init__(name, lambda: [self._wanted()], note)
        self.build = build
        self.need = need
        self.layout = layout

    def _wanted(self) -> bytes:
        reference = importlib.import_module(REFERENCE)
        need = self.need
        option = (
            need.sort_keys * reference.OPT_SORT_KEYS
            | need.indent * reference.OPT_INDENT_2
            | need.non_str_keys * reference.OPT_NON_STR_KEYS
            | need.numpy * reference.OPT_SERIALIZE_NUMPY
        )
        value = self.build(reference)
        text: bytes = reference.dumps(value, default=need.default, option=option)
        return text

    @cached_property
    def _meaning(self) -> Any:
        return _normal(json.loads(self.texts[0]))

    def fault(self, result: Any) -> str:
        """Return what is wrong with a written text, or an empty string."""
        if type(result) is not bytes:
            return f"wrote {type(result).__name__}, not bytes"
        if result == self.texts[0]:
            return ""
        if self.layout:
            return "another layout or order than orjson's"
        try:
            found = _normal(json.loads(result))
        except ValueError as reason:
            return f"what it wrote cannot be read: {reason}"[:200]
        return (
            "" if same(found, self._meaning) else "means something else than orjson's"
        )

    def asked(self, operation: str) -> Objects:
        """Return the objects with the options of an operation added to their own.

        ValueError for an operation that objects do not have.
        """
        if operation not in OPERATIONS:
            raise ValueError(
                f"workload {self.name}: no operation {operation!r} on Python objects; "
                f"there are: {', '.join(OPERATIONS)}"
            )
        sort, indent = operation in {"sort", "nonstr-sort"}, operation == "indent"
        need = dataclasses.replace(
            self.need,
            sort_keys=self.need.sort_keys or sort,
            indent=self.need.indent or indent,
            non_str_keys=self.need.non_str_keys or operation.startswith("nonstr"),
            numpy=self.need.numpy or operation == "numpy",
        )
        layout = self.layout or sort or indent
        if need == self.need and layout == self.layout:
            return self
        return Objects(self.name, self.build, need, self.note, layout=layout)

    def job(self, operation: str, contender: Contender, factors: Factors) -> Job:
        """Return the job of a cell, as operations.job does for documents.

        UnsupportedError where the contender lacks a required option.
        """
        # The one import upward: operations.py imports workloads, these need its Job.
        from snooze_lab.operations import Job, digest  # noqa: PLC0415

        if contender.format != "json":
            raise UnsupportedError(f"{contender.format} is measured over plain values")
        if factors.buffer != "fresh":
            raise UnsupportedError("objects are written to fresh output only")
        asked = self.asked(operation)
        call: Call = contender.writer(asked.need)
        return Job(
            call=call,
            argument=lambda: asked.build(contender.module),
            fault=asked.fault,
            digest=lambda result: digest(_normal(json.loads(result))),
            size=len,
        )


def layout_of(document: Workload, operation: str) -> Objects:
    """Return a document to be written with `sort` or `indent`: the bytes are judged.

    WorkloadError for several documents.
    """
    if len(document.texts) != 1:
        raise WorkloadError(
            f"{document.name}: expected one document to {operation}, found "
            f"{len(document.texts)}"
        )

    def build(_: Any) -> Any:
        return json.loads(document.texts[0])

    return Objects(document.name, build, Need(), document.note).asked(operation)


def _normal(value: Any) -> Any:
    """Return a value with one spelling for equal instants and equal integer keys."""
    if isinstance(value, dict):
        return {key: _normal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_normal(one) for one in value]
    if isinstance(value, str) and len(value) > 19 and value.endswith("Z"):
        return value[:-1] + "+00:00"
    return value
