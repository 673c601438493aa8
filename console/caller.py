"""Address, user agent and id of the current request, for logs, sessions and the audit log."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from ipaddress import ip_address

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse

#: Maximum stored length of a user agent, in characters.
_LONGEST_AGENT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Origin of a request; all fields are empty outside a request."""

    ip: str = ""
    #: The User-Agent header, which any client can forge.
    agent: str = ""
    #: The id in log lines and in the response's X-Request-ID.
    request_id: str = ""


_current: ContextVar[Caller] = ContextVar("caller")


def current_caller() -> Caller:
    """Return the caller of the current request; an empty one in commands and workers."""
    return _current.get(Caller())


class CallerMiddleware:
    """
    Middleware that stores the caller while a request is processed.

    It comes after the request log, which sets the request id.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Store the caller, and return the response."""
        agent = request.headers.get("User-Agent", "")
        token = _current.set(
            Caller(
                ip=client_address(request),
                agent="".join(filter(str.isprintable, agent))[:_LONGEST_AGENT],
                request_id=structlog.contextvars.get_contextvars().get("request_id", ""),
            )
        )
        try:
            return self.get_response(request)
        finally:
            _current.reset(token)


def client_address(request: HttpRequest) -> str:
    """
    Return the client address of *request*.

    Each proxy appends the address that it saw to X-Forwarded-For. Only the entries that proxies of
    `TRUSTED_PROXIES` wrote count: a client can forge the rest.
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
    # A unix socket has no address: the peer is a proxy on this machine.
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
