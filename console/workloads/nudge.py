"""
The nudge: ask for admission after commit. Losing one delays a decision and can never lose it.

Who is nudged waits in a set of their lane in the broker, ordered by when they came, and one message
tells a worker to look at all of it: to carry a message for each of them costs as much as to decide
what it is about.
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
from console.celery import LANES, lane_of
from console.piles import is_pile

ADMIT: Final = "console.workloads.tasks.admit"

#: Seconds for which a message that nobody begins is believed to be on its way.
_BELIEVED: Final = 5

#: Seconds for which somebody gives way at most. Who seems to have longer to go came before the
#: broker's clock was set back.
LONGEST: Final = 10

#: Says that a message is on its way: KEYS[2] names it for ARGV[1] seconds. Answers with its name,
#: or with nothing when there is one already.
_CALL: Final = """
local now = redis.call('TIME')
local name = string.format('%.0f', now[1] * 1000000 + now[2])
return redis.call('SET', KEYS[2], name, 'NX', 'EX', ARGV[1]) and name
"""

#: Has ARGV[2] wait in the set KEYS[1] as if it came in ARGV[4] microseconds: unless it does so
#: already for NX, which ARGV[3] is, and no sooner than that for GT.
_PUT: Final = f"""
local came = redis.call('TIME')
redis.call('ZADD', KEYS[1], ARGV[3], came[1] * 1000000 + came[2] + ARGV[4], ARGV[2])
{_CALL}
"""

#: Takes who waits longest out of the set KEYS[1]. One whose time has not come, which is at most
#: ARGV[1] microseconds ahead, stays there while somebody's has in one of the other sets: then it
#: answers with the number of that key, as a number.
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

#: Takes the message ARGV[1] off its way, and answers whether it is wanted: not when a later one is.
_BEGIN: Final = """
local name = redis.call('GET', KEYS[2])
if name and name ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[2])
return 1
"""

#: Has a message called for whoever waits.
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
    """Have an organization wait in its lane, and a worker look there."""
    put(org_id, lane_of(org_id))


def put(org_id: int, lane: str) -> None:
    """Have it wait in *lane*: which one it is saves time, and nothing depends on it."""
    _put(org_id, lane, "NX", 0)


def put_back(org_id: int, lane: str, seconds: float) -> None:
    """Have it wait in *lane* again, behind all who come in so many *seconds*, or `LONGEST`."""
    _put(org_id, lane, "GT", round(min(seconds, LONGEST) * 1_000_000))


def _put(org_id: int, lane: str, how: str, later: int) -> None:
    def ask() -> None:
        _tell(lane, _script(_PUT)(keys=_keys(lane), args=[_BELIEVED, org_id, how, later]))

    _unless_down(ask, "not nudged, the sweep will", org=org_id)


def begin(lane: str, message: str) -> bool:
    """
    Say that a worker is at *message*, so that whoever comes from now on has another one sent.

    Returns whether to do as it says: one that was overtaken by a later one is not wanted.
    """
    answer = _unless_down(
        lambda: _script(_BEGIN)(keys=_keys(lane), args=[message]),
        "a message is still believed to be on its way",
        lane=lane,
    )
    return answer is None or bool(answer)


class Taken(NamedTuple):
    """Who was taken out of a lane: nobody when nobody waits, or when all there give way."""

    org_id: int | None = None
    #: The lane to whom they give way.
    gives_way_to: str | None = None


def take(lane: str) -> Taken:
    """
    Take the organization that waits longest out of a lane.

    One that was put back stays there until its time has come, while somebody waits in another lane
    that this worker serves. What is accepted for one that was taken nudges it again. When the
    answer is lost on its way, so is the nudge; the sweep nudges again.
    """
    served = current_app.amqp.queues.consume_from
    lanes = [lane, *(each for each in LANES if each != lane and each in served)]
    keys = [_keys(each)[0] for each in lanes]
    found = _unless_down(
        lambda: _script(_TAKE)(keys=keys, args=[LONGEST * 1_000_000]),
        "nobody is taken, the sweep nudges again",
        lane=lane,
    )
    if isinstance(found, int):
        return Taken(gives_way_to=lanes[found - 1])
    return Taken(int(found)) if found else Taken()


def leave(lane: str) -> None:
    """Have a worker look at a lane again if anybody waits there, behind what else it has to do."""

    def ask() -> None:
        _tell(lane, _script(_LEAVE)(keys=_keys(lane), args=[_BELIEVED]))

    _unless_down(ask, "not asked again, the sweep will", lane=lane)


def _tell(lane: str, message: bytes | None) -> None:
    # Who waits in the lane is found by the first worker that takes from it again.
    if message is not None and not is_pile(lane):
        current_app.send_task(ADMIT, args=[lane, message.decode()], queue=lane, expires=60)


def _unless_down(ask: Callable[[], Any], event: str, **about: object) -> Any:
    """
    Return what the broker answers; log rather than raise that it is down, and return None.

    The rows are there, and the sweep looks.
    """
    try:
        with broker.sparing():
            return ask()
    except (OperationalError, RedisError) as error:
        log.warning(event, **about, error=str(error))
        return None


def _keys(lane: str) -> list[str]:
    return [f"sluice:nudged:{lane}", f"sluice:called:{lane}"]


def _script(text: str) -> Script:
    return _registered(broker.client(), text)


@lru_cache(maxsize=4)
def _registered(client: Redis, text: str) -> Script:
    return client.register_script(text)
