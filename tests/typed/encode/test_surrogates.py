"""`surrogates` in texts that an Encoder knows when it is made; `timespec` of numpy."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any, Literal, TypedDict

import pytest

import snooze
from snooze import encode

HALF = "\ud800x"
TEXTS = {"replace": "\ufffdx", "escape": "\\ud800x"}


class Letter(enum.Enum):
    """One of them has no UTF-8."""

    HALF = HALF
    WHOLE = "b"


@dataclasses.dataclass
class Point:
    """With a name that an option replaces."""

    x: int = 1


Row = TypedDict("Row", {HALF: int})  # type: ignore[misc]


@snooze.configure(tag=HALF)
@dataclasses.dataclass
class Tagged:
    """With a tag."""

    x: int = 1


CASES: list[tuple[Any, Any, dict[str, Any], str]] = [
    ([Letter.HALF], Any, {}, '["?"]'),
    ({Letter.HALF: 1}, Any, {}, '{"?":1}'),
    ([Letter.HALF], list[Letter], {}, '["?"]'),
    ({Letter.HALF: 1}, dict[Letter, int], {}, '{"?":1}'),
    ([HALF], list[Literal[HALF, "b"]], {}, '["?"]'),  # type: ignore[valid-type]
    ({HALF: 1}, dict[Literal[HALF, "b"], int], {}, '{"?":1}'),  # type: ignore[valid-type]
    ({HALF: 1}, Row, {}, '{"?":1}'),
    (Point(), Point, {"rename": {"x": HALF}}, '{"?":1}'),
    (Tagged(), Tagged, {}, '{"type":"?","x":1}'),
]


@pytest.mark.parametrize(("value", "tp", "options", "text"), CASES)
def test_texts_that_are_known_before(
    value: Any, tp: Any, options: dict[str, Any], text: str
) -> None:
    """As in every other text."""
    for policy, written in TEXTS.items():
        given: Any = {**options, "surrogates": policy}
        assert encode(value, tp, **given).decode() == text.replace("?", written)
    with pytest.raises((TypeError, ValueError), match="surrogate") as caught:
        encode(value, tp, **options)
    assert not isinstance(caught.value, UnicodeError)


def test_a_member_with_surrogates_does_not_touch_the_others() -> None:
    """It is refused only when it is written."""
    assert encode([Letter.WHOLE], list[Letter]) == b'["b"]'
    assert encode({"b": 1}, dict[Literal[HALF, "b"], int]) == b'{"b":1}'  # type: ignore[valid-type]


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"])
def test_timespec_of_every_unit_of_numpy(unit: str) -> None:
    """In values, arrays and keys, as for datetimes."""
    np = pytest.importorskip("numpy")
    time = np.datetime64("1999-12-31T23:59:59.987654", "us").astype(f"M8[{unit}]")
    for timespec, digits in (("seconds", 0), ("milliseconds", 3), ("microseconds", 6)):
        whole = str(time.astype("M8[us]"))[: 20 + digits if digits else 19]
        array = np.array([[time, np.datetime64("NaT", unit)]])
        given: Any = {"timespec": timespec}
        text = f'[["{whole}"],[["{whole}",null]],{{"{whole}":1}}]'
        assert encode([[time], array, {time: 1}], **given).decode() == text
        assert encode(array, utc_z=True, naive_utc=True, **given).decode() == (
            f'[["{whole}Z",null]]'
        )
