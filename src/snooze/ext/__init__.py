"""Adapters for frameworks, one module for each, imported on demand.

``snooze.ext.flask`` imports Flask, and so on. ``import snooze`` imports none of these
modules, and snooze depends on none of the packages; where one is missing, the import of
its module says which to install. The guide is docs/frameworks.md, which also has the
packages that need no adapter. Invariant: adapters use snooze, and nothing else in
snooze uses an adapter.
"""
