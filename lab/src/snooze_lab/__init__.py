"""The snooze laboratory: measures time, memory, size, correctness and energy.

Its folders, the lowest first; each imports only those above it in this list, and
tests/repo/test_layers.py holds them to it. The first group needs the standard library
only, because it also runs where nothing is installed.

    model, units  what every part speaks of, and how quantities are written
    data          documents of others: fetched, checked, cached
    machine       facts about the machine and about this process
    meters        sources of joules
    contenders    the libraries, and how each is called
    timing        the clock of both instruments, and the judge of results
    workloads     what is timed: documents, objects, and the operations on them
    worker        one sample in a process of its own: both ends
    race          the interleaved instrument on its own

    statistics    from samples to statements
    stored        the files of a run, and their forms
    planning      from studies/*.toml to the steps of a run
    native        the programs in Rust, C and C++ of study s004
    scale         the study of JSON Lines and Arrow
    answer        the first screen in sentences
    published     what the seeds published, beside the figures of a run
    results       from samples to results.json; runs compared and imported
    energy        series of other tools, and the power model
    running       a run from beginning to end, seen from its manager
    report        report.html, its tables, and the summary in a terminal
    gate          limits on regressions
    cli           the command line, which alone uses all of it
"""

__version__ = "0.1.0"


class UserError(Exception):
    """A mistake that the user can mend; the message is one sentence that says how."""
