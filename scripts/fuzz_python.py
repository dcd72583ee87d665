"""Run libFuzzer in this interpreter, on a property that is written in Python.

Separate from `fuzz_targets`, which need no interpreter. The extension is compiled with
counters that report to libFuzzer as the core does there, so its coverage guides the
search; Python code has none. Invariant: libFuzzer is loaded before the extension,
whose counters register with it. Called by the programs that `scripts/fuzz.sh` makes of
the targets, and by that itself.

    python scripts/fuzz_python.py PROGRAM LIBFUZZER TARGET [ARGUMENT...]
    python scripts/fuzz_python.py --pack TARGET FOLDER

The variable FUZZ_SEEDS names the folder that gets the first inputs.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "tests"
#: The modules of tests/helpers with the property of each target, and its first inputs.
TARGETS = {"json": "fuzzed_json", "typed": "fuzzed_types"}


class Property:
    """A property as libFuzzer calls it: with the address and the size of an input."""

    def __init__(self, check: Any) -> None:
        """Keep the function."""
        self._check = check

    def __call__(self, data: int, size: int) -> int:
        """Check one input; end the process where that fails, so that it is kept."""
        try:
            self._check(ctypes.string_at(data, size))
        except BaseException:  # noqa: BLE001 - an interrupt must not be lost either
            traceback.print_exc()
            sys.stderr.flush()
            os.abort()
        return 0


def fuzz(program: str, library: str, target: str, given: list[str]) -> int:
    """Run libFuzzer, which ends the process."""
    fuzzer = ctypes.PyDLL(library, mode=ctypes.RTLD_GLOBAL)
    sys.path.insert(0, str(TESTS))
    module = importlib.import_module(f"helpers.{TARGETS[target]}")
    if folder := os.environ.get("FUZZ_SEEDS"):
        write_seeds(module.seeds(), target, Path(folder))
    # A merge starts the program once more.
    arguments = [os.fsencode(one) for one in (program, *given)]
    count = ctypes.c_int(len(arguments))
    values = (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)
    kind = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    call = kind(Property(module.check))
    pointer = ctypes.pointer(ctypes.cast(values, ctypes.POINTER(ctypes.c_char_p)))
    return int(fuzzer.LLVMFuzzerRunDriver(ctypes.byref(count), pointer, call))


def write_seeds(seeds: list[bytes], target: str, folder: Path) -> None:
    """Write the first inputs of a target, and those that are committed."""
    packed = TESTS / "safety" / "corpora" / f"{target}.txt"
    lines = packed.read_text("ascii").splitlines() if packed.exists() else []
    inputs = [json.loads(line).encode("latin-1") for line in lines]
    for number, data in enumerate(seeds + inputs):
        (folder / f"seed-{number}").write_bytes(data)


def pack(target: str, folder: str) -> None:
    """Write the inputs in a folder, the shortest first, as the committed corpus."""
    inputs = {file.read_bytes() for file in Path(folder).iterdir()}
    ordered = sorted(inputs, key=lambda data: (len(data), data))
    lines = [json.dumps(data.decode("latin-1")) for data in ordered]
    packed = TESTS / "safety" / "corpora" / f"{target}.txt"
    packed.parent.mkdir(exist_ok=True)
    packed.write_text("\n".join(lines) + "\n", "ascii")
    print(f"{packed}: {len(lines)} inputs, {packed.stat().st_size:,} bytes")


def main() -> int:
    """Run the command line."""
    first, *rest = sys.argv[1:]
    if first == "--pack":
        pack(*rest)
        return 0
    library, target, *given = rest
    return fuzz(first, library, target, given)


if __name__ == "__main__":
    sys.exit(main())
