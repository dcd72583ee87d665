"""`omit_defaults` and values that equal the default but are other JSON."""

from __future__ import annotations

import dataclasses
import datetime
from decimal import Decimal
from typing import Any

import pytest

import snooze

UTC = datetime.UTC
EAST = datetime.timezone(datetime.timedelta(hours=1))


@dataclasses.dataclass
class Defaults:
    """Defaults that other values equal."""

    price: Decimal = Decimal("1.0")
    flags: tuple[Any, ...] = (0,)
    rows: tuple[Any, ...] = (1.0, ("a", 0))
    none: list[int] = dataclasses.field(default_factory=list)
    when: datetime.datetime = datetime.datetime(2020, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("price", Decimal("1.00")),
        ("flags", (False,)),
        ("flags", (0.0,)),
        ("rows", (1, ("a", 0))),
        ("rows", (1.0, ("a", False))),
        ("when", datetime.datetime(2020, 1, 1, 1, tzinfo=EAST)),
    ],
)
def test_other_json_is_written(name: str, value: Any) -> None:
    """What is written is read back as it was, to the last digit."""
    encoder = snooze.Encoder(Defaults, omit_defaults=True)
    text = encoder.encode(Defaults(**{name: value}))
    assert text == b'{"' + name.encode() + b'":' + snooze.encode(value) + b"}"
    assert snooze.encode(snooze.decode(text, Defaults), omit_defaults=True) == text
    assert snooze.to_builtins(
        Defaults(**{name: value}), type=Defaults, omit_defaults=True
    ) == {name: snooze.to_builtins(value)}


def test_equal_values_are_omitted() -> None:
    """A value made anew, and the default itself."""
    encoder = snooze.Encoder(Defaults, omit_defaults=True)
    assert encoder.encode(Defaults()) == b"{}"
    rows = tuple([1.0, tuple(["a", 0])])  # noqa: C409 - not the constant
    made = Defaults(Decimal("1.0"), tuple([0]), rows, [], Defaults.when.replace())  # noqa: C409
    assert encoder.encode(made) == b"{}"


class Plain:
    """A class whose `repr` shows its address, and that equals all of its instances."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain)

    __hash__ = object.__hash__


class Shy(Plain):
    """A class whose `repr` fails."""

    is_ready = False

    def __repr__(self) -> str:
        if self.is_ready:
            raise ValueError("no")
        return "value"


@pytest.mark.parametrize(
    ("cls", "expected"), [(Plain, b"{}"), (Shy, b'{"value":"shown"}')]
)
def test_classes_of_the_user(cls: type[Plain], expected: bytes) -> None:
    """Where a `repr` says nothing, equality decides; where it fails, nothing is omitted."""

    @dataclasses.dataclass
    class Holder:
        value: Any = cls()  # noqa: RUF009 - what is tested

    def shown(_: object) -> str:
        return "shown"

    encoder = snooze.Encoder(Holder, omit_defaults=True, enc_hook=shown)
    Shy.is_ready = True
    assert encoder.encode(Holder(cls())) == expected


class Interrupted(Plain):
    """A class whose `repr` is interrupted, once dataclasses have used it."""

    is_ready = False

    def __repr__(self) -> str:
        if self.is_ready:
            raise KeyboardInterrupt
        return "value"


def test_interrupts_are_not_lost() -> None:
    """Only an `Exception` counts as a difference."""

    @dataclasses.dataclass
    class Holder:
        value: Any = Interrupted()  # noqa: RUF009 - what is tested

    encoder = snooze.Encoder(Holder, omit_defaults=True, enc_hook=str)
    Interrupted.is_ready = True
    with pytest.raises(KeyboardInterrupt):
        encoder.encode(Holder(Interrupted()))
