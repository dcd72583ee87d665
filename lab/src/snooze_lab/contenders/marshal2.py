"""marshal version 2: every string is written out, as in Python 2.7.

Separate because the trees of the versions differ in memory: 2 and 4 together show how
much the reuse of keys saves (study s003). Invariant: called by the module's functions.
Used through the registry of contenders.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def _bind(module: Any) -> Calls:
    write = module.dumps

    def dumps(value: Any) -> Any:
        return write(value, 2)

    return Calls(loads=module.loads, dumps=dumps, writer=plain_only(dumps))


LIBRARY = Library(
    name="marshal2",
    module="marshal",
    distribution="",
    bind=_bind,
    call_path=(
        "marshal.dumps(value, 2) and marshal.loads(data). For data that one trusts and "
        "reads with the same Python only. Version 2 has no references: each occurrence "
        "of a key becomes a separate string object, so its tree is the one without "
        "reuse of keys."
    ),
    format="marshal",
)
