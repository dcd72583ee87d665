"""The command `snooze`, built on click.

Separate from the library, which needs no package: click is the extra `snooze[cli]`, and
only snooze.__main__ imports this package. From below:

- texts: `items` (the tokens of a document as lines), `reformat`, `paint` (colours),
  `statistics`, `utf8` (where a text is not UTF-8)
- documents as values: `documents`, `members` and `doubles` (what formats cannot hold)
- formats of `convert`: `formats`, `csv_cells`; of `scan`: `tables`; of `schema`:
  `schema_source`
- files: `inputs`, `outputs`, `blocks` (documents that are not in memory), `each`
  (several files)
- messages: `problems`
- commands: `options` (shared), `text_commands` (format, minify, validate, stats),
  `value_commands` (sort, convert, query, diff, patch, infer), `items_command` (items),
  `scan_commands` (scan, schema), `app` (all of them)

`streams` and `tool` need no click.
"""
