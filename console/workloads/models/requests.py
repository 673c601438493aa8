"""Models of accepted requests to the engine, queue holds and idempotent answers."""

from __future__ import annotations

from django.db import models
from django.utils import timezone

from console.orgs.models import Organization


class Intake(models.Model):
    """One accepted request that the engine has not yet applied; applied ones are deleted."""

    class Kind(models.TextChoices):
        """The type of request."""

        SUBMIT = "submit"
        FINISH = "finish"
        WITHDRAW = "withdraw"
        RELEASE = "release"
        POLICY = "policy"
        HOLD = "hold"
        RESUME = "resume"
        CAPACITY = "capacity"
        PODS = "pods"
        USAGE = "usage"
        PRIORITY = "priority"
        DEACTIVATE = "deactivate"
        ACTIVATE = "activate"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="intake")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    #: {"ids": [workload primary keys]}, {"version": n}, {"queue": name} or {"cluster": name}; and
    #: the "actor". A change of priorities has "ids" and the "priority". Requests about pods have
    #: one id, and the fields of `PodReport`; those about past usage have the fields of
    #: `console.engine.model.usage_history.UsageHistory`.
    payload = models.JSONField()
    #: Number of workloads in it, so that a batch can be limited without reading payloads.
    size = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["org", "id"], name="intake_in_order")]

    def __str__(self) -> str:
        return f"{self.kind} for {self.org}"


class QueueHold(models.Model):
    """A hold of a queue by a person: no workload is admitted from the queue."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="holds")
    queue = models.CharField(max_length=500)
    reason = models.CharField(max_length=500)
    actor = models.CharField(max_length=254)
    since = models.DateTimeField(auto_now_add=True)
    #: When the queue is resumed automatically; None: only by a person.
    until = models.DateTimeField(null=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "queue"], name="one_hold_per_queue")]

    def __str__(self) -> str:
        return f"{self.queue} held by {self.actor}"


class IdempotentAnswer(models.Model):
    """The response to the first request with an Idempotency-Key, returned for repeated requests."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE)
    key = models.CharField(max_length=200)
    #: SHA-256 of the request's content: the same key with other content is rejected.
    digest = models.CharField(max_length=64)
    answer = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["org", "key"], name="one_answer_per_key")]

    def __str__(self) -> str:
        return self.key
