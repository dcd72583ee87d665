"""Generated JSON documents for the tests of tests/documents, and their exact text.

Separate because several of these tests compare two documents. Few names and values, so
that two documents often have something in common.
"""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from(
        [0.0, -0.0, 1.0, 2.5, 1e300, 2**70, "", "a", "b/", "~1", "é", "1"]
    )
)
_NAMES = st.sampled_from(["", "a", "b", "/", "~0", "c d", "0", "-"])


def _inside(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(values, max_size=7) | st.dictionaries(_NAMES, values, max_size=5)


DOCUMENTS = st.recursive(_SCALARS, _inside, max_leaves=30)


def exact(value: Any) -> bytes:
    """Return a text that differs if two documents differ, but for order of members."""
    return json.dumps(value, sort_keys=True).encode()
