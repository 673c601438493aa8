"""Workloads, what was decided about them, and the rows the admission engine keeps."""

from __future__ import annotations

import secrets

from django.db import models
from django.utils import timezone

from console.engine.decision import Outcome, Reason
from console.orgs.models import Organization
from console.workloads.fields import ExactIntegerField


def new_uid() -> str:
    """Return a fresh opaque workload id."""
    return secrets.token_hex(10)


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

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="label_sets")
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

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="workloads")
    uid = models.CharField(max_length=24, unique=True, default=new_uid)
    name = models.CharField(max_length=200)
    type = models.CharField(max_length=12)
    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="workloads")
    #: What all its pods ask for together: {resource: thousandths}.
    requests = models.JSONField(default=dict)
    #: As `stored_pod_sets` writes them; [] for one plain pod that asks for *requests*.
    pod_sets = models.JSONField(default=list)
    requested_priority = models.BigIntegerField(null=True)
    user = models.CharField(max_length=200, blank=True)
    groups = models.JSONField(default=list)
    project = models.CharField(max_length=200, blank=True)
    namespace = models.CharField(max_length=253, blank=True)
    #: Who may finish it as their own: "user:7" or "token:3".
    submitted_by = models.CharField(max_length=40)
    submitted_at = models.DateTimeField(default=timezone.now)

    # what was decided
    state = models.CharField(max_length=12, choices=State.choices, default=State.PENDING)
    reason = models.CharField(
        max_length=32,
        choices=[(r.value, r.value) for r in Reason],
        default=Reason.NOT_EVALUATED.value,
    )
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
    #: {id of a workload: how often this one was told to stop for it}; those that have not ended.
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
        indexes = [
            models.Index(fields=["org", "-id"], name="workload_newest"),
            models.Index(fields=["org", "state", "-id"], name="workload_by_state"),
            models.Index(fields=["org", "reason", "-id"], name="workload_by_reason"),
            models.Index(
                fields=["org", "queue", "state", "-priority", "id"], name="workload_in_order"
            ),
            models.Index(fields=["org", "label_set", "-id"], name="workload_by_labels"),
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
            models.Index(fields=["org", "pending_class", "id"], name="workload_by_class"),
            models.Index(fields=["org", "submitted_at"], name="workload_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.uid})"


class Decision(models.Model):
    """One answer of the engine; the primary key is its number in the feed for executors."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="decisions")
    workload = models.ForeignKey(Workload, on_delete=models.CASCADE, related_name="decisions")
    outcome = models.CharField(max_length=12, choices=[(o.value, o.value) for o in Outcome])
    reason = models.CharField(max_length=32, choices=[(r.value, r.value) for r in Reason])
    queue = models.CharField(max_length=500, null=True)
    priority = models.BigIntegerField(null=True)
    rule_index = models.IntegerField(null=True)
    config_version = models.PositiveIntegerField()
    assignment = models.JSONField(default=list)
    victims = models.JSONField(default=list)
    preemptor = models.CharField(max_length=24, null=True)
    #: `console.engine.stored_trace.trace_to_json`.
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


class EventType(models.TextChoices):
    """What can happen; all but the last four have their names from the public client's protocol."""

    CONFIG_UPDATED = "CONFIG_UPDATED"
    REQUEST_SUBMITTED = "REQUEST_SUBMITTED"
    REQUEST_QUEUED = "REQUEST_QUEUED"
    REQUEST_ADMITTED = "REQUEST_ADMITTED"
    REQUEST_REJECTED = "REQUEST_REJECTED"
    REQUEST_PREEMPTED = "REQUEST_PREEMPTED"
    REQUEST_REQUEUED = "REQUEST_REQUEUED"
    REQUEST_RELEASED = "REQUEST_RELEASED"
    REQUEST_FULFILLED = "REQUEST_FULFILLED"
    REQUEST_ABORTED = "REQUEST_ABORTED"
    REQUEST_FAILED = "REQUEST_FAILED"
    REQUEST_FALLBACK = "REQUEST_FALLBACK"
    QUOTA_BORROWED = "QUOTA_BORROWED"
    QUOTA_RECLAIMED = "QUOTA_RECLAIMED"
    EXPECTATION_SAVED = "EXPECTATION_SAVED"
    EXPECTATION_DELETED = "EXPECTATION_DELETED"
    QUEUE_HELD = "QUEUE_HELD"
    QUEUE_RESUMED = "QUEUE_RESUMED"


class Level(models.TextChoices):
    """How much attention an event asks for."""

    INFO = "INFO"
    WARNING = "WARNING"
    ERROR = "ERROR"


class Event(models.Model):
    """Something that happened; facts only, `console.engine.explain` has the sentence."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="events")
    type = models.CharField(max_length=20, choices=EventType.choices)
    level = models.CharField(max_length=8, choices=Level.choices, default=Level.INFO)
    workload = models.ForeignKey(
        Workload, null=True, on_delete=models.CASCADE, related_name="events"
    )
    queue = models.CharField(max_length=500, null=True)
    #: E-mail address of a person, name of a token, or "engine".
    actor = models.CharField(max_length=254)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["org", "-id"], name="event_newest"),
            models.Index(fields=["org", "type", "-id"], name="event_by_type"),
            models.Index(fields=["org", "queue", "-id"], name="event_by_queue"),
        ]

    def __str__(self) -> str:
        return f"{self.type} at {self.created_at:%Y-%m-%d %H:%M:%S}"


class Intake(models.Model):
    """One accepted request that the engine has yet to see; deleted when it has."""

    class Kind(models.TextChoices):
        """What was asked."""

        SUBMIT = "submit"
        FINISH = "finish"
        WITHDRAW = "withdraw"
        RELEASE = "release"
        POLICY = "policy"
        HOLD = "hold"
        RESUME = "resume"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="intake")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    #: {"ids": [workload primary keys]}, {"version": n} or {"queue": name}; and the "actor".
    payload = models.JSONField()
    #: How many workloads it concerns, so that a batch can be bounded without reading payloads.
    size = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["org", "id"], name="intake_in_order")]

    def __str__(self) -> str:
        return f"{self.kind} for {self.org}"


class RecordedShape(models.Model):
    """
    Workloads of one day that are alike in all that a config can ask about, counted.

    What history is judged by: its size grows with what is different, not with what ran.
    """

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="shapes")
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
    runs = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "day", "digest"], name="one_shape_per_day")
        ]

    def __str__(self) -> str:
        return f"{self.runs} on {self.day} of {self.digest[:12]}"


class Engine(models.Model):
    """One organization's admission engine: who may write for it, and how far it is."""

    org = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="engine"
    )
    #: The lease: empty, or who runs the engine until when.
    owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    #: Grows with every lease; a write under an older one is refused.
    fence = models.BigIntegerField(default=0)
    #: Grows with every write; a warm state is valid for one value.
    version = models.BigIntegerField(default=0)
    #: The config version the engine decides under; 0 before the first.
    config_version = models.PositiveIntegerField(default=0)
    #: Whether the last write left nothing to decide. A run that is cut short, by its
    #: deadline or by a crash, is found by this and taken up again.
    is_settled = models.BooleanField(default=True)
    #: {state: number of workloads}
    counts = models.JSONField(default=dict)
    settled_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"engine of {self.org} at {self.version}"


class Usage(models.Model):
    """What the running workloads of a queue hold of one flavor-resource, in thousandths."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="usage")
    queue = models.CharField(max_length=500)
    flavor = models.CharField(max_length=500)
    resource = models.CharField(max_length=500)
    used = ExactIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "queue", "flavor", "resource"], name="one_usage_per_place"
            )
        ]

    def __str__(self) -> str:
        return f"{self.queue} {self.flavor}/{self.resource}: {self.used}"


class AboveNominal(models.Model):
    """
    Since when a queue uses more than its nominal quota of a flavor-resource, without a break.

    It was above after every batch of the engine since then. A queue that uses no more than
    it owns has no row.
    """

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="above_nominal")
    queue = models.CharField(max_length=500)
    flavor = models.CharField(max_length=500)
    resource = models.CharField(max_length=500)
    since = models.DateTimeField()
    #: The config version that the engine decided under then.
    config_version = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["org", "queue", "flavor", "resource"], name="one_rise_per_place"
            )
        ]

    def __str__(self) -> str:
        return f"{self.queue} {self.flavor}/{self.resource} since {self.since}"


class QueueCount(models.Model):
    """How many workloads of a queue run and wait, kept so that no page has to count."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="queue_counts")
    queue = models.CharField(max_length=500)
    running = models.PositiveIntegerField(default=0)
    pending = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "queue"], name="one_count_per_queue")]

    def __str__(self) -> str:
        return f"{self.queue}: {self.running} running, {self.pending} pending"


class PendingClass(models.Model):
    """
    Pending workloads of one queue that are alike for admission, and why they wait.

    The reason is kept here rather than on each workload, so that one event costs
    the same whether ten or ten thousand of them wait.
    """

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="pending_classes")
    key = models.CharField(max_length=64)
    queue = models.CharField(max_length=500)
    priority = models.BigIntegerField()
    #: What one workload asks for: {resource: thousandths}.
    requests = models.JSONField()
    reason = models.CharField(max_length=32, choices=[(r.value, r.value) for r in Reason])
    #: What is short in the best flavor: {"flavor/resource": thousandths}.
    missing = models.JSONField(default=dict)
    count = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "key"], name="one_row_per_class")]
        indexes = [models.Index(fields=["org", "queue", "-priority"], name="class_in_order")]

    def __str__(self) -> str:
        return f"{self.count} pending in {self.queue}: {self.reason}"


class QueueHold(models.Model):
    """A queue that a person has paused: nothing new is admitted from it."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="holds")
    queue = models.CharField(max_length=500)
    reason = models.CharField(max_length=500)
    actor = models.CharField(max_length=254)
    since = models.DateTimeField(auto_now_add=True)
    #: When it is resumed by itself; None: when somebody does it.
    until = models.DateTimeField(null=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "queue"], name="one_hold_per_queue")]

    def __str__(self) -> str:
        return f"{self.queue} held by {self.actor}"


class IdempotentAnswer(models.Model):
    """The first answer to a request with an Idempotency-Key, given again to the same request."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE)
    key = models.CharField(max_length=200)
    #: SHA-256 of the request's body: the same key with another body is refused.
    digest = models.CharField(max_length=64)
    answer = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "key"], name="one_answer_per_key")]

    def __str__(self) -> str:
        return self.key


class SavedView(models.Model):
    """A named way to look at the list of workloads: conditions, a grouping and columns."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=100)
    #: Whose it is: key of a person or token, and their name when they saved it.
    owner = models.CharField(max_length=40)
    author = models.CharField(max_length=254)
    #: Whether all members see it.
    is_shared = models.BooleanField(default=False)
    #: The conditions and the grouping as a query string, in the canonical form of addresses.
    query = models.CharField(max_length=2000, blank=True)
    #: Names of columns in their order, as `console.workloads.columns` has them.
    columns = models.JSONField(default=list)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["name", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["org", "owner", "name"],
                condition=models.Q(is_shared=False),
                name="one_personal_view_per_name",
            ),
            models.UniqueConstraint(
                fields=["org", "name"],
                condition=models.Q(is_shared=True),
                name="one_shared_view_per_name",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.author}"
