"""What docs/json.md lists as different from `json`, where no other test has it."""

from __future__ import annotations

import contextlib
import json
from typing import Any
from unittest import mock

import pytest

from snooze import json as ours


def test_values_that_a_program_assigns_are_not_looked_at() -> None:
    """Those of the module and of the class; a method that is replaced is called."""
    for module, text, value in ((json, "[1;2]", ["1"]), (ours, "[1, 2]", [1])):
        with mock.patch.object(module.JSONEncoder, "item_separator", ";"):
            assert module.dumps([1, 2]) == text
            assert module.JSONEncoder().encode([1, 2]) == "[1;2]"
        encoder = module.JSONEncoder(separators=(";", ":"))
        with mock.patch.object(module, "_default_encoder", encoder):
            assert module.dumps([1, 2]) == text
        decoder = module.JSONDecoder(parse_int=str)
        with mock.patch.object(module, "_default_decoder", decoder):
            assert module.loads("[1]") == value


def test_constructors_that_are_replaced_may_not_be_called() -> None:
    """Those of the classes, by functions without `cls`."""
    for module, calls in ((json, 2), (ours, 0)):
        with (
            mock.patch.object(module.JSONEncoder, "__init__", autospec=True) as encode,
            mock.patch.object(module.JSONDecoder, "__init__", autospec=True) as decode,
        ):
            encode.side_effect = decode.side_effect = ZeroDivisionError
            for call in (
                lambda module=module: module.dumps([{1}], default=list),
                lambda module=module: module.loads("[1]", parse_int=str),
            ):
                with contextlib.suppress(ZeroDivisionError):
                    call()
            assert encode.call_count + decode.call_count == calls


def test_a_container_that_is_still_being_written() -> None:
    """The error is that of `json`, after as many calls or more."""
    made = []
    for module in (json, ours):
        document: list[Any] = [{1}, {2}]
        calls: list[Any] = []

        def default(
            one: Any, document: list[Any] = document, calls: list[Any] = calls
        ) -> Any:
            calls.append(one)
            return 5 if len(calls) == 1 else document

        with pytest.raises(ValueError, match="^Circular reference detected"):
            module.dumps(document, default=default)
        made.append(len(calls))
    assert made == [2, 3]


def test_a_container_that_was_changed_while_it_was_written() -> None:
    """It is no longer inside of itself."""

    def default(_: Any) -> Any:
        document[0] = 2
        return document

    document: list[Any] = [{1}]
    with pytest.raises(ValueError, match="^Circular reference detected"):
        json.dumps(document, default=default)
    document = [{1}]
    assert ours.dumps(document, default=default) == "[[2]]"
