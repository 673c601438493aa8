"""
Messages that nobody wants any more are told by the broker's clock.

Celery has the sender's clock say when a message expires, and the worker's when that is: a worker
whose clock is ahead would take what others are waiting for and throw it away, and so would all
others with what comes from somebody whose clock is behind.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from celery import Task
from celery.app.amqp import AMQP
from celery.worker.request import Request
from redis import RedisError

from console import broker
from console.reconnecting import PromptConnection


def broker_now() -> datetime | None:
    """Return the time on the broker's clock; None while the broker does not answer."""
    try:
        seconds, microseconds = broker.client().time()
    except RedisError:
        return None
    return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=microseconds)


class Messages(AMQP):
    """Says by the broker's clock until when a message is wanted."""

    Connection = PromptConnection

    def as_task_v2(self, *args: Any, **kwargs: Any) -> Any:
        """Return the message of a task."""
        return super().as_task_v2(*args, **{"now": broker_now()} | kwargs)


class ReceivedTask(Request):
    """Is thrown away once the broker's clock says so."""

    def maybe_expire(self) -> bool:
        """Say whether it is too late for it; with no clock to ask it is carried out."""
        now = broker_now()
        return bool(self.expires and now and now > self.expires)


class ExpiringTask(Task):
    """A task whose messages are received in this way."""

    Request = ReceivedTask
