"""The statistics of a run: from samples to statements.

`stats` (estimates, effects, verdicts), `noise` (of a run, its outliers, coarse clocks),
`crossover` (curves). Separate from everything that measures or shows: nothing here
reads a file or a machine. Imports the model, units, and the rounds of timing. Called by
stored (for samples), results, energy, running and the gates.
"""
