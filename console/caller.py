"""Who sent the request that is being answered: address, program and the request's id."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse

#: Characters of a program's name that are kept.
_LONGEST_AGENT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """What is known of a request from outside it; all is empty where there is none."""

    ip: str = ""
    #: What the program calls itself, which anybody can make up.
    agent: str = ""
    #: As in the log lines and the answer's X-Request-ID.
    request_id: str = ""


_present: ContextVar[Caller] = ContextVar("caller")


def present_caller() -> Caller:
    """Return who sent the request that is being answered, nobody in commands and workers."""
    return _present.get(Caller())


class CallerMiddleware:
    """Keeps the caller at hand while a request is answered; stands behind the request log."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request."""
        agent = request.headers.get("User-Agent", "")
        token = _present.set(
            Caller(
                ip=client_address(request),
                agent="".join(filter(str.isprintable, agent))[:_LONGEST_AGENT],
                request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
            )
        )
        try:
            return self.get_response(request)
        finally:
            _present.reset(token)


def client_address(request: HttpRequest) -> str:
    """
    Return the address that *request* came from.

    Of forwarded addresses only those count that a proxy of `TRUSTED_PROXIES` has
    written, each adding to the end whom it saw: the rest could be made up.
    """
    address: str = request.META.get("REMOTE_ADDR", "")
    hops = request.headers.get("X-Forwarded-For", "").split(",")
    while hops and _is_proxy(address):
        hop = hops.pop().strip()
        if not _is_address(hop):
            break
        address = hop
    return address


def _is_proxy(address: str) -> bool:
    networks = settings.TRUSTED_PROXIES
    # A unix socket has no address: only a proxy of this machine is behind it.
    return bool(networks) and (
        not address
        or (_is_address(address) and any(ip_address(address) in network for network in networks))
    )


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
