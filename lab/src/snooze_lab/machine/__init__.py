"""Facts about the machine and about this process: `env`, `process`, processors.

Separate from what measures, because most other parts ask for these facts. Near the
bottom: imports `units` and the standard library only. Called by the worker, the meters,
the race, runs, comparisons and the doctor.
"""
