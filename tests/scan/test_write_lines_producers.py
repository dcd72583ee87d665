"""`snooze.write_lines` and producers that break the specification, or fail.

Separate from test_write_lines.py, which has right ones. Everything that a producer gave
away is released once, whatever is wrong with it.
"""

from __future__ import annotations

import errno
import io
from typing import TYPE_CHECKING

import pytest

import snooze
from helpers.arrow_made import LONG, Node, Producer, table, view, words, written

if TYPE_CHECKING:
    from helpers.arrow_rows import Array

ONE = Node("l", 1, [None, words("q", 1)])
INT = [None, words("q", 1, 2)]
TWO = [None, words("i", 0, 1, 2), b"ab"]
#: What breaks the specification, and what the message says.
BROKEN: dict[str, tuple[Node, str]] = {
    "a buffer too few": (Node("l", 2, INT, n_buffers=1), "number of buffers"),
    "a buffer too many": (Node("l", 2, INT, n_buffers=3), "number of buffers"),
    "a negative count of buffers": (
        Node("l", 2, INT, n_buffers=-1),
        "number of buffers",
    ),
    "no buffers": (Node("l", 2, INT, no_buffers=1), "number of buffers"),
    "views without lengths": (Node("vu", 2, [None, bytes(32)]), "number of buffers"),
    "a null buffer": (Node("l", 2, [None, None]), "buffer that is missing"),
    "null offsets": (Node("u", 2, [None, None, b"ab"]), "buffer that is missing"),
    "a null text": (Node("u", 2, [None, words("i", 0, 1, 2), None]), "is missing"),
    "nulls without bits": (
        Node("l", 2, INT, null_count=1),
        "no buffer that says which",
    ),
    "a negative length": (Node("l", -1, INT), "negative or too large"),
    "a negative offset": (Node("l", 2, INT, offset=-1), "negative or too large"),
    "an immense offset": (Node("l", 2, INT, offset=2**63 - 1), "negative or too large"),
    "too few rows": (Node("l", 1, INT), "fewer rows"),
    "negative offsets": (Node("u", 2, [None, words("i", -1, 1, 2), b"ab"]), "negative"),
    "offsets that fall": (Node("u", 2, [None, words("i", 2, 1, 0), b"ab"]), "smaller"),
    "an offset that leads back": (
        Node("u", 2, [None, words("i", 0, 9, 2), b"ab"]),
        "outside",
    ),
    "text that is not UTF-8": (
        Node("u", 2, [None, words("i", 0, 1, 2), b"a\xff"]),
        "UTF-8",
    ),
    "a cut character": (
        Node("u", 2, [None, words("i", 0, 1, 2), b"\xc3\xa9"]),
        "UTF-8",
    ),
    "a view outside": (
        Node(
            "vu",
            2,
            [None, view(LONG) + view(LONG, 0, 30), LONG.encode(), words("q", 36)],
        ),
        "outside",
    ),
    "a view of no buffer": (
        Node(
            "vu", 2, [None, view(LONG) + view(LONG, 7), LONG.encode(), words("q", 36)]
        ),
        "outside",
    ),
    "a negative view": (
        Node("vu", 2, [None, words("i", -5, 0, 0, 0) * 2, b"x", words("q", 1)]),
        "outside",
    ),
    "a negative buffer": (
        Node("vu", 2, [None, view("a") * 2, b"x", words("q", -1)]),
        "negative",
    ),
    "an index too large": (
        Node("c", 2, [None, b"\0\5"], dictionary=ONE),
        "outside",
    ),
    "a negative index": (Node("c", 2, [None, b"\0\xff"], dictionary=ONE), "outside"),
    "runs that end early": (
        Node("+r", 2, [], [Node("i", 1, [None, words("i", 1)]), ONE]),
        "outside",
    ),
    "a code of no child": (Node("+us:0", 2, [b"\0\7"], [Node("l", 2, INT)]), "outside"),
    "a negative place": (
        Node("+ud:0", 2, [b"\0\0", words("i", 0, -1)], [ONE]),
        "outside",
    ),
    "a list longer than its child": (
        Node("+l", 2, [None, words("i", 0, 1, 9)], [ONE]),
        "fewer rows",
    ),
    "a view of too many": (
        Node("+vl", 2, [None, words("i", 0, 1), words("i", 1, 1)], [ONE]),
        "outside",
    ),
    "an immense list": (Node("+w:2147483647", 2, [None], [ONE]), "fewer rows"),
    "immense bytes": (
        Node("w:2147483647", 2, [None, b""], offset=2**54),
        "negative or too large",
    ),
    "a child too few": (
        Node("+l", 2, [None, words("i", 0, 0, 0)], [ONE], n_children=0),
        "children",
    ),
    "no children": (
        Node("+s", 2, [None], [Node("l", 2, INT)], no_children=1),
        "children",
    ),
    "a child too many": (Node("l", 2, INT, schema_children=1), "children"),
    "a negative count": (Node("l", 2, INT, schema_children=-1), "number of children"),
    "a list of nothing": (Node("+l", 2, [None, words("i", 0, 0, 0)]), "children"),
    "a map of numbers": (Node("+m", 2, [None, words("i", 0, 0, 0)], [ONE]), "children"),
    "a child that is null": (Node("+s", 2, [None], [None]), "missing"),
    "a name that is not UTF-8": (Node("l", 2, INT, name=b"\xff"), "UTF-8"),
    "codes of no children": (
        Node("+us:0,1", 2, [b"\0\0"], [Node("l", 2, INT)]),
        "type codes",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("as_array", [False, True])
def test_what_breaks_the_specification_is_an_error(case: str, as_array: bool) -> None:
    node, reason = BROKEN[case]
    producer = Producer(table(node, length=2), as_array=as_array)
    with pytest.raises(ValueError, match=reason):
        written(producer)
    assert producer.is_released()


def test_a_dictionary_that_the_schema_does_not_have() -> None:
    plain, encoded = (
        Node("c", 1, [None, b"\0"]),
        Node("c", 1, [None, b"\0"], dictionary=ONE),
    )
    for schema, array in ((plain, encoded), (encoded, plain)):
        producer = Producer(table(array))
        producer.schema_node = table(schema)
        with pytest.raises(ValueError, match="a dictionary where its schema has none"):
            written(producer)
        assert producer.is_released()


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        (errno.EINVAL, b"bad data", "bad data"),
        (errno.EIO, b"no disk", "no disk"),
        (errno.EIO, None, "rror"),
        (errno.ENOMEM, b"", "^$"),
    ],
)
def test_a_producer_that_fails(code: int, text: bytes | None, expected: str) -> None:
    kind = {errno.EINVAL: ValueError, errno.ENOMEM: MemoryError}.get(code, OSError)
    producer = Producer(table(ONE), error=(code, text))
    file = io.BytesIO()
    with pytest.raises(kind, match=expected):
        snooze.write_lines(producer, file)
    assert file.getvalue() == b'{"x":1}\n'
    assert producer.is_released()
    producer = Producer(table(ONE), schema_error=code, error=(code, text))
    with pytest.raises(kind, match=expected):
        written(producer)
    assert producer.is_released()


def test_many_batches_are_released_one_by_one() -> None:
    producer = Producer(*[table(ONE)] * 50)
    most = 0

    class File:
        def write(self, _: bytes) -> None:
            nonlocal most
            most = max(most, producer.given["array"] - producer.released["array"])

    assert snooze.write_lines(producer, File()) == 50  # type: ignore[arg-type]
    assert most == 1
    assert producer.is_released()


def released(child: Node) -> Node:
    """A column whose child says that it was released."""
    make = child.array
    child.array = lambda: _without_release(make())  # type: ignore[method-assign]
    return child


def _without_release(array: Array) -> Array:
    array.release = type(array.release)()
    return array


def test_a_child_that_was_released_is_not_read() -> None:
    for node in (
        Node("+s", 2, [None], [released(Node("l", 2, INT))]),
        Node("c", 2, [None, b"\0\0"], dictionary=released(Node("l", 2, INT))),
    ):
        producer = Producer(table(node))
        with pytest.raises(ValueError, match="a child that was released"):
            written(producer)


def test_texts_that_suddenly_are_long_are_written_in_parts() -> None:
    count = 20_000
    long = Node("u", 2, [None, words("i", 0, 1, 5001), b"a" + b"b" * 5000])
    index = bytes(count // 2) + b"\1" * (count // 2)
    producer = Producer(table(Node("c", count, [None, index], dictionary=long)))
    sizes = []

    class File:
        def write(self, text: bytes) -> None:
            sizes.append(len(text))

    assert snooze.write_lines(producer, File()) == count  # type: ignore[arg-type]
    assert max(sizes) < 2_000_000
    assert sum(sizes) == count // 2 * (len(b'{"x":"a"}\n') + len(b'{"x":""}\n') + 5000)
