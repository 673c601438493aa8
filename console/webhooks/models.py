"""Webhooks, what they have to be told, and each attempt to tell it."""

from __future__ import annotations

import secrets

from django.db import models
from django.utils import timezone

from console.orgs.models import Organization


def new_uid() -> str:
    """Return a fresh id of a delivery, by which receivers recognize a repeat."""
    return f"msg_{secrets.token_hex(12)}"


def new_seed() -> str:
    """Return a fresh seed, from which a secret is derived."""
    return secrets.token_hex(16)


class Kind(models.TextChoices):
    """What a webhook may be told."""

    REJECTED = "workload.rejected", "Workload rejected"
    CANNOT_RUN = "workload.cannot_run", "Workload can never run"
    PREEMPTED = "workload.preempted", "Workload preempted"
    APPLIED = "config.applied", "Config applied"
    REVERTED = "config.reverted", "Config reverted"
    REVERT_FAILED = "config.revert_failed", "Config revert failed"
    #: Nobody chooses it: it is sent on request.
    TEST = "test", "Test"


#: What a webhook can be asked to tell.
CHOSEN_KINDS: tuple[Kind, ...] = tuple(kind for kind in Kind if kind is not Kind.TEST)

#: Kinds that are about workloads, which a filter by queue concerns.
WORKLOAD_KINDS: tuple[Kind, ...] = (Kind.REJECTED, Kind.CANNOT_RUN, Kind.PREEMPTED)


class Webhook(models.Model):
    """An address that is told what happens in an organization."""

    class Paused(models.TextChoices):
        """Why nothing is sent."""

        BY_HAND = "by_hand"
        #: It failed for days.
        FAILING = "failing"
        #: The receiver answered 410: it wants nothing any more.
        GONE = "gone"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="webhooks")
    name = models.CharField(max_length=100)
    url = models.CharField(max_length=1000)
    #: Values of `Kind`.
    kinds = models.JSONField(default=list)
    #: Names of queues whose workloads it is told of; [] for those of all, and of none.
    queues = models.JSONField(default=list)
    #: From these the secrets are derived, see `console.webhooks.signing`; the older one, empty
    #: or not, signs too until *old_seed_until*.
    seed = models.CharField(max_length=32, default=new_seed)
    old_seed = models.CharField(max_length=32, blank=True)
    old_seed_until = models.DateTimeField(null=True)
    #: Empty while it is told.
    paused = models.CharField(max_length=10, choices=Paused.choices, blank=True)
    paused_at = models.DateTimeField(null=True)
    created_by = models.CharField(max_length=254)
    created_at = models.DateTimeField(default=timezone.now)

    #: When it, or anything of its log, last changed: pages compare it.
    changed_at = models.DateTimeField(default=timezone.now)

    # how it goes, written by the workers
    #: Attempts that failed since the last that went well, and since when.
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    #: Until then nothing is tried, because the last attempt failed.
    rest_until = models.DateTimeField(null=True)
    last_success_at = models.DateTimeField(null=True)
    #: The shard: which worker sends to it, and until when that is believed.
    runner = models.CharField(max_length=32, blank=True)
    busy_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["org", "name"], name="one_webhook_per_name")]

    def __str__(self) -> str:
        return f"{self.name} of {self.org}"


class Delivery(models.Model):
    """
    One message for one webhook: a row of the outbox first, an entry of its log afterwards.

    *body* does not change once it was tried.
    """

    class State(models.TextChoices):
        """How far it is."""

        WAITING = "waiting"
        DELIVERED = "delivered"
        #: Every attempt failed; it is given up.
        FAILED = "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    uid = models.CharField(max_length=40, unique=True, default=new_uid)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    #: What it tells in one sentence.
    summary = models.CharField(max_length=300)
    #: JSON, as it is signed and sent.
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: When it may be tried; while it is being tried, when that is no longer believed.
    due_at = models.DateTimeField(default=timezone.now)
    #: How many attempts were begun: who begins one changes this number, so that nobody else can.
    attempts_begun = models.PositiveIntegerField(default=0)
    #: Those of them before somebody asked for it to be sent again.
    attempts_before = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["webhook", "-id"], name="delivery_newest"),
            models.Index(fields=["webhook", "state", "-id"], name="delivery_by_state"),
            models.Index(fields=["webhook", "kind", "-id"], name="delivery_by_kind"),
            models.Index(fields=["webhook", "state", "kind", "-id"], name="delivery_by_both"),
            models.Index(
                fields=["webhook", "due_at"],
                condition=models.Q(state="waiting"),
                name="delivery_due",
            ),
            models.Index(fields=["created_at"], name="delivery_oldest"),
        ]

    def __str__(self) -> str:
        return f"{self.uid}: {self.kind}, {self.state}"


class Attempt(models.Model):
    """One request that was begun, and what came of it; without an end its worker is gone."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    #: From 1.
    number = models.PositiveIntegerField()
    begun_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    #: Where it was sent to, and the address that was connected to.
    url = models.CharField(max_length=1000)
    address = models.CharField(max_length=45, blank=True)
    #: The answer's status; None when none came.
    status = models.PositiveIntegerField(null=True)
    #: A value of `console.webhooks.outcome.Failure`; empty when it went well.
    failure = models.CharField(max_length=20, blank=True)
    #: What the machine said of it, where that helps.
    detail = models.CharField(max_length=300, blank=True)
    #: The beginning of the answer.
    response_headers = models.JSONField(default=list)
    response = models.TextField(blank=True)
    #: The headers that were sent, as [[name, value]], without their signature.
    request_headers = models.JSONField(default=list)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["delivery", "number"], name="one_attempt_per_number")
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.delivery_id}"


class ToldClass(models.Model):
    """A class of pending workloads of which was told that it can never run, while that is so."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="told_classes")
    #: `console.workloads.models.PendingClass.key`.
    key = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "key"], name="one_row_per_told_class")
        ]

    def __str__(self) -> str:
        return self.key
