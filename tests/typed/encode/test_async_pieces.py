"""Asynchronous iterables in pieces: `Encoder.aiter_lines` and `aiter_items`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import snooze

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


async def source(*values: Any) -> AsyncIterator[Any]:
    """Yield values; raise those that are exceptions."""
    for value in values:
        await asyncio.sleep(0)
        if isinstance(value, Exception):
            raise value
        yield value


def pieces(
    method: str, values: Any, encoder: Any = None, *arguments: Any, **options: Any
) -> tuple[list[bytes], Exception | None]:
    """Return the pieces, and the exception that ended them."""
    found: list[bytes] = []

    async def run() -> None:
        made = getattr(encoder or snooze.Encoder(), method)
        async for piece in made(values, *arguments, **options):
            found.append(piece)

    try:
        asyncio.run(run())
    except Exception as error:
        return found, error
    return found, None


@pytest.mark.parametrize("size", [1, 2, 7, 1 << 18])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_the_pieces_are_those_of_the_iterator(size: int, count: int) -> None:
    """Of lines, of an array, and of one inside a document."""
    values = [{"id": number, "name": "é\n"} for number in range(count)]
    encoder = snooze.Encoder(dict[str, Any], separators=(", ", ": "), newline=True)
    options: dict[str, Any] = {"size": size}
    expected = list(encoder.iter_lines(values, **options))
    assert pieces("aiter_lines", source(*values), encoder, **options) == (
        expected,
        None,
    )
    for at, around in (("", None), ("/rows", {"n": count})):
        options["around"] = around
        expected = list(encoder.iter_items(values, at, **options))
        found = pieces("aiter_items", source(*values), encoder, at, **options)
        assert found == (expected, None)
        indented = snooze.Encoder(indent=2)
        expected = list(indented.iter_items(values, at, **options))
        found = pieces("aiter_items", source(*values), indented, at, **options)
        assert found == (expected, None)


def test_an_error_comes_after_the_values_before_it() -> None:
    """Of a value, with its place; of the source, as it is."""
    for method, before, note in (
        ("aiter_lines", b"1\n2\n", "in line 3"),
        ("aiter_items", b"[1,2", "in $[2]"),
    ):
        found, error = pieces(method, source(1, 2, object(), 4))
        assert found == [before]
        assert isinstance(error, snooze.JSONEncodeError)
        assert error.__notes__ == [note]
        failure = KeyError("source")
        found, error = pieces(method, source(1, 2, failure))
        assert (found, error) == ([before], failure)
        assert not hasattr(failure, "__notes__")
        # All that came was passed on before.
        found, error = pieces(method, source(1, failure), size=1)
        assert len(found) == 1
        assert error is failure
    _, error = pieces("aiter_items", source(object()), None, "/a b")
    assert error is not None
    assert error.__notes__ == ['in $["a b"][0]']


def test_a_value_is_encoded_when_it_comes() -> None:
    """So a source may change it afterwards, and nothing waits with a size of 1."""
    events: list[str] = []

    async def rows() -> AsyncIterator[dict[str, int]]:
        row = {}
        for number in range(3):
            row["id"] = number
            events.append(f"made {number}")
            yield row

    async def run() -> list[bytes]:
        found = []
        async for piece in snooze.Encoder().aiter_lines(rows(), size=1):
            events.append("sent")
            found.append(piece)
        assert events == ["made 0", "sent", "made 1", "sent", "made 2", "sent"]
        found += [piece async for piece in snooze.Encoder().aiter_lines(rows())]
        return found

    assert asyncio.run(run()) == [
        b'{"id":0}\n',
        b'{"id":1}\n',
        b'{"id":2}\n',
        b'{"id":0}\n{"id":1}\n{"id":2}\n',
    ]


def test_other_tasks_run_while_values_are_awaited() -> None:
    """A task that is cancelled gets the cancellation, and no further piece."""

    async def endless() -> AsyncIterator[int]:
        yield 1
        await asyncio.sleep(3600)

    async def run() -> list[bytes]:
        found: list[bytes] = []

        async def read() -> None:
            async for piece in snooze.Encoder().aiter_items(endless()):
                found.append(piece)

        task = asyncio.create_task(read())
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return found

    assert asyncio.run(run()) == []


def test_a_hook_that_raises_the_end_of_an_iteration() -> None:
    """It cannot end the pieces as if there were no more values."""
    for exception in (StopIteration, StopAsyncIteration):

        def hook(_: Any, raised: type[Exception] = exception) -> Any:
            raise raised

        encoder = snooze.Encoder(enc_hook=hook)
        found, error = pieces("aiter_items", source(1, object()), encoder)
        assert found == [b"[1"]
        assert isinstance(error, RuntimeError)
        assert str(error) == f"a hook raised {exception.__name__}"
        assert error.__notes__ == ["in $[1]"]


def test_wrong_arguments() -> None:
    """Each is refused when the first piece is asked for."""

    def check(kind: type[Exception], text: str, *given: Any, **options: Any) -> None:
        for method in ("aiter_lines", "aiter_items"):
            found, error = pieces(method, *given, **options)
            assert (found, type(error)) == ([], kind)
            assert text in str(error)

    check(TypeError, "expected an asynchronous iterable of values, found list", [1])
    check(ValueError, "size needs at least 1", source(), size=0)
    check(TypeError, "size needs an int", source(), size="1")
    found, error = pieces("aiter_lines", source(1), snooze.Encoder(indent=1))
    assert (found, str(error)[:12]) == ([], "aiter_lines:")
    found, error = pieces("aiter_items", source(1), None, "", around={})
    assert (found, str(error)[:15]) == ([], "around needs at")
