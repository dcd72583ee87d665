"""The command `snooze-lab data`, which is `python -m snooze_lab.data` as well.

Separate because the Makefile, scripts and tests need documents where only the standard
library is installed.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from snooze_lab import data

if TYPE_CHECKING:
    from collections.abc import Sequence

VERBS = ("get", "verify", "list")
HINT = """\
The four well-known documents are not available: {}
Using generated look-alikes instead. Do not compare their figures with
published ones; run again with a network for the real documents."""


def main(words: Sequence[str] | None = None) -> int:
    """Run the command line.

    The status is 1 if something is missing or damaged, 2 for a mistake.
    """
    groups_said = (data.__doc__ or "").partition("Groups: ")[2].strip()
    parser = argparse.ArgumentParser(
        prog="snooze-lab data",
        description="Fetch, check or list the documents that the studies read.",
        epilog=f"Groups: {groups_said} Default: canon; of verify, all.",
    )
    parser.add_argument("verb", metavar="get|verify|list", choices=VERBS)
    parser.add_argument("groups", nargs="*", metavar="GROUP")
    parser.add_argument(
        "--or-generated",
        action="store_true",
        help="generate look-alikes if canon is not available; others may be missing",
    )
    options = parser.parse_args(words)
    groups = options.groups or (["all"] if options.verb == "verify" else ["canon"])
    try:
        for group in groups:
            data.groups_of(group)
    except data.FetchError as reason:
        print(f"snooze-lab: {reason}", file=sys.stderr)
        return 2
    if options.verb == "get":
        return _get(groups, lenient=options.or_generated)
    return _verify(groups) if options.verb == "verify" else _list()


def _get(groups: list[str], *, lenient: bool) -> int:
    for group in groups:
        try:
            data.get(group)
        except data.FetchError as reason:
            if not lenient:
                advice = "; --or-generated makes look-alikes" * (group == "canon")
                print(f"snooze-lab: {reason}{advice}", file=sys.stderr)
                return 1
            if group == "canon":
                print(HINT.format(reason))
                data.get("generated")
            else:
                print(f"Some documents are left out: {reason}")
    return 0


def _verify(groups: list[str]) -> int:
    problems = [line for group in groups for line in data.verify(group)]
    for line in problems:
        print(line)
    if not problems:
        print(f"{', '.join(groups)}: intact")
    return 1 if problems else 0


def _list() -> int:
    for group, missing in data.state().items():
        files = "file" if missing == 1 else "files"
        print(f"{group}: {f'{missing} {files} missing' if missing else 'complete'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
