"""What is judged before a race: no contender is favoured by its place in the list."""

from __future__ import annotations

from typing import Any

import pytest

from snooze_lab.contenders import Contender, UnsupportedError
from snooze_lab.contenders.base import Calls, plain_only
from snooze_lab.machine import process
from snooze_lab.timing import verified
from snooze_lab.workloads.operations import Job


def contender(name: str) -> Contender:
    return Contender(name, "1", None, Calls(str, str, plain_only(str)))


def job(name: str, happened: list[str], **more: Any) -> Job:
    def argument() -> str:
        happened.append(f"argument of {name}")
        return name

    def fault(_result: Any) -> str:
        happened.append(f"judge {name}")
        return ""

    def call(given: Any) -> Any:
        happened.append(f"call {name}")
        return more.get("result", given)

    return Job(call, argument, fault, len)


@pytest.mark.parametrize("known", [True, False])
def test_all_arguments_are_made_in_new_memory(
    monkeypatch: pytest.MonkeyPatch, *, known: bool
) -> None:
    """What is freed after a judgement would scatter the objects that are made next."""
    happened: list[str] = []

    class Stock:
        def __del__(self) -> None:
            happened.append("memory is free again")

    def settle() -> list[Any]:
        if not known:
            raise OSError("not Linux")
        happened.append("memory is used up")
        return [Stock()]

    monkeypatch.setattr(process, "settle", settle)
    names = ("one", "two", "three")
    found = verified.verify(map(contender, names), lambda one: job(one.name, happened))
    assert happened == [
        *["memory is used up"] * known,
        *(f"argument of {name}" for name in names),
        *["memory is free again"] * known,
        *(f"{what} {name}" for name in names for what in ("call", "judge")),
    ]
    assert list(found.entries) == list(found.jobs) == list(names)


def test_who_cannot_take_part_is_told_apart_from_who_is_wrong() -> None:
    """Whatever a job, an argument, a call or a judgement raises is its result."""

    def job_of(one: Contender) -> Job:
        if one.name == "lacks":
            raise UnsupportedError("no option")
        made = job(one.name, [])
        raising = {"argument": made.argument, "call": made.call, "fault": made.fault}
        if one.name in raising:
            error = UnsupportedError if one.name == "call" else ValueError

            def fail(*_: Any) -> Any:
                raise error(f"in its {one.name}")

            raising[one.name] = fail
        return Job(**raising, size=len)

    names = ("lacks", "argument", "call", "fault", "good")
    found = verified.verify(map(contender, names), job_of)
    assert found.unable == {"lacks": "no option", "call": "in its call"}
    assert found.wrong == {
        "argument": "ValueError: in its argument",
        "fault": "ValueError: in its fault",
    }
    assert list(found.entries) == ["good"]


def test_a_text_that_was_right_is_not_read_again() -> None:
    """After the race equal texts are judged once; another text is judged."""
    happened: list[str] = []
    texts = {"one": b"[1]", "two": b"[1]", "three": b"[ 1]"}
    found = verified.verify(
        map(contender, texts),
        lambda one: job(one.name, happened, result=texts[one.name]),
    )
    happened.clear()
    found.again(cached=False)
    assert happened == [
        *("call one", "judge one", "call two", "call three", "judge three")
    ]
    assert found.entries.keys() == texts.keys()
