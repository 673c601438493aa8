"""
The network addresses that webhooks may reach: public ones, and those that the settings allow.

An IPv4 address that is mapped or translated into an IPv6 address is checked as IPv4.
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network

#: Networks that are not public, with their descriptions. The first match describes an address.
_REFUSED: Final[tuple[tuple[Network, str], ...]] = tuple(
    (ip_network(network), word)
    for word, networks in {
        "a cloud's metadata service": (
            "169.254.169.254/32",
            "100.100.100.200/32",
            "168.63.129.16/32",
            "192.0.0.192/32",
            "fd00:ec2::254/128",
        ),
        "this machine itself": ("127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128"),
        "a private network": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"),
        "a link-local address": ("169.254.0.0/16", "fe80::/10", "fec0::/10"),
        "a carrier's shared network": ("100.64.0.0/10",),
        "a multicast address": ("224.0.0.0/4", "ff00::/8"),
        "a reserved address": (
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "240.0.0.0/4",
            "::/96",
            "64:ff9b:1::/48",
            "100::/64",
            "2001::/23",
            "2001:db8::/32",
            "3fff::/20",
            "5f00::/16",
        ),
    }.items()
    for network in networks
)

#: Prefixes of IPv6 addresses that embed an IPv4 address in their last 32 bits.
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")

#: All public IPv6 addresses allocated so far.
_GLOBAL: Final = IPv6Network("2000::/3")


def refusal_of(address: Address, allowed: Collection[Network]) -> str:
    """
    Return why webhooks must not reach *address*, in a few words; "" if they can.

    >>> from ipaddress import ip_address
    >>> refusal_of(ip_address("::ffff:10.1.2.3"), ())
    'a private network'
    >>> refusal_of(ip_address("::ffff:10.1.2.3"), [ip_network("10.1.0.0/16")])
    ''
    """
    judged = _inner(address)
    if is_within(address, allowed):
        return ""
    for network, word in _REFUSED:
        if judged in network:
            return word
    if isinstance(judged, IPv6Address) and judged not in _GLOBAL:
        return "a reserved address"
    return ""


def is_within(address: Address, networks: Collection[Network]) -> bool:
    """Return whether one of *networks* contains *address*, or the IPv4 address in it."""
    judged = _inner(address)
    return any(judged in network for network in networks)


def _inner(address: Address) -> Address:
    """Return the IPv4 address embedded in *address*, or *address* without its zone."""
    if isinstance(address, IPv4Address):
        return address
    plain = IPv6Address(int(address))
    embedded = plain.ipv4_mapped or plain.sixtofour
    if embedded is None and plain in _TRANSLATED:
        embedded = IPv4Address(int(plain) & 0xFFFFFFFF)
    return embedded or plain
