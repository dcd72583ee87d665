"""Energy as time series: import, checks, idle windows, comparison, calibration.

Separate from meters/, which reads counters in a window: this package judges series that
were recorded elsewhere or over whole studies. Invariant: it imports meters, never the
other way round. `summary.summary(folder)` gives what the report shows.
"""
