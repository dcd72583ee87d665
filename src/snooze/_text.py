"""The layout of JSON text, and its canonical form.

Separate from the codecs, which share the options of a layout with `reformat`.
Invariant: every layout that passes `check` gives JSON again. Imported with the package,
so what only a few calls need is imported by them. Used by typed codecs.
"""

from __future__ import annotations

from snooze._decode_error import JSONDecodeError
from snooze._snooze import JSONEncodeError
from snooze._snooze import reformat as _reformat
from snooze._typed.lazy_typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    #: Separators, indentation or None, whether ASCII only, whether a line feed follows.
    _Layout: TypeAlias = tuple[str, str, str | None, bool, bool]
    #: White space that is written at once, its indentation, and whether a line feed
    #: follows.
    _Native: TypeAlias = tuple[str, int, bool]
    #: A layout, and its white space and indentation if that is written at once.
    _Again: TypeAlias = tuple[str, str, str | None, bool, bool, tuple[str, int] | None]

#: The longest separator and indentation, in characters; the compiled writer's limit.
LONGEST = 16
_SPACE = " \t\r\n"


def native(options: Mapping[str, Any]) -> _Native | _Again | None:
    """Return the layout as the compiled encoder takes it.

    It writes four kinds at once: "compact"; "line", with a space after each separator;
    and indented by "spaces" or "tabs". Returns None for what is only compact; the kind,
    the indentation of one level, and whether a line feed follows; or, for a text that
    is read again, the layout, and the kind and indentation of its white space if that
    is written at once.
    """
    layout = _layout(options)
    *separators, indent, ascii_only, newline = layout
    found: tuple[str, int] | None = None
    if separators == [",", ":"] and indent is None:
        found = "compact", 0
    elif separators == [", ", ": "] and indent is None:
        found = "line", 0
    elif separators == [",", ": "] and indent is not None:
        for kind, fill in (("spaces", " "), ("tabs", "\t")):
            if indent == fill * len(indent):
                found = kind, len(indent)
                break
    if ascii_only or found is None:
        return (*layout, found)
    if found == ("compact", 0) and not newline:
        return None
    return (*found, newline)


def is_native(options: Mapping[str, Any]) -> bool:
    """Return whether the compiled encoder writes the layout at once."""
    layout = native(options)
    return layout is None or len(layout) == 3


def _layout(options: Mapping[str, Any]) -> _Layout:
    indent = options.get("indent")
    if isinstance(indent, int):
        indent = " " * indent
    item, key = options.get("separators") or (",", ":" if indent is None else ": ")
    ascii_only = options.get("ensure_ascii", False)
    return item, key, indent, ascii_only, options.get("newline", False)


def check(options: Mapping[str, Any], owner: str) -> None:
    """Check the options of a layout.

    Raises TypeError for a value of another type, ValueError for what is not JSON.
    """
    indent = options["indent"]
    if isinstance(indent, str):
        if indent.strip(_SPACE):
            raise ValueError(
                f"{owner}: indent={indent!r} is not white space, which JSON needs there"
            )
        _check_length("indent", len(indent), owner)
    elif indent is not None:
        if not isinstance(indent, int) or isinstance(indent, bool):
            raise TypeError(f"{owner}: indent needs an int or a str, not {indent!r}")
        if indent < 0:
            raise ValueError(
                f"{owner}: indent={indent} is negative; 0 only breaks lines"
            )
        _check_length("indent", indent, owner)
    _check_separators(options["separators"], owner)
    for name in ("ensure_ascii", "newline"):
        if not isinstance(options[name], bool):
            raise TypeError(f"{owner}: {name} needs a bool, not {options[name]!r}")


def _check_separators(separators: object, owner: str) -> None:
    if separators is None:
        return
    pair = separators if isinstance(separators, tuple) else ()
    if len(pair) != 2 or not all(isinstance(text, str) for text in pair):
        raise TypeError(
            f"{owner}: separators needs a tuple of two str, as in (', ', ': '), not "
            f"{separators!r}"
        )
    for text, mark in zip(pair, ",:", strict=True):
        if text.strip(_SPACE) != mark:
            raise ValueError(
                f"{owner}: the separator {text!r} is not {mark!r} with white space "
                "around it, which JSON needs there"
            )
        _check_length("a separator", len(text), owner)


def _check_length(what: str, length: int, owner: str) -> None:
    if length > LONGEST:
        raise ValueError(
            f"{owner}: {what} has {length} characters; at most {LONGEST} are possible"
        )


def reformat(
    data: bytes | bytearray | memoryview | str,
    /,
    *,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    ensure_ascii: bool = False,
    newline: bool = False,
) -> bytes:
    r"""Return a JSON document in another layout.

    The text is checked and copied, no value is made of it: digits, the order of members
    and names that occur twice stay as they are, and so do escapes.

    Args:
        data: The document, in UTF-8.
        indent: White space before each item and member, once for each level: a number
            of spaces or a text, of at most 16 characters. 0 only breaks lines. Default
            None: all on one line.
        separators: What follows an item and what follows a name, each with white space
            as you like. Default: `(",", ":")`, or `(",", ": ")` with an indent.
        ensure_ascii: True escapes all characters that are not ASCII, as `json.dumps`
            does by default.
        newline: True ends the text with a line feed.

    Returns:
        The document, in UTF-8.

    Raises:
        JSONDecodeError: The text is not JSON, or nested more than 1024 deep.
        TypeError: An argument has the wrong type.
        ValueError: An argument would give no JSON, or is too long.

    Examples:
        >>> import snooze
        >>> print(snooze.reformat('{"a":[1.10,1e2],"b":{}}', indent=2).decode())
        {
          "a": [
            1.10,
            1e2
          ],
          "b": {}
        }
        >>> snooze.reformat(b'[ 1, "\xc3\xa9" ]', ensure_ascii=True)
        b'[1,"\\u00e9"]'
    """
    options = {
        "indent": indent,
        "separators": separators,
        "ensure_ascii": ensure_ascii,
        "newline": newline,
    }
    check(options, "reformat()")
    return _reformat(data, *_layout(options))


def canonical(obj: Any, type: Any = Any) -> bytes:  # noqa: A002 - as in `encode`
    """Return the canonical JSON of a value (RFC 8785): to be hashed or signed.

    Equal values have equal texts, whatever the order of their members: members are in
    the order of the UTF-16 code units of their names, numbers are those of ECMAScript,
    which knows doubles only, and there is no white space.

    Args:
        obj: The value. `snooze.Raw(text)` gives the canonical form of a JSON text.
        type: The type to encode as, as in `encode`. Default `Any`.

    Returns:
        The canonical text, in UTF-8.

    Raises:
        JSONEncodeError: JSON cannot represent the value; it holds NaN or an infinity,
            an integer that no double holds exactly (write it as a `str`), or an object
            in which a name occurs twice.

    Examples:
        >>> import snooze
        >>> snooze.canonical({"b": 1.0, "a": 1e21})
        b'{"a":1e+21,"b":1}'
        >>> snooze.canonical(snooze.Raw(b'{"b": 10E-1, "a": null}'))
        b'{"a":null,"b":1}'
    """
    # It imports this module.
    from snooze._typed.calls import encode_canonical  # noqa: PLC0415

    try:
        return encode_canonical(obj, type)
    except JSONDecodeError as error:
        place = error.doc[max(0, error.pos - 30) : error.pos + 30]
        raise JSONEncodeError(
            f"no canonical form (RFC 8785): {error.msg}, near {place!r}"
        ) from None


def canonical_hash(
    obj: Any,
    type: Any = Any,  # noqa: A002 - as in `encode`
    *,
    algorithm: str = "sha256",
) -> str:
    """Return the hash of the canonical JSON of a value, in hexadecimal digits.

    Args:
        obj: The value, as in `canonical`.
        type: The type to encode as. Default `Any`.
        algorithm: A name that `hashlib.new` knows, of a hash of fixed length.

    Raises:
        JSONEncodeError: The value has no canonical form.
        ValueError: The algorithm is not known, or its length is not fixed.

    Examples:
        >>> import snooze
        >>> a = snooze.canonical_hash({"id": 1, "tags": ["x"]})
        >>> a == snooze.canonical_hash({"tags": ["x"], "id": 1.0})
        True
    """
    import hashlib  # noqa: PLC0415 - most programs do not hash

    found = hashlib.new(algorithm, usedforsecurity=False)
    if not found.digest_size:
        raise ValueError(
            f"canonical_hash(): the length of {algorithm!r} is not fixed; use sha256, "
            "or hash the bytes of canonical()"
        )
    found.update(canonical(obj, type))
    return found.hexdigest()


for _function in (reformat, canonical, canonical_hash):
    _function.__module__ = "snooze"
del _function
