"""Slows down guessing of passwords, per account and address."""

from __future__ import annotations

import hashlib
import math
import time

from django.core.cache import cache
from django.http import HttpRequest

from console.caller import client_address

#: Wrong passwords that cost nothing: people mistype.
FREE_TRIES = 5
#: After the free ones, each wrong password doubles the wait, up to this many seconds.
LONGEST_WAIT = 300
#: Seconds without a wrong password after which all is forgotten.
MEMORY = 900


def seconds_to_wait(request: HttpRequest, email: str) -> int:
    """Return for how many seconds another try is refused; 0 when it is not."""
    until: float = cache.get(_key(request, email, "until"), 0.0)
    return max(0, math.ceil(until - time.time()))


def count_failure(request: HttpRequest, email: str) -> None:
    """Remember one wrong password."""
    key = _key(request, email, "failures")
    cache.add(key, 0, MEMORY)
    try:
        failures = cache.incr(key)
    except ValueError:
        # The counter ran out between the two calls.
        cache.set(key, 1, MEMORY)
        failures = 1
    if failures >= FREE_TRIES:
        wait = min(2 ** (failures - FREE_TRIES + 2), LONGEST_WAIT)
        cache.set(_key(request, email, "until"), time.time() + wait, MEMORY)


def forget(request: HttpRequest, email: str) -> None:
    """Start again from nothing, after a right password."""
    cache.delete_many([_key(request, email, "failures"), _key(request, email, "until")])


def _key(request: HttpRequest, email: str, kind: str) -> str:
    who = f"{email.strip().lower()}\n{client_address(request)}"
    return f"sign-in:{kind}:{hashlib.sha256(who.encode()).hexdigest()}"
