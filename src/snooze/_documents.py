"""The public functions on documents: patch, merge_patch, diff, infer.

Separate from what they do, which is in snooze._edit and snooze._infer: only their names
are loaded by `import snooze`, and a call imports the rest (see DESIGN.md, "What does
import snooze load?"). Invariant: this module imports nothing that they need. Called by
users and by the command line.
"""

from __future__ import annotations

from snooze._typed.lazy_typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Literal


class PatchError(ValueError):
    """The exception for a JSON Patch that cannot be applied.

    A subclass of ``ValueError``. The message names the operation and the place.

    Attributes:
        index: The position of the operation in the patch, from 0.
        reason: ``"operation"`` if it is not one of RFC 6902, ``"place"`` if the
            document does not have the place that it names, ``"test"`` if a ``test``
            found another value, ``"size"`` if copies grew beyond ``max_copied``.
        pointer: The place in the document as a JSON Pointer; ``""`` if the operation
            itself is wrong.

    Examples:
        >>> import snooze
        >>> try:
        ...     snooze.patch({"a": 1}, [{"op": "test", "path": "/a", "value": 2}])
        ... except snooze.PatchError as error:
        ...     print(error)
        ...     print(error.index, error.reason, error.pointer)
        operation 0 (test "/a"): expected 2, found 1
        0 test /a
    """

    __module__ = "snooze"

    def __init__(self, message: str, index: int, reason: str, pointer: str) -> None:
        """Keep the message, the operation and the place."""
        super().__init__(message)
        self.index = index
        self.reason = reason
        self.pointer = pointer

    def __reduce__(self) -> Any:
        """Pickle as the call that makes an equal exception, and with the notes."""
        arguments = (self.args[0], self.index, self.reason, self.pointer)
        return type(self), arguments, vars(self)


def patch(
    document: Any,
    operations: Iterable[Mapping[str, Any]],
    /,
    *,
    in_place: bool = False,
    max_copied: int = 1_000_000,
) -> Any:
    """Apply a JSON Patch (RFC 6902) to a document.

    All operations are applied, or none. Members of an operation that RFC 6902 does not
    define are ignored.

    Args:
        document: A document as ``loads`` returns it.
        operations: The patch: add, remove, replace, move, copy and test.
        in_place: Whether the document itself is changed. It is as before if an error
            is raised. Default False: the result has dicts and lists of its own.
        max_copied: How many values all ``copy`` operations may make together; a copy of
            a container counts all values inside. A few operations that copy the
            document into itself would otherwise fill the memory. Default one million.

    Returns:
        The patched document. In place that is ``document``, unless an operation
        replaced the whole document.

    Raises:
        PatchError: An operation is not one, or cannot be applied, or its test failed.
        TypeError: The patch is not an iterable of operations.
        ValueError: The document is nested deeper than 100,000 levels.

    Examples:
        >>> import snooze
        >>> document = {"name": "mira", "tags": ["a"]}
        >>> operations = [
        ...     {"op": "test", "path": "/name", "value": "mira"},
        ...     {"op": "add", "path": "/tags/-", "value": "b"},
        ... ]
        >>> snooze.patch(document, operations)
        {'name': 'mira', 'tags': ['a', 'b']}
    """
    from snooze._edit.patch import apply  # noqa: PLC0415 - not at import time

    return apply(document, operations, in_place=in_place, max_copied=max_copied)


def merge_patch(document: Any, patch: Any, /, *, in_place: bool = False) -> Any:
    """Apply a JSON Merge Patch (RFC 7396) to a document.

    Members of the patch are set, recursively for objects; null removes a member. Arrays
    are replaced as a whole.

    Args:
        document: A document as ``loads`` returns it.
        patch: The merge patch, a document too.
        in_place: Whether the document itself is changed. Default False: the result has
            dicts and lists of its own.

    Returns:
        The merged document. In place that is ``document``, if it and the patch are
        objects.

    Raises:
        ValueError: The document or the patch is nested deeper than 100,000 levels.

    Examples:
        >>> import snooze
        >>> snooze.merge_patch({"a": 1, "b": {"c": 2}}, {"a": None, "b": {"d": 3}})
        {'b': {'c': 2, 'd': 3}}
    """
    from snooze._edit.merge_patch import apply  # noqa: PLC0415 - not at import time

    return apply(document, patch, in_place=in_place)


@overload
def diff(
    old: Any, new: Any, /, form: Literal["patch"] = "patch"
) -> list[dict[str, Any]]: ...
@overload
def diff(old: Any, new: Any, /, form: Literal["merge"]) -> Any: ...
def diff(old: Any, new: Any, /, form: str = "patch") -> Any:
    """Return the patch that turns one document into another.

    ``patch(old, diff(old, new))`` equals ``new``, and so does ``merge_patch(old,
    diff(old, new, "merge"))``. Numbers of different types differ: ``1`` and ``1.0`` are
    different JSON. The order of members does not count.

    Args:
        old: A document as ``loads`` returns it.
        new: Another one.
        form: ``"patch"`` for a JSON Patch (RFC 6902) of add, remove and replace;
            ``"merge"`` for a merge patch (RFC 7396). Default ``"patch"``.

    Returns:
        A list of operations, empty if the documents are equal; or the merge patch. It
        shares no dict or list with the documents.

    Raises:
        TypeError: A document holds what is no JSON value, such as a set.
        ValueError: The form is another; a document is nested deeper than 100,000
            levels; or a merge patch would have to set a member to null.

    Examples:
        >>> import snooze
        >>> old, new = {"a": [1, 2, 3], "b": 1}, {"a": [1, 3], "b": 2}
        >>> snooze.diff(old, new)  # doctest: +NORMALIZE_WHITESPACE
        [{'op': 'replace', 'path': '/b', 'value': 2},
         {'op': 'remove', 'path': '/a/1'}]
        >>> snooze.diff(old, new, "merge")
        {'a': [1, 3], 'b': 2}
    """
    from snooze._edit import diff as differences  # noqa: PLC0415 - not at import time

    if form == "patch":
        return differences.json_patch(old, new)
    if form == "merge":
        return differences.merge_patch(old, new)
    raise ValueError(f'form: expected "patch" or "merge", found {form!r}')


def infer(*documents: Any) -> Inference:
    """Describe the structure that documents have in common.

    Args:
        documents: Documents as ``loads`` returns them; ``Inference.add`` takes more.

    Returns:
        What was seen. Its method ``schema`` returns a JSON Schema, and ``source`` the
        source of dataclasses that a ``Decoder`` reads the documents into.

    Raises:
        TypeError: A document holds an object that is no JSON value, or a name that is
            not a str.
        ValueError: A document is nested deeper than 100,000 levels, or contains itself.

    Examples:
        >>> import snooze
        >>> found = snooze.infer({"id": 1, "name": "mira"}, {"id": 2})
        >>> found.schema()["required"]
        ['id']
        >>> print(found.source("User"))  # doctest: +ELLIPSIS
        \"\"\"Classes of JSON documents, inferred by snooze...
        @dataclass(kw_only=True, slots=True)
        class User:
            id: int
            name: str | None = None
        <BLANKLINE>
    """
    found = Inference()
    for document in documents:
        found.add(document)
    return found


class Inference:
    """The structure that documents have in common; ``snooze.infer`` makes it.

    The rules: values in the same place (all items of an array; the same member of all
    objects there) share one type. An object is a class, and a member that
    some objects lack is optional. It is a dict if its names are data: all begin with a
    digit or hold a character like ``/``, or there are more than 50 whose values have
    one type. What is always null is null; empty arrays, and whatever lies deeper than
    40 levels, may hold anything.

    Examples:
        >>> import snooze
        >>> found = snooze.infer()
        >>> for line in (b'{"id": 1}', b'{"id": 2, "tags": ["a"]}'):
        ...     found.add(snooze.loads(line))
        >>> found.documents
        2
        >>> found.schema()["properties"]
        {'id': {'type': 'integer'}, 'tags': {'type': 'array', 'items': \
{'type': 'string'}}}
    """

    __slots__ = ("_root", "documents")
    __module__ = "snooze"

    def __init__(self) -> None:
        """Start without documents."""
        from snooze._infer.places import Seen  # noqa: PLC0415 - not at import time

        self._root = Seen()
        #: How many documents were added.
        self.documents = 0

    def add(self, document: Any, /) -> None:
        """Add a document.

        Args:
            document: A document as ``loads`` returns it.

        Raises:
            TypeError: It holds an object that is no JSON value, or a name that is not
                a str.
            ValueError: It is nested deeper than 100,000 levels, or contains itself.
        """
        self._root.add(document)
        self.documents += 1

    def schema(self, *, title: str | None = None) -> dict[str, Any]:
        """Return a JSON Schema, draft 2020-12, that all documents fit.

        Args:
            title: The title of the schema. Default None: it has none.

        Returns:
            The schema, as dicts and lists that ``dumps`` writes.
        """
        from snooze._infer import schema  # noqa: PLC0415 - not at import time

        return schema.of(self._root, title)

    def source(self, name: str = "Document") -> str:
        """Return the source of a Python module with dataclasses for the documents.

        ``snooze.Decoder(name)`` reads each document, and ``snooze.Encoder(name,
        omit_none=True)`` writes it again, except for members that are null.

        Args:
            name: The name of the class, or of the type if the documents are no objects.
                Default ``"Document"``.

        Raises:
            ValueError: The name is not one that a class can have.
        """
        from snooze._infer import source  # noqa: PLC0415 - not at import time

        return source.of(self._root, name)

    def __repr__(self) -> str:
        """Return how many documents were added."""
        noun = "document" if self.documents == 1 else "documents"
        return f"<Inference of {self.documents} {noun}>"
