"""Transitions of workloads, such as admissions, as facts for counters of metrics and series."""

from __future__ import annotations

from typing import NamedTuple

from django.db import models


class TransitionKind(models.TextChoices):
    """The kind of a transition."""

    SUBMITTED = "submitted"
    ADMITTED = "admitted"
    REJECTED = "rejected"
    PREEMPTED = "preempted"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"


class Transition(NamedTuple):
    """One transition of one workload."""

    kind: TransitionKind
    #: None if the workload is in no queue.
    queue: str | None
    #: For an admission, the wait in seconds; None if it is not counted.
    wait: float | None = None
    #: The reason of a rejection or preemption.
    reason: str = ""
