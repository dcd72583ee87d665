"""One sample in a process of its own, `python -m snooze_lab.worker`: both its ends.

`launch` starts a worker and `guard` refuses one; `__main__`, `measure` and `retained`
run inside it. Imports the standard library and what lies below (contenders, machine,
meters, timing, workloads): a worker runs on any CPython, where nothing is installed.
Called by whatever takes samples: runs, the race, the gates.
"""
