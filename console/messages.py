"""
Messages that nobody wants any more are told by the broker's clock.

Celery has the sender's clock say when a message expires, and the worker's when that is: a worker
whose clock is ahead would take what others are waiting for and throw it away, and so would all
others with what comes from somebody whose clock is behind.
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

#: Seconds for which an answer of the broker is carried on, by a clock that nobody can set.
CARRIED_ON: Final = 1


class BrokerClock:
    """The broker's clock, which is not asked for each of many messages."""

    def __init__(self) -> None:
        self._answer: tuple[float, datetime] | None = None

    def now(self) -> datetime | None:
        """Return the time that it shows; None while the broker does not answer."""
        monotonic = time.monotonic()
        answer = self._answer
        if answer is None or monotonic - answer[0] > CARRIED_ON:
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


class Messages(AMQP):
    """Says by the broker's clock until when a message is wanted."""

    Connection = PromptConnection

    def as_task_v2(self, *args: Any, **kwargs: Any) -> Any:
        """Return the message of a task."""
        return super().as_task_v2(*args, **{"now": _CLOCK.now()} | kwargs)


class ReceivedTask(Request):
    """Is thrown away once the broker's clock says so."""

    def maybe_expire(self) -> bool:
        """Say whether it is too late for it; with no clock to ask it is carried out."""
        now = _CLOCK.now()
        return bool(self.expires and now and now > self.expires)


class ExpiringTask(Task):
    """A task whose messages are received in this way."""

    Request = ReceivedTask
