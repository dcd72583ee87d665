"""Change one place of a plan's description: every tuple in it, one element longer.

Separate because the descriptions of decoders and of encoders are nested in the same way.
Invariant: values of the user's program, which may be tuples of any length, are left
alone. Used by tests/typed/decode and tests/typed/encode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[int, ...]
#: Rows that end with a value of the user's program: a default, or the value of a tag.
WITH_VALUES = ("default", "factory", "equal")


def tuples(description: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every tuple of a description, the outermost first."""
    yield path
    for place, item in enumerate(description):
        is_value = place > 0 and any(
            word in WITH_VALUES for word in description[:place]
        )
        if type(item) is tuple and not is_value:
            yield from tuples(item, (*path, place))


def with_one_more(description: Any, path: Path, extra: Any = None) -> Any:
    """Return a description whose tuple at a path ends with one more element."""
    if not path:
        return (*description, extra)
    place, *rest = path
    return replaced(
        description, (place,), with_one_more(description[place], tuple(rest), extra)
    )


def replaced(description: Any, path: Path, item: Any) -> Any:
    """Return a description with another item at a path."""
    place, *rest = path
    inner = replaced(description[place], tuple(rest), item) if rest else item
    return (*description[:place], inner, *description[place + 1 :])


def at(description: Any, path: Path) -> Any:
    """Return the item at a path."""
    for place in path:
        description = description[place]
    return description
