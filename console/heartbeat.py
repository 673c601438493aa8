"""The heartbeat: workers note in the broker that they are alive, and web processes read it."""

from __future__ import annotations

import time
from enum import StrEnum

import structlog
from redis import RedisError

from console import broker

#: Seconds that a worker may stay silent; the sweep comes every two.
SILENCE = 15

_HEARTBEAT = "sluice:heartbeat"

log = structlog.get_logger("console.heartbeat")


def beat() -> None:
    """
    Note that a worker is alive; the periodic sweep calls it.

    The note lives in the broker and expires there, so that it costs the database
    nothing. A broker that is down is logged and not raised: the sweep goes on.
    """
    try:
        broker.client().set(_HEARTBEAT, int(time.time()), ex=SILENCE)
    except RedisError as error:
        log.warning("heartbeat not noted", error=str(error))


def is_beating() -> bool:
    """Return whether a worker noted its heartbeat within `SILENCE` seconds; raises RedisError."""
    return bool(broker.client().exists(_HEARTBEAT))


class Pulse(StrEnum):
    """Whether workers give signs of life, as far as can be known."""

    BEATING = "beating"
    WORKER_SILENT = "worker_silent"
    #: Without the broker no worker is reached, and nothing is known of any.
    BROKER_AWAY = "broker_away"


#: Seconds that an answer of `pulse` stands, so that many pages cost the broker little.
_FRESH = 3.0

#: When the pulse was felt last, and what it was.
_felt: list[tuple[float, Pulse]] = []


def pulse() -> Pulse:
    """Return whether a worker is alive, as of a few seconds ago at most."""
    if _felt and time.monotonic() - _felt[0][0] < _FRESH:
        return _felt[0][1]
    try:
        with broker.sparing():
            found = Pulse.BEATING if is_beating() else Pulse.WORKER_SILENT
    except RedisError:
        found = Pulse.BROKER_AWAY
    _felt[:] = [(time.monotonic(), found)]
    return found
