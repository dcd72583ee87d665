"""Texts that an Encoder knows when it is made, and the surrogates in them.

Separate from `lower_encode`, which needs them in many places: member names, tags,
members of enums, values of a Literal. Invariant: a text is written as the same text in
a value is, by the option `surrogates`. Called by `lower_encode`.
"""

from __future__ import annotations

import json
import re
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")


def of_policies(policies: Any) -> Policy:
    """Return the policy in the options as the compiled encoder takes them."""
    return Policy("error" if isinstance(policies, str) else policies[1])


class Policy:
    """What is written for surrogates: "error", "replace" or "escape"."""

    def __init__(self, name: str) -> None:
        """Keep the name."""
        self._name = name

    def json(self, value: Any) -> bytes | None:
        """Return the JSON of a value, or None if its surrogates are errors."""
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
        if _SURROGATE.search(text) is None:
            return text.encode()
        if self._name == "error":
            return None
        if self._name == "replace":
            return _SURROGATE.sub("\ufffd", text).encode()
        return _SURROGATE.sub(lambda one: f"\\u{ord(one[0]):x}", text).encode()

    def name(self, name: str) -> str | bytes:
        """Return a member name as the compiled encoder takes it.

        That is JSON if it has escapes. The options do not refuse it.
        """
        if _SURROGATE.search(name) is None:
            return name
        if self._name == "replace":
            return _SURROGATE.sub("\ufffd", name)
        return self.json(name) or b""
