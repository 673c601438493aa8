"""Workloads, what was decided about them, and what ran, counted by day."""

from __future__ import annotations

import secrets
import time

from django.db import models
from django.utils import timezone

from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.decision import Outcome
from console.engine.model.reasons import LONGEST_CODE
from console.orgs.models import Organization


def new_uid() -> str:
    """
    Return a fresh opaque workload id.

    It begins with the second it is made in, so that whatever is written about workloads of the
    same time lies together in an index of ids: among millions that were spread at random, each
    would change a page of its own. Two of one second are alike once in 2^48.
    """
    return f"{int(time.time()):08x}{secrets.token_hex(6)}"


class State(models.TextChoices):
    """Where a workload is in its life."""

    PENDING = "pending"
    ADMITTED = "admitted"
    #: Told to stop, and still holding its quota until it is released.
    PREEMPTING = "preempting"
    FINISHED = "finished"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


#: States in which nothing more can happen to a workload.
ENDED = (State.FINISHED, State.REJECTED, State.WITHDRAWN)


class LabelSet(models.Model):
    """One distinct set of labels; workloads share it, so that labels are searched once per set."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="label_sets", db_index=False
    )
    #: SHA-256 of the labels in canonical JSON.
    digest = models.CharField(max_length=64)
    labels = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "digest"], name="one_row_per_labels")]

    def __str__(self) -> str:
        return self.digest[:12]


class Workload(models.Model):
    """
    One workload as its submitter and the engine know it.

    The primary key is the order of submission. Fields below *what was decided*
    are written by the admission worker alone.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="workloads", db_index=False
    )
    uid = models.CharField(max_length=24, default=new_uid)
    name = models.CharField(max_length=200)
    type = models.CharField(max_length=12)
    label_set = models.ForeignKey(
        LabelSet, on_delete=models.PROTECT, related_name="workloads", db_index=False
    )
    #: What all its pods ask for together: {resource: thousandths}.
    requests = models.JSONField(default=dict)
    #: As `stored_pod_sets` writes them; [] for one plain pod that asks for *requests*.
    pod_sets = models.JSONField(default=list)
    requested_priority = models.BigIntegerField(null=True)
    user = models.CharField(max_length=200, blank=True)
    groups = models.JSONField(default=list)
    project = models.CharField(max_length=200, blank=True)
    namespace = models.CharField(max_length=253, blank=True)
    #: Optional facts, see `console.workloads.stored_facts`; None without any.
    facts = models.JSONField(null=True)
    #: Who may finish it as their own: "user:7" or "token:3".
    submitted_by = models.CharField(max_length=40)
    submitted_at = models.DateTimeField(default=timezone.now)

    # what was decided
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    reason = models.CharField(max_length=LONGEST_CODE, default=str(NOT_EVALUATED))
    queue = models.CharField(max_length=500, null=True)
    priority = models.BigIntegerField(null=True)
    rule_index = models.IntegerField(null=True)
    config_version = models.PositiveIntegerField(null=True)
    #: See `console.workloads.stored_assignments`; empty while it holds nothing.
    assignment = models.JSONField(default=list)
    #: The flavors in it, see `stored_assignments.flavors_text`; None without any.
    flavors = models.CharField(max_length=2000, null=True)
    #: Ids of the workloads that have to stop for this pending one.
    victims = models.JSONField(default=list)
    #: Id of the workload this one has to stop for, while preempting, or yields to, while pending.
    preemptor = models.CharField(max_length=24, null=True)
    #: {id of a workload: situations in which this one was told to stop for it}, for those that
    #: have not ended; see `console.engine.model.preemption_loops`. Older rows hold how often it
    #: was told instead.
    stopped_for = models.JSONField(default=dict)
    #: Key of its `PendingClass`, which knows the present reason of a pending workload.
    pending_class = models.CharField(max_length=64, null=True)
    #: Position in the order of reservations.
    reservation = models.BigIntegerField(null=True)
    admitted_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    preemptions = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        # Every decision writes into each of these, but for those with a condition that is not met:
        # so no foreign key has one of its own where another one begins with it.
        constraints = [
            # Rather than `unique`, which on PostgreSQL makes a second one, for prefixes.
            models.UniqueConstraint(fields=["uid"], name="one_workload_per_id")
        ]
        indexes = [
            models.Index(fields=["org", "-id"], name="workload_newest"),
            models.Index(fields=["org", "state", "-id"], name="workload_by_state"),
            models.Index(fields=["org", "reason", "-id"], name="workload_by_reason"),
            # None but the pending have this order: they are few, and the others leave it as it is.
            models.Index(
                fields=["org", "queue", "-priority", "id"],
                condition=models.Q(state=State.PENDING.value),
                name="workload_in_order",
            ),
            # Those that run have one, too: the one in which they are stopped for others.
            models.Index(
                fields=["org", "queue", "priority", "-reservation"],
                condition=models.Q(state=State.ADMITTED.value),
                name="workload_first_to_stop",
            ),
            # The key of a label set first: whoever forgets one asks for its workloads alone.
            models.Index(fields=["label_set", "org", "-id"], name="workload_by_labels"),
            models.Index(fields=["org", "user", "-id"], name="workload_by_user"),
            models.Index(fields=["org", "project", "-id"], name="workload_by_project"),
            models.Index(fields=["org", "queue", "state", "-id"], name="workload_by_queue"),
            models.Index(fields=["org", "type", "state", "-id"], name="workload_by_type"),
            models.Index(
                fields=["org", "flavors", "-id"],
                condition=models.Q(flavors__isnull=False),
                name="workload_by_flavors",
            ),
            # The operator class lets PostgreSQL use it for prefixes under any collation.
            models.Index(
                fields=["org", "name"],
                opclasses=["int8_ops", "varchar_pattern_ops"],
                name="workload_by_name",
            ),
            models.Index(
                fields=["org", "pending_class", "id"],
                condition=models.Q(pending_class__isnull=False),
                name="workload_by_class",
            ),
            models.Index(fields=["org", "submitted_at"], name="workload_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.uid})"


class Decision(models.Model):
    """One answer of the engine; the primary key is its number in the feed for executors."""

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="decisions", db_index=False
    )
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="decisions")
    outcome = models.CharField(max_length=12, choices=[(o.value, o.value) for o in Outcome])
    reason = models.CharField(max_length=LONGEST_CODE)
    queue = models.CharField(max_length=500, null=True)
    priority = models.BigIntegerField(null=True)
    rule_index = models.IntegerField(null=True)
    config_version = models.PositiveIntegerField()
    assignment = models.JSONField(default=list)
    victims = models.JSONField(default=list)
    preemptor = models.CharField(max_length=24, null=True)
    #: What `stored_trace.trace_to_json` returns, without the rules that were tried: they follow
    #: from the config version, see `console.workloads.stored_decisions`.
    trace = models.JSONField()
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["org", "id"], name="decision_feed"),
            models.Index(
                fields=["org", "preemptor", "-id"],
                condition=models.Q(outcome=Outcome.PREEMPTED.value),
                name="preemption_by_preemptor",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.id}: {self.outcome} ({self.reason})"


class RecordedShape(models.Model):
    """
    Workloads of one day that are alike in all that a config can ask about, counted.

    What history is judged by: its size grows with what is different, not with what ran.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="shapes", db_index=False
    )
    #: The day they were first looked at, in UTC.
    day = models.DateField()
    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="+")
    #: SHA-256 of the key of the label set and everything below but the count, in canonical JSON.
    digest = models.CharField(max_length=64)
    namespace = models.CharField(max_length=253, blank=True)
    requested_priority = models.BigIntegerField(null=True)
    #: As of `Workload`.
    requests = models.JSONField(default=dict)
    pod_sets = models.JSONField(default=list)
    facts = models.JSONField(null=True)
    runs = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "day", "digest"], name="one_shape_per_day")
        ]

    def __str__(self) -> str:
        return f"{self.runs} on {self.day} of {self.digest[:12]}"
