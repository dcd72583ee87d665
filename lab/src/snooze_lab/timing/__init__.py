"""How calls are timed and judged, for the studies and the race alike.

`stopwatch` times slices, `interleaved` shuffles them, `rounds` makes ratios of them,
`verified` judges results, `heartbeat` states what runs. Runs in the measured process:
imports the standard library, `model`, contenders and machine only. Called by workloads
(for their jobs), the worker, the race, and the statistics, which take its ratios.
"""
