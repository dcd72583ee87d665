"""The commands under the figures and tables of a report do what they say.

Separate from test_report, which renders the whole made-up run.
"""

from __future__ import annotations

import errno
import re
import shlex
from pathlib import Path

import pytest

import report_sample
from snooze_lab.report.page import render
from snooze_lab.stored import store


@pytest.mark.parametrize(
    ("profile", "ending"),
    [("smoke", ""), ("standard", " --profile standard"), ("full", " --profile full")],
)
def test_commands_measure_with_the_profile_of_the_run(tmp_path, profile, ending):
    small = report_sample.small()
    small["run"] |= {"profile": profile, "command": "snooze-lab run the whole"}
    render(tmp_path, small, {}, {})
    text = (tmp_path / "report.html").read_text("utf-8")
    found = set(re.findall(r"<code>(snooze-lab run [^<]*)</code>", text))
    assert "snooze-lab run the whole" in found
    again = found - {"snooze-lab run the whole"}
    assert again
    assert all(one.endswith(ending) and one.count("--profile") < 2 for one in again)


def test_the_command_of_a_run_can_be_given_to_a_shell_again(monkeypatch):
    words = ["snooze-lab", "byob", "my orders.json", "--lib", "a:b,c"]
    monkeypatch.setattr("sys.argv", ["/bin/snooze-lab", *words[1:]])
    assert shlex.split(store.command_line()) == words


def test_an_earlier_report_stays_whole_if_the_disk_is_full(tmp_path, monkeypatch):
    def full(path, *_):
        path.write_bytes(b"half a page")
        raise OSError(errno.ENOSPC, "No space left on device")

    render(tmp_path, report_sample.small(), {}, {})
    whole = (tmp_path / "report.html").read_bytes()
    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match="No space"):
        render(tmp_path, report_sample.small(), {}, {})
    assert (tmp_path / "report.html").read_bytes() == whole
    assert sorted(one.name for one in tmp_path.iterdir()) == ["report.html", "tables"]


@pytest.mark.parametrize("profile", ["byob", "imported"])
def test_what_is_no_study_is_measured_again_as_a_whole(tmp_path, profile):
    small = report_sample.small()
    small["run"] |= {"profile": profile, "command": "snooze-lab byob mine.json"}
    render(tmp_path, small, {}, {})
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "<code>snooze-lab byob mine.json</code>" in text
    assert "Again: <code>snooze-lab run" not in text
