"""Readers of YAML, TOML and MessagePack for the command `convert`.

Separate because what Python has for these formats cuts numbers and times. Invariants:
each number and time has all of its digits, or a warning says that it has not; a key
that occurs twice in a map is a ValueError. Called by formats.py.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from snooze._cli import exact, members
from snooze._cli.inputs import InputError
from snooze._cli.problems import tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    import snooze

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
#: The tags of YAML itself, and those of its keys `<<` and `=`.
_TAG = "tag:yaml.org,2002:"
_MERGE, _VALUE = f"{_TAG}merge", f"{_TAG}value"
#: A float of YAML without `_`: sign, places to the base of 60, and a decimal number.
_FLOAT = re.compile(
    r"([-+]?)((?:[0-9]+:)*)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?"
)
#: Strings and comments of TOML, and outside of them times with too many digits.
_LONG_TIME = re.compile(
    r'"""(?s:\\.|[^\\])*?"{3,5}'
    r"|'''(?s:.)*?'{3,5}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'"
    r"|\#[^\n]*"
    r"|([0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}0*[1-9][0-9]*)"
)


def package(name: str, distribution: str) -> Any:
    """Return a module that a format needs; InputError says how to install it."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(
            f"this format needs the package {distribution}: pip install {distribution}"
        ) from None


def msgpack(text: bytes) -> Any:
    """Return the value of a text in MessagePack."""
    known = package("msgpack", "msgpack")

    def kept(value: Any) -> Any:
        if not isinstance(value, known.Timestamp):
            return value
        cut = _EPOCH + timedelta(0, value.seconds, value.nanoseconds // 1000)
        return exact.moment(cut, f"{value.nanoseconds:09}")

    def pairs(found: list[tuple[Any, Any]]) -> dict[Any, Any]:
        return members.pairs([(exact.name(kept(key)), kept(one)) for key, one in found])

    def items(found: list[Any]) -> list[Any]:
        return [kept(one) for one in found]

    value = known.unpackb(
        text,
        timestamp=0,  # those of the package; its datetimes have no nanoseconds
        list_hook=items,
        object_pairs_hook=pairs,
        strict_map_key=False,
    )
    return kept(value)


def yaml(text: bytes) -> Any:
    """Return the value of a text in YAML."""
    known = package("yaml", "pyyaml")

    class Loader(known.SafeLoader):  # type: ignore[misc,name-defined]
        """Keeps all digits and the order of sets, and refuses keys that occur twice."""

        def __init__(self, text: bytes) -> None:
            super().__init__(text)
            #: For each open map the lines of its keys. An alias has none in its node.
            self._lines: list[list[int]] = []

        def compose_node(self, parent: Any, index: Any) -> Any:
            if isinstance(parent, known.MappingNode) and index is None:  # a key
                self._lines[-1].append(self.peek_event().start_mark.line + 1)
            return super().compose_node(parent, index)

        def compose_mapping_node(self, anchor: str) -> Any:
            # Here, because a later step adds the keys of other maps, by `<<`.
            self._lines.append([])
            node = super().compose_mapping_node(anchor)
            lines, seen = self._lines.pop(), set[Any]()
            for at, (key, value) in enumerate(node.value):
                if not isinstance(key, known.ScalarNode) or key.tag == _MERGE:
                    continue
                found = key.value if key.tag == _VALUE else self.construct_object(key)
                named = exact.name(found)
                if named is not found and node.tag != f"{_TAG}set":
                    # A new node, because an alias of the key may be a value.
                    node.value[at] = known.ScalarNode(f"{_TAG}str", named), value
                    found = named
                if found in seen:
                    raise ValueError(members.twice(found, seen, lines[at]))
                seen.add(found)
            return node

    Loader.add_constructor(f"{_TAG}float", _yaml_float)
    Loader.add_constructor(f"{_TAG}timestamp", _yaml_timestamp)
    Loader.add_constructor(f"{_TAG}set", _yaml_set)
    return known.load(text, Loader)


def _yaml_float(loader: Any, node: Any) -> Any:
    text = _json_number(loader.construct_scalar(node))
    if text is None:  # an infinity, or wrong
        return loader.construct_yaml_float(node)
    return exact.number(text)


def _yaml_timestamp(loader: Any, node: Any) -> Any:
    made = loader.construct_yaml_timestamp(node)
    found = loader.timestamp_regexp.match(node.value)
    return exact.moment(made, found["fraction"] or "")


def _yaml_set(loader: Any, node: Any) -> Iterator[list[Any]]:
    """Yield a set as the list of its keys; one of Python has no order."""
    made: list[Any] = []
    yield made  # filled later, as aliases are
    for key, value in loader.construct_mapping(node).items():
        if value is not None:
            raise ValueError(f"a set has a value for {key!r}, which would be lost")
        made.append(key)


def _json_number(text: str) -> str | None:
    """Return a float of YAML as a number in JSON; None if it is none."""
    found = _FLOAT.fullmatch(text.replace("_", ""))
    if found is None:
        return None
    sign, places, whole, fraction, exponent = found.groups("")
    if places and exponent:
        return None
    if places:
        total = 0
        for digits in (places + whole).split(":"):
            total = total * 60 + int(digits or "0")
        whole = str(total)
    text = f"{sign.strip('+')}{whole.lstrip('0') or '0'}.{fraction or '0'}"
    return f"{text}e{exponent}" if exponent else text


def toml(text: bytes) -> Any:
    """Return the value of a text in TOML."""
    import tomllib  # noqa: PLC0415 - only this format needs it

    return tomllib.loads(text.decode(), parse_float=_toml_float)


def _toml_float(text: str) -> float | snooze.Raw:
    text = text.replace("_", "").removeprefix("+")
    return float(text) if text.endswith(("inf", "nan")) else exact.number(text)


def tell_cut_times(text: bytes, title: str) -> None:
    """Warn of times in a text in TOML that Python cuts; the text is valid."""
    decoded = text.decode()
    found = [one for one in _LONG_TIME.finditer(decoded) if one[1]]
    if found:
        times = "a time" if len(found) == 1 else f"{len(found):,} times"
        line = decoded.count("\n", 0, found[0].start()) + 1
        tell(
            f"{title}: warning: {times} cut to microseconds, which is all that Python "
            f"reads of TOML: {found[0][1]} in line {line}"
        )
