"""Scans: lines of JSON as Arrow record batches.

Separate from the typed codecs, which make Python objects. Invariants: no module of
another package is imported; `import snooze` loads `api`, `lines`, `outcome` and
`writing`, which import the others when they need them.

- `api`: `scan`.
- `lines`: `Scan`.
- `conditions`: the text of `where` as a filter.
- `outcome`: what a scan yields, reports and raises.
- `sources`: paths, buffers, files and iterables as ranges of bytes.
- `filesystems`: files of objects of fsspec, obstore and others, read in ranges.
- `writing`: `write_lines`, the way back.
- `schemas`: classes and Arrow schemas as columns.
"""
