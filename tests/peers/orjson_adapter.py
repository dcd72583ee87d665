"""A pytest plugin that puts snooze in the place of orjson, before any test is imported.

`import orjson` of the tests, and of the package that they test, imports snooze's
functions. orjson is not installed there; if it were, its tests would show nothing.
"""

from __future__ import annotations

import importlib.util

import snooze

if importlib.util.find_spec("orjson") is not None:
    raise RuntimeError("expected an environment without orjson")
snooze.install(json=False, as_orjson=True)
