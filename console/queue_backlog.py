"""
Backlog of message queues: full queues, which no worker reads, get no more periodic messages.

An expired message stays in the broker until a worker receives it. Without a worker, the messages of
beat would fill the broker's memory in the end, and a worker that starts later would have to discard
them first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import structlog
from celery import current_app
from redis import RedisError

from console import broker

#: Messages at which a queue is full; races may add a few. Messages only wake up workers, so one
#: that is not sent loses no work.
MAX_MESSAGES: Final = 10_000

log = structlog.get_logger("console.queue_backlog")

#: Full queues that this process has logged.
_logged: set[str] = set()


def full_queues(queues: Iterable[str]) -> list[str]:
    """Return those of *queues* that have `MAX_MESSAGES` messages or more; raises RedisError."""
    asked = list(queues)
    with broker.client().pipeline(transaction=False) as pipeline:
        for queue in asked:
            pipeline.llen(queue)
        waiting = pipeline.execute()
    return [queue for queue, count in zip(asked, waiting, strict=True) if count >= MAX_MESSAGES]


def is_full(queue: str) -> bool:
    """Return whether *queue* is full, and log that once; False while the broker is down."""
    try:
        found = full_queues([queue])
    except RedisError:
        # The sender gets the same error.
        return False
    if not found:
        _logged.discard(queue)
        return False
    if queue not in _logged:
        _logged.add(queue)
        log.warning("queue is full", queue=queue, waiting=MAX_MESSAGES)
    return True


def send_to_each(task: str, org_ids: Iterable[int], queue: str, expires: int) -> None:
    """Send *task* for each organization, expiring in *expires* seconds, unless *queue* is full."""
    if is_full(queue):
        return
    for org_id in org_ids:
        current_app.send_task(task, args=[org_id], queue=queue, expires=expires)
