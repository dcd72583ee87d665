"""A PostgreSQL server of the tests' own: made, started, stopped and removed.

Separate, because run_tests.py says where there is none, and several frameworks talk to
the same server. Invariants: it listens on a socket in its own folder only; nothing is
left when it stops. PostgreSQL refuses to run as root, so root's server runs as the user
`postgres` or `nobody`. Used by run_tests.py and tests/frameworks. Needs the standard
library only.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Where Debian, Fedora and Homebrew put the programs that are not on the PATH.
FOLDERS = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
)


class Unavailable(Exception):  # noqa: N818 - a reason to skip, not an error
    """There is no server here, or it cannot run; the text says why and what to do."""


def programs() -> Path:
    """Return the folder of initdb and pg_ctl, of the newest version."""
    on_path = shutil.which("initdb")
    found = [Path(os.path.realpath(on_path)).parent] if on_path else []
    for pattern in FOLDERS:
        found += Path("/").glob(pattern.lstrip("/"))
    found = [one for one in found if (one / "initdb").exists()]
    if not found:
        raise Unavailable(
            "no PostgreSQL server found: install one (Debian and Ubuntu: "
            "apt install postgresql)"
        )
    return max(found, key=_version)


def _version(folder: Path) -> int:
    digits = re.findall(r"\d+", str(folder))
    return int(digits[-1]) if digits else 0


@contextmanager
def server() -> Iterator[str]:
    """Start a server and yield the folder of its socket, the host of an address."""
    folder = programs()
    user = _user()
    home = Path(tempfile.mkdtemp(prefix="snooze-postgresql-"))
    data = home / "data"
    try:
        if user is not None:
            shutil.chown(home, user)
        _run([folder / "initdb", f"--pgdata={data}", *INITDB], user)
        options = f"-k {home} -c listen_addresses='' -c fsync=off"
        control: list[str | Path] = [
            folder / "pg_ctl",
            f"--pgdata={data}",
            "--wait",
            "--silent",
        ]
        start = [f"--log={home / 'log'}", f"--options={options}", "start"]
        _run([*control, *start], user)
        try:
            yield str(home)
        finally:
            _run([*control, "--mode=immediate", "stop"], user)
    finally:
        shutil.rmtree(home, ignore_errors=True)


INITDB = (
    "--username=snooze",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
)


def _user() -> str | None:
    """Return the user to run as, where this one is root."""
    if os.geteuid() != 0:
        return None
    import pwd  # noqa: PLC0415 - of Unix only

    known = {entry.pw_name for entry in pwd.getpwall()}
    for name in ("postgres", "nobody"):
        if name in known:
            return name
    raise Unavailable("PostgreSQL refuses to run as root, and there is no user nobody")


def _run(command: list[str | Path], user: str | None) -> None:
    done = subprocess.run(
        command,
        user=user,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode != 0:
        raise Unavailable(f"{command[0]} failed: {done.stderr.strip()}")
