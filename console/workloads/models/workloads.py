"""Models of workloads, label sets, decisions and recorded shapes."""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import models
from django.utils import timezone

from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.decision import Outcome
from console.engine.model.reasons import LONGEST_CODE
from console.orgs.models import Organization
from console.time_formats import from_milliseconds


def new_uid() -> str:
    """
    Return a new opaque workload id.

    It begins with the time in seconds, so that rows about workloads of the same time are adjacent
    in an index of ids: with random ids among millions, each row would change a different index
    page. Two ids of the same second are equal with probability 2^-48.
    """
    return f"{int(timezone.now().timestamp()):08x}{secrets.token_hex(6)}"


class State(models.TextChoices):
    """The phase of a workload."""

    PENDING = "pending"
    ADMITTED = "admitted"
    #: Preempted, and still using its quota until it is released.
    PREEMPTING = "preempting"
    FINISHED = "finished"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"


#: Final states.
ENDED = (State.FINISHED, State.REJECTED, State.WITHDRAWN)
LIVE = (State.PENDING, State.ADMITTED, State.PREEMPTING)


class LabelSet(models.Model):
    """One distinct set of labels, shared by workloads, so that a search reads each set once."""

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
    One workload, with the facts of its submission and the results of the engine.

    Primary keys are in the order of submission. Fields below *results of decisions* are written
    only by the admission worker.
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
    #: Total request of its pods: {resource: thousandths}.
    requests = models.JSONField(default=dict)
    #: In the form of `stored_pod_sets`; [] for a single plain pod with *requests*.
    pod_sets = models.JSONField(default=list)
    requested_priority = models.BigIntegerField(null=True)
    user = models.CharField(max_length=200, blank=True)
    groups = models.JSONField(default=list)
    project = models.CharField(max_length=200, blank=True)
    namespace = models.CharField(max_length=253, blank=True)
    #: Optional facts, see `console.workloads.stored_facts`; None without any.
    facts = models.JSONField(null=True)
    #: Key of the submitter, who may finish it without further permission: "user:7" or "token:3".
    submitted_by = models.CharField(max_length=40)
    submitted_at = models.DateTimeField(default=timezone.now)

    #: How long it may run altogether, in milliseconds; None: its labels decide.
    max_run_time = models.BigIntegerField(null=True)

    #: When it became pending, in milliseconds since 1970 in UTC: it was submitted, released after
    #: its last preemption, or activated. None for workloads that an earlier release submitted.
    pending_since = models.BigIntegerField(null=True)
    #: Code of the reason for which it is deactivated; None: it is active.
    inactive = models.CharField(max_length=LONGEST_CODE, null=True)
    #: How long it has run before its last release, in milliseconds; None: it was never released.
    past_run_time = models.BigIntegerField(null=True)
    #: {pod set: number of its pods that have not finished}, as reported; None: all of them.
    remaining_pods = models.JSONField(null=True)

    # results of decisions
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    reason = models.CharField(max_length=LONGEST_CODE, default=str(NOT_EVALUATED))
    queue = models.CharField(max_length=500, null=True)
    priority = models.BigIntegerField(null=True)
    rule_index = models.IntegerField(null=True)
    config_version = models.PositiveIntegerField(null=True)
    #: See `console.workloads.stored_assignments`; empty while it uses no quota.
    assignment = models.JSONField(default=list)
    #: The flavors of the assignment, see `stored_assignments.flavors_text`; None without any.
    flavors = models.CharField(max_length=2000, null=True)
    #: Ids of the workloads that are preempted for this pending one.
    victims = models.JSONField(default=list)
    #: Id of the workload for which this one is preempted, or to which it yields while pending.
    preemptor = models.CharField(max_length=24, null=True)
    #: {workload id: situations in which this workload was preempted for it}, for workloads that
    #: have not ended; see `console.engine.model.preemption_loops`. Old rows contain the number of
    #: preemptions instead.
    stopped_for = models.JSONField(default=dict)
    #: Key of its `PendingClass`, which has the current reason of a pending workload.
    pending_class = models.CharField(max_length=64, null=True)
    #: Position in the order of reservations.
    reservation = models.BigIntegerField(null=True)
    #: The engine's times of `console.engine.live.running.Running`, in milliseconds since 1970 in
    #: UTC. `admitted_at` may be earlier than *started*: it is the time of the worker's machine, and
    #: the engine's time never goes back. None for workloads that an earlier release admitted.
    started = models.BigIntegerField(null=True)
    short_since = models.BigIntegerField(null=True)
    admitted_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    preemptions = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        # Every decision writes to each index whose condition is met. So a foreign key has no index
        # of its own if another index begins with it.
        constraints = [
            # Instead of `unique`, which adds a second index for prefixes on PostgreSQL.
            models.UniqueConstraint(fields=["uid"], name="one_workload_per_id")
        ]
        indexes = [
            models.Index(fields=["org", "-id"], name="workload_newest"),
            models.Index(fields=["org", "state", "-id"], name="workload_by_state"),
            models.Index(fields=["org", "reason", "-id"], name="workload_by_reason"),
            # Only pending workloads are in this index: they are few, and others do not change it.
            models.Index(
                fields=["org", "queue", "-priority", "id"],
                condition=models.Q(state=State.PENDING.value),
                name="workload_in_order",
            ),
            # Running workloads have an index as well, in the order of preemption.
            models.Index(
                fields=["org", "queue", "priority", "-reservation"],
                condition=models.Q(state=State.ADMITTED.value),
                name="workload_first_to_stop",
            ),
            # Begins with the label set, because its deletion searches workloads by it alone.
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
            # With the operator class, PostgreSQL uses it for prefixes under any collation.
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

    @property
    def waits_since(self) -> datetime | None:
        """The moment of *pending_since*; None if that is not known."""
        return None if self.pending_since is None else from_milliseconds(self.pending_since)


class Decision(models.Model):
    """One decision of the engine; the primary key is its number in the feed for executors."""

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
    #: See `console.workloads.stored_assignments`; None unless the outcome is ``resized``.
    resize = models.JSONField(null=True)
    #: In the form of `stored_trace.trace_to_json`, without evaluated rules, which follow from the
    #: config version, see `console.workloads.stored_decisions`.
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
    Workloads of one day that are equal in all facts that a config can match, with their number.

    History for the evaluation of configs: its size grows with different workloads, not with all.
    """

    org = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="shapes", db_index=False
    )
    #: The day in UTC on which the engine first applied them.
    day = models.DateField()
    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="+")
    #: SHA-256 of the label set's key and of all fields below except the count, in canonical JSON.
    digest = models.CharField(max_length=64)
    namespace = models.CharField(max_length=253, blank=True)
    requested_priority = models.BigIntegerField(null=True)
    #: Like the fields of `Workload`.
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
