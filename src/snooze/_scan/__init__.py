"""Scans: lines of JSON as Arrow record batches.

Separate from the typed codecs, which make Python objects. Invariants: no module of
another package is imported; `import snooze` loads `api`, `arguments`, `scan`, `outcome`
and `writing`, which import the others when they need them.

- `api`: the function `scan`.
- `arguments`: checks of arguments that `scan` and methods of `Scan` share.
- `scan`: the class `Scan`.
- `resolve`: the columns and the filter of a scan, given or inferred.
- `schemas`: classes and Arrow schemas as columns.
- `conditions`: the text of `where` as a filter; `hints`: help for its errors.
- `sources`: paths, buffers, files and iterables as ranges of bytes.
- `once`: sources that can be read only once.
- `filesystems`: files of objects of fsspec, obstore and others, read in ranges.
- `streams`: the calls of compiled code that infer columns and read batches.
- `outcome`: what a scan yields, reports and raises.
- `writing`: `write_lines`, the way back.
"""
