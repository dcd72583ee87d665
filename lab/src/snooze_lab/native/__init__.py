"""The native half of study s004: structures to JSON in Rust, C and C++.

Separate because the subjects are programs, not Python: those of lab/native. `build`
makes them, `study` makes them part of a run and runs one for a sample. Imports
planning, workloads and what lies below. Called by runs, and by results for its names.
"""

#: The baseline, and its second entry, which shows the noise.
BASELINE = "serde_json (Rust)"
AGAIN = "serde_json again (Rust)"
