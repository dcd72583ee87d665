"""Adapters for frameworks, one module for each, imported on demand.

``snooze.ext.flask`` imports Flask, and so on; ``import snooze`` imports none of them, and
snooze depends on none. Where the package is missing, the import says which to install.
Web frameworks, databases and queues that need no adapter are in docs/frameworks.md, the
guide to this folder. Adapters use the public functions of snooze; nothing else in snooze
uses them.
"""
