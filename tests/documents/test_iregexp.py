"""I-Regexp (RFC 9485): its grammar, its meaning, and its worst cases.

Both engines are held against `re` on generated patterns, whose syntax they share.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

import snooze
from snooze._jsonpath import iregexp
from snooze._jsonpath.automaton import Automaton
from snooze._jsonpath.iregexp import Pattern, PatternError, PatternSizeError


class Both:
    """A pattern for whole texts and for parts of texts."""

    def __init__(self, text: str) -> None:
        self.matches = Pattern(text, anywhere=False).accepts
        self.occurs_in = Pattern(text, anywhere=True).accepts


#: A pattern, texts that it matches as a whole, texts that it does not.
MEANINGS = [
    ("", [""], ["a"]),
    ("abc", ["abc"], ["ab", "xabc", "abcx", "ABC"]),
    ("a|b|", ["a", "b", ""], ["ab"]),
    ("a.c", ["abc", "a\u2028c", "a\x85c", "a😀c"], ["a\nc", "a\rc", "ac"]),
    ("[a-c]+", ["abc"], ["", "abcd"]),
    ("[^a-c]", ["d", "\n"], ["a"]),
    ("[-a]", ["-", "a"], ["b"]),
    ("[a-]", ["-", "a"], ["b"]),
    ("[^-a]", ["b"], ["-", "a"]),
    ("[\\]\\-\\n]", ["]", "-", "\n"], ["\\", "n"]),
    ("[.*^$|()]", list(".*^$|()"), ["a"]),
    ("[é-ü]", ["ö"], ["e"]),
    ("a{2}", ["aa"], ["a", "aaa"]),
    ("a{2,}", ["aa", "aaaa"], ["a"]),
    ("a{1,3}", ["a", "aaa"], ["", "aaaa"]),
    ("a{0}", [""], ["a"]),
    ("(ab){2}|c", ["abab", "c"], ["ab", "abc"]),
    ("(a|b)*c?", ["", "abba", "abc"], ["cc"]),
    ("\\p{L}", ["a", "é", "字"], ["1", " "]),
    ("\\p{Lu}\\p{Ll}*", ["Abc", "É"], ["abc"]),
    ("\\P{Nd}+", ["abc"], ["a1"]),
    ("[\\p{Nd}_]+", ["1_٣"], ["a"]),
    ("[^\\p{L}]", ["1"], ["a"]),
    ("[\\P{L}a]", ["1", "a"], ["b"]),
    ("\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\\\\\-\\^", [".*+?()[]{}|\\-^"], [""]),
    ("\\n\\r\\t", ["\n\r\t"], ["nrt"]),
    ("a-z,:", ["a-z,:"], ["b"]),
    ("^ab$", ["ab"], ["^ab$", "xab"]),
    ("(^a|b)c", ["ac", "bc"], []),
]
#: What RFC 9485 leaves out of other dialects, or no dialect has.
WRONG = [
    "(", ")", "a)", "(a", "[", "]", "[]", "[^]", "[a", "a**", "a+?", "*", "+a", "?", "|*", "{1}", "a{", "a{}", "a{,1}",
    "a{2,1}", "a{a}", "}", "\\", "\\d", "\\w", "\\s", "\\S", "\\b", "\\1", "\\x41", "\\u0041", "\\$", "\\ ", "\\p", "\\p{",
    "\\p{}", "\\p{X}", "\\p{Cs}", "\\p{Letter}", "\\p{IsBasicLatin}", "(?:a)", "(?=a)", "(?i)a", "[b-a]", "[a-b-c]",
    "[[a]]", "[a--]", "[\\d]", "[a-\\p{L}]", "\ud800", "[\ud800]",
]  # fmt: skip


@pytest.mark.parametrize(("text", "matching", "others"), MEANINGS)
def test_meaning(text, matching, others):
    pattern = Both(text)
    tree = iregexp._Parser(text).whole()
    whole, part = Automaton(tree, anywhere=False), Automaton(tree, anywhere=True)
    for one in matching:
        assert pattern.matches(one)
        assert whole.accepts(one)
        assert pattern.occurs_in(one)
        assert part.accepts(one)
        if "^" not in text:
            assert pattern.occurs_in("x" + one + "x")
            assert part.accepts("x" + one + "x")
    for one in others:
        assert not pattern.matches(one)
        assert not whole.accepts(one)


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_pattern(text):
    with pytest.raises(PatternError):
        Both(text)


_ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "^", "$", r"\."])
_COUNTS = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,20}", "{1,}", "{0}"])


def _inside(trees: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.lists(trees, max_size=4).map("".join),
        st.lists(trees, min_size=1, max_size=3).map(
            lambda found: f"({'|'.join(found)})"
        ),
        st.tuples(trees.map("({})".format), _COUNTS).map("".join),
        st.tuples(_ATOMS, _COUNTS).map("".join),
    )


PATTERNS = st.recursive(_ATOMS, _inside, max_leaves=8)


@given(PATTERNS, st.lists(st.text("ab.\n", max_size=6), max_size=10))
def test_both_engines_do_as_re_does(text, subjects):
    try:
        pattern, tree = Both(text), iregexp._Parser(text).whole()
    except PatternSizeError:
        reject()  # nested counts, as in (a{0,20}){0,20}
    whole, part = Automaton(tree, anywhere=False), Automaton(tree, anywhere=True)
    like = re.compile(iregexp._source(tree))
    for one in ["", *subjects]:
        expected = like.fullmatch(one) is not None, like.search(one) is not None
        assert (pattern.matches(one), pattern.occurs_in(one)) == expected
        assert (whole.accepts(one), part.accepts(one)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(a*)*b",
        "(a|a)*b",
        "(a|aa)+b",
        "(a?){30}a{30}b",
        "a*a*a*a*a*b",
        "(.*)(.*)(.*)b",
        "((a+)+)+b",
        "(a|a){30}b",
        "a*b",
        "a{900}b",
    ],
)
def test_the_worst_patterns_are_linear(text):
    """With `re` most of these would take longer than the universe exists."""
    pattern = Both(text)
    assert not pattern.matches("a" * 20_000)
    assert not pattern.occurs_in("a" * 20_000)
    assert pattern.occurs_in("a" * 20_000 + "b")


@pytest.mark.parametrize(
    "text",
    [
        "((a{99}){99}){99}b?c?",
        "a?" * 6000,
        "(){999999}",
        "((){999999}){999999}",
        "(((a{0}){999999}){999999}){999999}",
        "((^){999999}){999999}a",
        "((a{999999}){999999}){999999}",
        "a{1000000}",
        "(" * 100 + ")" * 100,
    ],
)
def test_patterns_that_are_too_large(text):
    with pytest.raises(PatternSizeError):
        Both(text)


def test_long_repetitions_match_whole_texts():
    """`re` needs no states for them; only a search would be slow."""
    assert Pattern("[ab]{100000}", anywhere=False).accepts("ab" * 50_000)
    with pytest.raises(PatternSizeError):
        Pattern("[ab]{100000}", anywhere=True)


@pytest.mark.parametrize(
    ("text", "anywhere"),
    [("a{0,16}" + "[ab]" * 12_000, True), ("a*" + "[ab]" * 12_000, False)],
)
def test_long_patterns_with_a_choice(text, anywhere):
    """`re` would compare them again and again, once for each way of the choice."""
    with pytest.raises(PatternSizeError):
        Pattern(text, anywhere=anywhere)
    short = Pattern(text.replace("[ab]" * 12_000, "[ab]" * 100), anywhere=anywhere)
    assert short.accepts("a" * 5 + "b" * 100)
    assert not short.accepts("a" * 5 + "b" * 90)


def test_what_is_remembered_is_bounded(monkeypatch):
    monkeypatch.setattr("snooze._jsonpath.automaton._MOST_REMEMBERED", 10)
    pattern = Both("(a|b)*a(a|b){5}|[^ab]*x+")
    subject = "".join(chr(0x4E00 + number) for number in range(500)) + "xx"
    assert pattern.matches(subject)
    assert pattern.matches("ab" * 50 + "abbbbb")
    assert not pattern.matches("ab" * 50 + "bbbbbbb")


LARGE = [
    ("(x|y){1,3000}", "more than 2000 states"),
    ("(" * 65 + "x" + ")" * 65, "more than 64 nested parentheses"),
    ("(x|y){1000000}", "more than 999999 repetitions"),
]


@pytest.mark.parametrize("name", ["match", "search"])
@pytest.mark.parametrize(("pattern", "reason"), LARGE)
def test_a_pattern_that_is_too_large_is_an_error(name, pattern, reason):
    """Also one in the document: no match would be a wrong answer."""
    literal = f"$[?{name}(@.a, '{pattern}')]"
    with pytest.raises(snooze.jsonpath.JSONPathError, match=reason) as caught:
        snooze.jsonpath.compile(literal)
    assert caught.value.position == literal.index("'")
    query = f"$[?{name}(@.a, @.p)]"
    path = snooze.jsonpath.compile(query)
    assert path.find([{"a": 1, "p": pattern}, {"a": "x", "p": "x"}, {"a": "x"}])
    with pytest.raises(snooze.jsonpath.JSONPathError, match=reason) as caught:
        path.find([{"a": "xyx", "p": pattern}])
    assert caught.value.position == query.index("@.p")
    assert caught.value.query == query
    assert str(caught.value).endswith(
        f' in the document, for column {query.index("@.p") + 1} of "{query}"'
    )


def test_zeros_before_a_count_are_no_repetitions():
    both = Both("(x|y){0000001,000000000002}")
    assert both.matches("xy")
    assert not both.matches("xyx")


def test_what_is_no_pattern_matches_nothing():
    for pattern in ("(", "\\d", "x{2,1}", 5, None):
        assert (
            snooze.jsonpath.find([{"a": "x", "p": pattern}], "$[?match(@.a, @.p)]")
            == []
        )
