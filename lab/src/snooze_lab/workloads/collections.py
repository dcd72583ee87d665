"""Thousands of real documents, from two packages, for study s003.

Separate because these are handled one by one: descriptions of web services (`botocore`,
1,955 of them, 125 MB) and schemas of their resources (`cfn-lint`, 2,101, 31 MB), or
both (`wheels`). Invariant: the documents are in the order of their paths, unpacked and
otherwise unchanged. Used through `workloads.find("wheels")`; `every=16` takes each
sixteenth document.
"""

from __future__ import annotations

from functools import partial

from snooze_lab.data import FetchError, trees
from snooze_lab.workloads.base import Workload, WorkloadError

#: The corpora of each workload.
CORPORA = {
    "botocore": ("botocore",),
    "cfn-lint": ("cfn-lint",),
    "wheels": ("botocore", "cfn-lint"),
}


def collected(name: str, every: int = 1) -> Workload:
    """Return the documents of a collection, or each `every`-th of them.

    WorkloadError if they are not in the data cache, or `every` is not positive.
    """
    if type(every) is not int or every < 1:
        raise WorkloadError(f"every of {name}: expected 1 or more, found {every}")
    try:
        paths = [
            path for one in CORPORA[name] for path in trees.paths("documents", one)
        ]
    except FetchError as reason:
        raise WorkloadError(str(reason)) from reason
    chosen = paths[::every]
    note = f"{len(chosen):,} real documents"
    return Workload(name, lambda: [path.read_bytes() for path in chosen], note)


WORKLOADS = {name: partial(collected, name) for name in CORPORA}
