"""Modules that the tests share: subjects, strategies, oracles, children, counters.

Separate from the tests so that no test module imports another one. Invariant: nothing
here is collected by pytest, and everything imports the installed `snooze`. Tests write
`from helpers.equality import assert_same`; pytest's `pythonpath` holds `tests`.
"""
