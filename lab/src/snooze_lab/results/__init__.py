"""From the samples of a run to results.json, and from one run to another.

`derive` makes the results, of `sections` and of the flags of `checks`; `compare` holds
two runs against each other; `imported` and `pyperfs` make runs of other tools' figures.
Imports the answer, native, published, the statistics and what is stored; measures
nothing. Called by runs, energy and the command line.
"""
