"""Wakeups for deliveries, sent after the commit; the sweep finds due deliveries without them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import RedisError

from console import broker
from console.celery import WEBHOOKS
from console.queue_backlog import is_full

DELIVER = "console.webhooks.tasks.deliver"

#: Seconds for which further wakeups of a webhook are dropped while one is queued.
_COALESCED = 5

log = structlog.get_logger("console.webhooks")


def request_delivery(webhook_ids: Iterable[int]) -> None:
    """Send wakeups for deliveries when the current transaction commits."""
    transaction.on_commit(partial(send, tuple(webhook_ids)))


def send(webhook_ids: Iterable[int]) -> None:
    """
    Enqueue a task for each webhook that has none in the queue.

    An error of the broker is logged and not raised, because the sweep finds the rows.
    """
    try:
        with broker.circuit_breaker():
            for webhook_id in webhook_ids:
                if broker.client().set(_key(webhook_id), 1, nx=True, ex=_COALESCED):
                    _enqueue(webhook_id)
    except (OperationalError, RedisError) as error:
        log.warning("delivery wakeup not sent, left to the sweep", error=str(error))


def _enqueue(webhook_id: int) -> None:
    if not is_full(WEBHOOKS):
        current_app.send_task(DELIVER, args=[webhook_id], queue=WEBHOOKS, expires=60)


def received(webhook_id: int) -> None:
    """Record that the task has started: later commits need another wakeup."""
    try:
        broker.client().delete(_key(webhook_id))
    except RedisError as error:
        log.warning("wakeup marker not cleared, it expires", error=str(error))


def _key(webhook_id: int) -> str:
    return f"sluice:webhook:{webhook_id}"
