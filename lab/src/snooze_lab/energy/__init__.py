"""Energy series of other tools: import, checks, idle windows, comparison, calibration.

Separate from meters/, which measures in the worker: this runs in the manager. Imports
meters, statistics, stored, and results for the runs that it makes. Called by the
command line; the report shows what it found.
"""
