"""Constraints, ours and those of annotated-types, applied to nodes of the model.

Separate from `constraints`, which users write. Invariants: nothing is imported to
recognise another package's classes, they are told by the attributes that
annotated-types documents; a constraint that fits no part of a type is refused.
`flatten`, `Found` and `apply` are called by `introspect`, the rest by `kind_rules` and
`expected`.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from snooze._typed import model

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOUNDS = ("gt", "ge", "lt", "le")


def flatten(metadata: object) -> Iterator[object]:
    """Yield what a piece of metadata consists of: grouped ones hold others."""
    if _get(metadata, "__is_annotated_types_grouped_metadata__") is True:
        for part in metadata:  # type: ignore[attr-defined]
            yield from flatten(part)
    else:
        yield metadata


@dataclasses.dataclass(slots=True)
class Found:
    """All constraints of one `Annotated`, merged."""

    limits: dict[str, Any] = dataclasses.field(default_factory=dict)
    #: Bounds that are no numbers.
    others: dict[str, Any] = dataclasses.field(default_factory=dict)
    least: int = 0
    most: int | None = None
    pattern: str | None = None
    tz: Any = ()
    checks: list[model.Check] = dataclasses.field(default_factory=list)

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(
            self.limits
            or self.others
            or self.least
            or self.most is not None
            or self.pattern is not None
            or self.tz != ()
            or self.checks
        )

    def add(self, metadata: object, place: str) -> None:
        """Take up one constraint; metadata that is none changes nothing."""
        if isinstance(metadata, type):
            return
        if isinstance(metadata, slice):  # annotated-types 0.4: slices were lengths
            return
        self._add_limits(metadata, place)
        self._add_lengths(metadata)
        pattern = _get(metadata, "pattern")
        if isinstance(pattern, str) and not callable(metadata):
            if self.pattern is not None and self.pattern != pattern:
                self.checks.append(_pattern_check(pattern))
            else:
                self.pattern = pattern
        if type(metadata).__name__ == "Timezone" and hasattr(metadata, "tz"):
            self.tz = _timezone(metadata.tz, place)
        elif isinstance(tz := _get(metadata, "tz"), bool):  # msgspec.Meta
            self.tz = "aware" if tz else "naive"
        function = _get(metadata, "func")
        if type(metadata).__name__ == "Predicate" and callable(function):
            name = getattr(function, "__qualname__", repr(function))
            self.checks.append(model.Check(function, f"for which {name} holds"))

    def _add_limits(self, metadata: object, place: str) -> None:
        for key in _BOUNDS:
            value = _get(metadata, key)
            if value is None or callable(value):
                continue
            bounds = self.limits if _is_number(value) else self.others
            old = bounds.get(key)
            tighter = max if key[0] == "g" else min
            bounds[key] = value if old is None else tighter(old, value)
        multiple = _get(metadata, "multiple_of")
        if _is_number(multiple):
            if "multiple" in self.limits and self.limits["multiple"] != multiple:
                raise TypeError(f"{place}: two different MultipleOf; keep one")
            self.limits["multiple"] = multiple

    def _add_lengths(self, metadata: object) -> None:
        least = _get(metadata, "min_length")
        if isinstance(least, int):
            self.least = max(self.least, least)
        most = _get(metadata, "max_length")
        if isinstance(most, int):
            self.most = most if self.most is None else min(self.most, most)


def _get(metadata: object, name: str) -> Any:
    """Return an attribute; metadata of strangers may raise whatever it likes."""
    try:
        return getattr(metadata, name, None)
    except Exception:  # noqa: BLE001 - metadata of strangers
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _timezone(tz: object, place: str) -> str:
    if tz is None:
        return "naive"
    if tz is ...:
        return "aware"
    raise TypeError(
        f"{place}: Timezone({tz!r}) is not supported; use Aware (any offset) or Naive "
        "(none)"
    )


def _pattern_check(pattern: str) -> model.Check:
    search = re.compile(pattern).search
    return model.Check(lambda text: search(text) is not None, f"matching {pattern!r}")


def apply(found: Found, node: model.Node, place: str) -> model.Node:
    """Return a node that has the constraints; refuse those that fit no part of it."""
    if found.checks:
        checks = tuple(found.checks)
        rest = dataclasses.replace(found, checks=[])
        inner = apply(rest, node, place) if rest else node
        return model.Checked(inner, checks)
    used: set[str] = set()
    result = _apply(found, node, used)
    wanted = {
        "Gt, Ge, Lt, Le and MultipleOf": ("limits", bool(found.limits)),
        "these Gt, Ge, Lt and Le": ("others", bool(found.others)),
        "Len, MinLen and MaxLen": (
            "length",
            bool(found.least) or found.most is not None,
        ),
        "Pattern": ("pattern", found.pattern is not None),
        "Aware and Naive": ("tz", found.tz != ()),
    }
    for words, (key, given) in wanted.items():
        if given and key not in used:
            raise TypeError(
                f"{place}: {words} cannot constrain this type; {_FITS[key]}"
            )
    return result


_FITS = {
    "limits": "they are for int, float and Decimal",
    "others": "the bounds are values of another type",
    "length": "they are for str, bytes, arrays and dicts",
    "pattern": "it is for str",
    "tz": "they are for datetime and time",
}


def _apply(  # noqa: C901, PLR0911 - one case for each kind of node
    found: Found, node: model.Node, used: set[str]
) -> model.Node:
    """Push the constraints down to the parts that they fit."""
    length = model.Length(found.least, found.most)
    match node:
        case model.Union():
            return model.Union(tuple(_apply(found, o, used) for o in node.options))
        case model.Checked():
            return model.Checked(_apply(found, node.target, used), node.checks)
        case model.Alias(target=model.Node() as target):
            return _apply(found, target, used)
        case model.Number() if found.limits:
            used.add("limits")
            return model.Number(node.kind, _tighter(node.limits, found.limits))
        case model.Scalar():
            if found.tz != () and node.kind in {"datetime", "time"}:
                used.add("tz")
                node = model.Scalar(node.kind, found.tz)
            return _compared(found, node, _CLASSES.get(node.kind), used)
        case model.Text() if found.others:
            rest = dataclasses.replace(found, others={})
            return _compared(found, _apply(rest, node, used), str, used)
        case model.Text() if length or found.pattern is not None:
            used.update({"length"} if length else ())
            used.update({"pattern"} if found.pattern is not None else ())
            pattern = found.pattern if node.pattern is None else node.pattern
            text = model.Text(_narrower(node.length, length), pattern)
            if node.pattern is not None and found.pattern is not None:
                return model.Checked(text, (_pattern_check(found.pattern),))
            return text
        case model.Binary() | model.Items() | model.Entries() if length:
            used.add("length")
            return dataclasses.replace(node, length=_narrower(node.length, length))
        case model.Via() if found.limits or length:
            return _check_result(found, node, length, used)
        case _:
            return node


_CLASSES: dict[str, type] = {
    "datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
}


def _compared(
    found: Found, node: model.Node, cls: type | None, used: set[str]
) -> model.Node:
    """Compare in Python what is no number."""
    bounds = found.others
    if not bounds or cls is None:
        return node
    if not all(type(bound) is cls for bound in bounds.values()):
        return node
    used.add("others")
    return model.Checked(node, (limits_check(model.Limits(**bounds)),))


def _check_result(
    found: Found, node: model.Via, length: model.Length, used: set[str]
) -> model.Node:
    """Test what a user's function returns, since its own type is not known."""
    checks = []
    if found.limits:
        used.add("limits")
        checks.append(limits_check(model.Limits(**found.limits)))
    if length:
        used.add("length")
        least, most = length.least, length.most
        words = f"with a length from {least}" + ("" if most is None else f" to {most}")
        checks.append(
            model.Check(
                lambda v: len(v) >= least and (most is None or len(v) <= most), words
            )
        )
    return model.Checked(node, tuple(checks))


def _tighter(limits: model.Limits, more: dict[str, Any]) -> model.Limits:
    values = {
        key: getattr(limits, key)
        for key in (*_BOUNDS, "multiple")
        if getattr(limits, key) is not None
    }
    for key, value in more.items():
        old = values.get(key)
        if old is None or old == value:
            values[key] = value
        elif key == "multiple":
            raise TypeError("two different MultipleOf on one type: keep one")
        else:
            values[key] = (max if key[0] == "g" else min)(old, value)
    return model.Limits(**values)


def _narrower(one: model.Length, two: model.Length) -> model.Length:
    mosts = [most for most in (one.most, two.most) if most is not None]
    return model.Length(max(one.least, two.least), min(mosts) if mosts else None)


def limits_words(limits: model.Limits) -> str:
    """Return the bounds as messages say them: `>= 0 and < 10`."""
    signs = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
    parts = [
        f"{sign} {getattr(limits, key)}"
        for key, sign in signs.items()
        if getattr(limits, key) is not None
    ]
    if limits.multiple is not None:
        parts.append(f"a multiple of {limits.multiple}")
    return " and ".join(parts)


def _is_multiple(value: Any, of: Any) -> bool:
    """Tell a whole multiple: exact for ints, and no exception for what is too large."""
    if isinstance(value, int) and not isinstance(of, int):
        return Fraction(value) % Fraction(of) == 0
    if isinstance(value, Decimal) and isinstance(of, float):
        of = Decimal(of)
    try:
        return bool(value % of == 0)
    except ArithmeticError:
        return False


def limits_check(limits: model.Limits) -> model.Check:
    """Return a check in Python, for numbers that plans do not hold."""

    def holds(value: Any) -> bool:
        return (
            (limits.gt is None or value > limits.gt)
            and (limits.ge is None or value >= limits.ge)
            and (limits.lt is None or value < limits.lt)
            and (limits.le is None or value <= limits.le)
            and (limits.multiple is None or _is_multiple(value, limits.multiple))
        )

    return model.Check(holds, limits_words(limits))
