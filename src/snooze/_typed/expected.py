"""What is expected, in the words of error messages.

Separate, because messages are a thing of their own: short, in the vocabulary of JSON
(null, bool, int, float, str, array, object), with constraints where there are any.
Called by `lower_decode` and `lower_encode` for each node, and for clashes.
"""

from __future__ import annotations

import json
from typing import Any

from snooze._typed import model, unions
from snooze._typed.constraint_merge import limits_words

#: Choices that are listed; more of them are called by the name of their class.
MOST_CHOICES = 8

_ZONES = {None: "", "aware": "aware ", "naive": "naive "}


def label(node: model.Node) -> str:
    """Return what a node expects."""
    found: list[str] = []
    for option in unions.flatten(node, "this type"):
        words = _one(option)
        found += [word for word in words if word not in found]
    return joined(found) or "no value"


def joined(words: list[str]) -> str:
    """Return `a`, `a or b`, `a, b or c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} or {words[-1]}"


def _one(node: model.Node) -> list[str]:  # noqa: C901, PLR0911, PLR0912
    match node:
        case model.Anything() | model.Raw():
            return ["any value"]
        case model.Nothing():
            return ["no value"]
        case model.Scalar():
            return [_ZONES[node.tz] + node.kind]
        case model.Number():
            return [f"{node.kind} {limits_words(node.limits)}".rstrip()]
        case model.Text():
            words = "str" + _length(node.length, "")
            if node.pattern is not None:
                words += f" matching {json.dumps(node.pattern, ensure_ascii=False)}"
            return [words]
        case model.Binary():
            return ["base64 str" + _length(node.length, " bytes")]
        case model.Choice():
            return _choices(node)
        case model.Items():
            return ["array" + _length(node.length, "")]
        case model.Fixed():
            return [f"array of length {len(node.items)}"]
        case model.Entries():
            return ["object" + _length(node.length, "")]
        case model.Array():
            return ["array" if node.dtype is None else f"array of {node.dtype}"]
        case model.Record():
            return [_record(node)]
        case model.Checked():
            words = label(node.target)
            return [" ".join([words, *(check.words for check in node.checks)])]
        case model.Via():
            return [_via(node)]
        case model.Custom():
            return [node.name]
        case _:
            raise AssertionError(node)


def _record(node: model.Record) -> str:
    if not node.array:
        return "object"
    read = [field for field in node.fields if field.reads]
    least = sum(field.presence == "required" for field in read)
    length = f"{least}" if least == len(read) else f"{least} to {len(read)}"
    return f"array of length {length}"


def _via(node: model.Via) -> str:
    """Name the class; of those that take any str, the str."""
    if node.wire is None or node.cls is object:
        return node.name
    if node.format is None and node.cls.__module__.startswith("pathlib"):
        return "str"
    return node.name


def _choices(node: model.Choice) -> list[str]:
    if node.cls is not None and (len(node.pairs) > MOST_CHOICES or node.open):
        return [node.cls.__name__]
    words = [choice(value) for value, _ in node.pairs]
    if len(words) > MOST_CHOICES:
        hidden = len(words) - MOST_CHOICES
        words = [*words[:MOST_CHOICES], f"{hidden} more"]
    return words


def choice(value: Any) -> str:
    """Return one value of a Literal or an enum."""
    if isinstance(value, str):
        return repr(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)


def _length(length: model.Length, unit: str) -> str:
    least, most = length.least, length.most
    if not length:
        return ""
    if most is None:
        return f" of length >= {least}{unit}"
    if least == most:
        return f" of length {least}{unit}"
    if least == 0:
        return f" of length <= {most}{unit}"
    return f" of length {least} to {most}{unit}"


def described(node: model.Node) -> str:  # noqa: PLR0911 - one line for each kind
    """Return a node as messages about types name it."""
    match node:
        case model.Record() | model.Via() | model.Custom():
            return node.name
        case model.Items() | model.Entries():
            return node.cls.__name__
        case model.Number():
            return "Decimal" if node.kind == "decimal" else node.kind
        case model.Fixed():
            return "tuple"
        case model.Choice() if node.cls is not None:
            return node.cls.__name__
        case model.Choice():
            return f"Literal[{', '.join(repr(value) for _, value in node.pairs)}]"
        case model.Text():
            return "str"
        case model.Binary():
            return node.kind
        case model.Checked():
            return described(node.target)
        case _:
            return label(node)
