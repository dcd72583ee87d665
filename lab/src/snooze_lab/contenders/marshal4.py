"""marshal version 4: repeated strings are references.

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
        return write(value, 4)

    return Calls(loads=module.loads, dumps=dumps, writer=plain_only(dumps))


LIBRARY = Library(
    name="marshal4",
    module="marshal",
    distribution="",
    bind=_bind,
    call_path=(
        "marshal.dumps(value, 4) and marshal.loads(data). For data that one trusts and "
        "reads with the same Python only. Version 4 refers to objects that occur "
        "again: a key becomes one string object, so its tree is the one with reuse of "
        "keys."
    ),
    format="marshal",
)
