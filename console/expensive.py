"""
Concurrency limit of expensive requests, across all web processes.

An expensive request costs a second of processor time or holds a thread for long: the check of a
large config, a comparison, a search for changes that would help a workload, the usage of many
hours, the export of a whole list. Each takes a place while it is processed, and is refused with
`TooManyQuestions` if no place is free. There is one place for each actor and kind, a few for an
organization, and fewer for all organizations together than there are threads, so that threads stay
free for cheap requests.

Places are counted in the broker, atomically and by its clock, and expire, so that the places of a
killed process become free. Each process also counts its own places: that keeps one of its threads
free, and is the only limit while the broker is down.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, Final, cast

import structlog
from django.conf import settings
from redis import RedisError

from console.broker import circuit_breaker, client
from console.errors import RetryLater

#: Characters of text up to which a request is cheap: below a tenth of a second on one core. A
#: config of 2,000 lines has 60,000.
CHEAP_TEXT: Final = 100_000

#: Seconds until a place expires unless it is renewed: longer than any request may take.
LEASE: Final = 30

#: Places of one actor for one kind, of an organization for all kinds, and of one web process that
#: accepts connections, which has three threads.
LIMIT_PER_ACTOR, LIMIT_PER_ORG, LIMIT_PER_PROCESS = 1, 2, 2

_PREFIX: Final = "sluice:expensive"
_COUNTS: Final = f"{_PREFIX}:counts"

#: Lua script that takes the place ARGV[1] of the pool KEYS[1] for ARGV[4] milliseconds. ARGV[2] and
#: ARGV[3] are the name prefixes of places of the same actor and organization, ARGV[5..7] the limits
#: per actor, per organization and of all. It counts the request in KEYS[2] under the kind ARGV[8],
#: and returns the `_Limit` that was reached, or 0.
_TAKE: Final = """
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', at)
local asker, org, all = 0, 0, 0
for _, place in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  all = all + 1
  if string.sub(place, 1, #ARGV[2]) == ARGV[2] then asker = asker + 1 end
  if string.sub(place, 1, #ARGV[3]) == ARGV[3] then org = org + 1 end
end
local limit = 0
if asker >= tonumber(ARGV[5]) then limit = 1
elseif org >= tonumber(ARGV[6]) then limit = 2
elseif all >= tonumber(ARGV[7]) then limit = 3
end
if limit == 0 then
  redis.call('ZADD', KEYS[1], at + tonumber(ARGV[4]), ARGV[1])
  redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[4]) + 1000)
end
redis.call('HINCRBY', KEYS[2], ARGV[8] .. (limit == 0 and ':taken' or ':refused'), 1)
return limit
"""

#: Lua script that renews the place ARGV[1] of the pool KEYS[1] for ARGV[2] milliseconds.
_KEEP: Final = """
local now = redis.call('TIME')
local at = tonumber(now[1]) * 1000 + math.floor(tonumber(now[2]) / 1000)
redis.call('ZADD', KEYS[1], 'XX', at + tonumber(ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]) + 1000)
return 0
"""

log = structlog.get_logger("console.broker")


class Kind(StrEnum):
    """Kinds of expensive requests; the value is the label in metrics."""

    CHECK = "check"
    COMPARE = "compare"
    PREVIEW = "preview"
    ROUTE = "route"
    ADVICE = "advice"
    USAGE = "usage"
    EXPORT = "export"

    @property
    def noun(self) -> str:
        """The noun for messages, with its article."""
        return _NOUNS[self]

    @property
    def pool(self) -> str:
        """
        The name of the pool whose places it uses.

        Exports have their own pool: an export mostly waits for its reader, and would block others.
        """
        return "exports" if self is Kind.EXPORT else "questions"


_NOUNS: Final = {
    Kind.CHECK: "a check of a large config",
    Kind.COMPARE: "a comparison of large configs",
    Kind.PREVIEW: "a preview of a config",
    Kind.ROUTE: "a rule test on a large config",
    Kind.ADVICE: "a search for changes that help",
    Kind.USAGE: "a sum of the usage of many hours",
    Kind.EXPORT: "an export",
}


class _Limit(IntEnum):
    """The limit that refuses a request."""

    ASKER = 1
    ORG = 2
    ALL = 3


class TooManyQuestions(RetryLater):
    """No place is free for an expensive request; *seconds* later one may be."""

    status = 429
    title = "Too many expensive requests at a time"

    def __init__(self, kind: Kind, limit: _Limit) -> None:
        seconds = {_Limit.ASKER: 2, _Limit.ORG: 3, _Limit.ALL: 5}[limit]
        said = {
            _Limit.ASKER: f"You already have {kind.noun} running; wait for its result.",
            _Limit.ORG: (
                f"This is {kind.noun}, and your organization already has {LIMIT_PER_ORG} such "
                "expensive requests running, which is its limit."
            ),
            _Limit.ALL: (
                f"This is {kind.noun}, and the console has reached its limit of such expensive "
                "requests."
            ),
        }[limit]
        super().__init__(
            "too_many_questions", f"{said} Send this request again in {seconds} s.", seconds
        )
        self.kind = kind
        self.limit = limit


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one running request; the code that takes a place releases it."""

    kind: Kind
    org_id: int
    asker: str
    #: Distinguishes the place from others of the same actor.
    number: str

    @property
    def name(self) -> str:
        """The name in the broker; it begins with `of_asker`."""
        return f"{self.of_asker}{self.number}"

    @property
    def of_org(self) -> str:
        """The common prefix of the names of the organization's places."""
        return f"{self.org_id}/"

    @property
    def of_asker(self) -> str:
        """The common prefix of the names of the places of this actor and kind."""
        return f"{self.of_org}{self.kind}/{self.asker}/"

    def keep(self) -> None:
        """Renew the place for another `LEASE`."""
        _local_places.keep(self)
        _run_script(_KEEP, 1, _pool_key(self.kind.pool), self.name, LEASE * 1000)

    def release(self) -> None:
        """Release the place; a second call does nothing."""
        if _local_places.release(self):
            try:
                with circuit_breaker():
                    client().zrem(_pool_key(self.kind.pool), self.name)
            except RedisError as error:
                # The place expires.
                log.warning("the place of a request is not released", error=str(error))


class _LocalPlaces:
    """The places of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: The limit of this process.
        self.most = LIMIT_PER_PROCESS
        #: Place -> monotonic time at which it expires.
        self._places: dict[Place, float] = {}
        #: Places of responses that were never sent; the next request releases them.
        self.abandoned: Final[deque[Place]] = deque()

    def take(self, place: Place) -> _Limit | None:
        """Take *place*, or return the limit that refuses it."""
        now = time.monotonic()
        with self._lock:
            self._places = {each: until for each, until in self._places.items() if until > now}
            pool = [each for each in self._places if each.kind.pool == place.kind.pool]
            if sum(each.of_asker == place.of_asker for each in pool) >= LIMIT_PER_ACTOR:
                return _Limit.ASKER
            if sum(each.org_id == place.org_id for each in pool) >= LIMIT_PER_ORG:
                return _Limit.ORG
            if len(self._places) >= self.most:
                return _Limit.ALL
            self._places[place] = now + LEASE
        return None

    def keep(self, place: Place) -> None:
        with self._lock:
            if place in self._places:
                self._places[place] = time.monotonic() + LEASE

    def release(self, place: Place) -> bool:
        """Release *place*, and return whether it was taken."""
        with self._lock:
            return self._places.pop(place, None) is not None


_local_places: Final = _LocalPlaces()

#: The place of the current request, which covers all expensive steps of the request.
_current: ContextVar[Place | None] = ContextVar("expensive", default=None)


#: Whether every expensive step of the current request is refused.
_refuses: ContextVar[bool] = ContextVar("refuses_expensive", default=False)


def set_process_limit(most: int) -> None:
    """Set the limit of this process to *most* places instead of `LIMIT_PER_PROCESS`."""
    _local_places.most = most


@contextmanager
def refusing() -> Iterator[None]:
    """Refuse the expensive steps of a request, as if the console had reached its limit."""
    token = _refuses.set(True)
    try:
        yield
    finally:
        _refuses.reset(token)


def limit_of_all_orgs() -> int:
    """Return the number of places in one pool, for all organizations together."""
    processes: int = settings.WEB_PROCESSES
    return max(LIMIT_PER_ORG + 1, processes * 3 // 4)


def take_place(kind: Kind, org_id: int, asker: str) -> Place:
    """
    Take a place, which the caller has to `release`; raises TooManyQuestions.

    *asker* is the key of the actor, such as "user:7": the same in all browsers of a person.
    """
    with suppress(IndexError):
        while True:
            _local_places.abandoned.popleft().release()
    place = Place(kind, org_id, asker, uuid.uuid4().hex)
    limit = _Limit.ALL if _refuses.get() else _local_places.take(place)
    if limit is not None:
        _run_script(
            "return redis.call('HINCRBY', KEYS[1], ARGV[1], 1)", 1, _COUNTS, f"{kind}:refused"
        )
        raise TooManyQuestions(kind, limit)
    answer = _run_script(
        _TAKE,
        2,
        _pool_key(kind.pool),
        _COUNTS,
        *(place.name, place.of_asker, place.of_org, LEASE * 1000),
        *(LIMIT_PER_ACTOR, LIMIT_PER_ORG, limit_of_all_orgs(), kind.value),
    )
    if answer:
        _local_places.release(place)
        raise TooManyQuestions(kind, _Limit(answer))
    return place


@contextmanager
def expensive(kind: Kind, org_id: int, asker: str, *, size: int | None = None) -> Iterator[None]:
    """
    Hold a place inside the `with` block; raises TooManyQuestions if none is free.

    *size* is the number of characters to process, if the cost depends on it: up to `CHEAP_TEXT`
    nothing is counted. A nested `expensive` is not counted either.
    """
    if _current.get() is not None or (size is not None and size <= CHEAP_TEXT):
        yield
        return
    place = take_place(kind, org_id, asker)
    token = _current.set(place)
    try:
        yield
    finally:
        _current.reset(token)
        place.release()


class PlaceHoldingStream:
    """Blocks of a response, which hold a place until the last is sent or the client disconnects."""

    def __init__(self, place: Place, blocks: Iterator[bytes]) -> None:
        self._place = place
        self._blocks = blocks
        self._kept = time.monotonic()
        self._released = False

    def __iter__(self) -> PlaceHoldingStream:
        """Return this iterator."""
        return self

    def __next__(self) -> bytes:
        """Return the next block, and renew the place in time."""
        now = time.monotonic()
        if now - self._kept > LEASE / 3:
            self._kept = now
            self._place.keep()
        try:
            return next(self._blocks)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the place; the server calls this method for every response, also a failed one."""
        self._released = True
        self._place.release()

    def __del__(self) -> None:
        """
        Have the next request release the place of a response that no server sent.

        The garbage collector runs this method at any point of any code of the thread, also while it
        holds the lock of the places or of the broker's client, so no lock may be taken here.
        """
        if not self._released:
            _local_places.abandoned.append(self._place)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCounts:
    """Counts of requests of one kind: running now, and taken and refused since the broker began."""

    kind: Kind
    in_flight: int
    taken: int
    refused: int


def count_by_kind() -> list[KindCounts]:
    """Return the counts of every kind; an empty list while the broker is down."""
    try:
        with circuit_breaker():
            counts = cast(dict[bytes, bytes], client().hgetall(_COUNTS))
            now = client().time()[0] * 1000
            places = [
                name.decode().split("/")[1]
                for pool in sorted({kind.pool for kind in Kind})
                for name in cast(list[bytes], client().zrangebyscore(_pool_key(pool), now, "+inf"))
            ]
    except RedisError as error:
        log.warning("expensive requests are not counted", error=str(error))
        return []
    return [
        KindCounts(
            kind=kind,
            in_flight=places.count(kind.value),
            taken=int(counts.get(f"{kind}:taken".encode(), 0)),
            refused=int(counts.get(f"{kind}:refused".encode(), 0)),
        )
        for kind in Kind
    ]


def _pool_key(pool: str) -> str:
    return f"{_PREFIX}:{pool}"


def _run_script(script: str, keys: int, *values: Any) -> int:
    """Return the result of *script* in the broker; 0 while the broker is down."""
    try:
        with circuit_breaker():
            return int(client().eval(script, keys, *values))
    except RedisError as error:
        log.warning("each process counts expensive requests for itself", error=str(error))
        return 0
