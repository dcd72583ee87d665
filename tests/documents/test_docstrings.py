"""The docstrings of `pointer` and `jsonpath`: complete, and their examples run.

Those of names of the package itself are in tests/contract/test_docstrings.py.
"""

from __future__ import annotations

import doctest
import inspect
import re

import pytest

from snooze import jsonpath, pointer

PUBLIC = [
    (module, name) for module in (pointer, jsonpath) for name in sorted(module.__all__)
]


@pytest.mark.parametrize(("module", "name"), PUBLIC)
def test_docstrings(module, name):
    found = getattr(module, name)
    text = inspect.getdoc(found)
    assert text.split("\n")[0].endswith(".")
    parser = doctest.DocTestParser()
    examples = parser.get_doctest(text, {}, name, name, 0)
    assert examples.examples
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(examples, out=report.append)
    assert not runner.failures, "".join(report)
    if inspect.isfunction(found):
        described = re.findall(
            r"^    (\w+): ", text.split("Args:")[1].split("\n\n")[0], re.MULTILINE
        )
        assert described == list(inspect.signature(found).parameters)
        assert "\nRaises:\n" in text


def test_every_public_name_is_listed():
    for module in (pointer, jsonpath):
        assert list(module.__all__) == sorted(module.__all__)
        assert all(hasattr(module, name) for name in module.__all__)
