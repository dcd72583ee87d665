"""How many bytes of machine code of an extension belong to which SIMD tier.

Separate because nothing else reads a binary. A function, found by the unwind table that
survives stripping, is attributed by its instructions: EVEX prefixes or opmask registers
are avx512, VEX is avx2. Invariants: every byte of these functions is counted once;
scalar and v128 have the same encoding as code that no tier repeats, so they are one
figure, and those of avx2 and avx512 are at least these. Needs readelf and objdump of
binutils; x86-64 only. Used by footprint.py.
"""

from __future__ import annotations

import bisect
import platform
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

#: What a function can belong to: tiers, slowest first, after the code of all others.
REST, AVX2, AVX512 = "scalar, v128, shared", "avx2", "avx512"
KINDS = (REST, AVX2, AVX512)
#: Prefixes that may stand before the encoding: segments and the size of addresses.
PREFIXES = frozenset({"26", "2e", "36", "3e", "64", "65", "67"})
FUNCTION = re.compile(r"\bFDE\b.*\bpc=([0-9a-f]+)\.\.([0-9a-f]+)")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t([0-9a-f ]+)\t(.*)$")


def by_tier(path: Path) -> tuple[dict[str, int], str]:
    """Return the bytes of machine code by tier, and why they are unknown, if so.

    One of the two is empty.
    """
    if platform.machine().lower() not in {"x86_64", "amd64"}:
        return {}, f"needs x86-64, this is {platform.machine()}"
    missing = [name for name in ("readelf", "objdump") if shutil.which(name) is None]
    if missing:
        return {}, f"needs {' and '.join(missing)} (apt install binutils)"
    try:
        table = functions(_lines(["readelf", "-wf", str(path)]))
        found = counted(table, _lines(["objdump", "-dw", str(path)]))
    except subprocess.CalledProcessError as reason:
        return {}, f"{reason.cmd[0]} could not read {path.name}"
    return (found, "") if found else ({}, "it has no unwind table")


def _lines(command: list[str]) -> Iterator[str]:
    """Return what a program prints, line by line; its text can be fifty megabytes."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
    ) as running:
        if running.stdout is not None:
            yield from running.stdout
    if running.returncode != 0:
        raise subprocess.CalledProcessError(running.returncode, command)


def functions(lines: Iterable[str]) -> list[tuple[int, int]]:
    """Return start and end of every function in readelf's text, sorted."""
    found = (FUNCTION.search(line) for line in lines)
    return sorted({(int(one[1], 16), int(one[2], 16)) for one in found if one})


def counted(table: list[tuple[int, int]], lines: Iterable[str]) -> dict[str, int]:
    """Return the bytes of the functions of each kind; empty without functions."""
    if not table:
        return {}
    starts = [start for start, _ in table]
    ranks = [0] * len(table)
    for address, rank in _encodings(lines):
        place = bisect.bisect_right(starts, address) - 1
        if place >= 0 and address < table[place][1]:
            ranks[place] = max(ranks[place], rank)
    found = dict.fromkeys(KINDS, 0)
    for (start, end), rank in zip(table, ranks, strict=True):
        found[KINDS[rank]] += end - start
    return found


def _encodings(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Return the address of each instruction of a tier, and the tier's place."""
    for line in lines:
        found = INSTRUCTION.match(line)
        if not found:
            continue
        first = next((one for one in found[2].split() if one not in PREFIXES), "")
        if first == "62" or "%k" in found[3]:
            yield int(found[1], 16), KINDS.index(AVX512)
        elif first in {"c4", "c5"}:
            yield int(found[1], 16), KINDS.index(AVX2)
