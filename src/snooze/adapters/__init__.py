"""Adapters for engines that read a scan in parts, one module for each.

``snooze.adapters.polars`` imports Polars, and so on. ``import snooze`` imports none of
these modules, and snooze depends on none of the engines; where one is missing, the
import of its module says which to install. pyarrow, DuckDB, DataFusion and pandas need
no adapter: they read a scan as it is. The guide is docs/scale.md. Invariants: each
record of a scan is read once, whatever parts an engine makes; what an engine pushes
down (columns, a predicate, a number of rows) never changes the result of a query.
Adapters use snooze, and nothing else in snooze uses an adapter.
"""
