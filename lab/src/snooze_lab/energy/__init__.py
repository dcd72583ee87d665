"""Energy as time series: import, checks, idle windows, comparison, calibration.

Separate from meters/, which reads counters in a window: this package analyses series
that were recorded elsewhere or over whole studies. Invariant: it imports meters, never
the reverse. `summary.summary(folder)` returns the data for the report.
"""
