"""python-cjson: the fast library of 2007, kept so that the seed's row is not lost.

Separate because each library has its own file. Invariant: it is never imported: its
last release (1.2.2) is C for Python 2 and does not compile for Python 3, so its row
says "not available" and why. Used through the registry of contenders.
"""

from __future__ import annotations

from typing import Any

from snooze_lab.contenders._shared import plain_only
from snooze_lab.contenders.base import Calls, Library


def _bind(module: Any) -> Calls:
    encode = module.encode

    def dumps(value: Any) -> Any:
        return encode(value).encode()

    return Calls(loads=module.decode, dumps=dumps, writer=plain_only(dumps))


LIBRARY = Library(
    name="cjson",
    module="cjson",
    distribution="python-cjson",
    bind=_bind,
    call_path="cjson.decode(text) and cjson.encode(value), if it were available.",
    unavailable=(
        "python-cjson 1.2.2, its last release, is written for Python 2 and does not "
        "compile for Python 3"
    ),
)
