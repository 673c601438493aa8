"""
Queues of messages from which nobody takes: little more is sent to them.

A message that expired stays in the broker until some worker receives it. Without any, what the
clock sends would take all of the broker's memory in the end, and a worker that comes at last
would have to go through it first.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import structlog
from celery import current_app
from redis import RedisError

from console import broker

#: Messages that wait in one queue at most, or a few more: none that is lost loses work.
MOST: Final = 10_000

log = structlog.get_logger("console.piles")

#: Piles that this process has told of, each once.
_told: set[str] = set()


def piles(queues: Iterable[str]) -> list[str]:
    """Return those of *queues* in which `MOST` messages wait; raises RedisError."""
    asked = list(queues)
    with broker.client().pipeline(transaction=False) as pipeline:
        for queue in asked:
            pipeline.llen(queue)
        waiting = pipeline.execute()
    return [queue for queue, count in zip(asked, waiting, strict=True) if count >= MOST]


def is_pile(queue: str) -> bool:
    """Say whether *queue* is a pile, once to the log, too; not while the broker is away."""
    try:
        found = piles([queue])
    except RedisError:
        # Whoever sends is told.
        return False
    if not found:
        _told.discard(queue)
        return False
    if queue not in _told:
        _told.add(queue)
        log.warning("nobody takes messages", queue=queue, waiting=MOST)
    return True


def send_each(task: str, org_ids: Iterable[int], queue: str, expires: int) -> None:
    """Have *task* done for each organization within *expires* seconds, unless *queue* is a pile."""
    if is_pile(queue):
        return
    for org_id in org_ids:
        current_app.send_task(task, args=[org_id], queue=queue, expires=expires)
