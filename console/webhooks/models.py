"""Models of webhooks, their deliveries and attempts."""

from __future__ import annotations

import secrets

from django.db import models
from django.utils import timezone

from console.orgs.models import Membership, Organization


def new_uid() -> str:
    """Return a new id of a delivery, with which receivers recognize a retry."""
    return f"msg_{secrets.token_hex(12)}"


def new_seed() -> str:
    """Return a new seed, from which a secret is derived."""
    return secrets.token_hex(16)


class Kind(models.TextChoices):
    """Kinds of messages."""

    ADMITTED = "workload.admitted", "Workload admitted"
    REJECTED = "workload.rejected", "Workload rejected"
    CANNOT_RUN = "workload.cannot_run", "Workload can never run"
    PREEMPTED = "workload.preempted", "Workload preempted"
    APPLIED = "config.applied", "Config applied"
    REVERTED = "config.reverted", "Config reverted"
    REVERT_FAILED = "config.revert_failed", "Config revert failed"
    CHANGE_FAILED = "config.change_failed", "Scheduled change not made"
    REVIEW_REQUESTED = "config.review_opened", "Config review requested"
    APPROVED = "config.approved", "Config change approved"
    CHANGES_REQUESTED = "config.needs_changes", "Config changes requested"
    #: Not selectable: the messages of a day about workloads of one person.
    DIGEST = "workload.digest", "Daily digest"
    #: Not selectable: they are sent on request.
    TEST = "test", "Test"
    CONFIRM = "address.confirm", "Confirmation of your address"


#: Kinds that members can select for e-mail about their own workloads.
MEMBER_KINDS: tuple[Kind, ...] = (Kind.ADMITTED, Kind.REJECTED, Kind.CANNOT_RUN, Kind.PREEMPTED)

#: Kinds that can be selected for a webhook. Executors read admissions from the feed of decisions.
CHOSEN_KINDS: tuple[Kind, ...] = tuple(
    kind for kind in Kind if kind not in (Kind.ADMITTED, Kind.DIGEST, Kind.TEST, Kind.CONFIRM)
)

#: Kinds about workloads, which are added to a delivery that waits.
WORKLOAD_KINDS: tuple[Kind, ...] = (*MEMBER_KINDS, Kind.DIGEST)


class Format(models.TextChoices):
    """Formats of the requests to a receiver."""

    #: A signed JSON text for a program.
    JSON = "json", "JSON, signed"
    #: A sentence and a link, for incoming webhooks of Slack and of chats that accept the same.
    SLACK = "slack", "Message for Slack"


class Webhook(models.Model):
    """
    A receiver of messages about an organization: a program, a chat, or a member, by e-mail.

    Receivers of all kinds have the same outbox, log, attempts and retries.
    """

    class Paused(models.TextChoices):
        """Why a webhook is paused."""

        BY_HAND = "by_hand"
        #: All attempts failed for days.
        FAILING = "failing"
        #: The receiver answered 410 (gone).
        GONE = "gone"

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="webhooks")
    #: The member who gets e-mail about own workloads; None for a webhook. It has no URL and queues.
    member = models.OneToOneField(
        Membership, null=True, on_delete=models.CASCADE, related_name="subscription"
    )
    #: Whether the messages of a day are one e-mail.
    is_digest = models.BooleanField(default=False, db_default=False)
    name = models.CharField(max_length=100)
    url = models.CharField(max_length=1000)
    #: Chosen when the webhook is created.
    format = models.CharField(
        max_length=10, choices=Format.choices, default=Format.JSON, db_default=Format.JSON
    )
    #: Values of `Kind`.
    kinds = models.JSONField(default=list)
    #: Names of queues whose workloads are reported; [] for all queues, and workloads without a
    #: queue.
    queues = models.JSONField(default=list)
    #: Seeds of the secrets, see `console.webhooks.signing`. Until *old_seed_until*, the older one,
    #: if there is one, also signs.
    seed = models.CharField(max_length=32, default=new_seed)
    old_seed = models.CharField(max_length=32, blank=True)
    old_seed_until = models.DateTimeField(null=True)
    #: Empty while the webhook is active.
    paused = models.CharField(max_length=10, choices=Paused.choices, blank=True)
    paused_at = models.DateTimeField(null=True)
    created_by = models.CharField(max_length=254)
    created_at = models.DateTimeField(default=timezone.now)

    #: Last change of the webhook or its log; pages compare it.
    changed_at = models.DateTimeField(default=timezone.now)

    # State of the deliveries, written by the workers.
    #: Number of failed attempts since the last success, and the time of the first.
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True)
    #: Time of the next attempt after a failure.
    rest_until = models.DateTimeField(null=True)
    last_success_at = models.DateTimeField(null=True)
    #: The lease: the worker that sends to it, and the expiry.
    runner = models.CharField(max_length=32, blank=True)
    busy_until = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["org", "name"], name="one_webhook_per_name")]

    def __str__(self) -> str:
        return f"{self.name} of {self.org}"


class Delivery(models.Model):
    """
    One message for one webhook: first a row of the outbox, then an entry of the log.

    *body* does not change after the first attempt.
    """

    class State(models.TextChoices):
        """State of the delivery."""

        WAITING = "waiting"
        DELIVERED = "delivered"
        #: All attempts failed; there are no further ones.
        FAILED = "failed"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    uid = models.CharField(max_length=40, unique=True, default=new_uid)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    #: The message in one sentence.
    summary = models.CharField(max_length=300)
    #: The message in the JSON format; `console.webhooks.formats` converts it to others.
    body = models.TextField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    #: Time of the next attempt; during an attempt, its expiry.
    due_at = models.DateTimeField(default=timezone.now)
    #: Number of attempts started. A worker increments it to start one, so that no other worker
    #: starts the same attempt.
    attempts_begun = models.PositiveIntegerField(default=0)
    #: Number of attempts before the last replay.
    attempts_before = models.PositiveIntegerField(default=0)
    #: When a mail server was given the message without having answered yet. A message in this state
    #: may have arrived, and is not sent again.
    handed_over_at = models.DateTimeField(null=True)
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
    """One request and its result; without an end, its worker has ended."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    #: From 1.
    number = models.PositiveIntegerField()
    begun_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)
    #: The URL, and the IP address of the connection.
    url = models.CharField(max_length=1000)
    address = models.CharField(max_length=45, blank=True)
    #: Status of the response; None without a response.
    status = models.PositiveIntegerField(null=True)
    #: A value of `console.webhooks.outcome.Failure`; empty on success.
    failure = models.CharField(max_length=20, blank=True)
    #: The error message of the system, where it helps.
    detail = models.CharField(max_length=300, blank=True)
    #: The beginning of the response.
    response_headers = models.JSONField(default=list)
    response = models.TextField(blank=True)
    #: The headers of the request, as [[name, value]], without the signature.
    request_headers = models.JSONField(default=list)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["delivery", "number"], name="one_attempt_per_number")
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.delivery_id}"


class ToldClass(models.Model):
    """A class of pending workloads that cannot run and was reported as such."""

    org = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="told_classes")
    #: `console.workloads.models.PendingClass.key`.
    key = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["org", "key"], name="one_row_per_told_class")
        ]

    def __str__(self) -> str:
        return self.key
