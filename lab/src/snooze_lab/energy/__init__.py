"""Energy series of other tools: import, checks, idle windows, comparison, calibration.

Separate from meters/, which measures in the worker: this runs in the manager.
"""
