"""Heartbeat of the workers: written to the broker by workers, read by web processes."""

from __future__ import annotations

import time
from enum import StrEnum

import structlog
from redis import RedisError

from console import broker

#: Seconds without a heartbeat after which workers count as silent; the sweep beats every two.
SILENCE = 15

_HEARTBEAT = "sluice:heartbeat"

log = structlog.get_logger("console.heartbeat")


def beat() -> None:
    """
    Store in the broker that a worker is alive; the periodic sweep calls it.

    The heartbeat expires in the broker and costs the database nothing. If the broker is down, the
    error is logged and not raised, so that the sweep continues.
    """
    try:
        broker.client().set(_HEARTBEAT, int(time.time()), ex=SILENCE)
    except RedisError as error:
        log.warning("heartbeat not noted", error=str(error))


def is_beating() -> bool:
    """Return whether a worker sent a heartbeat within `SILENCE` seconds; raises RedisError."""
    return bool(broker.client().exists(_HEARTBEAT))


class Pulse(StrEnum):
    """State of the workers according to their heartbeat."""

    BEATING = "beating"
    WORKER_SILENT = "worker_silent"
    #: The broker does not answer, so the state of the workers is unknown.
    BROKER_AWAY = "broker_away"


#: Seconds for which `pulse` caches its result, so that many pages cost the broker little.
_FRESH = 3.0

#: The cached result and the monotonic time at which it was read.
_cached: list[tuple[float, Pulse]] = []


def pulse() -> Pulse:
    """Return the state of the workers, at most a few seconds old."""
    if _cached and time.monotonic() - _cached[0][0] < _FRESH:
        return _cached[0][1]
    try:
        with broker.circuit_breaker():
            found = Pulse.BEATING if is_beating() else Pulse.WORKER_SILENT
    except RedisError:
        found = Pulse.BROKER_AWAY
    _cached[:] = [(time.monotonic(), found)]
    return found
