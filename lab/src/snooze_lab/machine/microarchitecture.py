"""The microarchitecture of a processor, from the numbers in /proc/cpuinfo.

Separate because it is a table of vendors' numbers: cloud machines often say only "AMD
EPYC", and code that wins on one generation may lose on the next. Invariant: a
processor that is not in the table gives its family and model, never a guess. Sources:
AMD's and Intel's lists of family and model, as in Linux's arch/x86; Arm's list of
MIDR part numbers. Called by `env.processor`.
"""

from __future__ import annotations

#: AMD by family: first and last model of a generation, both included.
_AMD = {
    23: [(0x00, 0x2F, "Zen"), (0x30, 0xFF, "Zen 2")],
    25: [
        (0x00, 0x0F, "Zen 3"),
        (0x10, 0x1F, "Zen 4"),
        (0x20, 0x5F, "Zen 3"),
        (0x60, 0x7F, "Zen 4"),
        (0xA0, 0xAF, "Zen 4"),
    ],
    26: [(0x00, 0x4F, "Zen 5"), (0x60, 0x7F, "Zen 5")],
}
#: Intel's family 6.
_INTEL = {
    0x3C: "Haswell",
    0x3F: "Haswell",
    0x45: "Haswell",
    0x46: "Haswell",
    0x3D: "Broadwell",
    0x47: "Broadwell",
    0x4F: "Broadwell",
    0x56: "Broadwell",
    0x4E: "Skylake",
    0x5E: "Skylake",
    0x55: "Skylake-SP, Cascade Lake or Cooper Lake",
    0x8E: "Kaby Lake",
    0x9E: "Kaby Lake",
    0x6A: "Ice Lake-SP",
    0x6C: "Ice Lake-SP",
    0x7D: "Ice Lake",
    0x7E: "Ice Lake",
    0x8C: "Tiger Lake",
    0x8D: "Tiger Lake",
    0x8F: "Sapphire Rapids",
    0x97: "Alder Lake",
    0x9A: "Alder Lake",
    0xB7: "Raptor Lake",
    0xBA: "Raptor Lake",
    0xBF: "Raptor Lake",
    0xCF: "Emerald Rapids",
    0xAD: "Granite Rapids",
    0xAE: "Granite Rapids",
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
    if info.get("vendor_id") == "AuthenticAMD":
        for first, last, generation in _AMD.get(family, []):
            if first <= model <= last:
                return generation
    if info.get("vendor_id") == "GenuineIntel" and family == 6 and model in _INTEL:
        return _INTEL[model]
    return f"family {family}, model {model}"
