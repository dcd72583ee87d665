"""The command `snooze`, built on click.

Separate from the library, which needs no package: click is the extra `snooze[cli]`, and
only snooze.__main__ imports this package. From below: `items` (the text of a document
as lines to be), `reformat`, `statistics`, `formats` (what convert reads and writes),
`problems` (messages with a caret), `inputs` and `outputs` (files), `blocks` (documents
that are not in memory), `each` (several files), and the commands in `texts`, `values`,
`scans` and `app`. `streams` and `tool` need no click.
"""
