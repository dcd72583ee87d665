"""Functions of the user that refuse an object with a `TypeError`: the place and the cause.

Separate from `test_hooks`, which is about what hooks return. The text of the exception
does not decide: it may be empty, or look as if it had a place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import pytest

import snooze

if TYPE_CHECKING:
    from collections.abc import Callable


class Own:
    """A class that JSON does not have."""

    def to_json(self) -> Any:
        """Refuse to be written."""
        raise TypeError


def refuse(*text: str) -> Callable[[Any], Any]:
    """Return a function that raises a TypeError with this text."""

    def hook(value: Any) -> Any:
        raise TypeError(*text)

    return hook


WRITERS: list[tuple[str, Callable[[Any, Any], Any]]] = [
    ("hooks", lambda value, hook: snooze.encode(value, hooks={Own: hook})),
    ("enc_hook", lambda value, hook: snooze.encode(value, enc_hook=hook)),
    (
        "Via",
        lambda value, hook: snooze.encode(
            value, dict[str, list[Annotated[Own, snooze.Via(str, encode=hook)]]]
        ),
    ),
]


@pytest.mark.parametrize(("name", "write"), WRITERS)
@pytest.mark.parametrize(
    "text", [(), ("",), ("sold at $.50",), ("not today",), ("\ud800",)]
)
def test_an_exception_gets_a_place(
    name: str, write: Any, text: tuple[str, ...]
) -> None:
    with pytest.raises(TypeError) as caught:
        write({"a": [Own()]}, refuse(*text))
    said = "".join(text) or "Type is not JSON serializable: Own"
    assert str(caught.value) == f"{said} at $.a[0]", name
    assert isinstance(caught.value, snooze.JSONEncodeError)
    error: Any = caught.value
    assert (error.path, error.pointer) == ("$.a[0]", "/a/0")
    assert isinstance(error.__cause__, TypeError)
    assert error.__cause__.args == text


def test_a_method_that_refuses() -> None:
    encoder = snooze.Encoder(json_method="to_json")
    with pytest.raises(TypeError, match=r"serializable: Own at \$\[1\]") as caught:
        encoder.encode([1, Own()])
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_key_that_is_refused() -> None:
    with pytest.raises(TypeError, match="no key") as caught:
        snooze.encode({"a": {Own(): 1}}, key_hook=refuse("no key"))
    error: Any = caught.value
    assert error.path.startswith("$.a")
    assert isinstance(error.__cause__, TypeError)


def test_an_encoder_inside_a_function_has_said_the_place() -> None:
    """That of its own document; nothing is added."""

    def hook(value: Own) -> Any:
        return snooze.encode([1, {"b": object()}])

    with pytest.raises(TypeError) as caught:
        snooze.encode({"a": Own()}, hooks={Own: hook})
    error: Any = caught.value
    assert error.path == "$[1].b"
    assert str(error) == "Type is not JSON serializable: object at $[1].b"


def test_other_exceptions_pass() -> None:
    def hook(value: Own) -> Any:
        raise KeyError("a")

    with pytest.raises(KeyError):
        snooze.encode([Own()], hooks={Own: hook})


class Mute:
    """Has no text."""

    def __init__(self, error: type[BaseException]) -> None:
        """Keep what `str` raises."""
        self.error = error

    def __str__(self) -> str:
        """Fail."""
        raise self.error


def test_an_exception_without_a_text() -> None:
    """It is the cause all the same; what may not be lost is not."""
    hook = {Own: refuse(Mute(ValueError))}  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"serializable: Own at \$\[0\]") as caught:
        snooze.encode([Own()], hooks=hook)
    assert isinstance(caught.value.__cause__, TypeError)
    for error in (KeyboardInterrupt, MemoryError):
        with pytest.raises(error):
            snooze.encode([Own()], hooks={Own: refuse(Mute(error))})  # type: ignore[arg-type]
