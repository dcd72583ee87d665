"""Parse the text of a query into segments (the ABNF of RFC 9535, appendix A).

Separate from what queries do. Invariants: what the ABNF and the rules of types (section
2.4.3) do not allow is a JSONPathError with its position; parentheses, filters and
functions are nested at most DEEPEST levels, because they are parsed and evaluated
recursively. Called by query.py.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from snooze._jsonpath import filters
from snooze._jsonpath.filters import Evaluated, Expression, Kind
from snooze._jsonpath.functions import FUNCTIONS
from snooze._jsonpath.iregexp import Pattern, PatternError, PatternSizeError
from snooze._jsonpath.segments import (
    Filter,
    Index,
    Name,
    Segment,
    Selector,
    Slice,
    Wildcard,
)
from snooze.jsonpath import JSONPathError
from snooze.pointer import quoted

DEEPEST = 64
#: Integers that every double has exactly (RFC 9535 section 2.1).
_LARGEST = 2**53 - 1
_BLANK = re.compile(r"[ \t\n\r]*")
_NAME = re.compile(
    "[A-Za-z_\x80-\ud7ff\ue000-\U0010ffff][0-9A-Za-z_\x80-\ud7ff\ue000-\U0010ffff]*"
)
_INTEGER = re.compile(r"-?[0-9]+")
_RIGHT_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FUNCTION = re.compile(r"([a-z][a-z_0-9]*)\(")
_WORD = re.compile(r"[A-Za-z_0-9]+")
_OPERATOR = re.compile(r"==|!=|<=|>=|<|>")
_CHARACTERS = {
    quote: re.compile(f"[^{quote}\\\\\x00-\x1f\ud800-\udfff]+") for quote in "'\""
}
_ESCAPE = re.compile(r"\\(?:([bfnrt/\\'\"])|u([0-9A-Fa-f]{4}))")
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS = {"true": True, "false": False, "null": None}


class Parser:
    """Reads one query, from its first character to its last."""

    def __init__(self, text: str) -> None:
        """Begin before the first character."""
        self._text = text
        self._at = 0
        self._depth = 0

    def segments(self) -> list[Segment]:
        """Return the segments of the whole query."""
        if not self._text.startswith("$"):
            self._wrong('"$"')
        self._at = 1
        found = self._segments()
        if self._at < len(self._text):
            self._wrong('".", ".." or "["')
        return found

    def _segments(self) -> list[Segment]:
        found = []
        while True:
            start = self._at
            self._blank()
            if self._take(".."):
                if self._peek() == "[":
                    found.append(self._bracketed(descends=True))
                else:
                    selector = self._shorthand('a name, "*" or "[" after ".."')
                    found.append(Segment([selector], descends=True))
            elif self._take("."):
                selector = self._shorthand('a name or "*" after "."')
                found.append(Segment([selector], descends=False))
            elif self._peek() == "[":
                found.append(self._bracketed(descends=False))
            else:
                self._at = start
                return found

    def _shorthand(self, expected: str) -> Selector:
        if self._take("*"):
            return Wildcard()
        name = _NAME.match(self._text, self._at)
        if name is None:
            self._wrong(expected)
        self._at = name.end()
        return Name(name[0])

    def _bracketed(self, *, descends: bool) -> Segment:
        self._at += 1
        found: list[Selector] = []
        has_blanks = False
        while True:
            before = self._at
            self._blank()
            has_blanks = has_blanks or self._at > before
            found.append(self._selector())
            before = self._at
            self._blank()
            has_blanks = has_blanks or self._at > before
            if self._take("]"):
                return Segment(found, descends=descends, has_blanks=has_blanks)
            if not self._take(","):
                self._wrong('"," or "]"')

    def _selector(self) -> Selector:
        first = self._peek()
        if first in ("'", '"'):
            return Name(self._string())
        if self._take("*"):
            return Wildcard()
        if self._take("?"):
            self._blank()
            return Filter(self._nested(self._condition))
        if first not in (":", "-") and not first.isdigit():
            self._wrong('a name in quotes, an index, a slice, "*" or "?"')
        return self._index_or_slice()

    def _index_or_slice(self) -> Selector:
        start = None if self._peek() == ":" else self._integer()
        before = self._at
        self._blank()
        if not self._take(":"):
            self._at = before
            if start is None:  # not possible: the selector began with a colon
                self._wrong('":"')
            return Index(start)
        self._blank()
        end = step = None
        if self._is_integer():
            end = self._integer()
            self._blank()
        if self._take(":"):
            self._blank()
            if self._is_integer():
                step = self._integer()
        return Slice(start, end, step)

    def _is_integer(self) -> bool:
        return _INTEGER.match(self._text, self._at) is not None or self._peek() == "-"

    def _integer(self) -> int:
        found = _INTEGER.match(self._text, self._at)
        if found is None or not found[0].isascii():
            self._wrong("an integer")
        if not _RIGHT_INTEGER.fullmatch(found[0]):
            self._wrong("an integer without leading zeros, and not -0")
        if len(found[0]) > 17 or abs(int(found[0])) > _LARGEST:
            self._wrong(f"an integer from -{_LARGEST} to {_LARGEST}")
        self._at = found.end()
        return int(found[0])

    def _string(self) -> str:
        """Return the string literal that begins here."""
        quote = self._peek()
        self._at += 1
        parts: list[str] = []
        while True:
            plain = _CHARACTERS[quote].match(self._text, self._at)
            if plain is not None:
                parts.append(plain[0])
                self._at = plain.end()
            if self._take(quote):
                return "".join(parts)
            if self._peek() != "\\":
                self._wrong(f"a character of a string or {quote}")
            parts.append(self._escape(quote))

    def _escape(self, quote: str) -> str:
        found = _ESCAPE.match(self._text, self._at)
        if found is None or found[1] == ("'" if quote == '"' else '"'):
            self._wrong("an escape of JSON")
        if found[1]:
            self._at = found.end()
            return _ESCAPED.get(found[1], found[1])
        code = int(found[2], 16)
        end = found.end()
        if 0xD800 <= code < 0xE000:
            low = _ESCAPE.match(self._text, end)
            second = int(low[2], 16) if low is not None and low[2] else 0
            if code >= 0xDC00 or not 0xDC00 <= second < 0xE000 or low is None:
                self._wrong("a pair of surrogates")
            code = 0x10000 + ((code & 0x3FF) << 10) + (second & 0x3FF)
            end = low.end()
        self._at = end
        return chr(code)

    # Filters: each method returns an expression, or the function that evaluates it.

    def _nested(self, parse: Any) -> Any:
        self._depth += 1
        if self._depth > DEEPEST:
            self._wrong(f"at most {DEEPEST} levels of parentheses and filters")
        found = parse()
        self._depth -= 1
        return found

    def _condition(self) -> Evaluated:
        return self._as_condition(self._expression())

    def _expression(self) -> Expression:
        """Parse `logical-expr`; a single value or query stays what it is."""
        start = self._at
        parts = [self._conjunction()]
        while self._after_blank("||"):
            parts.append(self._conjunction())
        if len(parts) == 1:
            return parts[0]
        tests = [self._as_condition(one) for one in parts]
        return Expression(Kind.LOGICAL, filters.some(tests), start)

    def _conjunction(self) -> Expression:
        start = self._at
        parts = [self._basic()]
        while self._after_blank("&&"):
            parts.append(self._basic())
        if len(parts) == 1:
            return parts[0]
        tests = [self._as_condition(one) for one in parts]
        return Expression(Kind.LOGICAL, filters.every(tests), start)

    def _after_blank(self, token: str) -> bool:
        start = self._at
        self._blank()
        if self._take(token):
            self._blank()
            return True
        self._at = start
        return False

    def _basic(self) -> Expression:
        start = self._at
        if self._take("!"):
            self._blank()
            inside = self._parenthesis() if self._peek() == "(" else self._operand()
            if inside.is_literal:
                self._wrong_at(inside, 'a query, a function or "(" after "!"')
            test = filters.negated(self._as_condition(inside))
            return Expression(Kind.LOGICAL, test, start)
        if self._peek() == "(":
            return self._parenthesis()
        left = self._operand()
        after = self._at
        self._blank()
        operator = _OPERATOR.match(self._text, self._at)
        if operator is None:
            self._at = after
            return left
        self._at = operator.end()
        self._blank()
        right = self._operand()
        test = filters.compared(
            operator[0], self._as_value(left), self._as_value(right)
        )
        return Expression(Kind.LOGICAL, test, start)

    def _parenthesis(self) -> Expression:
        start = self._at
        self._at += 1
        self._blank()
        test = self._nested(self._condition)
        self._blank()
        if not self._take(")"):
            self._wrong('")", or an operator')
        return Expression(Kind.LOGICAL, test, start)

    def _operand(self) -> Expression:
        """Parse a literal, a query or a call."""
        start = self._at
        first = self._peek()
        if first in ("@", "$"):
            self._at += 1
            segments = self._nested(self._segments)
            return filters.query(segments, start, is_root=first == "$")
        if first in ("'", '"'):
            return filters.literal(self._string(), start)
        if first == "-" or (first.isascii() and first.isdigit()):
            return filters.literal(self._number(), start)
        call = _FUNCTION.match(self._text, self._at)
        if call is not None:
            self._at = call.end()
            found: Expression = self._nested(lambda: self._call(call[1], start))
            return found
        word = _WORD.match(self._text, self._at)
        if word is None or word[0] not in _CONSTANTS:
            self._wrong("a query, a literal or a function")
        self._at = word.end()
        return filters.literal(_CONSTANTS[word[0]], start)

    def _number(self) -> int | float:
        found = _NUMBER.match(self._text, self._at)
        if found is None:
            self._wrong("a number")
        end = found.end()
        if end < len(self._text) and self._text[end].isdigit():
            self._wrong("a number without leading zeros")
        self._at = end
        if found[1] or found[2]:
            return float(found[0])
        try:
            return int(found[0])
        except ValueError:  # longer than Python converts
            return float(found[0])

    def _call(self, name: str, start: int) -> Expression:
        function = FUNCTIONS.get(name)
        if function is None:
            self._at = start
            self._wrong("the function " + ", ".join(FUNCTIONS))
        arguments: list[Expression] = []
        self._blank()
        if not self._take(")"):
            while True:
                arguments.append(self._expression())
                self._blank()
                if self._take(")"):
                    break
                if not self._take(","):
                    self._wrong('"," or ")"')
                self._blank()
        count = len(function.parameters)
        if len(arguments) != count:
            self._at = start
            self._wrong(f"{count} argument{'s' * (count > 1)} of {name}")
        if function.anywhere is not None:
            self._check_pattern(arguments[-1], anywhere=function.anywhere)
        values = [
            self._as_kind(one, kind)
            for one, kind in zip(arguments, function.parameters, strict=True)
        ]
        call = _called(function.call, values)
        if function.anywhere is not None:
            call = self._sized(call, values[-1], arguments[-1].position)
        return Expression(function.result, call, start)

    def _sized(self, call: Evaluated, pattern: Evaluated, position: int) -> Evaluated:
        """Return a call whose pattern, if it is in the document, may be too large."""
        query = self._text

        def evaluate(current: Any, root: Any) -> Any:
            try:
                return call(current, root)
            except PatternSizeError as error:
                raise JSONPathError(
                    f"expected a pattern without {error}, found "
                    f"{quoted(pattern(current, root))} in the document, for column "
                    f"{position + 1} of {quoted(query)}",
                    query,
                    position,
                ) from None

        return evaluate

    def _check_pattern(self, argument: Expression, *, anywhere: bool) -> None:
        """Refuse a literal pattern that is too large; one that is none is no match."""
        if argument.text is None:
            return
        try:
            Pattern(argument.text, anywhere=anywhere)
        except PatternSizeError as error:
            self._wrong_at(argument, f"a smaller pattern, without {error}")
        except PatternError:
            return

    def _as_kind(self, part: Expression, kind: Kind) -> Evaluated:
        if kind is Kind.VALUE:
            return self._as_value(part)
        if kind is Kind.LOGICAL:
            return self._as_condition(part)
        if part.kind is not Kind.NODES:
            self._wrong_at(part, "a query")
        return part.evaluate

    def _as_value(self, part: Expression) -> Evaluated:
        if part.kind is Kind.VALUE:
            return part.evaluate
        if part.singular is None:
            self._wrong_at(
                part, "a literal, a function with a value or a query for one value"
            )
        return part.singular

    def _as_condition(self, part: Expression) -> Evaluated:
        if part.kind is Kind.VALUE:
            self._wrong_at(part, "a comparison, a query or a function that is a test")
        return filters.exists(part) if part.kind is Kind.NODES else part.evaluate

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, token: str) -> bool:
        if not self._text.startswith(token, self._at):
            return False
        self._at += len(token)
        return True

    def _blank(self) -> None:
        self._at = _BLANK.match(self._text, self._at).end()  # type: ignore[union-attr]

    def _wrong_at(self, part: Expression, expected: str) -> NoReturn:
        self._at = part.position
        self._wrong(expected)

    def _wrong(self, expected: str) -> NoReturn:
        found = self._text[self._at : self._at + 10]
        shown = quoted(found) if found else "the end of the query"
        raise JSONPathError(
            f"expected {expected}, found {shown} at column {self._at + 1} of "
            f"{quoted(self._text)}",
            self._text,
            self._at,
        )


def _called(call: Any, arguments: list[Evaluated]) -> Evaluated:
    if len(arguments) == 1:
        first = arguments[0]
        return lambda current, root: call(first(current, root))
    return lambda current, root: call(*(one(current, root) for one in arguments))
