"""
The nudge: ask for admission after commit. Losing one delays a decision and can never lose it.

Who is nudged stands in a list of their lane in the broker, and one message tells a worker to look
at all of it: to carry a message for each of them costs as much as to decide what it is about.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from typing import Final

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from redis.commands.core import Script

from console import broker
from console.celery import lane_of

ADMIT: Final = "console.workloads.tasks.admit"

#: Seconds for which a lane's message is believed to be on its way, or its worker to be at it.
_BELIEVED: Final = 2

#: Puts ARGV[1] at the end of the list KEYS[1], unless it is there, and answers whether a message
#: is wanted: KEYS[2] says for ARGV[2] seconds that there is one.
_PUT: Final = """
local now = redis.call('TIME')
redis.call('ZADD', KEYS[1], 'NX', now[1] * 1000000 + now[2], ARGV[1])
return redis.call('SET', KEYS[2], 1, 'NX', 'EX', ARGV[2]) and 1 or 0
"""

#: Takes the first from the list KEYS[1]. Where there is none, whoever comes next wants a message:
#: in one step with finding none, or nobody would look at who came in between.
_TAKE: Final = """
local first = redis.call('ZPOPMIN', KEYS[1])
if first[1] then
  redis.call('SET', KEYS[2], 1, 'EX', ARGV[1])
else
  redis.call('DEL', KEYS[2])
end
return first[1]
"""

log = structlog.get_logger("console.nudge")


def request_admission(org_id: int) -> None:
    """Ask for a run of the organization's engine once the present transaction commits."""
    transaction.on_commit(partial(send, org_id))


def send(org_id: int) -> None:
    """Put an organization at the end of its lane's list, and have a worker look at that."""
    put(org_id, lane_of(org_id))


def put(org_id: int, lane: str) -> None:
    """Do so in any lane: which one it is saves time, and nothing depends on it."""
    with _unless_down(org=org_id):
        if _script(broker.client(), _PUT)(keys=_keys(lane), args=[org_id, _BELIEVED]):
            _wake(lane)


def wake(lane: str) -> None:
    """Have a worker look at a lane's list, in the turn of the lane."""
    with _unless_down(lane=lane):
        _wake(lane)


def next_of(lane: str) -> int | None:
    """
    Take the organization that waits longest from a lane's list; None when nobody does.

    What is accepted for it from now on nudges it again.
    """
    found = None
    with _unless_down(lane=lane):
        found = _script(broker.client(), _TAKE)(keys=_keys(lane), args=[_BELIEVED])
    return None if found is None else int(found)


def _wake(lane: str) -> None:
    current_app.send_task(ADMIT, args=[lane], queue=lane, expires=60)


@contextmanager
def _unless_down(**about: object) -> Iterator[None]:
    """Log rather than raise that the broker is down: the rows are there, and the sweep looks."""
    try:
        yield
    except (OperationalError, RedisError) as error:
        log.warning("no nudge, the sweep asks again", **about, error=str(error))


def _keys(lane: str) -> list[str]:
    return [f"sluice:nudged:{lane}", f"sluice:awake:{lane}"]


@lru_cache(maxsize=2)
def _script(client: Redis, text: str) -> Script:
    return client.register_script(text)
