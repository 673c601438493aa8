"""
Wakeups: requests to run the engine of an organization, sent after commit.

A lost wakeup delays a decision and never loses it. An organization with a wakeup waits in the
set of its shard in the broker, ordered by time of arrival. One message makes a worker process
the whole set: a message for each organization would cost as much as its decision.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import Redis, RedisError
from redis.commands.core import Script

from console import broker
from console.celery import SHARDS, shard_of
from console.queue_backlog import is_full

ADMIT: Final = "console.workloads.tasks.admit"

#: Seconds for which an undelivered message counts as on its way.
_MESSAGE_SECONDS: Final = 5

#: Maximum number of seconds for which an organization gives way to others. If one seems to have
#: more to wait, the clock of the broker was set back after its arrival.
LONGEST: Final = 10

#: Records that a message is on its way: sets KEYS[2] to its name for ARGV[1] seconds. Returns the
#: name, or nothing if another message is on its way.
_MARK_SENT: Final = """
local now = redis.call('TIME')
local name = string.format('%.0f', now[1] * 1000000 + now[2])
return redis.call('SET', KEYS[2], name, 'NX', 'EX', ARGV[1]) and name
"""

#: Adds ARGV[2] to the set KEYS[1] with an arrival time ARGV[4] microseconds from now. ARGV[3] is NX
#: to keep the time of a present member, or GT to only increase it.
_PUT: Final = f"""
local came = redis.call('TIME')
redis.call('ZADD', KEYS[1], ARGV[3], came[1] * 1000000 + came[2] + ARGV[4], ARGV[2])
{_MARK_SENT}
"""

#: Removes the organization that has waited longest from the set KEYS[1] and returns it. If its
#: time is in the future, by at most ARGV[1] microseconds, and that of an organization in another
#: set has come, it stays, and the index of the key of that set is returned, as a number.
_TAKE: Final = """
local function first(key)
  local found = redis.call('ZRANGE', key, 0, 0, 'WITHSCORES')
  return found[1], tonumber(found[2])
end
local org, came = first(KEYS[1])
if not org then
  return false
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if came > now and came - now <= tonumber(ARGV[1]) then
  for other = 2, #KEYS do
    local found, since = first(KEYS[other])
    if found and since <= now then
      return other
    end
  end
end
redis.call('ZREM', KEYS[1], org)
return org
"""

#: Records the arrival of message ARGV[1]; returns 0 if a later one replaces it.
_BEGIN: Final = """
local name = redis.call('GET', KEYS[2])
if name and name ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[2])
return 1
"""

#: Requests a message if the set KEYS[1] is not empty.
_MARK_IF_WAITING: Final = f"""
if redis.call('ZCARD', KEYS[1]) == 0 then
  return false
end
{_MARK_SENT}
"""

log = structlog.get_logger("console.nudge")


def request_admission(org_id: int) -> None:
    """Request a run of the organization's engine when the current transaction commits."""
    transaction.on_commit(partial(send, org_id))


def send(org_id: int) -> None:
    """Add an organization to the set of its shard, and send a message to a worker."""
    put(org_id, shard_of(org_id))


def put(org_id: int, shard: str) -> None:
    """Add an organization to the set of *shard*; any shard works, the right one saves time."""
    _put(org_id, shard, "NX", 0)


def put_back(org_id: int, shard: str, seconds: float) -> None:
    """Add an organization again, behind arrivals of the next *seconds*, at most `LONGEST`."""
    _put(org_id, shard, "GT", round(min(seconds, LONGEST) * 1_000_000))


def _put(org_id: int, shard: str, how: str, later: int) -> None:
    def call() -> None:
        _send_message(
            shard, _script(_PUT)(keys=_keys(shard), args=[_MESSAGE_SECONDS, org_id, how, later])
        )

    _if_available(call, "no wakeup was sent, the sweep sends one", org=org_id)


def begin(shard: str, message: str) -> bool:
    """
    Record that a worker processes *message*, so that later arrivals send another one.

    Returns False for a message that a later one replaces.
    """
    answer = _if_available(
        lambda: _script(_BEGIN)(keys=_keys(shard), args=[message]),
        "the arrival of a message was not recorded",
        shard=shard,
    )
    return answer is None or bool(answer)


class Taken(NamedTuple):
    """The organization that was removed from a shard, if any."""

    org_id: int | None = None
    #: The shard to process first, if all organizations in this one give way.
    gives_way_to: str | None = None


def take(shard: str) -> Taken:
    """
    Remove the organization that has waited longest from a shard, and return it.

    An organization that was put back stays until its time has come, while another one waits in
    another shard of this worker. A request that is accepted afterwards wakes it up again. If the
    reply of the broker is lost, the wakeup is lost too; the sweep sends another one.
    """
    served = current_app.amqp.queues.consume_from
    shards = [shard, *(each for each in SHARDS if each != shard and each in served)]
    keys = [_keys(each)[0] for each in shards]
    found = _if_available(
        lambda: _script(_TAKE)(keys=keys, args=[LONGEST * 1_000_000]),
        "no organization was taken, the sweep wakes it up again",
        shard=shard,
    )
    if isinstance(found, int):
        return Taken(gives_way_to=shards[found - 1])
    return Taken(int(found)) if found else Taken()


def reschedule(shard: str) -> None:
    """Send a message for a shard that is not empty, so that a worker processes it later."""

    def call() -> None:
        _send_message(shard, _script(_MARK_IF_WAITING)(keys=_keys(shard), args=[_MESSAGE_SECONDS]))

    _if_available(call, "no message was sent, the sweep sends one", shard=shard)


def _send_message(shard: str, message: bytes | None) -> None:
    # With a full queue, the first worker that receives from it again processes the whole set.
    if message is not None and not is_full(shard):
        current_app.send_task(ADMIT, args=[shard, message.decode()], queue=shard, expires=60)


def _if_available(call: Callable[[], Any], event: str, **about: object) -> Any:
    """
    Return the result of *call*; if the broker is unavailable, log that and return None.

    The rows are stored, and the sweep finds them.
    """
    try:
        with broker.circuit_breaker():
            return call()
    except (OperationalError, RedisError) as error:
        log.warning(event, **about, error=str(error))
        return None


def _keys(shard: str) -> list[str]:
    return [f"sluice:nudged:{shard}", f"sluice:called:{shard}"]


def _script(text: str) -> Script:
    return _registered(broker.client(), text)


@lru_cache(maxsize=4)
def _registered(client: Redis, text: str) -> Script:
    return client.register_script(text)
