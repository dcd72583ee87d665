"""JSONPath: every example of RFC 9535, and what its grammar and types do not allow.

The last test runs the compliance test suite of the standard, which is fetched.
"""

from __future__ import annotations

import math
import pickle
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import snooze
from helpers.documents_data import DOCUMENTS
from helpers.scripts import script
from snooze import jsonpath
from snooze.jsonpath import JSONPathError

#: RFC 9535 section 1.5.
STORE = {
    "store": {
        "book": [
            {
                "category": "reference",
                "author": "Nigel Rees",
                "title": "Sayings of the Century",
                "price": 8.95,
            },
            {
                "category": "fiction",
                "author": "Evelyn Waugh",
                "title": "Sword of Honour",
                "price": 12.99,
            },
            {
                "category": "fiction",
                "author": "Herman Melville",
                "title": "Moby Dick",
                "isbn": "0-553-21311-3",
                "price": 8.99,
            },
            {
                "category": "fiction",
                "author": "J. R. R. Tolkien",
                "title": "The Lord of the Rings",
                "isbn": "0-395-19395-8",
                "price": 22.99,
            },
        ],
        "bicycle": {"color": "red", "price": 399},
    }
}
BOOKS = STORE["store"]["book"]
#: Table 2.
STORE_EXAMPLES = [
    ("$.store.book[*].author", [one["author"] for one in BOOKS]),
    ("$..author", [one["author"] for one in BOOKS]),
    ("$.store.*", [BOOKS, STORE["store"]["bicycle"]]),
    ("$.store..price", [8.95, 12.99, 8.99, 22.99, 399]),
    ("$..book[2]", [BOOKS[2]]),
    ("$..book[2].author", ["Herman Melville"]),
    ("$..book[2].publisher", []),
    ("$..book[-1]", [BOOKS[3]]),
    ("$..book[0,1]", BOOKS[:2]),
    ("$..book[:2]", BOOKS[:2]),
    ("$..book[?@.isbn]", BOOKS[2:]),
    ("$..book[?@.price<10]", [BOOKS[0], BOOKS[2]]),
]
#: Section 2.3.1: names.
NAMES = {"o": {"j j": {"k.k": 3}}, "'": {"@": 2}}
NAME_EXAMPLES = [
    ("$.o['j j']", [{"k.k": 3}], ["$['o']['j j']"]),
    ("$.o['j j']['k.k']", [3], ["$['o']['j j']['k.k']"]),
    ('$.o["j j"]["k.k"]', [3], ["$['o']['j j']['k.k']"]),
    ('$["\'"]["@"]', [2], ["$['\\'']['@']"]),
]
#: Section 2.3.2: wildcards.
WILD = {"o": {"j": 1, "k": 2}, "a": [5, 3]}
WILD_EXAMPLES = [
    ("$[*]", [{"j": 1, "k": 2}, [5, 3]], ["$['o']", "$['a']"]),
    ("$.o[*]", [1, 2], ["$['o']['j']", "$['o']['k']"]),
    ("$.o[*, *]", [1, 2, 1, 2], ["$['o']['j']", "$['o']['k']"] * 2),
    ("$.a[*]", [5, 3], ["$['a'][0]", "$['a'][1]"]),
]
#: Sections 2.3.3 and 2.3.4: indexes and slices.
LETTERS = ["a", "b", "c", "d", "e", "f", "g"]
SLICE_EXAMPLES = [
    ("$[1]", ["b"], ["$[1]"]),
    ("$[-2]", ["f"], ["$[5]"]),
    ("$[1:3]", ["b", "c"], ["$[1]", "$[2]"]),
    ("$[5:]", ["f", "g"], ["$[5]", "$[6]"]),
    ("$[1:5:2]", ["b", "d"], ["$[1]", "$[3]"]),
    ("$[5:1:-2]", ["f", "d"], ["$[5]", "$[3]"]),
    ("$[::-1]", LETTERS[::-1], [f"$[{at}]" for at in range(6, -1, -1)]),
    ("$[::0]", [], []),
    ("$[9]", [], []),
    ("$[-9]", [], []),
    ("$[0, 3]", ["a", "d"], ["$[0]", "$[3]"]),
    ("$[0:2, 5]", ["a", "b", "f"], ["$[0]", "$[1]", "$[5]"]),
    ("$[0, 0]", ["a", "a"], ["$[0]", "$[0]"]),
]
#: Section 2.3.5: filters.
FILTERED = {
    "a": [3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}],
    "o": {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}},
    "e": "f",
}
FILTER_EXAMPLES = [
    ("$.a[?@.b == 'kilo']", [{"b": "kilo"}], ["$['a'][9]"]),
    ("$.a[?(@.b == 'kilo')]", [{"b": "kilo"}], ["$['a'][9]"]),
    ("$.a[?@>3.5]", [5, 4, 6], ["$['a'][1]", "$['a'][4]", "$['a'][5]"]),
    (
        "$.a[?@.b]",
        [{"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}],
        [f"$['a'][{at}]" for at in range(6, 10)],
    ),
    ("$[?@.*]", [FILTERED["a"], FILTERED["o"]], ["$['a']", "$['o']"]),
    ("$[?@[?@.b]]", [FILTERED["a"]], ["$['a']"]),
    ("$.o[?@<3, ?@<3]", [1, 2, 1, 2], ["$['o']['p']", "$['o']['q']"] * 2),
    ('$.a[?@<2 || @.b == "k"]', [1, {"b": "k"}], ["$['a'][2]", "$['a'][7]"]),
    ('$.a[?match(@.b, "[jk]")]', [{"b": "j"}, {"b": "k"}], ["$['a'][6]", "$['a'][7]"]),
    (
        '$.a[?search(@.b, "[jk]")]',
        [{"b": "j"}, {"b": "k"}, {"b": "kilo"}],
        ["$['a'][6]", "$['a'][7]", "$['a'][9]"],
    ),
    ("$.o[?@>1 && @<4]", [2, 3], ["$['o']['q']", "$['o']['r']"]),
    ("$.o[?@.u || @.x]", [{"u": 6}], ["$['o']['t']"]),
    ("$.a[?@.b == $.x]", [3, 5, 1, 2, 4, 6], [f"$['a'][{at}]" for at in range(6)]),
    ("$.a[?@ == @]", FILTERED["a"], [f"$['a'][{at}]" for at in range(10)]),
]
#: Section 2.5.2: descendants.
TREE = {"o": {"j": 1, "k": 2}, "a": [5, 3, [{"j": 4}, {"k": 6}]]}
TREE_EXAMPLES = [
    ("$..j", [1, 4], ["$['o']['j']", "$['a'][2][0]['j']"]),
    ("$..[0]", [5, {"j": 4}], ["$['a'][0]", "$['a'][2][0]"]),
    ("$..o", [{"j": 1, "k": 2}], ["$['o']"]),
    ("$.o..[*, *]", [1, 2, 1, 2], ["$['o']['j']", "$['o']['k']"] * 2),
    (
        "$.a..[0, 1]",
        [5, 3, {"j": 4}, {"k": 6}],
        ["$['a'][0]", "$['a'][1]", "$['a'][2][0]", "$['a'][2][1]"],
    ),
]
#: Section 2.6: null.
NULLS = {"a": None, "b": [None], "c": [{}], "null": 1}
NULL_EXAMPLES = [
    ("$.a", [None], ["$['a']"]),
    ("$.a[0]", [], []),
    ("$.a.d", [], []),
    ("$.b[0]", [None], ["$['b'][0]"]),
    ("$.b[*]", [None], ["$['b'][0]"]),
    ("$.b[?@]", [None], ["$['b'][0]"]),
    ("$.b[?@==null]", [None], ["$['b'][0]"]),
    ("$.c[?@.d==null]", [], []),
    ("$.null", [1], ["$['null']"]),
]
EXAMPLES = [
    *((STORE, query, values, None) for query, values in STORE_EXAMPLES),
    *((NAMES, *one) for one in NAME_EXAMPLES),
    *((WILD, *one) for one in WILD_EXAMPLES),
    *((LETTERS, *one) for one in SLICE_EXAMPLES),
    *((FILTERED, *one) for one in FILTER_EXAMPLES),
    *((TREE, *one) for one in TREE_EXAMPLES),
    *((NULLS, *one) for one in NULL_EXAMPLES),
    ({"k": "v"}, "$", [{"k": "v"}], ["$"]),
    ({"a": {"": {"b": 5}}}, "$.a[''].b", [5], ["$['a']['']['b']"]),
]


@pytest.mark.parametrize(("document", "query", "values", "paths"), EXAMPLES)
def test_examples_of_the_rfc(document, query, values, paths):
    assert jsonpath.find(document, query) == values
    nodes = jsonpath.nodes(document, query)
    assert [one.value for one in nodes] == values
    assert paths is None or [one.path for one in nodes] == paths
    for one in nodes:
        assert jsonpath.find(document, one.path) == [one.value]
        assert snooze.pointer.get(document, one.pointer) is one.value


def test_descendants_are_all_members_and_items():
    assert len(jsonpath.find(STORE, "$..*")) == 27
    assert jsonpath.find(5, "$..*") == []
    assert jsonpath.nodes("x", "$..*") == []


#: Section 2.3.5.3: comparisons in a filter on {"obj": {"x": "y"}, "arr": [2, 3]}.
COMPARISONS = [
    ("$.absent1 == $.absent2", True),
    ("$.absent1 <= $.absent2", True),
    ("$.absent == 'g'", False),
    ("$.absent1 != $.absent2", False),
    ("$.absent != 'g'", True),
    ("1 <= 2", True),
    ("1 > 2", False),
    ("13 == '13'", False),
    ("'a' <= 'b'", True),
    ("'a' > 'b'", False),
    ("$.obj == $.arr", False),
    ("$.obj != $.arr", True),
    ("$.obj == $.obj", True),
    ("$.obj != $.obj", False),
    ("$.arr == $.arr", True),
    ("$.arr != $.arr", False),
    ("$.obj == 17", False),
    ("$.obj != 17", True),
    ("$.obj <= $.arr", False),
    ("$.obj < $.arr", False),
    ("$.obj <= $.obj", True),
    ("$.arr <= $.arr", True),
    ("1 <= $.arr", False),
    ("1 >= $.arr", False),
    ("1 > $.arr", False),
    ("1 < $.arr", False),
    ("true <= true", True),
    ("true > true", False),
    ("1 == 1.0", True),
    ("true == 1", False),
    ("false == 0", False),
    ("null == false", False),
    ("-0 == 0", True),
    ("1e2 == 100", True),
    ("9007199254740993 == 9007199254740992.0", False),
    ("true < 2", False),
    ("null <= null", True),
    ("'é' > 'e'", True),
]


@pytest.mark.parametrize(("test", "holds"), COMPARISONS)
def test_comparisons_of_the_rfc(test, holds):
    document = {"obj": {"x": "y"}, "arr": [2, 3]}
    assert bool(jsonpath.find(document, f"$[?{test}]")) is holds
    assert bool(jsonpath.find(document, f"$[?!({test})]")) is not holds


#: Section 2.4: a filter, and which of ITEMS pass.
ITEMS = ["abc", "äö", [1, 2], {"a": 1}, 5, None, True, "", []]
FUNCTIONS = [
    ("length(@) == 2", ["äö", [1, 2]]),
    ("length(@) == 0", ["", []]),
    ("length(@) == length($.nothing)", [5, None, True]),
    ("length('ab') == 2", ITEMS),
    ("count(@.*) == 1", [{"a": 1}]),
    ("count(@..*) > 0", [[1, 2], {"a": 1}]),
    ("count($) == 1", ITEMS),
    ("match(@, 'a.*')", ["abc"]),
    ("match(@, 'b')", []),
    ("search(@, 'b')", ["abc"]),
    ("search(@, '')", ["abc", "äö", ""]),
    ("match(@, '\\\\p{L}+')", ["abc", "äö"]),
    ("match(@, 5)", []),
    ("match(@, '[')", []),
    ("match(@, $.nothing)", []),
    ("!search(@, 'b')", ITEMS[1:]),
    ("value(@.*) == 1", [{"a": 1}]),
    ("value(@.*) == value(@.x)", [one for one in ITEMS if one != {"a": 1}]),
]


@pytest.mark.parametrize(("test", "passing"), FUNCTIONS)
def test_functions(test, passing):
    assert jsonpath.find(ITEMS, f"$[?{test}]") == passing


#: Section 2.7.1: a query for one node, its normalized path.
NORMALIZED = [
    ("$.a", "$['a']"),
    ("$[1]", "$[1]"),
    ("$[-3]", "$[2]"),
    ("$.a.b[1:2]", "$['a']['b'][1]"),
    ('$["\\u000B"]', "$['\\u000b']"),
    ('$["\\u0061"]', "$['a']"),
]


@pytest.mark.parametrize(("query", "path"), NORMALIZED)
def test_normalized_paths_of_the_rfc(query, path):
    objects = {"a": {"b": [1, 2, 3]}, "\x0b": 1}
    document = [0, 1, 2, 3, 4] if query[2].isdigit() or query[2] == "-" else objects
    assert [one.path for one in jsonpath.nodes(document, query)] == [path]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.integers(0, 2)))
def test_normalized_paths_are_queries(steps):
    document: object = 7
    for step in reversed(steps):
        document = (
            {step: document} if isinstance(step, str) else [0] * step + [document]
        )
    place = snooze.pointer.join(steps)
    (found,) = (
        one
        for one in jsonpath.nodes(document, "$..*") + jsonpath.nodes(document, "$")
        if one.pointer == place
    )
    assert found.value == 7
    assert jsonpath.find(document, found.path) == [7]
    assert found.path.isprintable() or any(
        not step.isprintable() for step in map(str, steps)
    )


@given(DOCUMENTS)
def test_nodes_are_the_values(document):
    for query in (
        "$..*",
        "$.*",
        "$..a",
        "$..[?@.a]",
        "$..[::-1]",
        "$[?@..b]",
        "$..[?@ == $]",
    ):
        nodes = jsonpath.nodes(document, query)
        assert [id(one.value) for one in nodes] == list(
            map(id, jsonpath.find(document, query))
        )
        assert all(
            snooze.pointer.get(document, one.pointer) is one.value for one in nodes
        )


#: What the grammar or the types of RFC 9535 do not allow; the column of the error.
WRONG = [
    ("", 1), (" $", 1), ("$ ", 2), ("a", 1), ("@", 1), ("$a", 2), ("$.", 3), ("$..", 4), ("$. a", 3),
    ("$.1", 3), ("$.-a", 3), ("$.'a'", 3), ("$[", 3), ("$[]", 3), ("$['a'", 6), ("$['a]", 6), ("$[a]", 3),
    ("$[0,]", 5), ("$[,0]", 3), ("$[00]", 3), ("$[-0]", 3), ("$[01]", 3), ("$[1.5]", 4), ("$[1e1]", 4),
    ("$[9007199254740992]", 3), ("$[-9007199254740992]", 3), ("$[1:2:3:4]", 8), ("$[- 1]", 3), ("$[1:-0]", 5),
    ("$['\\x']", 4), ("$['\\\"']", 4), ('$["\\\'"]', 4), ("$['\x01']", 4), ("$['\\ud800']", 4), ("$['\\udc00']", 4),
    ("$['\\ud800\\u0041']", 4), ("$['\ud800']", 4), ("$[?]", 4), ("$[?1]", 4), ("$[?'a']", 4), ("$[?true]", 4),
    ("$[?@.a == ]", 11), ("$[?== 1]", 4), ("$[?@.a = 1]", 8), ("$[?@.a === 1]", 10), ("$[?@.a & @.b]", 8),
    ("$[?@.a && ]", 11), ("$[?(@.a]", 8), ("$[?@.a)]", 7), ("$[?!1]", 5), ("$[?!@.a == 1]", 9), ("$[?!!@.a]", 5),
    ("$[?(@.a) == 1]", 10), ("$[?@.* == 1]", 4), ("$[?@..a == 1]", 4), ("$[?@[0,1] == 1]", 4), ("$[?@[1:2] == 1]", 4),
    ("$[?@[ 'a' ] == 1]", 4), ("$[?1 == @.*]", 9), ("$[?@ == 01]", 9), ("$[?@ == 1.]", 10), ("$[?@ == .5]", 9),
    ("$[?@ == +1]", 9), ("$[?@ == 1e]", 10), ("$[?@ == True]", 9), ("$[?@ == nul]", 9), ("$[?foo(@)]", 4),
    ("$[?length(@)]", 4), ("$[?length(@) == ]", 17), ("$[?length() == 1]", 4), ("$[?length(@, @) == 1]", 4),
    ("$[?length(@.*) == 1]", 11), ("$[?count(1) == 1]", 10), ("$[?count('a') == 1]", 10), ("$[?count(@.a)]", 4),
    ("$[?match(@, 'a') == true]", 4), ("$[?match(@)]", 4), ("$[?match(@.*, 'a')]", 10), ("$[?value(1) == 1]", 10),
    ("$[?length (@) == 1]", 4), ("$[?length(@ == 1) == 1]", 11), ("$[?value(length(@)) == 1]", 10), ("$[?LENGTH(@) == 1]", 4),
    ("$.a[?@.b", 9), ("$[?@.a || ]", 11), ("$[?@.a, ]", 9), ("$[?(1)]", 5), ("$[?()]", 5), ("$[?@ == 1 == 1]", 11),
]  # fmt: skip


@pytest.mark.parametrize(("query", "column"), WRONG)
def test_wrong_queries_are_refused_with_their_place(query, column):
    with pytest.raises(JSONPathError) as caught:
        jsonpath.compile(query)
    error = caught.value
    assert error.position == column - 1
    assert error.query == query
    assert f" at column {column} of " in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), vars(copy)) == (str(error), vars(error))


@given(st.text("$@.[]*?'\"\\:,()!=<>&| \ta1-0eu"))
def test_any_text_is_a_query_or_an_error(text):
    for query in (text, "$" + text, f"$[?{text}]"):
        try:
            path = jsonpath.compile(query)
        except JSONPathError as error:
            assert 0 <= error.position <= len(query)
        else:
            path.find({"a": [1, {"a": "a"}]})


@pytest.mark.parametrize("wrong", [None, 5, b"$", []])
def test_queries_are_str(wrong):
    for function in (jsonpath.compile, jsonpath.Path):
        with pytest.raises(TypeError, match="expected a query of type str"):
            function(wrong)


def test_blanks_where_the_grammar_has_them():
    document = {"a": [{"b": 1}, {"b": 2}]}
    query = "$ \n.a\t[ ? ( @ .b == 1 || ( length( @ ) == 9 ) ) ] [ 'b' , 'c' ]"
    assert jsonpath.find(document, query) == [1]


def test_nested_queries_are_limited():
    """A query is parsed and evaluated recursively, so its nesting is limited."""
    for open_, close in (("(", ")"), ("!(", ")"), ("@[?", "]"), ("count(@[?", "])>0")):
        fine = "$[?" + open_ * 20 + "@" + close * 20 + "]"
        jsonpath.find([[[1]]], fine)
        with pytest.raises(JSONPathError, match="at most 64 levels"):
            jsonpath.compile("$[?" + open_ * 10_000 + "@" + close * 10_000 + "]")


def test_long_queries_are_not_nested():
    many = " || ".join(["@ == 1"] * 5000)
    assert jsonpath.find([1, 2], f"$[?{many}]") == [1]
    assert jsonpath.find([1], "$" + "[0]" * 5000) == []
    assert jsonpath.find([1], "$[" + ",".join("0" * 5000) + "]") == [1] * 5000
    assert jsonpath.find([5], "$[?@ < 1" + "0" * 5000 + "]") == [5]
    assert jsonpath.find([math.inf], "$[?@ == 1e999]") == [math.inf]


def test_documents_as_deep_as_can_be():
    document: list = []
    for _ in range(50_000):
        document = [document]
    assert len(jsonpath.find(document, "$..[0]")) == 50_000
    last = jsonpath.nodes(document, "$..[0]")[-1]
    assert last.pointer == "/0" * 50_000
    assert jsonpath.find([document, document], "$[?@ == $[0]]") == [document, document]
    loop: list = []
    loop.append(loop)
    for query in ("$..*", "$..a"):
        for function in (jsonpath.find, jsonpath.nodes):
            with pytest.raises(ValueError, match="contains itself"):
                function(loop, query)


def test_compiled_queries():
    path = jsonpath.compile("$.a")
    assert path.query == "$.a"
    assert repr(path) == "compile('$.a')"
    assert pickle.loads(pickle.dumps(path)).find({"a": 1}) == [1]
    assert isinstance(path, jsonpath.Path)
    assert isinstance(path.nodes({"a": 1})[0], jsonpath.Node)
    assert repr(path.nodes({"a": 1})) == "[Node(value=1, path=\"$['a']\")]"


def test_names_of_the_module():
    with pytest.raises(AttributeError, match="no attribute 'Query'"):
        jsonpath.Query  # noqa: B018


def test_threads_may_share_a_query():
    path = jsonpath.compile("$[?search(@, '(a|b)+c*d')]")
    document = ["xx" * number + "abccd" for number in range(50)]
    found = []
    threads = [
        threading.Thread(
            target=lambda: found.extend(len(path.find(document)) for _ in range(20))
        )
        for _ in range(4)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [50] * 80


def test_compliance_suite(jsonpath_suite) -> None:
    """Every case gives its values and its normalized paths, or is refused."""
    problem = script("peers_documents").path_problem
    assert len(jsonpath_suite) == 687
    assert sum("invalid_selector" in one for one in jsonpath_suite) == 245
    assert [found for one in jsonpath_suite if (found := problem(one))] == []
