"""Public docstrings are complete, their examples run, and copies of them agree.

The docstrings of Python classes and functions are in their source. Those of the
extension module are in `_snooze.pyi`, the master copy, which editors and the reference
show, and a second time in Rust, for `help()`.
"""

from __future__ import annotations

import ast
import doctest
import inspect
import pathlib
import re
import sys
import types
from typing import Any

import pytest

import snooze

STUB = pathlib.Path(snooze.__file__).parent / "_snooze.pyi"
#: Objects that Rust makes, and the stub documents.
COMPILED = {
    "Fragment": snooze.Fragment,
    "cpu_tiers": snooze.cpu_tiers,
    "dumps": snooze.dumps,
    "dumps_str": snooze.dumps_str,
    "loads": snooze.loads,
    "ConverterBase": snooze.Converter.__mro__[1],
    "ConverterBase.convert": snooze.Converter.convert,
    "DecoderBase": snooze.Decoder.__mro__[1],
    "DecoderBase.decode": snooze.Decoder.decode,
    "DecoderBase.validate_only": snooze.Decoder.validate_only,
    "EncoderBase": snooze.Encoder.__mro__[1],
    "EncoderBase.encode": snooze.Encoder.encode,
    "EncoderBase.encode_str": snooze.Encoder.encode_str,
    "EncoderBase.encode_into": snooze.Encoder.encode_into,
}
BASES = {"ConverterBase", "DecoderBase", "EncoderBase"}
OPTIONS = [name for name in snooze.__all__ if name.startswith("OPT_")]
WRITTEN_IN_PYTHON = [
    name
    for name in snooze.__all__
    if name not in {*COMPILED, *OPTIONS, "JSONEncodeError", "__version__"}
]
INSTANCES = ["Aware", "Naive"]


def stub_docstrings() -> dict[str, str]:
    """The docstrings in the stub, by the name of their object."""
    found = {}
    body = ast.parse(STUB.read_text("utf-8")).body
    for statement, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(statement, ast.ClassDef | ast.FunctionDef):
            found[statement.name] = ast.get_docstring(statement)
        if isinstance(statement, ast.ClassDef):
            for method in statement.body:
                if isinstance(method, ast.FunctionDef):
                    name = f"{statement.name}.{method.name}"
                    found[name] = ast.get_docstring(method)
        if isinstance(statement, ast.AnnAssign) and isinstance(following, ast.Expr):
            assert isinstance(statement.target, ast.Name)
            assert isinstance(following.value, ast.Constant)
            found[statement.target.id] = inspect.cleandoc(following.value.value)
    return {name: text for name, text in found.items() if text is not None}


def docstring(name: str) -> str:
    """The docstring of a public name: from the stub, or from the object."""
    if name in COMPILED:
        return stub_docstrings()[name]
    text = inspect.getdoc(getattr(snooze, name))
    assert text is not None
    return text


def documented(name: str, section: str) -> list[str]:
    """The names that a section of the docstring describes, in order."""
    lines = docstring(name).split(f"\n\n{section}:\n")
    assert len(lines) == 2, f"{name} has no section {section}"
    entries = re.split(r"\n\n", lines[1])[0]
    return re.findall(r"^    (\w+): ", entries, re.MULTILINE)


def parameters(function: Any) -> list[str]:
    """The parameters of a call."""
    return [one for one in inspect.signature(function).parameters if one != "self"]


@pytest.mark.parametrize(
    "name", [one for one in [*COMPILED, *WRITTEN_IN_PYTHON] if one not in INSTANCES]
)
def test_every_docstring_has_a_summary(name: str) -> None:
    """One line that ends with a full stop."""
    summary, *rest = docstring(name).split("\n")
    assert summary.endswith(".")
    assert not rest or rest[0] == ""


@pytest.mark.parametrize(
    "name",
    [one for one in [*COMPILED, *WRITTEN_IN_PYTHON] if one not in BASES | {*INSTANCES}],
)
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each docstring has one or more, and their output is as shown."""
    module = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", module)
    source = docstring(name)
    examples = doctest.DocTestParser().get_doctest(source, {}, name, name, 0)
    examples.globs = vars(module)
    assert examples.examples
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(examples, out=report.append)
    assert not runner.failures, "".join(report)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Converter",
            "convert",
            "Decoder",
            "Encoder",
            "configure",
            "Field",
            "Via",
            "decode",
            "encode",
        ),
        *("schema", "Gt", "Ge", "Lt", "Le", "MultipleOf", "MinLen", "MaxLen", "Len"),
        *("Pattern", "dumps", "loads"),
    ],
)
def test_every_parameter_is_described(name: str) -> None:
    """Once, and in the order of the signature."""
    assert documented(name, "Args") == parameters(getattr(snooze, name))


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("ConverterBase.convert", snooze.Converter.convert),
        ("DecoderBase.decode", snooze.Decoder.decode),
        ("DecoderBase.validate_only", snooze.Decoder.validate_only),
        ("EncoderBase.encode", snooze.Encoder.encode),
        ("EncoderBase.encode_str", snooze.Encoder.encode_str),
        ("EncoderBase.encode_into", snooze.Encoder.encode_into),
    ],
)
def test_every_parameter_of_methods_is_described(name: str, method: Any) -> None:
    """Once, and in the order of the signature."""
    assert documented(name, "Args") == parameters(method)


@pytest.mark.parametrize("name", ["convert", "decode", "encode"])
def test_functions_name_the_options_of_their_codec(name: str) -> None:
    """They take `**options`, which the docstring of the class describes."""
    codecs = {"decode": snooze.Decoder, "encode": snooze.Encoder}
    codec: Any = codecs.get(name, snooze.Converter)
    options = [one for one in parameters(codec) if one != "type"]
    text = " ".join(docstring(name).split())
    assert f"The keyword options of `{codec.__name__}`: {', '.join(options)}." in text


def test_attributes_of_a_problem_are_described() -> None:
    """Each field of the named tuple."""
    assert documented("Problem", "Attributes") == list(snooze.Problem._fields)


def test_attributes_of_errors_are_described() -> None:
    """Those of JSONDecodeError, and those of ValidationError."""
    with pytest.raises(snooze.ValidationError) as caught:
        snooze.decode(b'"1"', int)
    for name in ("ValidationError", "JSONDecodeError"):
        found = documented(name, "Attributes")
        assert all(hasattr(caught.value, one) for one in found), name
        assert {"doc", "pos", "lineno", "colno"} <= {*found}


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_of_dumps_is_described(name: str) -> None:
    """In the stub, after its line."""
    assert stub_docstrings()[name].split("\n")[0].endswith(".")


def test_instances_are_described() -> None:
    """`Aware` and `Naive` are instances: their docstrings follow their lines."""
    source = inspect.getsource(sys.modules["snooze._typed.constraints"])
    for name in INSTANCES:
        assert re.search(rf'^{name} = .*\n""".*: `Annotated\[', source, re.MULTILINE)


@pytest.mark.parametrize("name", COMPILED)
def test_the_extension_module_has_the_text_of_the_stub(name: str) -> None:
    """`help()` shows what editors show."""
    assert inspect.getdoc(COMPILED[name]) == stub_docstrings()[name]
