"""The client address of a request, which a client cannot forge."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from console.caller import Caller, CallerMiddleware, client_address, current_caller
from console.logs import RequestLogMiddleware

PROXIES = [ip_network("10.0.0.0/8"), ip_network("::1")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "found"),
    [
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),
        ("10.0.0.5", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.5", "1.1.1.1, 198.51.100.1, 10.0.0.7", "198.51.100.1"),
        ("::1", "2001:db8::7", "2001:db8::7"),
        ("", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.5", "198.51.100.1, somewhere", "10.0.0.5"),
        ("10.0.0.5", "", "10.0.0.5"),
        ("10.0.0.5", "10.0.0.6, 10.0.0.7", "10.0.0.6"),
    ],
)
def test_only_addresses_from_trusted_proxies_count(settings, peer, forwarded, found) -> None:
    settings.TRUSTED_PROXIES = PROXIES
    request = RequestFactory(REMOTE_ADDR=peer).get("/", headers={"x-forwarded-for": forwarded})
    assert client_address(request) == found


def test_no_proxy_is_trusted_by_default(settings) -> None:
    settings.TRUSTED_PROXIES = []
    for peer in ("10.0.0.5", ""):
        request = RequestFactory(REMOTE_ADDR=peer).get("/", headers={"x-forwarded-for": "1.1.1.1"})
        assert client_address(request) == peer


def test_the_caller_is_known_while_a_request_is_answered(settings) -> None:
    settings.TRUSTED_PROXIES = []
    seen: list[Caller] = []

    def view(request: HttpRequest) -> HttpResponse:
        seen.append(current_caller())
        return HttpResponse()

    headers = {"user-agent": "curl/8\x07" + "x" * 400, "x-request-id": "abc-1"}
    request = RequestFactory(REMOTE_ADDR="203.0.113.9").get("/", headers=headers)
    RequestLogMiddleware(CallerMiddleware(view))(request)
    agent = "curl/8" + "x" * 294
    assert seen == [Caller(ip="203.0.113.9", agent=agent, request_id="abc-1")]
    assert current_caller() == Caller()
