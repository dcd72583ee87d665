"""Conditions on records: the text of `where`, read and bound to columns.

Separate from `scan`, because only scans with a condition need it. The text is an
expression in Python's syntax, of which only comparisons of columns with constants are
taken; nothing is evaluated here. Invariants: what cannot be compared exactly is an
error when the condition is bound; constants are in the units of their column. Called by
`resolve`.
"""

from __future__ import annotations

import ast
import datetime as dt
import math
import re
import sys
import unicodedata
import uuid
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NoReturn

from snooze._scan import hints
from snooze._scan.arguments import has_surrogate
from snooze._scan.schemas import type_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from snooze._scan.schemas import Column

#: A step for Rust: its name, and what it needs.
Step = tuple[Any, ...]
#: The columns that are tested, and the steps: what Rust makes a filter of.
Filter = tuple[tuple["Column", ...], tuple[Step, ...]]
_Path = tuple[str, ...]

_INDEX = {ast.Eq: 0, ast.NotEq: 1, ast.Lt: 2, ast.LtE: 3, ast.Gt: 4, ast.GtE: 5}
#: The comparison with its sides exchanged.
_EXCHANGED = {0: 0, 1: 1, 2: 4, 3: 5, 4: 2, 5: 3}
_DEEPEST = 50
_UNITS = {"s": 1, "m": 1_000, "u": 1_000_000, "n": 1_000_000_000}
_EPOCH = dt.date(1970, 1, 1)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
#: With seconds in the offset, as Python writes that of a local mean time.
_TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?"
    r"(Z|z|[+-]\d\d:\d\d(?::\d\d)?)?",
    re.ASCII,
)
#: A number of JSON: what is before its exponent, and the exponent.
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)(?:[eE]([-+]?[0-9]+))?")
_UUID = re.compile(
    r"[0-9a-fA-F]{32}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
)


class Condition:
    """A condition that has been read; `bound` makes a filter of it.

    Args:
        text: The text of `where`.

    Raises:
        TypeError: It is no str.
        ValueError: It is no condition.
    """

    def __init__(self, text: str) -> None:
        """Read the text."""
        if not isinstance(text, str):
            raise TypeError(f"where: expected str, found {type(text).__name__}")
        if has_surrogate(text):
            raise ValueError(f"where: expected no lone surrogate, found {text!r}")
        self.text = text
        #: Steps with the names of columns in place of their indices.
        self._steps: list[tuple[ast.expr, Step]] = []
        try:
            self._source = text.strip()
            tree = ast.parse(self._source, mode="eval")
        except SyntaxError as error:
            hint = hints.of_syntax(text)
            # What Python says of digits misleads here: 2026-01-01 is no octal number.
            is_date = hint == hints.QUOTE_DATE and "decimal" in error.msg
            said = "invalid syntax" if is_date else error.msg
            raise ValueError(f"where: {said}, in {text!r}; {hint}") from None
        except (ValueError, MemoryError, RecursionError) as error:
            raise ValueError(f"where: {error}") from None
        #: Whether it is several conditions with `and` between them.
        self._is_and = isinstance(tree.body, ast.BoolOp) and isinstance(
            tree.body.op, ast.And
        )
        self._condition(tree.body, 0)

    def also(self, other: str) -> str:
        """Return the text of a condition that is true where this and another one are.

        Each may end with a comment. A condition that this method has made is not put in
        brackets again, because nesting has a limit.

        Args:
            other: The text of the other one.
        """
        # With a bracket alone in its last line, a text does not end in a comment.
        is_flat = self._is_and and self._source.endswith("\n)")
        first = self._source if is_flat else f"({self.text}\n)"
        return f"{first} and ({other}\n)"

    @property
    def roots(self) -> tuple[str, ...]:
        """The names of the columns that are tested, each once."""
        return tuple(dict.fromkeys(step[1][0] for _, step in self._steps if step[1:]))

    def bound(self, columns: Sequence[Column]) -> Filter:
        """Return the filter for some columns.

        Raises:
            ValueError: A column does not exist, or does not compare with its constant.
        """
        fields = _narrowed(columns, [step[1] for _, step in self._steps if step[1:]])
        steps: list[Step] = []
        for node, step in self._steps:
            if len(step) == 1:
                steps.append(step)
                continue
            column, path = self._found(node, columns, step[1])
            indices = _indices(fields, path)
            if step[0] == "compare":
                index, value = step[2:]
                if column[1] in {"f", "g"} and type(value) is int:
                    index, value = _beside_floats(index, value)
                kind, constant = self._constant(node, column, index, value)
                steps.append(("compare", indices, index, kind, constant))
            elif step[0] == "starts":
                if column[1] == "n":
                    kind, constant = self._constant(node, column, 0, step[2])
                    steps.append(("compare", indices, 0, kind, constant))
                    continue
                if column[1] not in {"u", "U"} or column[3] is not None:
                    self._fail(node, f"{_shown(path)} is no column of strings")
                steps.append(("starts", indices, step[2]))
            else:
                steps.append(("null", indices))
        return fields, tuple(steps)

    def _fail(self, node: ast.AST, reason: str) -> NoReturn:
        part = ast.unparse(node)
        part = part if len(part) <= 60 else f"{part[:57]}..."
        raise ValueError(f"where: {reason}, in {part}")

    def _add(self, node: ast.expr, *step: Any) -> None:
        self._steps.append((node, step))

    def _condition(self, node: ast.expr, depth: int) -> None:
        """Add the steps of a condition."""
        if depth > _DEEPEST:
            raise ValueError(f"where: nested more than {_DEEPEST} deep")
        match node:
            case ast.BoolOp():
                name = "and" if isinstance(node.op, ast.And) else "or"
                for position, value in enumerate(node.values):
                    self._condition(value, depth + 1)
                    if position:
                        self._add(node, name)
            case ast.UnaryOp(op=ast.Not()):
                self._condition(node.operand, depth + 1)
                self._add(node, "not")
            case ast.Compare():
                self._comparison(node)
            case ast.Call(
                func=ast.Attribute(attr="startswith", value=value),
                args=[ast.Constant(value=str(prefix))],
                keywords=[],
            ):
                self._add(node, "starts", self._path(value), self._text(node, prefix))
            case (
                ast.BinOp(op=ast.BitAnd() | ast.BitOr()) | ast.UnaryOp(op=ast.Invert())
            ):
                self._fail(node, "expected `and`, `or` or `not`, found `&`, `|` or `~`")
            case _:
                # A column of booleans is a condition.
                self._add(node, "compare", self._path(node), 0, True)  # noqa: FBT003 - a constant

    def _comparison(self, node: ast.Compare) -> None:
        """Add the steps of one comparison, or of several in a chain."""
        sides = [node.left, *node.comparators]
        for position, operator in enumerate(node.ops):
            left, right = sides[position : position + 2]
            match operator:
                case ast.Is() | ast.IsNot():
                    if not (isinstance(right, ast.Constant) and right.value is None):
                        self._fail(node, "only None can follow `is`, as in x is None")
                    self._add(node, "null", self._path(left))
                    if isinstance(operator, ast.IsNot):
                        self._add(node, "not")
                case ast.In() | ast.NotIn():
                    self._membership(node, left, right)
                    if isinstance(operator, ast.NotIn):
                        self._add(node, "not")
                case _:
                    self._pair(node, _INDEX[type(operator)], left, right)
            if position:
                self._add(node, "and")

    def _pair(
        self, node: ast.expr, index: int, left: ast.expr, right: ast.expr
    ) -> None:
        if _is_constant(left):
            left, right, index = right, left, _EXCHANGED[index]
        self._add(node, "compare", self._path(left), index, self._value(node, right))

    def _membership(self, node: ast.expr, left: ast.expr, right: ast.expr) -> None:
        if not isinstance(right, (ast.List, ast.Tuple, ast.Set)) or not right.elts:
            self._fail(node, "expected constants in brackets after `in`")
        path = self._path(left)
        for position, item in enumerate(right.elts):
            self._add(node, "compare", path, 0, self._value(node, item))
            if position:
                self._add(node, "or")

    def _path(self, node: ast.expr) -> _Path:
        """Return the names that lead to a column."""
        match node:
            case ast.Name():
                return (self._written(node, node.id),)
            case ast.Attribute(value=value):
                return (*self._path(value), self._written(node, node.attr))
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name))):
                return (*self._path(value), self._name(node, name))
            case ast.Call(func=ast.Name(id="col"), args=[_, *_], keywords=[]):
                names = [
                    self._name(node, one.value)
                    for one in node.args
                    if isinstance(one, ast.Constant) and isinstance(one.value, str)
                ]
                if len(names) == len(node.args):
                    return tuple(names)
        hint = hints.of_column(node, ast.get_source_segment(self._source, node))
        return self._fail(
            node, f'expected a column, such as status or col("a b"){hint}'
        )

    def _name(self, node: ast.AST, name: str) -> str:
        """Return the name of a member, if one can have it."""
        if has_surrogate(name):
            self._fail(node, "no member name has a lone surrogate")
        return name

    def _written(self, node: ast.expr, name: str) -> str:
        """Return the name at the end of a node as it was written.

        Python's parser normalizes identifiers (NFKC), and members are not normalized.
        """
        if self._source.isascii():  # normalized already
            return name
        text = ast.get_source_segment(self._source, node) or name
        if text.endswith(name):
            return name
        for start in range(len(text)):
            if unicodedata.normalize("NFKC", text[start:]) == name:
                return text[start:]
        return name

    def _value(self, whole: ast.expr, node: ast.expr) -> Any:
        """Return the constant that an expression is."""
        if not _is_constant(node):
            if any(isinstance(one, (ast.BitAnd, ast.BitOr)) for one in ast.walk(node)):
                self._fail(whole, "expected `and` or `or`, found `&` or `|`")
            hint = hints.of_value(node)
            self._fail(whole, f"expected a constant on one side{hint}")
        value = ast.literal_eval(node)
        if value is None:
            self._fail(whole, "null is tested by `is None`")
        if not isinstance(value, (bool, int, float, str)) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            self._fail(whole, "expected a bool, a finite number or a str")
        return value

    def _text(self, node: ast.AST, text: str) -> str:
        """Return a text, if a column can have it."""
        if has_surrogate(text):
            self._fail(node, "no string of a column has a lone surrogate")
        return text

    def _found(
        self, node: ast.expr, columns: Sequence[Column], path: _Path
    ) -> tuple[Column, _Path]:
        """Return the column at a path, or the one on the path that is always null."""
        inside: Sequence[Column] = columns
        found: Column | None = None
        for position, name in enumerate(path):
            found = next((one for one in inside if one[0] == name), None)
            if found is None:
                known = ", ".join(_shown((one[0],)) for one in inside[:10]) or "none"
                outer = f" in {_shown(path[:position])}" if position else ""
                self._fail(
                    node, f"no column {_shown((name,))}{outer}; there are {known}"
                )
            if found[1] == "n":
                return found, path[: position + 1]
            inside = found[4] if found[1] == "+s" else ()
        assert found is not None, "a path has a name"  # noqa: S101
        return found, path

    def _constant(  # noqa: C901, PLR0911 - one branch for each type of column
        self, node: ast.expr, column: Column, index: int, value: Any
    ) -> tuple[str, Any]:
        """Return the kind of a constant and the constant, in the units of a column."""
        _, form, _, extension, _ = column
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if form == "n":  # any constant: a comparison with null is unknown
            return "bool", False
        if form == "b" and isinstance(value, bool) and index <= 1:
            return "bool", value
        if len(form) == 1 and form in "csilCSILfg" and is_number:
            if isinstance(value, float):
                return "float", value
            return "int", str(value)
        if form in {"u", "U"} and extension is None and isinstance(value, str):
            return "str", self._text(node, value)
        try:
            if form.startswith("d:") and not isinstance(value, bool):
                if isinstance(value, float) and form.endswith(",0"):
                    # Whole numbers: compared as those of any other column.
                    return "float", value
                return "int", _decimal(form, value)
            if isinstance(value, str):
                if form == "tdD":
                    return "int", _date(value)
                if form.startswith("ts"):
                    return "int", _timestamp(form, value)
                if extension == "arrow.uuid":
                    return "bytes", _uuid(value)
        except ValueError as error:
            self._fail(node, f"the column has the type {type_text(column)}: {error}")
        known = type_text(column)
        reason = f"a column of the type {known} does not compare with {value!r}"
        return self._fail(node, reason + hints.of_type(known))


def col(*names: str) -> str:
    """Return the text of a column for `where`, whatever its name.

    Args:
        names: The name, and those of fields inside it.
    """
    return f"col({', '.join(map(repr, names))})"


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        node = node.operand
        return isinstance(node, ast.Constant) and type(node.value) in {int, float}
    return isinstance(node, ast.Constant)


def _shown(path: _Path) -> str:
    return repr(".".join(path))


def _narrowed(columns: Sequence[Column], paths: list[_Path]) -> tuple[Column, ...]:
    """Return the columns that the paths lead to, without other fields of structs."""

    def chosen() -> Iterator[Column]:
        for name, form, nullable, extension, children in columns:
            inside = [path[1:] for path in paths if path[0] == name]
            if not inside:
                continue
            deeper = [path for path in inside if path]
            fields = _narrowed(children, deeper) if form == "+s" else children
            yield name, form, nullable, extension, fields

    return tuple(chosen())


def _indices(columns: Sequence[Column], path: _Path) -> tuple[int, ...]:
    """Return the index of each column on a path."""
    found = []
    for name in path:
        index = next(at for at, one in enumerate(columns) if one[0] == name)
        found.append(index)
        columns = columns[index][4]
    return tuple(found)


def _beside_floats(index: int, value: int) -> tuple[int, Any]:
    """Return a comparison with a float that holds for the same floats.

    An integer beyond 128 bits may lie between two floats, or beyond all.
    """
    if -(1 << 127) <= value < 1 << 127:
        return index, value
    largest = sys.float_info.max
    try:
        nearest = float(value)
    except OverflowError:
        below, above = (largest, math.inf) if value > 0 else (-math.inf, -largest)
    else:
        if int(nearest) == value:
            return index, nearest
        is_below = int(nearest) < value
        below = nearest if is_below else math.nextafter(nearest, -math.inf)
        above = math.nextafter(nearest, math.inf) if is_below else nearest
    never, always = (2, -largest), (5, -largest)
    if index in {2, 3}:
        return never if below == -math.inf else (3, below)
    if index in {4, 5}:
        return never if above == math.inf else (5, above)
    return never if index == 0 else always


def _exponent(text: str) -> int:
    """Return an exponent; one of more than 20 digits as one of 21."""
    digits = text.lstrip("+-").lstrip("0")
    value = int(digits or "0") if len(digits) <= 20 else 10**20
    return -value if text.startswith("-") else value


def _decimal(form: str, value: Any) -> str:
    """Return a number in units of the last digit of a decimal column."""
    scale = int(form[2:].split(",")[1])
    if isinstance(value, int):
        number, exponent = Decimal(value), 0
    else:
        found = _NUMBER.fullmatch(value if isinstance(value, str) else repr(value))
        if found is None:
            raise ValueError(f"expected a number, found {value!r}")
        # Apart, because Decimal does not have every exponent, and int not every length.
        number, exponent = Decimal(found[1]), _exponent(found[2] or "0")
    sign, digits, places = number.as_tuple()
    shift = int(places) + exponent + scale
    text = "".join(map(str, digits))
    if shift < 0:
        if text[shift:].strip("0"):
            raise ValueError(
                f"expected at most {scale} digits after the point, found {value!r}"
            )
        text = text[:shift] or "0"
    text = text.lstrip("0")
    if not text:
        return "0"
    # No column has more than 38 digits: any larger number has the same order.
    text = "9" * 39 if len(text) + shift > 38 else text + "0" * shift
    return f"-{text}" if sign else text


def _uuid(value: str) -> bytes:
    """Return the bytes of a UUID, in the forms that a column reads."""
    if not _UUID.fullmatch(value):
        raise ValueError(f"expected a UUID, found {value!r}")
    return uuid.UUID(value).bytes


def _date(value: str) -> str:
    """Return a date in days since 1970."""
    if not _DATE.fullmatch(value):
        raise ValueError(f"expected a date (YYYY-MM-DD), found {value!r}")
    return str((dt.date.fromisoformat(value) - _EPOCH).days)


def _timestamp(form: str, value: str) -> str:
    """Return a date and a time in the units of a column."""
    unit, zone = form[2], form[4:]
    found = _TIMESTAMP.fullmatch(value)
    if found is None:
        raise ValueError(f"expected a date and a time (RFC 3339), found {value!r}")
    date, hour, minute, second, fraction, offset = found.groups()
    if (offset is None) != (not zone):
        wanted = "an offset" if zone else "no offset"
        raise ValueError(f"expected {wanted}, found {value!r}")
    clock = dt.time(int(hour), int(minute), int(second))
    seconds = (dt.date.fromisoformat(date) - _EPOCH).days * 86_400
    seconds += clock.hour * 3600 + clock.minute * 60 + clock.second
    if offset not in {None, "Z", "z"}:
        hours, *parts = map(int, offset[1:].split(":"))
        if hours > 23 or max(parts) > 59:
            raise ValueError(f"expected an offset below a day, found {value!r}")
        behind = hours * 3600 + parts[0] * 60 + sum(parts[1:])
        seconds += behind if offset[0] == "-" else -behind
    per_second, digits = _UNITS[unit], (fraction or "").rstrip("0")
    units, rest = divmod(int(digits[:9].ljust(9, "0")) * per_second, 10**9)
    if rest or len(digits) > 9:
        raise ValueError(f"the column has not as many digits of a second: {value!r}")
    return str(seconds * per_second + units)
