"""The microarchitecture of a processor, from the numbers in /proc/cpuinfo.

Separate because it is a table of vendors' numbers: cloud machines often say only "AMD
EPYC", and code that wins on one generation may lose on the next. Invariant: a
processor that is not in the table gives its family and model, never a guess. Sources:
AMD's and Intel's lists of family and model, as in Linux's arch/x86; Arm's list of
MIDR part numbers. Called by `env.processor`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

#: Generations and their models, by vendor and family.
_X86: dict[tuple[str, int], list[tuple[str, Container[int]]]] = {
    ("AuthenticAMD", 23): [("Zen", range(0x30)), ("Zen 2", range(0x30, 0x100))],
    ("AuthenticAMD", 25): [
        ("Zen 3", range(0x10)),
        ("Zen 4", range(0x10, 0x20)),
        ("Zen 3", range(0x20, 0x60)),
        ("Zen 4", range(0x60, 0x80)),
        ("Zen 4", range(0xA0, 0xB0)),
    ],
    ("AuthenticAMD", 26): [("Zen 5", range(0x50)), ("Zen 5", range(0x60, 0x80))],
    ("GenuineIntel", 6): [
        ("Haswell", (0x3C, 0x3F, 0x45, 0x46)),
        ("Broadwell", (0x3D, 0x47, 0x4F, 0x56)),
        ("Skylake", (0x4E, 0x5E)),
        ("Skylake-SP, Cascade Lake or Cooper Lake", (0x55,)),
        ("Kaby Lake", (0x8E, 0x9E)),
        ("Ice Lake-SP", (0x6A, 0x6C)),
        ("Ice Lake", (0x7D, 0x7E)),
        ("Tiger Lake", (0x8C, 0x8D)),
        ("Sapphire Rapids", (0x8F,)),
        ("Alder Lake", (0x97, 0x9A)),
        ("Raptor Lake", (0xB7, 0xBA, 0xBF)),
        ("Emerald Rapids", (0xCF,)),
        ("Granite Rapids", (0xAD, 0xAE)),
    ],
}
#: Arm's own designs (implementer 0x41) by part number.
_ARM = {
    0xD08: "Cortex-A72",
    0xD0C: "Neoverse N1",
    0xD40: "Neoverse V1",
    0xD49: "Neoverse N2",
    0xD4F: "Neoverse V2",
}


def name(info: dict[str, str]) -> str | None:
    """Return the microarchitecture of one entry of /proc/cpuinfo.

    Without an entry in the table: "family F, model M", "implementer I, part P", or
    None where the system gives no such numbers.
    """
    if "CPU part" in info:
        implementer, part = info.get("CPU implementer", "?"), info["CPU part"]
        known = _ARM.get(int(part, 16)) if implementer == "0x41" else None
        return known or f"implementer {implementer}, part {part}"
    if "cpu family" not in info or "model" not in info:
        return None
    family, model = int(info["cpu family"]), int(info["model"])
    for generation, models in _X86.get((info.get("vendor_id", ""), family), []):
        if model in models:
            return generation
    return f"family {family}, model {model}"
