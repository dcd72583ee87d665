"""JSONPath queries (RFC 9535): parser, selectors, filters, functions.

Separate from snooze.jsonpath, the public functions, which import this package with the
first query. From below: `iregexp` (patterns), `functions`, `filters` (what is inside
`[?...]`), `segments` (what selects), `parser` (text to segments), `query` (the compiled
query). Invariant: evaluation is loops; only what is nested in the query itself is
recursion, and the parser limits that.
"""
