"""What a type checker makes of codecs: `Decoder(T).decode(…)` is a T.

mypy reads a program that states the types it expects; a second program holds mistakes
that it has to find.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("mypy")

GOOD = """
from dataclasses import dataclass
from typing import Annotated, Any, assert_type

import snooze


@snooze.configure(rename="camel", tag=True)
@dataclass
class User:
    name: str
    age: Annotated[int, snooze.Ge(0), snooze.Field(alias="years")] = 0


class Money:
    @classmethod
    def __snooze__(cls) -> snooze.Via:
        return snooze.Via(int, decode=lambda _: cls(), encode=lambda _: 0)


decoder = snooze.Decoder(User, strict=False, errors="all", rename=str.upper)
assert_type(decoder, snooze.Decoder[User])
assert_type(decoder.decode(b""), User)
assert_type(snooze.Decoder(list[int]).decode(""), list[int])
assert_type(snooze.Decoder(int | None).decode(bytearray()), Any)
assert_type(snooze.Decoder().decode(memoryview(b"")), Any)
assert_type(snooze.decode(b"", User), User)
assert_type(snooze.decode(b"", dict[str, User]), dict[str, User])
assert_type(snooze.decode(b""), Any)
encoder = snooze.Encoder(User, omit_none=True, decimal="number")
assert_type(encoder.encode(User("x")), bytes)
assert_type(encoder.encode_str(User("x")), str)
assert_type(snooze.encode(1), bytes)
assert_type(snooze.schema(User), dict[str, Any])
try:
    pass
except snooze.ValidationError as error:
    assert_type(error.errors, list[snooze.Problem])
    assert_type(error.errors[0].path, str)
held: snooze.Decoder[User] = decoder
"""

BAD = """
import snooze

snooze.Decoder(int, errors="some")
snooze.decode(b"", int, unknown=True)
snooze.Encoder(int).encode("x")
snooze.configure(rename="title")
snooze.Field(alias=5)
x: str = snooze.decode(b"", int)
"""


def mypy(folder: Path, text: str) -> list[str]:
    """What mypy says of a program."""
    file = folder / "program.py"
    file.write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
    command += ["--cache-dir", str(folder / "cache"), "--no-pretty", str(file)]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder
    )
    assert not run.stderr, run.stderr
    return [line for line in run.stdout.splitlines() if ": error:" in line]


def test_types_are_inferred(tmp_path: Path) -> None:
    """The program has no error."""
    assert mypy(tmp_path, GOOD) == []


def test_mistakes_are_found(tmp_path: Path) -> None:
    """One in each line."""
    found = mypy(tmp_path, BAD)
    lines = {int(line.split(":")[1]) for line in found}
    assert lines == set(range(4, 10)), found
