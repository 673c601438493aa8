"""
The target of a webhook: its parsed URL, and the IP addresses of its host.

The host is resolved only here, and requests connect to the checked addresses, so that the host
cannot resolve to another address between check and connection.
"""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import structlog

from console.webhooks.addresses import Address, Network, is_within, refusal_of

log = structlog.get_logger("console.webhooks")

#: Maximum number of characters of a URL.
LONGEST_URL = 1000

_PORTS = {"http": 80, "https": 443}

_NO_NAME = "The host of this URL is not a valid host name."
#: A host name that is valid in a request, in ASCII.
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}", re.ASCII)


#: The message for every URL that resolves to addresses that are not public.
NOT_PUBLIC = (
    "Webhooks may not be sent to this address: they reach public addresses only. The operator "
    "of this console finds the cause in the log, as webhook_refused, and can allow networks "
    "with WEBHOOK_ALLOWED_NETWORKS."
)


class TargetError(Exception):
    """A URL that is not valid for a webhook; the message is a sentence for its owner."""


class NotResolvedError(TargetError):
    """The host of a URL cannot be resolved at the moment."""


class NotAllowedError(TargetError):
    """The URL resolves to an address that webhooks must not reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A parsed URL."""

    scheme: str
    #: The host name in ASCII, or an IP address without brackets.
    host: str
    port: int
    #: Path and query.
    path: str

    @property
    def authority(self) -> str:
        """Host and port in the form of the ``Host`` header."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def read_target(url: str) -> Target:
    """Parse *url*; raises TargetError with a message about the problem."""
    if len(url) > LONGEST_URL:
        raise TargetError(f"A URL has at most {LONGEST_URL:,} characters.")
    if not url.isprintable() or " " in url or "\\" in url:
        raise TargetError("Remove spaces, line breaks and backslashes from the URL.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise TargetError("This is not a URL; write https://HOST/PATH.") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise TargetError("This is not a web URL; write https://HOST/PATH.")
    if "@" in parts.netloc:
        raise TargetError(
            "A user name or password in the URL would appear in logs; remove everything before "
            "@. Receivers verify deliveries by their signature."
        )
    if parts.fragment:
        raise TargetError("The part after # is never sent; remove it.")
    if port == 0:
        raise TargetError("Port 0 is not valid; write another port.")
    path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    if not path.isascii():
        raise TargetError("Write characters beyond ASCII in the path as %XX.")
    return Target(
        scheme=parts.scheme,
        host=_ascii(parts.hostname),
        port=port or _PORTS[parts.scheme],
        path=path,
    )


def resolve(target: Target, allowed: Collection[Network], seconds: float) -> tuple[Address, ...]:
    """
    Return the IP addresses of *target*, which are all allowed for webhooks.

    Raises NotResolvedError if there are none within *seconds*, and NotAllowedError if one of them
    is neither public nor in *allowed*, or is used without TLS and not in *allowed*.
    """
    found = _addresses(target, seconds)
    if not found:
        raise NotResolvedError(f"The host {target.host} cannot be resolved; check its spelling.")
    for address in found:
        word = refusal_of(address, allowed)
        if word:
            # Owners of organizations must not learn names and networks of the operator.
            log.warning("webhook_refused", host=target.host, address=str(address), reason=word)
            raise NotAllowedError(NOT_PUBLIC)
        if target.scheme == "http" and not is_within(address, allowed):
            raise NotAllowedError(
                "Use https: without it, others can read the deliveries. Plain http is allowed "
                "only for networks in WEBHOOK_ALLOWED_NETWORKS."
            )
    return found


def _ascii(host: str) -> str:
    try:
        name = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError as error:
        raise TargetError("The host of this URL is not a valid host name.") from error
    if not _HOST.fullmatch(name):
        raise TargetError(_NO_NAME)
    return name.lower()


def _addresses(target: Target, seconds: float) -> tuple[Address, ...]:
    """Return the addresses from the resolver, in its order; none after *seconds*."""
    found: list[Address] = []

    def look() -> None:
        try:
            infos = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend(dict.fromkeys(ip_address(str(info[4][0])) for info in infos))

    # The resolver has no timeout, so its thread is abandoned after the limit.
    thread = threading.Thread(target=look, name="resolve", daemon=True)
    thread.start()
    thread.join(seconds)
    return () if thread.is_alive() else tuple(found)
