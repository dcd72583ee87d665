"""The expected text of error messages: `int >= 0 or null`, `array of length 2`.

Separate, because there are three vocabularies. A Decoder finds JSON, so `expected_text`
has JSON's words (null, bool, int, float, str, array, object) and names constraints; for
a Converter it has Python's words. An Encoder finds Python objects, so `python_text`
names classes. Called by `lower_decode` and `lower_encode` for each node, and by
`kind_rules` for messages about ambiguous unions.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
from typing import TYPE_CHECKING, Any

from snooze._typed import model, unions
from snooze._typed.constraint_merge import limits_text

if TYPE_CHECKING:
    from collections.abc import Callable

#: A choice of more values than this is named by its class, or cut.
MAX_LISTED_VALUES = 8

_TIME_ZONES = {None: "", "aware": "aware ", "naive": "naive "}


@dataclasses.dataclass(frozen=True, slots=True)
class Words:
    """What values are called."""

    null: str
    array: str
    object: str
    value: Callable[[Any], str]


def expected_text(node: model.Node, words: Words | None = None) -> str:
    """Return what a node accepts, in JSON's words or others."""
    words = words or JSON
    found: list[str] = []
    for alternative in unions.flatten(node, "this type"):
        found += [text for text in _texts(alternative, words) if text not in found]
    return join_with_or(found) or "no value"


def python_text(node: model.Node) -> str:
    """Return the Python classes that a node accepts when encoding."""
    found: list[str] = []
    for alternative in unions.flatten(node, "this type"):
        found += [text for text in _class_texts(alternative) if text not in found]
    return join_with_or(found) or "no value"


def _class_texts(  # noqa: C901, PLR0911 - one case for each class of node
    node: model.Node,
) -> list[str]:
    match node:
        case model.Scalar(type_name="null"):
            return ["None"]
        case model.Scalar(type_name="uuid"):
            return ["UUID"]
        case model.Scalar():
            return [node.type_name]
        case model.Raw():
            return [node.cls.__name__]
        case model.Choice() if not _is_whole_enum(node):
            texts = [_python_value(value) for _, value in node.pairs]
            hidden = len(texts) - MAX_LISTED_VALUES
            if hidden > 0:
                texts = [*texts[:MAX_LISTED_VALUES], f"{hidden} more"]
            return texts
        case model.Fixed():
            return [f"tuple of length {_count(node)}"]
        case model.Record(class_kind="typeddict"):
            return [f"dict ({node.name})"]
        case model.Array():
            return ["numpy array" + (f" of {node.dtype}" if node.dtype else "")]
        case model.Checked():
            return _class_texts(node.target)
        case model.Ordered():
            return _told_apart(node, _class_texts)
        case _:
            return [node_name(node)]


def _told_apart(
    node: model.Ordered, texts_of: Callable[[model.Node], list[str]]
) -> list[str]:
    """Return the texts of the alternatives; those that are equal with their types."""
    parts = unions.ordered_parts(node)
    return _with_types([(text, part) for part in parts for text in texts_of(part)])


def alternative_texts(node: model.Ordered, words: Words) -> list[str]:
    """Return what each alternative accepts, for messages that have a line for each."""
    return _with_types([(expected_text(one, words), one) for one in node.alternatives])


def _with_types(pairs: list[tuple[str, model.Node]]) -> list[str]:
    """Return the texts of alternatives; those that are equal with their types."""
    alike: dict[str, list[model.Node]] = {}
    for text, part in pairs:
        alike.setdefault(text, []).append(part)
    names = {text: iter(_type_names(parts)) for text, parts in alike.items()}
    found = []
    for text, _ in pairs:
        full = next(names[text]) if len(alike[text]) > 1 else text
        is_longer = full.startswith(f"{text}[")
        found.append(full if is_longer or full == text else f"{text} ({full})")
    return found


#: The most levels of items in the name of a type.
_DEEPEST = 4


def _type_names(nodes: list[model.Node]) -> list[str]:
    """Return names of types with as much of what is inside as tells them apart."""
    names: list[str] = []
    for has_limits in (False, True):
        for depth in range(1, _DEEPEST + 1):
            names = [_full_name(one, depth, has_limits=has_limits) for one in nodes]
            if len({*names}) == len(names):
                return names
    return [_full_name(one, 1, has_limits=False) for one in nodes]


def _full_name(node: model.Node, depth: int, *, has_limits: bool) -> str:
    """Return a type with those of its items: `list[int]`.

    Not deeper than `depth`: they may lead back here.
    """
    name = functools.partial(_full_name, depth=depth, has_limits=has_limits)
    inner = functools.partial(_full_name, depth=depth - 1, has_limits=has_limits)
    match node:
        case model.Items() if depth and node.cls is tuple:
            text = f"tuple[{inner(node.item)}, ...]"
        case model.Items() if depth:
            text = f"{node.cls.__name__}[{inner(node.item)}]"
        case model.Entries() if depth:
            text = f"{node.cls.__name__}[{inner(node.key)}, {inner(node.value)}]"
        case model.Fixed() if depth:
            rest = [] if node.rest is None else [f"*tuple[{inner(node.rest)}, ...]"]
            text = f"tuple[{', '.join([*map(inner, node.items), *rest])}]"
        case model.Checked() | model.Noted():
            text = name(node.target)
        case model.Union() | model.Ordered():
            text = " | ".join(map(name, node.alternatives))
        case _:
            text = _short_name(node)
    return f"{text} {_limits_of(node)}".rstrip() if has_limits else text


def _short_name(node: model.Node) -> str:
    """Return the type of a node without what is inside."""
    match node:
        case model.Anything():
            return "Any"
        case model.Alias():
            return node.name
        case model.Scalar(type_name="null"):
            return "None"
        case _:
            return node_name(node)


def _limits_of(node: model.Node) -> str:
    """Return the constraints of a node, if it has any."""
    match node:
        case model.Number():
            return limits_text(node.limits)
        case model.Text():
            return _texts(node, JSON)[0].removeprefix("str").lstrip()
        case model.Binary() | model.Items() | model.Entries():
            return _length(node.length, "").lstrip()
        case model.Checked():
            return " ".join(check.text for check in node.checks)
        case _:
            return ""


def _count(node: model.Fixed) -> str:
    return f">= {len(node.items)}" if node.rest is not None else str(len(node.items))


def _is_whole_enum(node: model.Choice) -> bool:
    """Return whether the choice is an enum, and not a Literal of some members."""
    cls: Any = node.enum_class
    return cls is not None and {*cls} == {value for _, value in node.pairs}


def _python_value(value: Any) -> str:
    """Return a value of a Literal as it is written in Python."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    return repr(value)


def join_with_or(texts: list[str]) -> str:
    """Return `a`, `a or b`, `a, b or c`."""
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} or {texts[-1]}"


def _texts(  # noqa: C901, PLR0911, PLR0912 - one case for each class of node
    node: model.Node, words: Words
) -> list[str]:
    """Return the texts of one alternative: several for a choice."""
    match node:
        case model.Anything() | model.Raw():
            return ["any value"]
        case model.Kept():
            return []
        case model.Nothing():
            return ["no value"]
        case model.Scalar(type_name="null"):
            return [words.null]
        case model.Scalar():
            return [_TIME_ZONES[node.tz] + node.type_name]
        case model.Number():
            return [f"{node.type_name} {limits_text(node.limits)}".rstrip()]
        case model.Text():
            text = "str" + _length(node.length, "")
            if node.pattern is not None:
                text += f" matching {json.dumps(node.pattern, ensure_ascii=False)}"
            return [text]
        case model.Binary():
            return ["base64 str" + _length(node.length, " bytes")]
        case model.Choice():
            return _choice(node, words)
        case model.Items():
            return [words.array + _length(node.length, "")]
        case model.Fixed():
            return [f"{words.array} of length {_count(node)}"]
        case model.Entries():
            return [words.object + _length(node.length, "")]
        case model.Array():
            items = "" if node.dtype is None else f" of {node.dtype}"
            return [words.array + items]
        case model.Record():
            return _record(node, words)
        case model.Checked():
            target = expected_text(node.target, words)
            return [" ".join([target, *(check.text for check in node.checks)])]
        case model.Via():
            return [_via(node)]
        case model.Custom():
            return [node.name]
        case model.Ordered():
            return _told_apart(node, lambda part: _texts(part, words))
        case _:
            raise AssertionError(node)


def _record(node: model.Record, words: Words) -> list[str]:
    # Where objects are converted, instances of the class are kept.
    kept = [node.name] if words is PYTHON and node.class_kind != "typeddict" else []
    if not node.is_array:
        return [words.object, *kept]
    decoded = [field for field in node.fields if field.is_decoded]
    tags = 1 if node.tag is not None else 0
    least = tags + sum(field.presence == "required" for field in decoded)
    most = tags + len(decoded)
    if least == most:
        return [f"{words.array} of length {least}", *kept]
    if node.unknown != "forbid":
        return [f"{words.array} of length >= {least}", *kept]
    return [f"{words.array} of length {least} to {most}", *kept]


def _via(node: model.Via) -> str:
    """Return the name of the class, or `str` for paths, which accept any str."""
    if node.wire is None or node.cls is object:
        return node.name
    if node.format is None and node.cls.__module__.startswith("pathlib"):
        return "str"
    return node.name


def _choice(node: model.Choice, words: Words) -> list[str]:
    if node.enum_class is not None and (
        len(node.pairs) > MAX_LISTED_VALUES or node.is_open
    ):
        return [node.enum_class.__name__]
    texts = [words.value(value) for value, _ in node.pairs]
    if len(texts) > MAX_LISTED_VALUES:
        hidden = len(texts) - MAX_LISTED_VALUES
        texts = [*texts[:MAX_LISTED_VALUES], f"{hidden} more"]
    return texts


def _json_value(value: Any) -> str:
    """Return a JSON value as messages show it: strings in single quotes."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def _length(length: model.Length, unit: str) -> str:
    least, most = length.minimum, length.maximum
    if not length:
        return ""
    if most is None:
        return f" of length >= {least}{unit}"
    if least == most:
        return f" of length {least}{unit}"
    if least == 0:
        return f" of length <= {most}{unit}"
    return f" of length {least} to {most}{unit}"


#: What a Decoder finds.
JSON = Words("null", "array", "object", _json_value)
#: What a Converter finds.
PYTHON = Words("None", "list", "dict", repr)


def node_name(node: model.Node) -> str:  # noqa: PLR0911 - one line for each kind
    """Return the Python type of a node, for messages about types."""
    match node:
        case model.Record() | model.Via() | model.Custom():
            return node.name
        case model.Items() | model.Entries():
            return node.cls.__name__
        case model.Number():
            return "Decimal" if node.type_name == "decimal" else node.type_name
        case model.Fixed():
            return "tuple"
        case model.Choice() if node.enum_class is not None:
            return node.enum_class.__name__
        case model.Choice():
            return f"Literal[{', '.join(repr(value) for _, value in node.pairs)}]"
        case model.Text():
            return "str"
        case model.Binary():
            return node.type_name
        case model.Checked() | model.Noted():
            return node_name(node.target)
        case _:
            return expected_text(node)
