"""
Wakeups: ask for admission after commit. A lost wakeup delays a decision and can never lose it.

An organization that is woken up waits in the set of its shard in the broker, ordered by time of
arrival. One message tells a worker to look at the whole set: a message for each organization would
cost as much as its decision.
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

#: Seconds for which a message that no worker begins is taken to be on its way.
_BELIEVED: Final = 5

#: The most seconds for which an organization lets others go first. One that seems to have longer
#: to wait arrived before the broker's clock was set back.
LONGEST: Final = 10

#: Says that a message is on its way: KEYS[2] names it for ARGV[1] seconds. Answers with its name,
#: or with nothing when there is one already.
_CALL: Final = """
local now = redis.call('TIME')
local name = string.format('%.0f', now[1] * 1000000 + now[2])
return redis.call('SET', KEYS[2], name, 'NX', 'EX', ARGV[1]) and name
"""

#: Puts ARGV[2] into the set KEYS[1] as if it arrived in ARGV[4] microseconds. ARGV[3] is NX, to
#: leave one that is there at its place, or GT, to only move it back.
_PUT: Final = f"""
local came = redis.call('TIME')
redis.call('ZADD', KEYS[1], ARGV[3], came[1] * 1000000 + came[2] + ARGV[4], ARGV[2])
{_CALL}
"""

#: Takes the organization that has waited longest out of the set KEYS[1]. One whose time has not
#: come, which is at most ARGV[1] microseconds ahead, stays there while the time of another one has
#: come in one of the other sets: then the answer is the index of that key, as a number.
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

#: Notes that the message ARGV[1] has arrived, and returns 0 where a later one replaces it.
_BEGIN: Final = """
local name = redis.call('GET', KEYS[2])
if name and name ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[2])
return 1
"""

#: Asks for a message where the set KEYS[1] is not empty.
_LEAVE: Final = f"""
if redis.call('ZCARD', KEYS[1]) == 0 then
  return false
end
{_CALL}
"""

log = structlog.get_logger("console.nudge")


def request_admission(org_id: int) -> None:
    """Ask for a run of the organization's engine once the present transaction commits."""
    transaction.on_commit(partial(send, org_id))


def send(org_id: int) -> None:
    """Put an organization into the set of its shard, and have a worker look there."""
    put(org_id, shard_of(org_id))


def put(org_id: int, shard: str) -> None:
    """Put it into the set of *shard*: the choice saves time, and nothing depends on it."""
    _put(org_id, shard, "NX", 0)


def put_back(org_id: int, shard: str, seconds: float) -> None:
    """Put it back behind all that arrive within *seconds*, `LONGEST` at most."""
    _put(org_id, shard, "GT", round(min(seconds, LONGEST) * 1_000_000))


def _put(org_id: int, shard: str, how: str, later: int) -> None:
    def ask() -> None:
        _tell(shard, _script(_PUT)(keys=_keys(shard), args=[_BELIEVED, org_id, how, later]))

    _unless_down(ask, "no wakeup was sent, the sweep sends one", org=org_id)


def begin(shard: str, message: str) -> bool:
    """
    Note that a worker works on *message*, so that what arrives from now on asks for another one.

    Returns False for a message that a later one replaces.
    """
    answer = _unless_down(
        lambda: _script(_BEGIN)(keys=_keys(shard), args=[message]),
        "a message is still believed to be on its way",
        shard=shard,
    )
    return answer is None or bool(answer)


class Taken(NamedTuple):
    """The organization that was taken out of a shard, if any."""

    org_id: int | None = None
    #: The shard that goes first, where all that wait in this one let others go first.
    gives_way_to: str | None = None


def take(shard: str) -> Taken:
    """
    Take the organization that has waited longest out of a shard.

    One that was put back stays there until its time has come, while another one waits in another
    shard of this worker. A request that is accepted afterwards wakes it up again. When the answer
    of the broker is lost, so is the wakeup; the sweep sends another one.
    """
    served = current_app.amqp.queues.consume_from
    shards = [shard, *(each for each in SHARDS if each != shard and each in served)]
    keys = [_keys(each)[0] for each in shards]
    found = _unless_down(
        lambda: _script(_TAKE)(keys=keys, args=[LONGEST * 1_000_000]),
        "no organization is taken, the sweep wakes it up again",
        shard=shard,
    )
    if isinstance(found, int):
        return Taken(gives_way_to=shards[found - 1])
    return Taken(int(found)) if found else Taken()


def leave(shard: str) -> None:
    """Have a worker look at a shard again if it is not empty, after what else it has to do."""

    def ask() -> None:
        _tell(shard, _script(_LEAVE)(keys=_keys(shard), args=[_BELIEVED]))

    _unless_down(ask, "not asked again, the sweep will", shard=shard)


def _tell(shard: str, message: bytes | None) -> None:
    # What waits in the shard is found by the first worker that takes from it again.
    if message is not None and not is_full(shard):
        current_app.send_task(ADMIT, args=[shard, message.decode()], queue=shard, expires=60)


def _unless_down(ask: Callable[[], Any], event: str, **about: object) -> Any:
    """
    Return what the broker answers; log rather than raise that it is down, and return None.

    The rows are there, and the sweep looks.
    """
    try:
        with broker.circuit_breaker():
            return ask()
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
