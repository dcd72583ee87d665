"""JSON Patch, JSON Merge Patch and the differences of documents.

Separate from the public functions in snooze._documents, which import a module of this
package when it is needed, so that `import snooze` loads none of them. Invariant: every
walk is a loop with a stack of its own; nesting costs no C stack and no recursion limit.
"""
