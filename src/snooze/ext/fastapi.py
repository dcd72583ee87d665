"""FastAPI: a response, a route that reads by snooze, and bodies decoded into types.

    from snooze.ext.fastapi import JSONResponse, JSONRoute, decoded, request_body

Separate from ``starlette`` because errors here are FastAPI's. Invariant: whatever is
wrong with a body, ``decoded`` raises a ``RequestValidationError``, status 422, with
entries of FastAPI's own form, so that exception handlers of an application understand
it. That includes a body that is not UTF-8, which FastAPI itself answers with 400.
"""

from __future__ import annotations

import email.message
import functools
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from snooze import (
    JSONDecodeError,
    Problem,
    ValidationError,
    json,
    schema,
)
from snooze._missing import unusable

try:
    from fastapi import Depends, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.routing import APIRoute
except ImportError as error:
    raise unusable(__name__, "fastapi", error) from error

from snooze.ext._decoders import decoder_of
from snooze.ext.starlette import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from fastapi import Response

__all__ = ("JSONResponse", "JSONRoute", "decoded", "request_body")


class _Request(Request):
    """A request whose ``json`` reads by ``snooze.json``."""

    async def json(self) -> Any:
        """Return the value of the body, as Starlette's request does."""
        if not hasattr(self, "_json"):
            self._json = json.loads(await self.body())
        return self._json


@functools.lru_cache(64)
def _reading(kind: type[Request]) -> type[Request]:
    """Return a class of requests whose ``json`` reads by snooze, unless it has its own.

    Its other methods are those of `kind`, which may unpack the body, say.
    """
    if kind is Request:
        return _Request
    if kind.json is not Request.json:
        return kind
    return type(kind.__name__, (_Request, kind), {"__module__": kind.__module__})


class JSONRoute(APIRoute):
    """A route whose bodies are read by ``snooze.json``: same values, same errors.

    For ``APIRouter(route_class=JSONRoute)``, or ``app.router.route_class = JSONRoute``
    before the first route. pydantic checks what was read, as always.

    Examples:
        >>> from fastapi import FastAPI
        >>> from snooze.ext.fastapi import JSONRoute
        >>> app = FastAPI()
        >>> app.router.route_class = JSONRoute
    """

    def get_route_handler(
        self,
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's handler, called with a request that reads by snooze."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            # The same object: a subclass that reads the body before or afterwards
            # finds what FastAPI read. A second request would wait for another body.
            kind: Any = type(request)
            request.__class__ = _reading(kind)
            return await handler(request)

        return handle


def decoded(type: Any, /, **options: Any) -> Any:  # noqa: A002 - as in Decoder
    """Return the ``Depends`` whose value is the body as a type of a ``Decoder``.

    For parameters, ``user: Annotated[User, decoded(User)]``: the body is decoded once,
    by snooze, without pydantic.

    Args:
        type: The type, or a ``Decoder``.
        **options: Of ``Decoder``; none with a ``Decoder``. With a type ``errors`` is
            "all" unless it is given.

    Returns:
        A dependency. It raises ``RequestValidationError`` (status 422) if the content
        type is not JSON, if the body is not JSON or not UTF-8, or if it does not fit
        the type.

    Raises:
        TypeError: The type is not supported, an option has the wrong type, or there are
            options beside a ``Decoder``.
        ValueError: An option has an unknown value or no meaning.

    Examples:
        >>> from typing import Annotated
        >>> from fastapi import FastAPI
        >>> from snooze.ext.fastapi import decoded
        >>> app = FastAPI()
        >>> @app.post("/sum")
        ... async def add(numbers: Annotated[list[int], decoded(list[int])]) -> int:
        ...     return sum(numbers)
    """
    decoder = decoder_of(type, options, "decoded")

    async def read(request: Request) -> Any:
        content_type = request.headers.get("content-type", "")
        if not _is_json(content_type):
            text = f"expected the content type application/json, found {content_type!r}"
            raise _invalid([_entry("content_type", [], text)], None)
        body = await request.body()
        try:
            return decoder.decode(body)
        except ValidationError as error:
            raise _invalid(_entries(error), error.doc) from error
        except JSONDecodeError as error:
            entry = _entry("json_invalid", [error.pos], "JSON decode error")
            entry["ctx"] = {"error": error.msg}
            raise _invalid([entry], error.doc) from error

    return Depends(read)


def request_body(type: Any, /) -> dict[str, Any]:  # noqa: A002 - as in schema
    """Return what ``openapi_extra`` needs to describe a decoded body.

    Args:
        type: The type of the body, as for ``snooze.schema``. Classes are written where
            they are used; inside themselves, and once the schema has 2000 parts, they
            are written as any value.

    Examples:
        >>> from snooze.ext.fastapi import request_body
        >>> content = request_body(list[int])["requestBody"]["content"]
        >>> content["application/json"]["schema"]
        {'type': 'array', 'items': {'type': 'integer'}}
    """
    described = schema(type)
    inlined = _inline(described, described, (), [MAX_PARTS])
    content = {"application/json": {"schema": inlined}}
    return {"requestBody": {"required": True, "content": content}}


#: The most parts of a schema whose classes are all written.
MAX_PARTS = 2000
#: The keywords of a schema whose value is a schema, or a list of schemas.
_SCHEMAS = {
    *("additionalProperties", "items", "contains", "propertyNames", "contentSchema"),
    *("unevaluatedItems", "unevaluatedProperties", "if", "then", "else", "not"),
    *("allOf", "anyOf", "oneOf", "prefixItems"),
}
#: Those whose value is an object: its members have names of the user, and schemas.
_NAMED_SCHEMAS = {"properties", "patternProperties", "dependentSchemas"}
#: In OpenAPI a discriminator is for references only.
_LEFT_OUT = {"$ref", "$defs", "$schema", "discriminator"}


def _inline(  # noqa: C901 - one case for each kind of part
    part: Any, root: dict[str, Any], around: tuple[str, ...], left: list[int]
) -> Any:
    """Return a part of a schema with its classes in place of references to them.

    References would be relative to the OpenAPI document, which has no such classes.
    Other references, and what is no schema (examples, defaults), stay as they are.
    `left` is how many parts may still be written: classes that lead to each other would
    be written once for each way through them.
    """
    if isinstance(part, list):
        return [_inline(one, root, around, left) for one in part]
    if not isinstance(part, dict):
        return part
    left[0] -= 1
    made: dict[str, Any] = {}
    for name, value in part.items():
        if name in _SCHEMAS:
            made[name] = _inline(value, root, around, left)
        elif name in _NAMED_SCHEMAS and isinstance(value, dict):
            made[name] = {
                key: _inline(one, root, around, left) for key, one in value.items()
            }
        elif name not in _LEFT_OUT:
            made[name] = value
    reference = part.get("$ref")
    if reference is None or reference in around:
        return made
    referred = _referred(reference, root)
    if referred is None:
        return made | {"$ref": reference}
    if left[0] < 0:
        return made
    found = _inline(referred, root, (*around, reference), left)
    if "required" in made:
        # Beside a reference stands the tag of a union: more names, not others.
        names = [*found.get("required", ()), *made["required"]]
        made["required"] = list(dict.fromkeys(names))
    return found | made


def _referred(reference: Any, root: dict[str, Any]) -> dict[str, Any] | None:
    """Return the class or the whole schema that a reference names; None for others."""
    if reference == "#":
        return root
    if not isinstance(reference, str) or not reference.startswith("#/$defs/"):
        return None
    found: Any = root
    for token in _tokens(unquote(reference[1:])):
        found = found.get(token) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else None


def _tokens(pointer: str) -> list[str]:
    """Return the names in a JSON Pointer."""
    return [
        token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]
    ]


def _is_json(content_type: str) -> bool:
    """Tell whether FastAPI would read a body of this type as JSON."""
    message = email.message.Message()
    message["content-type"] = content_type
    subtype = message.get_content_subtype()
    is_json = subtype == "json" or subtype.endswith("+json")
    return is_json and message.get_content_maintype() == "application"


def _entries(error: ValidationError) -> list[dict[str, Any]]:
    """Return the entries of all problems; in their places indices are numbers."""
    # A Pointer does not tell the index 1 from the name "1", but a Decoder does. In an
    # error that user code made, all parts are names.
    paths = error._paths or map(_names, error.errors)  # noqa: SLF001 - of snooze
    return [
        _entry("value_error", list(path), problem.message)
        for path, problem in zip(paths, error.errors, strict=True)
    ]


def _names(problem: Problem) -> tuple[str, ...]:
    return tuple(_tokens(problem.pointer))


def _entry(type: str, location: list[Any], message: str) -> dict[str, Any]:  # noqa: A002
    return {"type": type, "loc": ("body", *location), "msg": message, "input": {}}


def _invalid(
    entries: list[dict[str, Any]], document: str | None
) -> RequestValidationError:
    return RequestValidationError(entries, body=document)
