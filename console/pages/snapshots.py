"""
Cache of rendered live pages, shared by all web processes through the broker.

Entries expire when they must not be reused any more. The cache is optional: without the broker,
each poll renders the page.
"""

from __future__ import annotations

import gzip
import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

import structlog
from redis import RedisError

from console import broker

#: Seconds without requests to the broker after an error.
_PAUSE: Final = 3.0
#: Milliseconds for which one request has the lock to render a page.
_RENDERING: Final = 5000

_PREFIX: Final = "sluice:live:"

log = structlog.get_logger("console.pages")

#: End of the pause after an error of the broker, by the monotonic clock of this process.
_paused_until = [0.0]


@dataclass(frozen=True, slots=True)
class Stamp:
    """Version of a page's data: the time at which it was read, and the name of its state."""

    #: Milliseconds since 1970 by the server's clock; the page shows all earlier writes.
    as_of: int
    #: A text that changes whenever the page's data changes.
    state: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the stamp in *text*; the oldest possible stamp if *text* is invalid."""
        as_of, _, state = text.partition("-")
        if not (as_of.isdecimal() and as_of.isascii() and len(as_of) < 16):
            return cls(0, "")
        return cls(int(as_of), state)

    @classmethod
    def now(cls, state: str = "") -> Self:
        """Return the stamp of this moment; call it before any data is read."""
        return cls(time.time_ns() // 1_000_000, state)

    def __str__(self) -> str:
        return f"{self.as_of}-{self.state}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The rendered live parts of a page, and the time until which they are reused."""

    stamp: Stamp
    #: Milliseconds since 1970.
    reused_until: int
    #: HTML, compressed with gzip.
    body: bytes


def key_of(*parts: object) -> str:
    """Return a cache key that is a hash of *parts*."""
    return sha256("\0".join(map(str, parts)).encode()).hexdigest()


def load(*keys: str) -> Snapshot | None:
    """Return the newest snapshot under *keys* that can still be reused, or None."""
    if _is_paused():
        return None
    try:
        values = broker.client().mget([_PREFIX + key for key in keys])
    except RedisError as error:
        _pause(error)
        return None
    found = [_read(value) for value in values if isinstance(value, bytes)]
    return max(found, key=lambda each: each.stamp.as_of, default=None)


def store(key: str, snapshot: Snapshot) -> None:
    """Store *snapshot* for as long as it can be reused."""
    left = snapshot.reused_until - Stamp.now().as_of
    if left <= 0 or _is_paused():
        return
    head = f"{snapshot.reused_until} {snapshot.stamp}\n".encode()
    try:
        broker.client().set(_PREFIX + key, head + snapshot.body, px=left)
    except RedisError as error:
        _pause(error)


def acquire(key: str) -> bool:
    """Acquire the lock to render *key*; return False if another request has it."""
    if _is_paused():
        return True
    try:
        return bool(broker.client().set(f"{_PREFIX}{key}:by", b"1", px=_RENDERING, nx=True))
    except RedisError as error:
        _pause(error)
        return True


def release(key: str) -> None:
    """Release the lock to render *key*."""
    if _is_paused():
        return
    try:
        broker.client().delete(f"{_PREFIX}{key}:by")
    except RedisError as error:
        _pause(error)


def compressed(html: bytes) -> bytes:
    """Return *html* as the body of a snapshot, compressed with gzip."""
    return gzip.compress(html, 1, mtime=0)


def _read(value: bytes) -> Snapshot:
    head, _, body = value.partition(b"\n")
    reused_until, _, stamp = head.decode().partition(" ")
    return Snapshot(Stamp.read(stamp), int(reused_until), body)


def _is_paused() -> bool:
    return time.monotonic() < _paused_until[0]


def _pause(error: RedisError) -> None:
    _paused_until[0] = time.monotonic() + _PAUSE
    log.warning("live pages are not shared", error=str(error))
