"""Typed codecs: Python types in, plans for the extension module and JSON Schema out.

What is here, each in a file: `options` and `constraints` (what users write), `scope`
and `generics` (what annotations mean), `introspect` with `records`, `makes`, `choices`,
`tables` (types to `model`), `unions` (which alternative a document means),
`lower_decode` and `lower_encode` (model to the tuples that the extension reads),
`schema`, `errors`, `codecs`, `calls`. `import snooze` loads only what users name
(`calls`, `codecs`, `constraints`, `errors`, `options`, `raw`), which imports neither
typing nor dataclasses (`light`); `plans` loads the rest when a codec is made.
"""
