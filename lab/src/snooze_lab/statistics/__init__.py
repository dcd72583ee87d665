"""The statistics of a run: from samples to statements.

`stats` (estimates, effects, verdicts), `noise` (of a run, and its outliers),
`sequential` (when sampling stops), `crossover` (curves), `quantise` (coarse clocks),
`resample` (valid numbers, intervals). Separate from everything that measures or shows.
Invariant: nothing here reads a clock, a file or a machine.
"""
