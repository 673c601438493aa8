"""
Snapshots: live pages as they were rendered last, kept for as long as they may be handed on.

They lie in the broker, where all web processes find them, and vanish by themselves. They are
never needed: without the broker every open page is rendered for itself.
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

#: How long a process leaves a broker alone that did not answer, in seconds.
_LEFT_ALONE: Final = 3.0
#: For how long others wait for the one who renders a page, in milliseconds.
_RENDERING: Final = 5000

_PREFIX: Final = "sluice:live:"

log = structlog.get_logger("console.pages")

#: Until when, by this process's clock, the broker is not asked.
_away_until = [0.0]


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a page shows: everything up to a moment, in a state of which it is named."""

    #: Milliseconds since 1970 by the server's clock; what was written before is shown.
    as_of: int
    #: The same as long as the page would look the same.
    state: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the stamp in *text*; a very old one if it is invalid."""
        as_of, _, state = text.partition("-")
        if not (as_of.isdecimal() and as_of.isascii() and len(as_of) < 16):
            return cls(0, "")
        return cls(int(as_of), state)

    @classmethod
    def now(cls, state: str = "") -> Self:
        """Return the stamp of this moment; take it before anything is read."""
        return cls(time.time_ns() // 1_000_000, state)

    def __str__(self) -> str:
        return f"{self.as_of}-{self.state}"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The live parts of a page, and until when they are handed on rather than rendered again."""

    stamp: Stamp
    #: Milliseconds since 1970.
    rests_until: int
    #: HTML, compressed with gzip.
    body: bytes


def key_of(*parts: object) -> str:
    """Return the key of what *parts* tell apart."""
    return sha256("\0".join(map(str, parts)).encode()).hexdigest()


def load(*keys: str) -> Snapshot | None:
    """Return the newest snapshot of *keys* that still rests, if there is one."""
    if _is_away():
        return None
    try:
        values = broker.client().mget([_PREFIX + key for key in keys])
    except RedisError as error:
        _leave_alone(error)
        return None
    found = [_read(value) for value in values if isinstance(value, bytes)]
    return max(found, key=lambda each: each.stamp.as_of, default=None)


def keep(key: str, snapshot: Snapshot) -> None:
    """Keep *snapshot* as long as it rests."""
    left = snapshot.rests_until - Stamp.now().as_of
    if left <= 0 or _is_away():
        return
    head = f"{snapshot.rests_until} {snapshot.stamp}\n".encode()
    try:
        broker.client().set(_PREFIX + key, head + snapshot.body, px=left)
    except RedisError as error:
        _leave_alone(error)


def begin(key: str) -> bool:
    """Return whether the caller has to render *key*: no other request is rendering it."""
    if _is_away():
        return True
    try:
        return bool(broker.client().set(f"{_PREFIX}{key}:by", b"1", px=_RENDERING, nx=True))
    except RedisError as error:
        _leave_alone(error)
        return True


def end(key: str) -> None:
    """Note that *key* was rendered."""
    if _is_away():
        return
    try:
        broker.client().delete(f"{_PREFIX}{key}:by")
    except RedisError as error:
        _leave_alone(error)


def compressed(html: bytes) -> bytes:
    """Return *html* as a snapshot keeps it."""
    return gzip.compress(html, 1, mtime=0)


def _read(value: bytes) -> Snapshot:
    head, _, body = value.partition(b"\n")
    rests_until, _, stamp = head.decode().partition(" ")
    return Snapshot(Stamp.read(stamp), int(rests_until), body)


def _is_away() -> bool:
    return time.monotonic() < _away_until[0]


def _leave_alone(error: RedisError) -> None:
    _away_until[0] = time.monotonic() + _LEFT_ALONE
    log.warning("live pages are not shared", error=str(error))
