"""How long a workload may run: by a field of its submission, or by a label."""

from __future__ import annotations

from typing import Final

from console.engine.model.policy import Policy
from console.engine.model.workload import Workload

#: The longest maximum run time, in seconds.
LONGEST_RUN_TIME: Final = 2**31 - 1


def read_run_time(text: str) -> int | None:
    """
    Return the maximum run time that the label value *text* requests, in milliseconds.

    None: it is not a whole number of seconds from 1 to 2147483647, the values that Kueue accepts.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(LONGEST_RUN_TIME))):
        return None
    seconds = int(text)
    return seconds * 1000 if 1 <= seconds <= LONGEST_RUN_TIME else None


def max_run_time(policy: Policy, workload: Workload) -> int | None:
    """Return how long *workload* may run under *policy*, in milliseconds; None: no limit."""
    if workload.max_run_time is not None:
        return workload.max_run_time
    label = policy.run_time_label
    return None if label is None else read_run_time(workload.labels.get(label, ""))
