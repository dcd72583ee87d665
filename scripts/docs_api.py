"""Markdown pages of every public name, from the signatures and docstrings of the stubs.

Separate from docs_site.py, which knows the other pages, because this one reads Python.
The sources are read and not imported, so the extension need not be built. Invariants:
each name of `snooze.__all__`, and of `__all__` of each module of `snooze.ext`, is on
exactly one page; a function or class without a docstring, and a docstring that does not
fit its signature, is an error; nothing is stated here that the sources do not state.
Called by docs_site.py with the environment of requirements/docs.lock.
"""

from __future__ import annotations

import ast
import logging
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import griffe

ROOT = Path(__file__).resolve().parent.parent
#: How the names of classes end whose methods are those of a public class.
BASES = ("Base", "LineReader", "LineWriter")
WIDTH = 68  # columns of a signature on one line, which fit a phone without scrolling


@dataclass(frozen=True)
class Page:
    """A page of the generated reference."""

    file: str
    title: str
    text: str
    names: tuple[str, ...]


PAGES = (
    Page(
        "api-json.md",
        "dumps and loads",
        "orjson's functions, exceptions and options, `install` for programs that "
        "cannot be edited, and `cpu_tiers`. "
        "[Types, options, errors](reference.md) says what they do in every case.",
        (
            "dumps",
            "dumps_str",
            "loads",
            "dump",
            "load",
            "Fragment",
            "JSONEncodeError",
            "JSONDecodeError",
            "install",
            "uninstall",
            "cpu_tiers",
            "OPT_*",
        ),
    ),
    Page(
        "api-typed.md",
        "Typed codecs",
        "JSON from and into your classes. The [guide](typed.md) explains them by "
        "example; [Types, options, errors](reference.md#typed-codecs) lists every "
        "type and option.",
        (
            "Decoder",
            "Encoder",
            "decode",
            "encode",
            "encode_str",
            "Converter",
            "convert",
            "to_builtins",
            "schema",
            "schema_components",
            "configure",
            "Field",
            "Via",
            "Format",
            "FirstMatch",
            "Subclasses",
            "Meta",
            "UNSET",
            "UnsetType",
            "Raw",
            "ValidationError",
            "Problem",
            "LineProblem",
            "PartialDocument",
        ),
    ),
    Page(
        "api-scan.md",
        "Scans",
        "JSON Lines into Arrow record batches. The [guide](scale.md) explains them by "
        "example.",
        (
            "scan",
            "Scan",
            "RecordBatch",
            "ScanProblem",
            "ScanProgress",
            "ScanError",
            "write_lines",
        ),
    ),
    Page(
        "api-constraints.md",
        "Constraints",
        "Metadata for `Annotated`, with the names and meaning of annotated-types. The "
        "[guide](typed.md#constraints) shows them in use.",
        (
            "Ge",
            "Gt",
            "Le",
            "Lt",
            "MultipleOf",
            "Len",
            "MinLen",
            "MaxLen",
            "Pattern",
            "Aware",
            "Naive",
        ),
    ),
    Page(
        "api-documents.md",
        "Documents",
        "Functions on what `loads` returns. The [guide](documents.md) explains them by "
        "example.",
        (
            "pointer.get",
            "pointer.exists",
            "pointer.set",
            "pointer.delete",
            "pointer.parse",
            "pointer.join",
            "pointer.PointerError",
            "patch",
            "PatchError",
            "merge_patch",
            "diff",
            "jsonpath.compile",
            "jsonpath.find",
            "jsonpath.nodes",
            "jsonpath.Path",
            "jsonpath.Node",
            "jsonpath.JSONPathError",
            "infer",
            "Inference",
            "reformat",
            "canonical",
            "canonical_hash",
        ),
    ),
    Page(
        "api-frameworks.md",
        "Adapters",
        "The modules of `snooze.ext`. The [guide](frameworks.md) has a program "
        "for each.",
        (
            "ext.aiohttp.json_response",
            "ext.aiohttp.decode_body",
            "ext.asyncpg.set_json_codecs",
            "ext.django.JSONEncoder",
            "ext.django.JSONDecoder",
            "ext.django.JsonResponse",
            "ext.django.decode_body",
            "ext.fastapi.JSONRoute",
            "ext.fastapi.decoded",
            "ext.fastapi.request_body",
            "ext.flask.JSONProvider",
            "ext.flask.decode_body",
            "ext.kombu.register",
            "ext.kombu.dumps",
            "ext.kombu.loads",
            "ext.kombu.JSONEncoder",
            "ext.litestar.JSONResponse",
            "ext.litestar.JSONRequest",
            "ext.litestar.provide_body",
            "ext.logging.JSONFormatter",
            "ext.rest_framework.JSONRenderer",
            "ext.rest_framework.JSONParser",
            "ext.rest_framework.JSONEncoder",
            "ext.sqlalchemy.TypedJSON",
            "ext.starlette.JSONResponse",
            "ext.starlette.decode_body",
        ),
    ),
)
#: Names of the package that need no documentation; the last is that of Starlette.
HIDDEN = {"__version__", "ext.fastapi.JSONResponse"}
#: Public modules of the package, whose names are documented, too.
MODULES = ("pointer", "jsonpath")


class _Complaints(logging.Handler):
    """The problems that griffe finds in docstrings."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the text."""
        self.texts.append(record.getMessage())


def pages() -> dict[str, str]:
    """Return every generated page by its file name; SystemExit if a source is wrong."""
    complaints = _Complaints()
    logging.getLogger("griffe").addHandler(complaints)
    package = griffe.load(
        "snooze",
        search_paths=[str(ROOT / "src")],
        allow_inspection=False,
        docstring_parser="google",
        docstring_options={
            "returns_multiple_items": False,
            "returns_named_value": False,
        },
    )
    public = _public(package)
    found = {page.file: _page(page, package, public) for page in PAGES}
    shown = [name for page in PAGES for name in _names(page, public)]
    problems = complaints.texts
    problems += [f"{name} is on no page" for name in sorted(public - set(shown))]
    problems += [f"{name} is not public" for name in sorted(set(shown) - public)]
    problems += [f"{one} is on two pages" for one in shown if shown.count(one) > 1]
    if problems:
        raise SystemExit("docs_api.py: " + "\n".join(problems))
    return found


def _public(package: Any) -> set[str]:
    """Return the names that are documented, those of adapters with their module."""
    names = set(ast.literal_eval(str(package["__all__"].value)))
    for one in MODULES:
        listed = ast.literal_eval(str(package[one]["__all__"].value))
        names |= {f"{one}.{name}" for name in listed}
    for module in package["ext"].modules.values():
        if not module.name.startswith("_"):
            listed = ast.literal_eval(str(module["__all__"].value))
            names |= {f"ext.{module.name}.{name}" for name in listed}
    return names - HIDDEN


def _names(page: Page, public: set[str]) -> list[str]:
    """Return the names of a page; `X*` matches all public names that begin with X."""
    names = []
    for name in page.names:
        if name.endswith("*"):
            names += sorted(one for one in public if one.startswith(name[:-1]))
        else:
            names.append(name)
    return names


def _page(page: Page, package: Any, public: set[str]) -> str:
    lines = [f"# {page.title}", "", page.text]
    for name in page.names:
        if name.endswith("*"):
            lines += ["", *_constants(name, package, public)]
        else:
            lines += ["", *_object(name, _target(package[name]))]
    return "\n".join(lines) + "\n"


def _target(found: Any) -> Any:
    return found.final_target if found.is_alias else found


def _object(name: str, found: Any) -> list[str]:
    """Return the section of a name; names of adapters are shown with their module."""
    lines = [f"## snooze.{name}" if "." in name else f"## {name}", ""]
    name = name.rpartition(".")[2]
    if found.is_attribute:
        value = "" if found.value is None else f" = {found.value}"
        lines += _code(f"{name}{value}")
        return lines + _docstring(name, found, optional=True)
    if found.is_function:
        lines += _code(_signature(name, found))
        return lines + _docstring(name, found)
    if "__new__" in found.members:
        # griffe looks for the parameters of a class in its __init__ only.
        found.members.setdefault("__init__", found.members["__new__"])
    bases = [str(base) for base in found.bases]
    lines += _code(_class(name, found, bases))
    lines += _docstring(name, found)
    for member in _members(found):
        title = f"{name}.{member.name}"
        lines += ["", f"### {title}", ""]
        if member.is_function:
            lines += _code(_signature(member.name, member))
        else:
            lines += _code(f"{member.name}: {member.annotation}")
        lines += _docstring(title, member)
    return lines


def _class(name: str, found: Any, bases: list[str]) -> str:
    """Return the constructor, or the bases of a class that users do not instantiate."""
    for method in ("__init__", "__new__"):
        made = found.members.get(method)
        # Methods without a docstring are not for users.
        if made is not None and not any("Error" in base for base in bases):
            return f"class {_signature(name, made)}"
    known = [base for base in bases if not base.startswith("_")]
    return f"class {name}({', '.join(known)})" if known else f"class {name}"


def _members(found: Any) -> list[Any]:
    """Return the public methods and properties of a class and its private bases."""
    members: dict[str, Any] = {}
    for owner in [*_private_bases(found), found]:
        for name, member in owner.members.items():
            if name.startswith("_") or member.is_alias:
                continue
            if member.is_function or "property" in member.labels:
                members[name] = _described(member, members.get(name))
    return sorted(members.values(), key=lambda one: one.is_attribute)


def _described(member: Any, inherited: Any) -> Any:
    """Return a method, with the docstring of the overridden method if it has none."""
    if member.docstring is None and inherited is not None:
        member.docstring = inherited.docstring
    return member


def _private_bases(found: Any) -> list[Any]:
    """Return the bases that the package does not export by name."""
    bases = []
    for base in found.resolved_bases:
        target = _target(base)
        if target.path.startswith("snooze.") and target.name.endswith(BASES):
            bases.append(target)
    return bases


def _signature(name: str, function: Any) -> str:
    """Return a call as one line if it is short, else a line for each parameter."""
    types = _annotations(function)
    parts: list[str] = []
    keyword_only = positional = False
    for one in function.parameters:
        kind = one.kind.value
        if one.name in {"self", "cls"}:
            continue
        if positional and kind != "positional-only":
            parts.append("/")
        positional = kind == "positional-only"
        if kind == "keyword-only" and not keyword_only:
            parts.append("*")
            keyword_only = True
        stars = {"variadic positional": "*", "variadic keyword": "**"}.get(kind, "")
        text = stars + one.name
        if types.get(one.name):
            text += f": {types[one.name]}"
        if one.default is not None and not stars:
            default = str(one.default).replace("'", '"')
            default = re.sub("_NONE|UNSET", "...", default)
            text += f" = {default}" if ":" in text else f"={default}"
        parts.append(text)
    if positional:
        parts.append("/")
    returns = function.returns
    if function.name in {"__init__", "__new__"}:
        returns = None
    arrow = f" -> {returns}" if returns is not None else ""
    line = f"{name}({', '.join(parts)}){arrow}"
    if len(line) <= WIDTH:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){arrow}"


def _annotations(function: Any) -> dict[str, str]:
    """Return the types of parameters: those of the most general overload, if any.

    griffe knows overloads only by typing's own name, which lazily imported modules do
    not use; so the last definition that is decorated with `overload` is read here.
    """
    types = {
        one.name: str(one.annotation).replace("'", '"')
        for one in function.parameters
        if one.annotation is not None
    }
    tree = ast.parse(Path(function.filepath).read_text("utf-8"))
    scope: Any = tree
    if function.parent.is_class:
        name = function.parent.name
        scope = next(
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and node.name == name
        )
    for node in scope.body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.name == function.name
            and any(ast.unparse(one) == "overload" for one in node.decorator_list)
        ):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            types |= {
                one.arg: ast.unparse(one.annotation).replace("'", '"')
                for one in arguments
                if one.annotation is not None
            }
    return types


def _code(text: str) -> list[str]:
    return ["```python", text, "```"]


def _constants(pattern: str, package: Any, public: set[str]) -> list[str]:
    """Return one section for constants that share a prefix."""
    lines = [f"## {pattern.replace('*', ' constants')}", ""]
    names = sorted(name for name in public if name.startswith(pattern[:-1]))
    for name in names:
        found = _target(package[name])
        text = found.docstring.value if found.docstring else ""
        lines.append(f"- `{name}`" + (f": {_plain(text)}" if text else ""))
    link = "[Types, options, errors](reference.md#options)"
    return [*lines, "", f"Values and effects: {link}."]


def _docstring(name: str, found: Any, *, optional: bool = False) -> list[str]:
    """Return a docstring as Markdown."""
    if found.docstring is None:
        if optional:
            return []
        raise SystemExit(f"docs_api.py: {name} has no docstring")
    lines = []
    for section in found.docstring.parsed:
        kind, value = section.kind.value, section.value
        if kind == "text":
            lines += ["", _plain(value)]
        elif kind == "examples":
            lines += ["", "**Example**"]
            for part, text in value:
                example = part.value == "examples"
                lines += ["", "```pycon", text, "```"] if example else ["", text]
        elif kind == "admonition":
            lines += ["", f"**{section.title}**", "", _plain(value.contents)]
        else:
            title = section.title or kind.capitalize()
            lines += ["", f"**{title}**", "", *_items(kind, value)]
    return lines


def _items(kind: str, value: Any) -> list[str]:
    """Return parameters, attributes, results or exceptions as a list."""
    lines = []
    for one in value:
        label = str(one.annotation) if kind == "raises" else getattr(one, "name", "")
        text = " ".join(_plain(one.description).split())
        lines.append(f"- `{label}`: {text}" if label else text)
    return lines


def _plain(text: str) -> str:
    """Return text of a docstring as Markdown: one backquote, not two."""
    return re.sub(r"``([^`]+)``", r"`\1`", text)
