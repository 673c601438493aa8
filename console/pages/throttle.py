"""
Rate limits against guessing passwords, links and slugs: per account and address, or one of them.

An attempt is counted before it is checked, so that concurrent attempts are limited like
consecutive ones. Each attempt takes the next number of its counter, which the cache gives to one
attempt of all processes; a correct attempt is subtracted afterwards.
"""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from django.core.cache import cache
from django.http import HttpRequest

from console.caller import client_address
from console.orgs.models import User

#: Attempts at one account from one address without a wait, because users mistype.
FREE_TRIES = 5
#: After the free ones, each attempt doubles the wait, up to this many seconds.
LONGEST_WAIT = 300
#: The same for all accounts from one address. Many users may share an address, so the wait is
#: short: it slows down one password tried on many accounts, and locks no user out.
FREE_TRIES_OF_ADDRESS = 100
LONGEST_WAIT_OF_ADDRESS = 10
#: Invalid links and created accounts from one address without a wait.
FREE_LINKS = 20
#: Refused slugs of new organizations from one account without a wait.
FREE_SLUGS = 20
#: Seconds without an attempt after which a counter is reset.
MEMORY = 900


@dataclass(frozen=True, slots=True)
class _Counter:
    """A counter of attempts: number of attempts without a wait, longest wait in seconds."""

    name: str
    free: int
    longest: int

    def key(self, kind: str) -> str:
        return f"{kind}:{hashlib.sha256(self.name.encode()).hexdigest()}"


def admit_password(request: HttpRequest, email: str) -> int:
    """
    Count one attempt to sign in and return 0: the caller may check the password.

    If the attempt has to wait, return the number of seconds; the attempt is not counted.
    """
    account, address = _passwords(request, email)
    wait = _take_number(address)
    if wait:
        return wait
    wait = _take_number(account)
    if wait:
        _subtract(address)
    return wait


def reset_account(request: HttpRequest, email: str) -> None:
    """
    Reset the count of the account after a correct password.

    Wrong attempts from the address at other accounts stay counted.
    """
    account, address = _passwords(request, email)
    cache.set(account.key("forgiven"), cache.get(account.key("attempts"), 0), MEMORY)
    _subtract(address)


def admit_link(request: HttpRequest) -> int:
    """Count one opened link or one chosen password; return a wait like `admit_password`."""
    return _take_number(_links(request))


def subtract_link(request: HttpRequest) -> None:
    """Subtract one valid link from the count."""
    _subtract(_links(request))


def admit_slug(user: User) -> int:
    """Count one attempt to create an organization; return a wait like `admit_password`."""
    return _take_number(_slugs(user))


def subtract_slug(user: User) -> None:
    """Subtract one created organization from the count."""
    _subtract(_slugs(user))


def _passwords(request: HttpRequest, email: str) -> tuple[_Counter, _Counter]:
    address = _client_network(request)
    return (
        _Counter(f"sign-in {email.strip().lower()}\n{address}", FREE_TRIES, LONGEST_WAIT),
        _Counter(f"sign-in {address}", FREE_TRIES_OF_ADDRESS, LONGEST_WAIT_OF_ADDRESS),
    )


def _links(request: HttpRequest) -> _Counter:
    return _Counter(f"link {_client_network(request)}", FREE_LINKS, LONGEST_WAIT)


def _slugs(user: User) -> _Counter:
    return _Counter(f"slug {user.pk}", FREE_SLUGS, LONGEST_WAIT)


def _client_network(request: HttpRequest) -> str:
    """Return the client's IP address; for IPv6 the /64 network, which one connection shares."""
    try:
        address = ip_address(client_address(request))
    except ValueError:
        # A Unix socket has no IP address.
        return ""
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), 64), strict=False))


def _take_number(counter: _Counter) -> int:
    """Take the next number and return 0, or return the number of seconds to wait."""
    forgiven: int = cache.get(counter.key("forgiven"), 0)
    # The cached number can be too low while other requests take numbers.
    number: int = cache.get(counter.key("attempts"), 0) + 1
    while True:
        wait = _wait_after(counter, number - 1, forgiven)
        if wait:
            return wait
        if cache.add(counter.key(f"attempt-{number}"), time.time(), MEMORY):
            break
        number += 1
    cache.touch(counter.key("forgiven"), MEMORY)
    cache.set(counter.key("attempts"), number, MEMORY)
    return 0


def _wait_after(counter: _Counter, number: int, forgiven: int) -> int:
    """Return how many seconds the attempt after *number* still has to wait."""
    counted = number - forgiven
    if counted < counter.free:
        return 0
    began: float | None = cache.get(counter.key(f"attempt-{number}"))
    if began is None:
        return 0
    # The exponent is limited, too, so that the power stays small.
    wait: int = min(2 ** min(counted - counter.free + 2, 16), counter.longest)
    return max(0, math.ceil(began + wait - time.time()))


def _subtract(counter: _Counter) -> None:
    key = counter.key("forgiven")
    cache.add(key, 0, MEMORY)
    try:
        cache.incr(key)
    except ValueError:
        # The entry expired between the two calls.
        cache.set(key, 1, MEMORY)
