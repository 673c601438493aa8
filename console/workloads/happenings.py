"""Events in the life of workloads, as facts for counters such as metrics and series."""

from __future__ import annotations

from typing import NamedTuple

from django.db import models


class What(models.TextChoices):
    """The type of event."""

    SUBMITTED = "submitted"
    ADMITTED = "admitted"
    REJECTED = "rejected"
    PREEMPTED = "preempted"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"


class Happening(NamedTuple):
    """One event of one workload."""

    what: What
    #: None if the workload is in no queue.
    queue: str | None
    #: For an admission, the wait in seconds; None if it is not counted.
    wait: float | None = None
    #: The reason of a rejection or preemption.
    reason: str = ""
