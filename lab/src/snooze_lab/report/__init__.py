"""The report of a run: report.html, tables/*.csv, and the terminal summary.

Separate because it shows what is in results.json and computes medians and slopes for
drawing only. Inside: `page` (the outline, and what writes it), `first`, `tables`,
`figures`, `curves`, `practical` and `energy…` (the parts), `terminal`, `plot`, `rows`
and `theme` (drawing), `words` (formats). Imports stored, the model, units and
`machine.env`, and nothing that measures or judges. Called by the command line.
"""
