"""``json.scanner`` itself: the compiled code of snooze has no scanner of this form."""

# Separate because programs import it by this name.

import json.scanner
import sys

sys.modules[__name__] = json.scanner
