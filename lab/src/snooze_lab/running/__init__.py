"""A run while it happens, seen from its manager; workers do the measuring.

`runs` takes a run from its choice to its results, `execution` takes its samples,
`replay` repeats one cell under a tool, `doctor` says what can be measured here. Imports
whatever it needs of the layers below, from planning to results. Called by the command
line only.
"""
