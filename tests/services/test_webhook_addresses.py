"""Allowed webhook addresses: the address table, changing DNS names and invalid URLs."""

from __future__ import annotations

import socket
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from structlog.testing import capture_logs

from console.webhooks import target as targets
from console.webhooks.addresses import refusal_of
from console.webhooks.disclosed import disclosed_address, disclosed_detail
from console.webhooks.models import Attempt
from console.webhooks.outcome import Failure
from console.webhooks.sending import send
from console.webhooks.target import (
    NotAllowedError,
    NotResolvedError,
    Target,
    TargetError,
    read_target,
    resolve,
)

REFUSED = {
    "127.0.0.1": "this machine itself",
    "127.255.0.9": "this machine itself",
    "0.0.0.0": "this machine itself",  # noqa: S104
    "0.9.9.9": "this machine itself",
    "0.1.2.3": "this machine itself",
    "10.0.0.1": "a private network",
    "172.16.0.1": "a private network",
    "172.31.255.255": "a private network",
    "192.168.1.1": "a private network",
    "169.254.1.1": "a link-local address",
    "169.254.169.254": "a cloud's metadata service",
    "100.100.100.200": "a cloud's metadata service",
    "168.63.129.16": "a cloud's metadata service",
    "192.0.0.192": "a cloud's metadata service",
    "fd00:ec2::254": "a cloud's metadata service",
    "100.64.0.1": "a carrier's shared network",
    "224.0.0.1": "a multicast address",
    "239.255.255.255": "a multicast address",
    "255.255.255.255": "a reserved address",
    "240.0.0.1": "a reserved address",
    "192.0.2.1": "a reserved address",
    "198.18.0.1": "a reserved address",
    "198.51.100.7": "a reserved address",
    "203.0.113.7": "a reserved address",
    "::1": "this machine itself",
    "::": "this machine itself",
    "::7f00:1": "a reserved address",
    "::ffff:127.0.0.1": "this machine itself",
    "::ffff:169.254.169.254": "a cloud's metadata service",
    "::ffff:0.0.0.0": "this machine itself",
    "64:ff9b::10.0.0.1": "a private network",
    "64:ff9b:1::1": "a reserved address",
    "2002:7f00:1::": "this machine itself",
    "2002:c0a8:101::1": "a private network",
    "2001:0:1::1": "a reserved address",
    "2001:db8::1": "a reserved address",
    "fe80::1": "a link-local address",
    "fe80::1%lo": "a link-local address",
    "fec0::1": "a link-local address",
    "fc00::1": "a private network",
    "fdff::1": "a private network",
    "ff02::1": "a multicast address",
    "4000::1": "a reserved address",
}
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.32.0.1",
    "192.169.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
]


def test_only_public_addresses_are_allowed() -> None:
    assert {each: refusal_of(ip_address(each), ()) for each in REFUSED} == REFUSED
    assert {each: refusal_of(ip_address(each), ()) for each in PUBLIC} == dict.fromkeys(PUBLIC, "")


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("127.0.0.1", "127.0.0.0/8"),
        ("::ffff:127.0.0.1", "127.0.0.1/32"),
        ("10.1.2.3", "10.1.0.0/16"),
        ("169.254.169.254", "169.254.169.254/32"),
        ("fd12::9", "fd12::/16"),
    ],
)
def test_the_settings_allow_networks_and_nothing_beside_them(address: str, network: str) -> None:
    assert refusal_of(ip_address(address), [ip_network(network)]) == ""
    assert refusal_of(ip_address("192.168.0.1"), [ip_network(network)]) == "a private network"


#: Notations of this machine's addresses that resolvers understand.
DISGUISED = ["127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "localhost", "0", "[::ffff:7f00:1]"]


@pytest.mark.parametrize("host", DISGUISED)
def test_a_disguise_does_not_help(host: str) -> None:
    with pytest.raises((NotAllowedError, NotResolvedError)):
        resolve(read_target(f"https://{host}/"), (), 5)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "//example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:6379/_",
        "https://",
        "https://:443/",
        "https://user:word@example.org/",
        "https://token@example.org/",
        "https://example.org/#part",
        "https://example.org:0/",
        "https://example.org:99999/",
        "https://example.org:x/",
        "https://exa mple.org/",
        "https://example.org/a b",
        "https://example.org/\r\nHost: other",
        "https://example.org\\@127.0.0.1/",
        "https://[::1/",
        "https://exa_mple!.org/",
        "https://example.org/ü",
        "https://" + "a" * 300 + ".org/",
        "https://example.org/" + "a" * 1000,
    ],
)
def test_an_invalid_url_is_refused_with_a_message(url: str) -> None:
    with pytest.raises(TargetError) as refused:
        read_target(url)
    assert str(refused.value).endswith(".")


def test_an_address_is_taken_apart() -> None:
    assert read_target("https://Example.org") == Target(
        scheme="https", host="example.org", port=443, path="/"
    )
    there = read_target("http://[2606:4700::1111]:8080/a/b?c=d")
    assert there == Target(scheme="http", host="2606:4700::1111", port=8080, path="/a/b?c=d")
    assert there.authority == "[2606:4700::1111]:8080"
    assert read_target("https://bücher.example/").host == "xn--bcher-kva.example"


def _resolver(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
    """Make the resolver return *answers* in turn."""
    left = list(answers)

    def look(host: str, port: int, **_: Any) -> list[Any]:
        family = socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (each, port)) for each in left.pop(0)]

    monkeypatch.setattr(targets.socket, "getaddrinfo", look)


def test_one_private_address_among_public_ones_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    _resolver(monkeypatch, ["8.8.8.8", "10.0.0.1"])
    with pytest.raises(NotAllowedError) as refused:
        resolve(read_target("https://mixed.example/"), (), 5)
    assert str(refused.value) == targets.NOT_PUBLIC


def test_plain_http_is_for_allowed_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    _resolver(monkeypatch, ["8.8.8.8"], ["10.0.0.1"])
    with pytest.raises(NotAllowedError) as refused:
        resolve(read_target("http://plain.example/"), (), 5)
    assert str(refused.value).startswith("Use https")
    allowed = [ip_network("10.0.0.0/8")]
    assert resolve(read_target("http://plain.example/"), allowed, 5) == (ip_address("10.0.0.1"),)


def test_a_name_that_moves_is_judged_at_each_send(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding has no effect: the connection uses the checked address without a new lookup."""
    asked: list[tuple[str, int]] = []

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        asked.append(address)
        raise ConnectionRefusedError("nobody listens")

    _resolver(monkeypatch, ["8.8.8.8"], ["127.0.0.1"])
    monkeypatch.setattr("console.webhooks.sending.socket.create_connection", connect)
    first = send("https://moves.example/", b"{}", {}, ())
    second = send("https://moves.example/", b"{}", {}, ())
    assert (first.failure, first.address) == (Failure.NOT_REACHED, "8.8.8.8")
    assert (second.failure, second.address) == (Failure.NOT_ALLOWED, "")
    assert asked == [("8.8.8.8", 443)]


def test_a_name_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def look(*_: Any, **__: Any) -> Any:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(targets.socket, "getaddrinfo", look)
    answer = send("https://nowhere.example/", b"{}", {}, ())
    assert (answer.failure, answer.detail) == (
        Failure.NOT_RESOLVED,
        "The host nowhere.example cannot be resolved; check its spelling.",
    )


def test_an_owner_is_told_nothing_of_the_operators_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Names, addresses and kinds of networks are only in the operator's log."""
    said = set()
    for address in ("127.0.0.1", "10.1.2.3", "169.254.169.254", "fd00:ec2::254"):
        _resolver(monkeypatch, [address])
        with capture_logs() as lines:
            answer = send("https://vm/", b"{}", {}, ())
        assert answer.failure == Failure.NOT_ALLOWED
        said.add((answer.detail, answer.address))
        [line] = lines
        assert (line["event"], line["host"], line["address"]) == ("webhook_refused", "vm", address)
    assert said == {(targets.NOT_PUBLIC, "")}


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("8.8.8.8", "8.8.8.8"),
        ("10.1.2.3", ""),
        ("127.0.0.1", ""),
        ("::ffff:10.0.0.1", ""),
        ("", ""),
    ],
)
def test_only_public_addresses_of_attempts_are_shown(stored: str, shown: str) -> None:
    assert disclosed_address(Attempt(address=stored)) == shown


def test_refusal_details_of_earlier_versions_are_hidden() -> None:
    old = Attempt(failure="not_allowed", detail="vm (127.0.0.1) is this machine itself")
    assert disclosed_detail(old) == targets.NOT_PUBLIC
    refused = Attempt(failure="not_reached", detail="[Errno 111] Connection refused")
    assert disclosed_detail(refused) == "[Errno 111] Connection refused"
