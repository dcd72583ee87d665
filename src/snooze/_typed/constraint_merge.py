"""Merging of constraints: those of one `Annotated`, and theirs into the model.

Separate from `constraints`, which users write. Invariants: constraints of other
packages (annotated-types, msgspec) are recognised by the attributes that
annotated-types documents, without importing a package; a constraint that fits no part
of its type is refused. `introspect` calls `flatten`, `Constraints` and `apply`;
`kind_rules` and `expected` call the rest.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from snooze._typed import builtin_types, model, pydantic_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator

_BOUNDS = ("gt", "ge", "lt", "le")


def flatten(metadata: object, place: str) -> Iterator[object]:
    """Yield the constraints in a piece of metadata, which may be a group of them."""
    if _get(metadata, "__is_annotated_types_grouped_metadata__") is True:
        for part in metadata:  # type: ignore[attr-defined]
            yield from flatten(part, place)
    elif pydantic_metadata.is_field(metadata):
        pydantic_metadata.check_field(metadata, place)
        for part in metadata.metadata:  # type: ignore[attr-defined]
            yield from flatten(part, place)
    else:
        yield metadata


@dataclasses.dataclass(slots=True)
class Constraints:
    """All constraints of one `Annotated`, merged."""

    #: Bounds by the name of their field in `Limits`: numbers, and other values.
    limits: dict[str, Any] = dataclasses.field(default_factory=dict)
    other_limits: dict[str, Any] = dataclasses.field(default_factory=dict)
    min_length: int = 0
    max_length: int | None = None
    pattern: str | None = None
    tz: Any = ()
    is_finite: bool = False
    checks: list[model.Check] = dataclasses.field(default_factory=list)

    def __bool__(self) -> bool:
        """Return whether there is any constraint."""
        return bool(
            self.limits
            or self.other_limits
            or self.min_length
            or self.max_length is not None
            or self.pattern is not None
            or self.tz != ()
            or self.is_finite
            or self.checks
        )

    def add(self, metadata: object, place: str) -> None:
        """Merge one constraint; other metadata is ignored.

        Raises TypeError for metadata of pydantic that is not read: ignored, it would
        let through what it refuses elsewhere.
        """
        pydantic_metadata.check(metadata, place)
        if pydantic_metadata.is_finite_only(metadata):
            self.is_finite = True
        if isinstance(metadata, type):
            return
        if isinstance(metadata, slice):  # a length in annotated-types before 0.4
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
            self._set_tz(_timezone(metadata.tz, place), place)
        elif isinstance(tz := _get(metadata, "tz"), bool):  # msgspec.Meta
            self._set_tz("aware" if tz else "naive", place)
        function = _get(metadata, "func")
        if type(metadata).__name__ == "Predicate" and callable(function):
            name = getattr(function, "__qualname__", repr(function))
            self.checks.append(model.Check(function, f"for which {name} holds"))

    def _set_tz(self, tz: str, place: str) -> None:
        if self.tz not in {(), tz}:
            raise TypeError(f"{place}: Aware and Naive exclude each other; keep one")
        self.tz = tz

    def _add_limits(self, metadata: object, place: str) -> None:
        for key in _BOUNDS:
            value = _get(metadata, key)
            if value is None or callable(value):
                continue
            limits = self.limits if _is_number(value) else self.other_limits
            old = limits.get(key)
            tighter = max if key[0] == "g" else min
            limits[key] = value if old is None else tighter(old, value)
        multiple = _get(metadata, "multiple_of")
        if _is_number(multiple):
            if "multiple" in self.limits and self.limits["multiple"] != multiple:
                raise TypeError(f"{place}: two different MultipleOf; keep one")
            self.limits["multiple"] = multiple

    def _add_lengths(self, metadata: object) -> None:
        least = _get(metadata, "min_length")
        if isinstance(least, int):
            self.min_length = max(self.min_length, least)
        most = _get(metadata, "max_length")
        if isinstance(most, int):
            old = self.max_length
            self.max_length = most if old is None else min(old, most)


def _get(metadata: object, name: str) -> Any:
    """Return an attribute, or None if there is none or reading it fails."""
    try:
        return getattr(metadata, name, None)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a property of foreign metadata may raise anything
        return None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def _is_finite(value: object) -> bool:
    """Return whether it is no infinity and no NaN; other values are none."""
    if isinstance(value, Decimal):
        return value.is_finite()  # math.isfinite raises for a signalling NaN
    return not isinstance(value, float) or math.isfinite(value)


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


def apply(constraints: Constraints, node: model.Node, place: str) -> model.Node:
    """Return a node with the constraints; refuse those that fit no part of it."""
    if _is_unix(node):
        _check_unix(constraints, place)
    if constraints.is_finite:
        return _finite(constraints, node, place)
    if constraints.checks:
        checks = tuple(constraints.checks)
        rest = dataclasses.replace(constraints, checks=[])
        inner = apply(rest, node, place) if rest else node
        return model.Checked(inner, checks)
    used: set[str] = set()
    result = _apply(constraints, node, used)
    has_length = bool(constraints.min_length) or constraints.max_length is not None
    given = {
        "limits": bool(constraints.limits),
        "other_limits": bool(constraints.other_limits),
        "length": has_length,
        "pattern": constraints.pattern is not None,
        "tz": constraints.tz != (),
    }
    for key, is_given in given.items():
        if is_given and key not in used:
            names, reason = _MISFITS[key]
            raise TypeError(f"{place}: {names} cannot constrain this type; {reason}")
    return result


def _finite(constraints: Constraints, node: model.Node, place: str) -> model.Node:
    """Return a node of which no float or Decimal is infinite or NaN."""
    if not _has_float(node):
        raise TypeError(
            f"{place}: AllowInfNan(False) cannot constrain this type; it is for float "
            "and Decimal"
        )
    checks = [*constraints.checks, model.Check(_is_finite, "that is finite")]
    rest = dataclasses.replace(constraints, is_finite=False, checks=checks)
    return apply(rest, node, place)


def _has_float(  # noqa: PLR0911 - one case for each class of node
    node: model.Node, outer: tuple[model.Node, ...] = ()
) -> bool:
    """Return whether its values may be floats or Decimals; `outer` are aliases."""
    match node:
        case model.Union() | model.Ordered():
            return any(_has_float(one, outer) for one in node.alternatives)
        case model.Checked() | model.Noted():
            return _has_float(node.target, outer)
        case model.Alias(target=model.Node() as target) if node not in outer:
            return _has_float(target, (*outer, node))
        case model.Via():
            return any(_is_float_class(cls) for cls in node.classes or (node.cls,))
        case model.Custom():
            return isinstance(node.type, type) and _is_float_class(node.type)
        case model.Number():
            return node.type_name != "int"
        case _:
            return isinstance(node, model.Anything)


def _is_float_class(cls: type) -> bool:
    return cls is object or issubclass(cls, (float, Decimal))


def _is_unix(node: model.Node) -> bool:
    """Return whether it is a datetime in the form of a number, or a union with one."""
    match node:
        case model.Union() | model.Ordered():
            return any(_is_unix(one) for one in node.alternatives)
        case model.Noted() | model.Checked():
            return _is_unix(node.target)
        case model.Via(plain=model.Scalar(type_name="datetime")):
            return True
        case _:
            return False


def _check_unix(constraints: Constraints, place: str) -> None:
    """Refuse constraints that no point in time satisfies."""
    if constraints.tz == "naive":
        raise TypeError(
            f"{place}: Naive does not fit a Format in Unix time, which makes datetimes "
            "in UTC"
        )
    for bound in constraints.other_limits.values():
        if isinstance(bound, dt.datetime) and bound.utcoffset() is None:
            raise TypeError(
                f"{place}: the bound {bound!r} needs an offset, because a Format in "
                "Unix time makes datetimes in UTC"
            )


#: The names of constraints, and why they do not fit.
_MISFITS = {
    "limits": (
        "Gt, Ge, Lt, Le and MultipleOf",
        "they are for int, float and Decimal",
    ),
    "other_limits": (
        "these Gt, Ge, Lt and Le",
        "the bounds are values of another type",
    ),
    "length": (
        "Len, MinLen and MaxLen",
        "they are for str, bytes, arrays and dicts",
    ),
    "pattern": ("Pattern", "it is for str"),
    "tz": ("Aware and Naive", "they are for datetime and time"),
}


def _apply(  # noqa: C901, PLR0911, PLR0912 - one case for each class of node
    constraints: Constraints,
    node: model.Node,
    used: set[str],
    outer: tuple[model.Node, ...] = (),
) -> model.Node:
    """Apply the constraints to the parts of a node that they fit, noted in `used`.

    `outer` are the aliases around it.
    """
    length = model.Length(constraints.min_length, constraints.max_length)
    match node:
        case model.Union():
            parts = (_apply(constraints, one, used, outer) for one in node.alternatives)
            return model.Union(tuple(parts))
        case model.Ordered():
            parts = (_apply(constraints, one, used, outer) for one in node.alternatives)
            return model.Ordered(tuple(parts))
        case model.Checked():
            inner = _apply(constraints, node.target, used, outer)
            return model.Checked(inner, node.checks)
        case model.Noted():
            inner = _apply(constraints, node.target, used, outer)
            return model.Noted(inner, node.notes)
        case model.Alias(target=model.Node() as target) if node not in outer:
            return _apply(constraints, target, used, (*outer, node))
        case model.Number() if constraints.limits:
            used.add("limits")
            return model.Number(
                node.type_name, _merge_limits(node.limits, constraints.limits)
            )
        case model.Scalar():
            if constraints.tz != () and node.type_name in {"datetime", "time"}:
                used.add("tz")
                node = model.Scalar(node.type_name, constraints.tz)
            return _with_other_limits(
                constraints, node, _CLASSES.get(node.type_name), used
            )
        case model.Text() if constraints.other_limits:
            rest = dataclasses.replace(constraints, other_limits={})
            return _with_other_limits(constraints, _apply(rest, node, used), str, used)
        case model.Text() if length or constraints.pattern is not None:
            used.update({"length"} if length else ())
            used.update({"pattern"} if constraints.pattern is not None else ())
            pattern = constraints.pattern if node.pattern is None else node.pattern
            text = model.Text(_merge_lengths(node.length, length), pattern)
            if node.pattern is not None and constraints.pattern is not None:
                checks = (_pattern_check(constraints.pattern),)
                return model.Checked(text, checks)
            return text
        case model.Binary() | model.Items() | model.Entries() if length:
            used.add("length")
            return dataclasses.replace(node, length=_merge_lengths(node.length, length))
        case model.Via(plain=model.Scalar() as plain):
            if constraints.tz == "aware" and plain.type_name == "datetime":
                used.add("tz")  # it always is
            return _with_other_limits(
                constraints, node, _CLASSES.get(plain.type_name), used
            )
        case model.Via(encoded_wire=None):
            return _checking_result(constraints, node, length, used)
        case _:
            return node


_CLASSES: dict[str, type] = {
    "datetime": dt.datetime,
    "date": dt.date,
    "time": dt.time,
    "timedelta": dt.timedelta,
}


def _with_other_limits(
    constraints: Constraints, node: model.Node, cls: type | None, used: set[str]
) -> model.Node:
    """Check bounds that are not numbers in Python, if they are of the class `cls`."""
    bounds = constraints.other_limits
    if not bounds or cls is None:
        return node
    if not all(type(bound) is cls for bound in bounds.values()):
        return node
    used.add("other_limits")
    return model.Checked(node, (limits_check(model.Limits(**bounds)),))


def _checking_result(
    constraints: Constraints, node: model.Via, length: model.Length, used: set[str]
) -> model.Node:
    """Check the result of a function, as far as its class can satisfy constraints."""
    checks = []
    classes = node.classes or (node.cls,)
    if constraints.limits and any(_has_order(cls, constraints) for cls in classes):
        used.add("limits")
        checks.append(limits_check(model.Limits(**constraints.limits)))
    bounds = constraints.other_limits
    kinds = {type(bound) for bound in bounds.values()}
    if bounds and any(cls is object or kinds == {cls} for cls in classes):
        used.add("other_limits")
        checks.append(limits_check(model.Limits(**bounds)))
    if length and any(cls is object or hasattr(cls, "__len__") for cls in classes):
        used.add("length")
        least, most = length.minimum, length.maximum
        text = f"with a length from {least}" + ("" if most is None else f" to {most}")
        checks.append(
            model.Check(
                lambda v: len(v) >= least and (most is None or len(v) <= most), text
            )
        )
    return model.Checked(node, tuple(checks)) if checks else node


_NO_NUMBERS: tuple[Any, ...] = (
    *(object, str, bytes, bytearray, memoryview, list, tuple, dict, set, frozenset),
    *(dt.datetime, dt.date, dt.time, dt.timedelta),
)
#: What compares instances of classes that cannot be compared with numbers.
_NO_NUMBER_ORDER = {cls.__lt__ for cls in _NO_NUMBERS}


def _has_order(cls: type, constraints: Constraints) -> bool:
    """Return whether instances of a class can satisfy bounds that are numbers."""
    if cls is object:  # a function may return anything
        return True
    if "multiple" in constraints.limits:
        return issubclass(cls, (int, float, Decimal))
    if builtin_types.string_type(cls) is not None:
        return cls.__name__ == "Fraction"
    return getattr(cls, "__lt__", None) not in _NO_NUMBER_ORDER


def _merge_limits(limits: model.Limits, more: dict[str, Any]) -> model.Limits:
    merged = {
        key: getattr(limits, key)
        for key in (*_BOUNDS, "multiple")
        if getattr(limits, key) is not None
    }
    for key, value in more.items():
        old = merged.get(key)
        if old is None or old == value:
            merged[key] = value
        elif key == "multiple":
            raise TypeError("two different MultipleOf on one type: keep one")
        else:
            merged[key] = (max if key[0] == "g" else min)(old, value)
    return model.Limits(**merged)


def _merge_lengths(one: model.Length, two: model.Length) -> model.Length:
    maxima = [most for most in (one.maximum, two.maximum) if most is not None]
    minimum = max(one.minimum, two.minimum)
    return model.Length(minimum, min(maxima) if maxima else None)


def limits_text(limits: model.Limits) -> str:
    """Return the bounds as messages show them: `>= 0 and < 10`."""
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
    """Return whether it is a multiple.

    A float `of` is a double beside another one, and its shortest decimal otherwise.
    """
    if isinstance(value, float) and isinstance(of, float):
        return value % of == 0
    if isinstance(value, float):
        # Not `%`: it rounds the other number to a double, or cannot.
        return _is_decimal_multiple(Decimal(value), Decimal(of))
    return _is_decimal_multiple(Decimal(value), Decimal(str(of)))


def _is_decimal_multiple(value: Decimal, of: Decimal) -> bool:
    """Return whether it is a whole multiple, whatever the decimal context.

    With integers, because `%` rounds to the precision of the context and raises for
    large quotients. The time is bounded by the digits, whatever the exponents.
    """
    if not value.is_finite():
        return False
    _, digits, exponent = value.as_tuple()
    _, of_digits, of_exponent = of.as_tuple()
    # Not by way of str: the interpreter limits the digits of that conversion.
    number, divisor = int(Decimal((0, digits, 0))), int(Decimal((0, of_digits, 0)))
    if not number:
        return True
    shift = int(exponent) - int(of_exponent)
    if shift >= 0:
        return number * pow(10, shift, divisor) % divisor == 0
    # A number with fewer digits is no multiple of that power of ten.
    return -shift < len(digits) and number % (divisor * 10**-shift) == 0


def limits_check(limits: model.Limits) -> model.Check:
    """Return a check in Python, for bounds that a plan cannot express."""

    def holds(value: Any) -> bool:
        if isinstance(value, Decimal) and value.is_nan():  # comparing it raises
            return False
        return (
            (limits.gt is None or value > limits.gt)
            and (limits.ge is None or value >= limits.ge)
            and (limits.lt is None or value < limits.lt)
            and (limits.le is None or value <= limits.le)
            and (limits.multiple is None or _is_multiple(value, limits.multiple))
        )

    return model.Check(holds, limits_text(limits))
