"""
Expiry of Celery messages by the broker's clock.

Celery computes the expiry by the sender's clock and compares it with the worker's clock. A worker
whose clock is ahead would discard messages that are still valid, and all workers would discard the
messages of a sender whose clock is behind.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from celery import Task
from celery.app.amqp import AMQP
from celery.worker.request import Request
from redis import RedisError

from console import broker
from console.reconnecting import PromptConnection

#: Seconds for which a reply of the broker is cached and advanced by the monotonic clock.
CACHE_SECONDS: Final = 1


class BrokerClock:
    """Clock of the broker, with a cache so that not every message costs a request."""

    def __init__(self) -> None:
        self._answer: tuple[float, datetime] | None = None

    def now(self) -> datetime | None:
        """Return the broker's time; None while the broker does not answer."""
        monotonic = time.monotonic()
        answer = self._answer
        if answer is None or monotonic - answer[0] > CACHE_SECONDS:
            try:
                seconds, microseconds = broker.client().time()
            except RedisError:
                self._answer = None
                return None
            shown = datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=microseconds)
            answer = self._answer = (monotonic, shown)
        asked, shown = answer
        return shown + timedelta(seconds=monotonic - asked)


_CLOCK: Final = BrokerClock()


class BrokerClockAMQP(AMQP):
    """AMQP layer of Celery that computes the expiry of messages by the broker's clock."""

    Connection = PromptConnection

    def as_task_v2(self, *args: Any, **kwargs: Any) -> Any:
        """Return the message of a task, as Celery builds it."""
        return super().as_task_v2(*args, **{"now": _CLOCK.now()} | kwargs)


class ReceivedTask(Request):
    """Received task that is discarded if it has expired by the broker's clock."""

    def maybe_expire(self) -> bool:
        """Return whether the task has expired; False while the broker's clock is unknown."""
        now = _CLOCK.now()
        return bool(self.expires and now and now > self.expires)


class ExpiringTask(Task):
    """Task class whose messages are received as `ReceivedTask`."""

    Request = ReceivedTask
