"""Typed codecs: Python types in, plans for the extension module and JSON Schema out.

The path of a type, one file for each step:

- `options`, `constraints`, `raw`: what users write in and on their classes.
- `scope`, `generics`: what names and type variables in annotations refer to.
- `introspect`: Python types to nodes of `model`, with `records` and `construction`
  (classes with fields), `choices` (enums and Literal), `builtin_types`, and
  `constraint_merge`.
- `unions`: how the alternatives of a union are told apart.
- `lower_decode` with `kind_rules` and `arrays`, and `lower_encode`: the model to the
  tuples that the extension compiles, numbered by `plan_tables`. `expected` writes the
  texts of error messages.
- `schema` with `defaults`: the model to JSON Schema.
- `plans`, `codecs`, `codec_parts`, `calls`, `errors`: the public classes and functions.

- What calls and codecs add: `reading` (options of a Decoder), `write_options`,
  `surrogates`, `converter`, `to_builtins`, `parallel` (threads), `omission`, `flatten`,
  `first_match` and `one_shot`, `hooks`, `formats`, `notes`, `places`.
- Classes of other packages: `msgspec_types`, `pydantic_models`, `pydantic_metadata`.
- Details of the steps above, named after what they do: `adjacent` (tags beside the
  content), `annotated`, `declarations`, `hashable`, `instances`, `schema_keywords`.

Invariant: `_names` loads only what users name (`calls`, `codecs`, `constraints`,
`converter`, `errors`, `field`, `metadata`, `options`, `raw`, `to_builtins`, `unset`),
and these import neither typing nor dataclasses (`lazy_typing`). `plans` loads the rest
when the first codec is made.
"""
