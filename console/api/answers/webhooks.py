"""Response bodies of webhooks and their deliveries."""

from __future__ import annotations

from typing import Any

from console.api.answers.times import time_answer
from console.webhooks.disclosed import disclosed_address, disclosed_detail
from console.webhooks.formats import sent_text
from console.webhooks.models import Attempt, Delivery, Webhook


def webhook_answer(webhook: Webhook) -> dict[str, Any]:
    """Return a webhook, without its secret."""
    return {
        "id": str(webhook.pk),
        "name": webhook.name,
        "url": webhook.url,
        "format": webhook.format,
        "kinds": webhook.kinds,
        "queues": webhook.queues,
        "paused": webhook.paused or None,
        "failures": webhook.failures,
        "failing_since": time_answer(webhook.failing_since),
        "last_success_at": time_answer(webhook.last_success_at),
        "old_secret_until": time_answer(webhook.old_seed_until),
        "created_by": webhook.created_by,
        "created_at": time_answer(webhook.created_at),
    }


def delivery_summary(delivery: Delivery) -> dict[str, Any]:
    """Return the summary of a delivery."""
    waits = delivery.state == Delivery.State.WAITING
    return {
        "id": delivery.uid,
        "type": delivery.kind,
        "summary": delivery.summary,
        "state": delivery.state,
        "attempts": delivery.attempts_begun,
        "next_attempt_at": time_answer(delivery.due_at) if waits else None,
        "created_at": time_answer(delivery.created_at),
        "ended_at": time_answer(delivery.ended_at),
    }


def delivery_answer(webhook: Webhook, delivery: Delivery) -> dict[str, Any]:
    """Return a delivery of *webhook* with its body and its attempts."""
    return {
        **delivery_summary(delivery),
        "body": sent_text(webhook, delivery),
        "tries": [_attempt_answer(each) for each in delivery.attempts.all()],
    }


def _attempt_answer(attempt: Attempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "begun_at": time_answer(attempt.begun_at),
        "ended_at": time_answer(attempt.ended_at),
        "url": attempt.url,
        "address": disclosed_address(attempt),
        "status": attempt.status,
        "failure": attempt.failure or None,
        "detail": disclosed_detail(attempt),
        "response": attempt.response,
    }
