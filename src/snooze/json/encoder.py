"""``json.encoder`` with the ``JSONEncoder`` of ``snooze.json``.

All other names are those of ``json.encoder``.
"""

# Separate because programs import it by this name. Invariant: the module is the one
# that `snooze.json` makes, whether or not this file has run; `install` uses the same.

from snooze.json import _become

_become(__spec__)
