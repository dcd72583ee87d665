"""Gates: limits on regressions, decided by counts and ratios, not by times.

`gates` decides; `instructions` counts, and its child is what callgrind runs. Imports
the worker, statistics and stored; `instructions` needs only the standard library, and
of the race its tables. Called by `snooze-lab gate`, and by `make test-speed` as `python
-m snooze_lab.gate.instructions`.
"""
