"""Happenings: what becomes of workloads, for everything that counts it."""

from __future__ import annotations

from typing import NamedTuple

from django.db import models


class What(models.TextChoices):
    """What happened to a workload."""

    SUBMITTED = "submitted"
    ADMITTED = "admitted"
    REJECTED = "rejected"
    PREEMPTED = "preempted"
    FINISHED = "finished"
    WITHDRAWN = "withdrawn"


class Happening(NamedTuple):
    """One thing that happened to one workload."""

    what: What
    #: None when no queue has it.
    queue: str | None
    #: Of an admission: how long it was waited for, in seconds; None when no wait is to be told.
    wait: float | None = None
    #: Of a rejection or preemption: why.
    reason: str = ""
