"""``python -m snooze.json``, which is ``python -m snooze.json.tool``.

``python -m json`` is ``python -m json.tool`` from CPython 3.14 on.
"""

# Separate because Python runs a package by this name.

from snooze._cli.tool import program

if __name__ == "__main__":
    program()
