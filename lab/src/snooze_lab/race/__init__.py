"""The interleaved race: all libraries in one process, in short shuffled slices.

`command` reads the command line, `run` runs the chosen groups, `cells` times one task;
each other file is a group, except `goals` and `table` (output) and `practical` (what
the studies ask of the race). Imports the standard library and what lies below (the
worker and its layers), so that it runs from a checkout where nothing is installed.
Called by `python -m snooze_lab.race`, by runs, and for its output by the gates and
`scale`.
"""
