"""I-Regexp (RFC 9485): the patterns of `match` and `search`.

Separate because it is a language of its own. Its parser makes a tree; a tree with at
most one choice becomes a pattern of `re`. Any other could take `re` time that is
exponential in the text, so automaton.py matches it in time linear in the text. Outside
of brackets `^` and `$` are anchors: the grammar of RFC 9485 has them as characters, but
its mappings to other dialects (section 5) and the compliance suite of RFC 9535 do not.
Invariant: what the RFC does not allow is a PatternError. Used by functions.py.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from snooze._jsonpath.automaton import (
    Alternatives,
    Anchor,
    Atom,
    Automaton,
    PatternSizeError,
    Repeated,
    Sequence,
    Tree,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ("Pattern", "PatternError", "PatternSizeError")

DEEPEST = 64
_SPECIAL = frozenset("()*+.?[\\]{|}")
_ESCAPABLE = {
    **{one: one for one in "()*+-.?[\\]^{|}"},
    "n": "\n",
    "r": "\r",
    "t": "\t",
}
_CATEGORY = re.compile(
    r"\\([pP])\{(L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|Z[lps]?|S[ckmo]?|C[cfno]?)\}"
)
_QUANTIFIER = re.compile(r"[*+?]|\{([0-9]+)(?:(,)([0-9]+)?)?\}")
_LONGEST_COUNT = 6
#: Repetitions that `re` may try again at each character of a text that it searches.
_FEW = 16
#: The most characters of a pattern, repeated ones counted each, that `re` compares.
_SHORT = 256


class PatternError(ValueError):
    """The text is not an I-Regexp."""


class Pattern:
    """A compiled I-Regexp for whole texts, or with `anywhere` for parts of texts.

    PatternError if the text is none; PatternSizeError if it would need too many states.
    """

    def __init__(self, text: str, *, anywhere: bool) -> None:
        """Compile it."""
        tree = _Parser(text).whole()
        self._test: Callable[[str], object]
        found = _choices(tree)
        is_long = anywhere and found.is_long
        # What is compared at one place only may be long.
        is_short = _weight(tree) <= _SHORT or (found.ways == 0 and not anywhere)
        is_simple = found.ways <= 1 and not is_long and is_short
        if not is_simple or _CATEGORY.search(text) is not None:
            self._test = Automaton(tree, anywhere=anywhere).accepts
        else:
            compiled = re.compile(_source(tree))
            self._test = compiled.search if anywhere else compiled.fullmatch

    def accepts(self, text: str) -> bool:
        """Tell whether the text, or a part of it, matches."""
        return bool(self._test(text))


class _Choices(NamedTuple):
    """How many ways of matching `re` may have to try, and if they may be long."""

    ways: int
    is_long: bool


_TOO_MANY = _Choices(2, is_long=True)


def _choices(tree: Tree) -> _Choices:
    """Count alternatives and quantifiers; these must repeat plain characters."""
    if isinstance(tree, (Atom, Anchor)):
        return _Choices(0, is_long=False)
    if isinstance(tree, Repeated):
        if not _is_plain(tree.tree):
            return _TOO_MANY
        is_long = tree.most is None or tree.most > _FEW
        return _Choices(int(tree.least != tree.most), is_long)
    found = [_choices(one) for one in tree.trees]
    own = isinstance(tree, Alternatives)
    return _Choices(
        own + sum(one.ways for one in found), any(one.is_long for one in found)
    )


def _weight(tree: Tree) -> int:
    """Return how many characters a pattern compares, if `*` and `+` count once."""
    if isinstance(tree, (Atom, Anchor)):
        return 1
    if isinstance(tree, Repeated):
        times = tree.least if tree.most is None else tree.most
        return _weight(tree.tree) * max(times, 1)
    return sum(map(_weight, tree.trees))


def _is_plain(tree: Tree) -> bool:
    """Tell whether a tree is one character or several, and nothing else.

    `re` takes long for repetitions of repetitions or of nothing, without any choice.
    """
    if isinstance(tree, Sequence):
        return bool(tree.trees) and all(isinstance(one, Atom) for one in tree.trees)
    return isinstance(tree, Atom)


def _source(tree: Tree) -> str:
    """Return a tree as a pattern of `re`."""
    if isinstance(tree, Atom):
        return tree.source
    if isinstance(tree, Anchor):
        return r"\A" if tree.is_start else r"\Z"
    if isinstance(tree, Sequence):
        return "".join(map(_source, tree.trees))
    if isinstance(tree, Alternatives):
        return "(?:" + "|".join(map(_source, tree.trees)) + ")"
    most = "" if tree.most is None else tree.most
    return f"(?:{_source(tree.tree)}){{{tree.least},{most}}}"


class _Set:
    """A character class: ranges and categories, perhaps all others."""

    def __init__(self, *, negated: bool) -> None:
        self._negated = negated
        self._ranges: list[tuple[str, str]] = []
        self._categories: list[tuple[str, bool]] = []

    def add_range(self, first: str, last: str) -> None:
        """Add characters."""
        self._ranges.append((first, last))

    def add_category(self, name: str, *, others: bool) -> None:
        """Add a category of Unicode, or all others."""
        self._categories.append((name, others))

    def atom(self) -> Atom:
        """Return the class as an atom; only one without categories has a source."""
        parts = [f"{re.escape(a)}-{re.escape(b)}" for a, b in self._ranges]
        caret = "^" if self._negated else ""
        return Atom(self._has, f"[{caret}{''.join(parts)}]")

    def _has(self, character: str) -> bool:
        hit = any(first <= character <= last for first, last in self._ranges)
        if not hit and self._categories:
            category = unicodedata.category(character)
            hit = any(
                category.startswith(name) != others for name, others in self._categories
            )
        return hit != self._negated


#: Characters with a meaning of their own.
_SINGLE: dict[str, Tree] = {
    ".": Atom(lambda character: character not in "\n\r", "[^\n\r]"),
    "^": Anchor(is_start=True),
    "$": Anchor(is_start=False),
}


def _character(one: str) -> Atom:
    return Atom(lambda character: character == one, re.escape(one))


class _Parser:
    """Reads one pattern."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Tree:
        found = self._alternatives()
        if self._at < len(self._text):
            self._wrong()
        return found

    def _alternatives(self) -> Tree:
        self._depth += 1
        if self._depth > DEEPEST:
            raise PatternSizeError(f"more than {DEEPEST} nested parentheses")
        branches = [self._branch()]
        while self._take("|"):
            branches.append(self._branch())
        self._depth -= 1
        return branches[0] if len(branches) == 1 else Alternatives(tuple(branches))

    def _branch(self) -> Tree:
        pieces: list[Tree] = []
        while self._peek() not in ("", "|", ")"):
            pieces.append(self._piece())
        return pieces[0] if len(pieces) == 1 else Sequence(tuple(pieces))

    def _piece(self) -> Tree:
        atom = self._atom()
        found = _QUANTIFIER.match(self._text, self._at)
        if found is None:
            return atom
        self._at = found.end()
        sign, least, comma, most = found[0], found[1], found[2], found[3]
        if least is None:
            return Repeated(atom, int(sign == "+"), 1 if sign == "?" else None)
        if any(len(one.lstrip("0")) > _LONGEST_COUNT for one in (least, most or "")):
            raise PatternSizeError("more than 999999 repetitions")
        end = int(most) if most else None if comma else int(least)
        if end is not None and end < int(least):
            self._wrong()
        return Repeated(atom, int(least), end)

    def _atom(self) -> Tree:
        if self._take("("):
            inside = self._alternatives()
            if not self._take(")"):
                self._wrong()
            return inside
        if self._take("["):
            return self._class()
        one = self._peek()
        if one == "\\":
            return self._escape()
        if one in _SINGLE:
            self._at += 1
            return _SINGLE[one]
        if one in _SPECIAL or "\ud800" <= one <= "\udfff":
            self._wrong()
        self._at += 1
        return _character(one)

    def _escape(self) -> Atom:
        category = self._category()
        if category is None:
            return _character(self._escaped())
        single = _Set(negated=False)
        single.add_category(category[0], others=category[1])
        return single.atom()

    def _category(self) -> tuple[str, bool] | None:
        found = _CATEGORY.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[2], found[1] == "P"

    def _escaped(self) -> str:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter not in _ESCAPABLE:
            self._wrong()
        self._at += 2
        return _ESCAPABLE[letter]

    def _class(self) -> Atom:
        found = _Set(negated=self._take("^"))
        if self._take("-"):
            found.add_range("-", "-")
        elif self._peek() == "]":
            self._wrong()
        while not self._take("]"):
            if self._take("-"):
                if self._peek() != "]":
                    self._wrong()
                found.add_range("-", "-")
                continue
            category = self._category()
            if category is not None:
                found.add_category(category[0], others=category[1])
                continue
            first = last = self._class_character()
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._at += 1
                last = self._class_character()
                if last < first:
                    self._wrong()
            found.add_range(first, last)
        return found.atom()

    def _class_character(self) -> str:
        one = self._peek()
        if one == "\\":
            return self._escaped()
        if one in ("", "-", "[", "]") or "\ud800" <= one <= "\udfff":
            self._wrong()
        self._at += 1
        return one

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _take(self, one: str) -> bool:
        if self._peek() != one:
            return False
        self._at += 1
        return True

    def _wrong(self) -> NoReturn:
        raise PatternError(f"not an I-Regexp at character {self._at} of {self._text!r}")
