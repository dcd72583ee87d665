"""Energy series of other tools: import, checks, idle windows, comparison, calibration.

Separate from meters/, which measures in the worker: this package runs in the manager.
Invariant: it imports meters, never the reverse. `command` is what the command line
uses; energy_types.py is the form of the data for the report.
"""
