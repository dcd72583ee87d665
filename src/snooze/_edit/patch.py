"""Apply a JSON Patch (RFC 6902).

Separate from diff.py, which makes patches. Invariants: all operations are applied or
none, also in place; no part of the result is part of the patch; what `copy` operations
make is limited, because each can double the document. Called by `snooze.patch`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from snooze import pointer as pointers
from snooze._documents import PatchError
from snooze._edit.values import Budget, BudgetError, copied, equal
from snooze._typed.raw import Raw

#: Bits of an integer that is shown in a message.
_LONGEST_INTEGER = 256
_NAN = "NaN"


def apply(document: Any, operations: Any, *, in_place: bool, max_copied: int) -> Any:
    """Return the patched document; see `snooze.patch`."""
    is_list = isinstance(operations, Iterable)
    if not is_list or isinstance(operations, (str, bytes, Mapping)):
        raise TypeError(
            f"expected a list of operations, found {type(operations).__name__}"
        )
    target = _Target(document if in_place else copied(document), max_copied)
    if in_place:
        target.kept = {}
    try:
        for number, operation in enumerate(operations):
            _Operation(operation, number).apply(target)
    except BaseException:
        target.restore()
        raise
    return target.document


class _Target:
    """The document that is being patched."""

    def __init__(self, document: Any, max_copied: int) -> None:
        self.document = document
        self.budget = Budget(max_copied)
        #: In place: each container before its first change, with its contents then.
        self.kept: dict[int, tuple[Any, Any]] | None = None

    def changing(self, tokens: list[str]) -> Any:
        """Return the dict or list that has the last token, which will be changed."""
        found = pointers.container(self.document, tokens)
        if self.kept is not None and id(found) not in self.kept:
            self.kept[id(found)] = (found, found.copy())
        return found

    def restore(self) -> None:
        """Undo all changes in place."""
        for one, before in (self.kept or {}).values():
            if isinstance(one, dict):
                one.clear()
                one.update(before)
            else:
                one[:] = before

    def value(self, tokens: list[str]) -> Any:
        """Return the value at a place."""
        value = self.document
        for position, token in enumerate(tokens):
            value = pointers.child(value, token, tokens, position)
        return value

    def add(self, tokens: list[str], value: Any) -> None:
        """Add or replace a member, or insert an item."""
        if not tokens:
            self.document = value
            return
        parent = self.changing(tokens)
        if isinstance(parent, dict):
            parent[tokens[-1]] = value
        elif tokens[-1] == "-":
            parent.append(value)
        else:
            at = pointers.index(parent, tokens, len(tokens) - 1, more=1)
            parent.insert(at, value)

    def remove(self, tokens: list[str]) -> Any:
        """Remove a value and return it."""
        if not tokens:
            raise pointers.PointerError("the whole document cannot be removed", "")
        parent = self.changing(tokens)
        if isinstance(parent, dict):
            value = pointers.child(parent, tokens[-1], tokens, len(tokens) - 1)
            del parent[tokens[-1]]
            return value
        return parent.pop(pointers.index(parent, tokens, len(tokens) - 1))

    def replace(self, tokens: list[str], value: Any) -> None:
        """Replace a value that exists."""
        if not tokens:
            self.document = value
            return
        parent = self.changing(tokens)
        last = len(tokens) - 1
        if isinstance(parent, dict):
            pointers.child(parent, tokens[last], tokens, last)
            parent[tokens[last]] = value
        else:
            parent[pointers.index(parent, tokens, last)] = value


class _Operation:
    """One operation of a patch."""

    def __init__(self, operation: Any, number: int) -> None:
        self.number = number
        self.members = operation
        self.title = f"operation {number}"
        if not isinstance(operation, Mapping):
            raise self.wrong(f"expected an object, found {_shown(operation)}")
        self.name = self.text("op")
        if self.name not in _OPERATIONS:
            raise self.wrong(
                "expected the op add, remove, replace, move, copy or test, found "
                + pointers.quoted(self.name)
            )
        self.path = self.text("path")
        self.title += f" ({self.name} {pointers.quoted(self.path)})"

    def apply(self, target: _Target) -> None:
        """Change the target; PatchError if that is impossible."""
        try:
            _OPERATIONS[self.name](self, target)
        except pointers.PointerError as error:
            raise self.wrong(str(error), "place", error.pointer) from None
        except BudgetError:
            raise self.wrong(
                "the copy operations of this patch copy more values than max_copied "
                "allows",
                "size",
            ) from None

    def wrong(
        self, message: str, reason: str = "operation", pointer: str = ""
    ) -> PatchError:
        """Return the error for this operation."""
        return PatchError(f"{self.title}: {message}", self.number, reason, pointer)

    def member(self, name: str) -> Any:
        """Return a required member."""
        if name not in self.members:
            raise self.wrong(f'expected a member "{name}", found none')
        return self.members[name]

    def text(self, name: str) -> str:
        """Return a required member that is a string."""
        value = self.member(name)
        if not isinstance(value, str):
            raise self.wrong(f'"{name}": expected a string, found {_shown(value)}')
        return value

    def tokens(self, name: str = "path") -> list[str]:
        """Return a required member that is a pointer."""
        text = self.text(name)
        try:
            if not text.startswith("#"):  # a URI fragment is none of RFC 6902
                return pointers.parse(text)
            error = pointers.no_pointer(text)
        except ValueError as found:
            error = found
        raise self.wrong(f'"{name}": {error}') from None

    def add(self, target: _Target) -> None:
        """RFC 6902 section 4.1."""
        tokens = self.tokens()
        target.add(tokens, copied(self.member("value")))

    def remove(self, target: _Target) -> None:
        """Section 4.2."""
        target.remove(self.tokens())

    def replace(self, target: _Target) -> None:
        """Section 4.3."""
        tokens = self.tokens()
        target.replace(tokens, copied(self.member("value")))

    def move(self, target: _Target) -> None:
        """Section 4.4."""
        tokens, origin = self.tokens(), self.tokens("from")
        if len(origin) < len(tokens) and tokens[: len(origin)] == origin:
            raise self.wrong(
                "a value cannot be moved into itself, from "
                + pointers.quoted(self.text("from"))
            )
        if tokens == origin:
            target.value(origin)
            return
        target.add(tokens, target.remove(origin))

    def copy(self, target: _Target) -> None:
        """Section 4.5."""
        tokens, origin = self.tokens(), self.tokens("from")
        target.add(tokens, copied(target.value(origin), target.budget))

    def test(self, target: _Target) -> None:
        """Section 4.6."""
        tokens, expected = self.tokens(), self.member("value")
        found = target.value(tokens)
        if not equal(found, expected):
            shown = _shown(expected)
            raise self.wrong(
                f"expected {shown}, found {_other(found, shown)}", "test", self.path
            )


_OPERATIONS = {
    "add": _Operation.add,
    "remove": _Operation.remove,
    "replace": _Operation.replace,
    "move": _Operation.move,
    "copy": _Operation.copy,
    "test": _Operation.test,
}


def _other(value: Any, expected: str) -> str:
    """Return a value as `_shown` does, but not as if it were the expected one."""
    text = _shown(value)
    if text != expected:
        return text
    if text == _NAN:
        return f"{text}, which equals nothing"
    return "another " + text.removeprefix("an ").removeprefix("a ")


def _shown(value: Any) -> str:
    """Return a scalar as JSON, cut, or what kind of container it is."""
    if isinstance(value, Mapping):
        return f"an object of {len(value)}"
    if isinstance(value, (list, tuple)):
        return f"an array of {len(value)}"
    if isinstance(value, str):
        return pointers.quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return pointers.quoted(_text(value))[1:-1]


def _text(value: Any) -> str:
    """Return a number as JSON, or other objects by `repr`."""
    if isinstance(value, Raw):
        return value.decode(errors="replace")
    if isinstance(value, int) and value.bit_length() > _LONGEST_INTEGER:
        return "a long integer"
    if isinstance(value, Decimal):
        # Not by `math`, for which a signalling NaN is an error.
        text = str(value) if value.is_finite() else _NAN
        return _infinity(value > 0) if value.is_infinite() else text
    if isinstance(value, float) and not math.isfinite(value):
        return _NAN if math.isnan(value) else _infinity(value > 0)
    return repr(value)


def _infinity(is_positive: bool) -> str:  # noqa: FBT001 - the sign
    return "Infinity" if is_positive else "-Infinity"
