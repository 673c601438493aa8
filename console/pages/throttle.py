"""Slows down guessing of passwords and links: per account and address, and per address."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from django.core.cache import cache
from django.http import HttpRequest

from console.caller import client_address

#: Wrong passwords of one account from one address that cost nothing: people mistype.
FREE_TRIES = 5
#: After the free ones, each wrong password doubles the wait, up to this many seconds.
LONGEST_WAIT = 300
#: Those of all accounts from one address. Many people may be behind one, so that it is a
#: short wait: it slows down who tries one password on many accounts, and locks nobody out.
FREE_TRIES_OF_ADDRESS = 100
LONGEST_WAIT_OF_ADDRESS = 10
#: Links that open nothing, and accounts begun, from one address.
FREE_LINKS = 20
#: Seconds without a wrong one after which all is forgotten.
MEMORY = 900


@dataclass(frozen=True, slots=True)
class _Counter:
    """What is counted under *name*: how often it is free, and the longest wait in seconds."""

    name: str
    free: int
    longest: int

    def key(self, kind: str) -> str:
        return f"{kind}:{hashlib.sha256(self.name.encode()).hexdigest()}"


def seconds_to_wait(request: HttpRequest, email: str) -> int:
    """Return for how many seconds another password is refused; 0 when it is not."""
    return max(_wait(counter) for counter in _passwords(request, email))


def count_failure(request: HttpRequest, email: str) -> None:
    """Remember one wrong password."""
    for counter in _passwords(request, email):
        _count(counter)


def forget(request: HttpRequest, email: str) -> None:
    """Start again from nothing, after a right password; what the address tried is kept."""
    own = _passwords(request, email)[0]
    cache.delete_many([own.key("failures"), own.key("until")])


def seconds_to_wait_for_links(request: HttpRequest) -> int:
    """Return for how many seconds no link can be opened from this address; 0 when it can."""
    return _wait(_links(request))


def count_link(request: HttpRequest) -> None:
    """Remember one link that opened nothing, or one account that was begun."""
    _count(_links(request))


def _passwords(request: HttpRequest, email: str) -> tuple[_Counter, _Counter]:
    address = _connection_of(request)
    return (
        _Counter(f"sign-in {email.strip().lower()}\n{address}", FREE_TRIES, LONGEST_WAIT),
        _Counter(f"sign-in {address}", FREE_TRIES_OF_ADDRESS, LONGEST_WAIT_OF_ADDRESS),
    )


def _links(request: HttpRequest) -> _Counter:
    return _Counter(f"link {_connection_of(request)}", FREE_LINKS, LONGEST_WAIT)


def _connection_of(request: HttpRequest) -> str:
    """Return the address of a request; of IPv6 what all addresses of one connection share."""
    try:
        address = ip_address(client_address(request))
    except ValueError:
        # A unix socket has none.
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), 64), strict=False))


def _wait(counter: _Counter) -> int:
    until: float = cache.get(counter.key("until"), 0.0)
    return max(0, math.ceil(until - time.time()))


def _count(counter: _Counter) -> None:
    key = counter.key("failures")
    cache.add(key, 0, MEMORY)
    try:
        failures = cache.incr(key)
    except ValueError:
        # The counter ran out between the two calls.
        cache.set(key, 1, MEMORY)
        failures = 1
    if failures >= counter.free:
        # No wait doubles beyond its longest one, and no power grows without end.
        wait = min(2 ** min(failures - counter.free + 2, 16), counter.longest)
        cache.set(counter.key("until"), time.time() + wait, MEMORY)
