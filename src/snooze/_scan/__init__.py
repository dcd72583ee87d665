"""Scans: lines of JSON as Arrow record batches.

Separate from the typed codecs, which make Python objects. Invariants: no module of
another package is imported; `import snooze` loads `api`, `lines` and `outcome`, which
import the others when a scan needs them.

- `api`: `scan`.
- `lines`: `Scan`.
- `conditions`: the text of `where` as a filter.
- `outcome`: what a scan yields, reports and raises.
- `sources`: paths, buffers, files and iterables as ranges of bytes.
- `schemas`: classes and Arrow schemas as columns.
"""
