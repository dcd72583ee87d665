"""A class of other code in the place of numpy's, whose attributes run Python code."""

from __future__ import annotations

from typing import Any

import pytest

import snooze
from helpers.isolated import in_child

pytest.importorskip("numpy")


def resized_meanwhile() -> str:
    """Write an array that shrinks while its unit is read."""
    import numpy as np

    large = np.arange(2_000_000).astype("M8[s]")

    class StandIn:
        @property
        def __array_struct__(self) -> Any:
            return large.__array_struct__

        @property
        def dtype(self) -> Any:
            large.resize(1, refcheck=False)
            return np.dtype("M8[s]")

    np.ndarray = StandIn  # type: ignore[assignment, misc]  # before the first use
    return snooze.dumps(StandIn(), option=snooze.OPT_SERIALIZE_NUMPY).decode()


def test_an_array_that_shrinks() -> None:
    """Its memory is taken after the last Python code that runs."""
    assert in_child(resized_meanwhile).strip() == '["1970-01-01T00:00:00"]'
