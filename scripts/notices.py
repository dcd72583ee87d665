"""Write what a wheel says of the crates inside it: their licenses, and an SBOM.

Separate because both files are in the repository: a wheel that pip builds from the
sdist then has the same ones, and two builds of one source are equal. maturin's own
SBOM names the folder of the build and has a random number. Invariants: both files
follow from Cargo.lock and from the license files of the crates alone; nothing in them
depends on the machine or the time. Called by hand after a change of Cargo.lock, and
with `--check` by tests/repo/test_packaging.py. Standard library only.

usage: notices.py [--check]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTICES = ROOT / "LICENSE-THIRD-PARTY"
SBOM = ROOT / "crates" / "snooze-py" / "snooze.cdx.json"
CRATE = "snooze-py"
#: Their crates are listed.
TARGETS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-musl")
WIDTH = 72
HEAD = """\
The extension module of snooze contains code of the packages below. Each is used under
the license that follows its name.
"""
STANDARD_LIBRARY = """\
The Rust standard library (https://www.rust-lang.org), MIT OR Apache-2.0
Copyright (c) The Rust Project Contributors; under the terms of the Apache License 2.0,
which is in the file LICENSE-APACHE beside this one.
"""


def inside() -> list[dict[str, Any]]:
    """Return the packages whose code is in the extension module, in order of names."""
    found: dict[str, dict[str, Any]] = {}
    for target in TARGETS:
        command = ["cargo", "metadata", "--locked", "--format-version", "1"]
        command += ["--filter-platform", target]
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=True
        )
        metadata = json.loads(done.stdout)
        packages = {package["id"]: package for package in metadata["packages"]}
        nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
        waiting = [key for key, one in packages.items() if one["name"] == CRATE]
        while waiting:
            key = waiting.pop()
            package = packages[key]
            is_macro = any("proc-macro" in one["kind"] for one in package["targets"])
            if key in found or is_macro:
                continue
            found[key] = package | {"uses": []}
            for use in nodes[key]["deps"]:
                if any(kind["kind"] is None for kind in use["dep_kinds"]):
                    found[key]["uses"].append(packages[use["pkg"]]["name"])
                    waiting.append(use["pkg"])
    return sorted(found.values(), key=lambda one: str(one["name"]))


def notices(packages: list[dict[str, Any]]) -> str:
    """Return the licenses of the packages that others wrote."""
    parts = [HEAD]
    for package in packages:
        if package["source"] is None:
            continue
        folder = Path(package["manifest_path"]).parent
        files = sorted(folder.glob("LICEN[SC]E*"))
        chosen = [file for file in files if "MIT" in file.name] or files
        if "MIT" not in package["license"] or not chosen:
            sys.exit(f"notices: read the license of {package['name']}, and choose one")
        text = chosen[0].read_text("utf-8").strip()
        place = package["repository"] or package["homepage"]
        title = f"{package['name']} {package['version']} ({place}), "
        parts.append(f"{title}{package['license']}\n\n{text}\n")
    parts.append(STANDARD_LIBRARY)
    return f"\n{'-' * WIDTH}\n\n".join(parts)


def sbom(packages: list[dict[str, Any]]) -> str:
    """Return the packages as CycloneDX 1.5, without a serial number or a time."""
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text("utf-8"))["package"]
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock}
    names = {
        one["name"]: f"pkg:cargo/{one['name']}@{one['version']}" for one in packages
    }
    own = next(one for one in packages if one["name"] == CRATE)
    root = f"pkg:pypi/snooze@{own['version']}"
    components = []
    for package in packages:
        name, version = package["name"], package["version"]
        expression = re.sub(r"\s*/\s*", " OR ", package["license"])
        component = {
            "type": "library",
            "bom-ref": names[name],
            "name": name,
            "version": version,
            "scope": "required",
            "licenses": [{"expression": expression}],
            "purl": names[name],
        }
        if sums[name, version]:
            hashed = {"alg": "SHA-256", "content": sums[name, version]}
            component["hashes"] = [hashed]
        components.append(component)
    edges = [{"ref": root, "dependsOn": [names[CRATE]]}]
    for package in packages:
        used = sorted(names[name] for name in set(package["uses"]) if name in names)
        edges.append({"ref": names[package["name"]], "dependsOn": used})
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "library",
                "bom-ref": root,
                "name": "snooze",
                "version": own["version"],
                "licenses": [{"expression": own["license"]}],
                "purl": root,
            }
        },
        "components": components,
        "dependencies": edges,
    }
    return json.dumps(document, indent=2) + "\n"


def main() -> int:
    """Write both files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument(
        "--check", action="store_true", help="only say whether they are up to date"
    )
    options = parser.parse_args()
    packages = inside()
    wanted = {NOTICES: notices(packages), SBOM: sbom(packages)}
    stale = [
        path
        for path, text in wanted.items()
        if not path.is_file() or path.read_text("utf-8") != text
    ]
    if options.check:
        for path in stale:
            print(f"{path.relative_to(ROOT)} is not up to date: run scripts/notices.py")
        return 1 if stale else 0
    for path in stale:
        path.write_text(wanted[path], "utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
