"""orjson, 5 % slower, and orjson in the same wrapper, no slower: known differences.

Separate because a worker imports it as it imports a user's own contender. The wrapper
measures the processor's time of each call and then works for 5 % more. Invariant: it
adds the same share to every call, and about 3 us for its own readings. Used by
planted.py, as `slower:loads,dumps` and `slower:same,same_dumps`.
"""

from __future__ import annotations

from time import thread_time_ns
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable

PART = 0.05


def _with(call: Callable[[Any], Any], part: float) -> Callable[[Any], Any]:
    def slower(argument: Any) -> Any:
        start = thread_time_ns()
        result = call(argument)
        now = thread_time_ns()
        end = now + (now - start) * part
        while thread_time_ns() < end:
            pass
        return result

    return slower


loads, dumps = _with(orjson.loads, PART), _with(orjson.dumps, PART)
same, same_dumps = _with(orjson.loads, 0.0), _with(orjson.dumps, 0.0)
