"""Import times, file sizes and machine code by tier: what is counted, and as what.

Separate from test_race.py because here nothing is called. No test asserts a time.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from snooze_lab import model
from snooze_lab.machine import env
from snooze_lab.race import footprint, table

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

#: As `readelf -wf` and `objdump -dw` print them.
FRAMES = """\
00000018 0000000000000014 0000001c FDE cie=00000000 pc=0000000000001000..0000000000001010
00000030 0000000000000014 00000034 FDE cie=00000000 pc=0000000000001010..0000000000001030
00000048 0000000000000014 0000004c FDE cie=00000000 pc=0000000000001040..0000000000001048
00000060 0000000000000014 00000064 FDE cie=00000000 pc=0000000000001050..0000000000001060
"""
CODE = """\
0000000000001000 <.text>:
    1000:\t48 89 c8             \tmov    %rcx,%rax
    1004:\t66 0f 6f 07          \tmovdqa (%rdi),%xmm0
    1010:\tc5 fd 6f 07          \tvmovdqa (%rdi),%ymm0
    1014:\t64 62 f1 fe 48 6f 07 \tvmovdqu64 %fs:(%rdi),%zmm0
    1038:\t62 f1 fe 48 6f 07    \tvmovdqu64 (%rdi),%zmm0
    1040:\tc4 e2 fb f7 c1       \tshlx   %rax,%rcx,%rax
    1050:\tc5 fb 92 c8          \tkmovd  %eax,%k1
"""


def test_functions_belong_to_the_highest_tier_in_them() -> None:
    """EVEX and masks are AVX-512, VEX is AVX2; code outside of functions counts not."""
    table_ = footprint.functions(FRAMES.splitlines())
    assert table_[0] == (0x1000, 0x1010)
    found = footprint.counted(table_, CODE.splitlines())
    assert found == {
        footprint.REST: 0x10,
        footprint.AVX2: 0x08,
        footprint.AVX512: 0x20 + 0x10,
    }
    assert footprint.counted([], CODE.splitlines()) == {}


def test_what_cannot_be_read_is_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another processor, missing programs, a file that is no binary."""
    path = tmp_path / "a.so"
    path.write_text("no binary")
    monkeypatch.setattr(footprint.platform, "machine", lambda: "aarch64")
    assert footprint.by_tier(path) == ({}, "needs x86-64, this is aarch64")
    monkeypatch.setattr(footprint.platform, "machine", lambda: "x86_64")
    if shutil.which("readelf") and shutil.which("objdump"):
        assert footprint.by_tier(path)[1] in {
            "readelf could not read a.so",
            "objdump could not read a.so",
            "it has no unwind table",
        }
    monkeypatch.setattr(footprint.shutil, "which", lambda _: None)
    assert "needs readelf and objdump" in footprint.by_tier(path)[1]


def test_intervals_are_ranks() -> None:
    """The median, and the range that contains it in 95 of 100 cases."""
    assert footprint.interval([3.0, 1.0, 2.0]) == [2.0, 1.0, 3.0]
    times = [float(number) for number in range(1, 41)]
    assert footprint.interval(times) == [20.5, 14.0, 27.0]
    assert footprint.interval([float("nan"), 2.0]) == [2.0, 2.0, 2.0]
    dice = random.Random(3)
    held = 0
    for _ in range(400):
        _, low, high = footprint.interval([dice.gauss(10, 1) for _ in range(40)])
        held += low <= 10 <= high
    assert held > 400 * 0.92


def test_differences_are_taken_within_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A slow moment of the machine is in both sides; what is absent is left out."""
    base = {"nothing": 10.0, "snooze": 13.0, "orjson": 15.0}
    monkeypatch.setattr(footprint, "PROGRAMS", base)
    slow = iter([0.0, 0.0, 0.0, *[one for n in range(9) for one in (n, n, n)]])
    monkeypatch.setattr(footprint, "_once", lambda name: base[name] + next(slow))
    found = footprint.measure(runs=9, dice=random.Random(1), progress=str)
    assert found["own_ms"] == {"snooze": [3.0, 3.0, 3.0], "orjson": [5.0, 5.0, 5.0]}
    assert found["import_ms"]["nothing"] == [14.0, 11.0, 17.0]
    monkeypatch.setattr(
        footprint, "_once", lambda name: None if name == "orjson" else base[name]
    )
    found = footprint.measure(runs=2, dice=random.Random(1), progress=str)
    assert list(found["own_ms"]) == ["snooze"]


def test_extensions_have_a_size() -> None:
    """Compiled files count; a module of Python alone has none."""
    sizes = [path.stat().st_size for path in env.compiled(model.OURS)]
    assert sum(sizes) > 100_000
    assert env.compiled("json") == []
    assert env.compiled("no_such_module") == []


def test_the_table_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 80 columns, with and without the figures of machine code."""
    found: dict[str, Any] = {
        "runs": 40,
        "import_ms": {name: [1234.5, 1000.1, 1500.2] for name in footprint.PROGRAMS},
        "own_ms": {name: [1234.5, 1000.1, 1500.2] for name in ("snooze", "orjson")},
        "extension_bytes": {"snooze": 99_999_999, "orjson": 239_336},
        "code_bytes": dict.fromkeys(footprint.KINDS, 9_999_999),
        "code_unknown": "",
    }
    for shown in (found, {**found, "code_bytes": {}, "code_unknown": "why " * 30}):
        for line in footprint.shown(shown).splitlines():
            assert len(line) <= table.WIDTH, line
    assert "100 MB" in footprint.shown(found)
    assert "1234.5 ms (1000.1 to 1500.2)" in footprint.shown(found)


def test_an_interpreter_that_fails_has_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only the end without an error is a sample."""
    monkeypatch.setitem(footprint.PROGRAMS, "bad", "import no_such_module")
    assert footprint._once("bad") is None
    assert (footprint._once("nothing") or 0) > 0
    done = subprocess.CompletedProcess([], 1)
    monkeypatch.setattr(footprint.subprocess, "run", lambda *_, **__: done)
    assert footprint._once("nothing") is None
