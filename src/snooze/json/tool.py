"""``json.tool`` with ``snooze.json`` in it: ``python -m snooze.json.tool``.

The command ``snooze tool`` is the same.
"""

# Separate because programs run and import it by this name. Invariant: imported, the
# module is Python's own, which sees snooze.json in the place of json.

import sys

from snooze._cli.tool import load, program

if __name__ == "__main__":
    program()
else:
    sys.modules[__name__] = load(__name__)
