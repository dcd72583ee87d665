"""The command `snooze-lab`, which is `python -m snooze_lab` as well.

Separate because the modules of the command take about a second to import, in which an
interrupt ends it as it does later: with one word.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Import the command line, and run it."""
    try:
        from snooze_lab import cli  # noqa: PLC0415 - see above
    except KeyboardInterrupt:
        print("snooze-lab: stopped", file=sys.stderr)
        sys.exit(130)
    cli.main()


if __name__ == "__main__":
    main()
