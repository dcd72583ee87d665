"""The names of processors from what /proc/cpuinfo says of them."""

from __future__ import annotations

import pytest

from snooze_lab.machine import env, microarchitecture

GENOA = {
    "vendor_id": "AuthenticAMD",
    "cpu family": "25",
    "model": "17",
    "model name": "AMD EPYC",
}
SAPPHIRE = {
    "vendor_id": "GenuineIntel",
    "cpu family": "6",
    "model": "143",
    "model name": "Intel(R) Xeon(R) Processor",
}
GRAVITON = {"CPU implementer": "0x41", "CPU part": "0xd40"}


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        (GENOA, "AMD EPYC (Zen 4)"),
        (GENOA | {"model": "1"}, "AMD EPYC (Zen 3)"),
        (GENOA | {"cpu family": "26", "model": "2"}, "AMD EPYC (Zen 5)"),
        (SAPPHIRE, "Intel(R) Xeon(R) Processor (Sapphire Rapids)"),
        (GENOA | {"model": "255"}, "AMD EPYC (family 25, model 255)"),
        (SAPPHIRE | {"model": "1"}, "Intel(R) Xeon(R) Processor (family 6, model 1)"),
        (GENOA | {"cpu family": "99"}, "AMD EPYC (family 99, model 17)"),
    ],
)
def test_a_processor_has_its_generation(info: dict[str, str], expected: str) -> None:
    assert env.named(info) == expected


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        (GRAVITON, "Neoverse V1"),
        (GRAVITON | {"CPU part": "0xfff"}, "implementer 0x41, part 0xfff"),
        (GRAVITON | {"CPU implementer": "0x61"}, "implementer 0x61, part 0xd40"),
        ({"model name": "POWER9"}, None),
        ({}, None),
    ],
)
def test_arm_and_others(info: dict[str, str], expected: str | None) -> None:
    assert microarchitecture.name(info) == expected
