"""What a wheel carries beside the code: licenses of others, and a list of packages.

Both files are made by scripts/notices.py; a change of Cargo.lock makes them old.
"""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NOTICES = "LICENSE-THIRD-PARTY"
SBOM = "snooze.cdx.json"


@pytest.mark.skipif(shutil.which("cargo") is None, reason="needs cargo")
def test_the_notices_are_those_of_the_lock_file() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/notices.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_has_both() -> None:
    files = importlib.metadata.files("snooze") or []
    installed = {file.name: file for file in files}
    assert "licenses" in installed[NOTICES].parts
    assert installed[NOTICES].read_text() == (ROOT / NOTICES).read_text("utf-8")
    # PEP 770: the folder of the metadata has them.
    assert installed[SBOM].parts[-2] == "sboms"
    sbom = json.loads(installed[SBOM].read_text())
    assert sbom == json.loads((ROOT / "crates/snooze-py" / SBOM).read_text("utf-8"))


def test_the_sbom_names_nothing_of_the_machine() -> None:
    """No folder, no time, no random number: two builds are equal."""
    sbom = json.loads((ROOT / "crates/snooze-py" / SBOM).read_text("utf-8"))
    assert set(sbom) == {
        "bomFormat",
        "specVersion",
        "version",
        "metadata",
        "components",
        "dependencies",
    }
    assert set(sbom["metadata"]) == {"component"}
    names = {component["name"] for component in sbom["components"]}
    assert {"snooze-core", "snooze-py", "pyo3-ffi", "libc"} <= names
    for component in sbom["components"]:
        assert component["purl"].startswith("pkg:cargo/")
        if not component["name"].startswith("snooze-"):
            assert len(component["hashes"][0]["content"]) == 64
