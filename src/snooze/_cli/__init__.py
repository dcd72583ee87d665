"""The command `snooze`, built on click.

Separate from the library, which needs no package: click is the extra `snooze[cli]`, and
only snooze.__main__ imports this package. From below: `items` (the text of a document
as lines to be), `reformat`, `statistics`, `formats` (what convert reads and writes),
`problems` (messages with a caret), `inputs` and `outputs` (files), `each` (several
files), and the commands in `texts`, `values` and `app`.
"""
