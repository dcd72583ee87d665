"""Infer the structure of documents: a JSON Schema, or the source of dataclasses.

Separate from `Inference` in snooze._documents, the public class, because only a call
needs this. From below: `places` (what was seen where), `names` (of classes and fields),
`schema` and `source` (the two results). Invariants: every document that was added fits
both results exactly, with nothing converted; the same documents have the same results.
"""
