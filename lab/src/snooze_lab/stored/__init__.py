"""What a run leaves in its folder, and in which form.

`store` is the folder, `samples` reads samples.jsonl, `results_types` is the form of
results.json and `energy_types` that of its energy. Imports the model, units, statistics
and the rounds of timing. Called by everything that writes a run or reads one: runs,
results, energy, the answer, the report, the gates.
"""
