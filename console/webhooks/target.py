"""
Where a webhook leads: its address taken apart, and the network addresses behind its name.

The name is resolved here and nowhere else: whoever sends connects to what was judged, so
that a name cannot lead elsewhere between the judgment and the connection.
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

#: Characters of an address.
LONGEST_URL = 1000

_PORTS = {"http": 80, "https": 443}

_NO_NAME = "The host of this address is not a name that can be looked up."
#: A host as it may stand in a request, once it is ASCII.
_HOST = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}", re.ASCII)


#: Said of every address that leads to other than public ones.
NOT_PUBLIC = (
    "Webhooks may not be sent to this address: they reach public addresses only. The operator of "
    "this console finds the reason in its log, as webhook_refused, and can allow networks with "
    "WEBHOOK_ALLOWED_NETWORKS."
)


class TargetError(Exception):
    """An address that a webhook cannot have; the message is a sentence for its owner."""


class NotResolvedError(TargetError):
    """The name of an address leads nowhere at the moment."""


class NotAllowedError(TargetError):
    """The address leads to where webhooks may not go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An address, taken apart."""

    scheme: str
    #: The name in ASCII, or an IP address without brackets.
    host: str
    port: int
    #: Path and query.
    path: str

    @property
    def authority(self) -> str:
        """Host and port as the ``Host`` header names them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def read_target(url: str) -> Target:
    """Take *url* apart; raises TargetError that says what is wrong with it."""
    if len(url) > LONGEST_URL:
        raise TargetError(f"An address has at most {LONGEST_URL:,} characters.")
    if not url.isprintable() or " " in url or "\\" in url:
        raise TargetError("An address has no spaces, line breaks or backslashes.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise TargetError("This is not an address; write https://HOST/PATH.") from error
    if parts.scheme not in _PORTS or not parts.hostname:
        raise TargetError("This is not a web address; write https://HOST/PATH.")
    if "@" in parts.netloc:
        raise TargetError(
            "A user name or password in the address would appear in every log; remove everything "
            "before @. Receivers recognize deliveries by their signature."
        )
    if parts.fragment:
        raise TargetError("The part after # is never sent; remove it.")
    if port == 0:
        raise TargetError("There is no port 0.")
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
    Return the addresses that *target* leads to, all of which a webhook may reach.

    Raises NotResolvedError when there are none within *seconds*, and NotAllowedError when one of
    them is neither public nor within *allowed*, or has no TLS without being within it.
    """
    found = _addresses(target, seconds)
    if not found:
        raise NotResolvedError(f"The name {target.host} is not known; check its spelling.")
    for address in found:
        word = refusal_of(address, allowed)
        if word:
            # Owners of organizations need not know the names and networks of the operator.
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
        raise TargetError(
            "The host of this address is not a name that can be looked up."
        ) from error
    if not _HOST.fullmatch(name):
        raise TargetError(_NO_NAME)
    return name.lower()


def _addresses(target: Target, seconds: float) -> tuple[Address, ...]:
    """Return what the resolver knows, in its order; what takes longer than *seconds* is nothing."""
    found: list[Address] = []

    def look() -> None:
        try:
            infos = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            return
        found.extend(dict.fromkeys(ip_address(str(info[4][0])) for info in infos))

    # The resolver has no timeout of its own, so it is left behind when it takes too long.
    thread = threading.Thread(target=look, name="resolve", daemon=True)
    thread.start()
    thread.join(seconds)
    return () if thread.is_alive() else tuple(found)
