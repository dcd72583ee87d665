"""The data folder of the laboratory's tests: the .build of the checkout.

Separate because every test of lab/tests needs it before a module of the laboratory is
imported. No test fetches anything: a test without its data is skipped, with the reason.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("SNOOZE_LAB_DATA", str(ROOT / ".build"))
