"""pickle with protocol 2: the one available to the seeds of 2011.

Separate because a protocol is a separate format with different sizes. Invariant: the
C implementation of the standard library, called by its module functions. Used through
the registry of contenders.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def _bind(module: Any) -> Calls:
    dumps = partial(module.dumps, protocol=2)
    return Calls(loads=module.loads, dumps=dumps, writer=plain_only(dumps))


LIBRARY = Library(
    name="pickle2",
    module="pickle",
    distribution="",
    bind=_bind,
    call_path=(
        "pickle.dumps(value, protocol=2) and pickle.loads(data) on plain values. "
        "Protocol 2, binary since Python 2.3. Equal strings that are the same object "
        "in the value are written once: values read by today's JSON readers, which "
        "reuse keys, make far smaller pickles than in 2011."
    ),
    format="pickle",
)
