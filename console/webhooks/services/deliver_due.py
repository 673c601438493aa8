"""
Send the due deliveries of one webhook, one request at a time.

Two rows prevent that workers send the same delivery. The lease of the webhook names the worker
that sends to it, so that a slow receiver blocks one worker and not all. The number of attempts
started decides which worker makes an attempt: the one that increments it. An attempt is stored
before it is sent. If its worker is killed, the attempt has no end, and the delivery is due again
when the attempt expires. So each delivery is sent at least once, with the same id.

E-mail is sent at most once, because readers cannot recognize a repeated one: the row is marked
before a mail server gets the text, and a marked delivery whose worker has ended is not sent again.
An address that its owner has not confirmed gets nothing but the e-mail that asks for this.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import partial

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from console.webhooks.formats import sent_text
from console.webhooks.mail import send_mail
from console.webhooks.models import Attempt, Delivery, Format, Kind, Webhook
from console.webhooks.outcome import Answer, Failure
from console.webhooks.sending import send
from console.webhooks.services.pause_automatically import pause_automatically
from console.webhooks.signing import signatures_of
from console.webhooks.waits import (
    ATTEMPT_EXPIRY,
    MAIL_INTERVAL,
    PATIENCE,
    backoff_after,
    requested_wait,
    retry_after,
    with_jitter,
)

#: Maximum number of webhooks of one organization that are sent to concurrently, for fairness.
_MOST_CONCURRENT = 4

_AGENT = "Sluice-Webhooks/1"

log = structlog.get_logger("console.webhooks")


def deliver_due(webhook_id: int, seconds: float = 20) -> int:
    """
    Send the due deliveries of a webhook for about *seconds*; return the number of attempts.

    Returns 0 immediately if another worker sends to it, if it backs off after a failure or is
    paused, or if its organization is at the limit of concurrent webhooks.
    """
    runner = _claim(webhook_id)
    if runner is None:
        return 0
    deadline = time.monotonic() + seconds
    made = 0
    try:
        while time.monotonic() < deadline:
            begun = _begin(webhook_id, runner)
            if begun is None:
                break
            made += 1
            if not _send(*begun):
                break
    finally:
        Webhook.objects.filter(pk=webhook_id, runner=runner).update(runner="", busy_until=None)
    return made


def has_due(webhook_id: int) -> bool:
    """Return whether a webhook has a delivery that can be sent now."""
    return _deliverable(timezone.now()).filter(pk=webhook_id).exists()


def due_webhooks(most: int) -> list[int]:
    """Return at most *most* webhooks with a delivery that can be sent now."""
    return list(_deliverable(timezone.now()).order_by("pk").values_list("pk", flat=True)[:most])


def _deliverable(now: datetime) -> QuerySet[Webhook]:
    due = Delivery.objects.filter(state=Delivery.State.WAITING, due_at__lte=now)
    rested = Q(rest_until=None) | Q(rest_until__lte=now)
    mailed = Q(member=None)
    if settings.EMAIL_HOST:
        asked = due.filter(kind=Kind.CONFIRM)
        mailed |= Q(member__user__address_confirmed_at__isnull=False)
        mailed |= Q(pk__in=asked.values("webhook_id"))
    return Webhook.objects.filter(
        rested, mailed, _free(now), paused="", pk__in=due.values("webhook_id").distinct()
    )


def _free(now: datetime) -> Q:
    return Q(busy_until=None) | Q(busy_until__lte=now)


def _claim(webhook_id: int) -> str | None:
    """Take the lease of a webhook with a due delivery; None if it is not available."""
    now = timezone.now()
    row = _deliverable(now).filter(pk=webhook_id).values_list("org_id", flat=True).first()
    if row is None:
        return None
    busy = Webhook.objects.filter(org_id=row, busy_until__gt=now)
    if busy.count() >= _MOST_CONCURRENT:
        return None
    runner = secrets.token_hex(8)
    mine = Webhook.objects.filter(_free(now), pk=webhook_id)
    return runner if mine.update(runner=runner, busy_until=now + ATTEMPT_EXPIRY) else None


def _begin(webhook_id: int, runner: str) -> tuple[Webhook, Delivery, Attempt] | None:
    """Store an attempt of the oldest due delivery; None if there is none."""
    now = timezone.now()
    with transaction.atomic():
        mine = Webhook.objects.filter(pk=webhook_id, runner=runner, paused="")
        if not mine.update(busy_until=now + ATTEMPT_EXPIRY, changed_at=now):
            return None
        webhook = mine.select_related("org", "member__user").get()
        all_due = Delivery.objects.filter(
            webhook_id=webhook_id, state=Delivery.State.WAITING, due_at__lte=now
        )
        if webhook.member is not None and webhook.member.user.address_confirmed_at is None:
            all_due = all_due.filter(kind=Kind.CONFIRM)
        _give_up_uncertain(all_due.exclude(handed_over_at=None), now)
        due = all_due.filter(handed_over_at=None)
        delivery = due.order_by("due_at", "pk").first()
        if delivery is None:
            return None
        claimed = due.filter(pk=delivery.pk, attempts_begun=delivery.attempts_begun).update(
            attempts_begun=F("attempts_begun") + 1, due_at=now + ATTEMPT_EXPIRY
        )
        if not claimed:
            return None
        # Messages added in the meantime are sent with it.
        delivery.refresh_from_db()
        attempt = Attempt.objects.create(
            delivery=delivery,
            number=delivery.attempts_begun,
            begun_at=now,
            url=_address(webhook),
            request_headers=[list(pair) for pair in _headers(delivery, now).items()]
            if webhook.member is None
            else [],
        )
    return webhook, delivery, attempt


def _give_up_uncertain(deliveries: QuerySet[Delivery], now: datetime) -> None:
    """End expired deliveries that a mail server may have accepted."""
    keys = list(deliveries.values_list("pk", flat=True))
    if keys:
        open_attempts = Attempt.objects.filter(delivery__in=keys, ended_at=None)
        open_attempts.update(ended_at=now, failure=Failure.UNCERTAIN)
        deliveries.update(state=Delivery.State.FAILED, ended_at=now)


def _address(webhook: Webhook) -> str:
    return webhook.url if webhook.member is None else f"mailto:{webhook.member.user.email}"


def _headers(delivery: Delivery, now: datetime) -> dict[str, str]:
    return {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": _AGENT,
        "webhook-id": delivery.uid,
        "webhook-timestamp": str(int(now.timestamp())),
    }


def _send(webhook: Webhook, delivery: Delivery, attempt: Attempt) -> bool:
    """Send a delivery, store the result, and return whether another one can follow at once."""
    if webhook.member is not None:
        mailed = send_mail(webhook, delivery, partial(_hand_over, delivery, attempt))
        if mailed is not None:
            _record_result(webhook, delivery, attempt, mailed)
        return False
    body = sent_text(webhook, delivery).encode()
    now = attempt.begun_at
    seconds = int(now.timestamp())
    headers = _headers(delivery, now)
    if webhook.format == Format.JSON:
        headers["webhook-signature"] = signatures_of(webhook, delivery.uid, seconds, body, now)
    answer = send(webhook.url, body, headers, settings.WEBHOOK_ALLOWED_NETWORKS)
    _record_result(webhook, delivery, attempt, answer)
    return answer.failure is None


def _hand_over(delivery: Delivery, attempt: Attempt) -> bool:
    """Mark *delivery*, unless another worker has it because *attempt* expired."""
    mine = Delivery.objects.filter(
        pk=delivery.pk,
        state=Delivery.State.WAITING,
        attempts_begun=attempt.number,
        handed_over_at=None,
    )
    return bool(mine.update(handed_over_at=timezone.now()))


def _record_result(webhook: Webhook, delivery: Delivery, attempt: Attempt, answer: Answer) -> None:
    now = timezone.now()
    facts: Mapping[str, object] = {
        "ended_at": now,
        "address": answer.address,
        "status": answer.status,
        "failure": answer.failure or "",
        "detail": answer.detail,
        "response_headers": [list(pair) for pair in answer.headers],
        "response": answer.body,
    }
    with transaction.atomic():
        # The row of the webhook is locked before those of its log, as in all transactions.
        rows = Webhook.objects.select_for_update(no_key=True, of=("self",))
        rows = rows.select_related("org", "member__user")
        present = rows.filter(pk=webhook.pk).first()
        if present is None:
            # Deleted with its log.
            return
        Attempt.objects.filter(pk=attempt.pk).update(**facts)
        # A worker whose attempt has expired only reports success.
        own = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.WAITING)
        if answer.failure is None:
            own.update(state=Delivery.State.DELIVERED, ended_at=now)
        else:
            asked = requested_wait(answer.status, answer.retry_after, now)
            # The same is true of an attempt from before a replay.
            mine = own.filter(
                attempts_begun=attempt.number, attempts_before=delivery.attempts_before
            )
            wait = retry_after(attempt.number - delivery.attempts_before)
            if wait is None or answer.failure is Failure.UNCERTAIN:
                mine.update(state=Delivery.State.FAILED, ended_at=now)
            else:
                mine.update(due_at=now + max(with_jitter(wait), asked), handed_over_at=None)
        if _address(present) != attempt.url:
            # The result does not apply to a new URL.
            Webhook.objects.filter(pk=webhook.pk).update(changed_at=now)
        elif answer.failure is None:
            _record_success(present, now)
        else:
            _record_failure(present, answer.failure, asked, now)


def _record_success(webhook: Webhook, now: datetime) -> None:
    Webhook.objects.filter(pk=webhook.pk).update(
        failures=0,
        failing_since=None,
        rest_until=None if webhook.member is None else now + MAIL_INTERVAL,
        last_success_at=now,
        changed_at=now,
    )


def _record_failure(webhook: Webhook, failure: Failure, asked: timedelta, now: datetime) -> None:
    """
    Start the back-off of a failed webhook, of at least *asked*.

    The webhook is paused if it has failed for days, or immediately if its receiver answered 410.
    """
    since = webhook.failing_since or now
    failures = webhook.failures + 1
    Webhook.objects.filter(pk=webhook.pk).update(
        failures=failures,
        failing_since=since,
        rest_until=now + max(with_jitter(backoff_after(failures)), asked),
        changed_at=now,
    )
    log.info("webhook failed", org=webhook.org.slug, webhook=webhook.name, failure=str(failure))
    if webhook.member is not None:
        # A mail server that is down is not the fault of its members.
        return
    if failure is Failure.GONE:
        pause_automatically(webhook, Webhook.Paused.GONE, now)
    elif now - since >= PATIENCE:
        pause_automatically(webhook, Webhook.Paused.FAILING, now)
