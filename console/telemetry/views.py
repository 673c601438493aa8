"""The view of `/metrics`, and its access check."""

from __future__ import annotations

import secrets
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from console.telemetry.exposition import Sluice

_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Real-Ip")


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """
    Return the metrics of all organizations.

    Access requires `METRICS_TOKEN` as bearer token. If none is set, only local programs have
    access, and none behind a proxy, whose requests all come from this machine.
    """
    if not _may_read(request):
        return HttpResponse(_REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    encode, content_type = choose_encoder(request.headers.get("Accept", ""))
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Sluice(by_queue=settings.METRICS_BY_QUEUE))
    return HttpResponse(
        encode(registry), content_type=content_type, headers={"Cache-Control": "no-store"}
    )


_REFUSAL = (
    "Metrics contain data of all organizations. Send the value of METRICS_TOKEN as a bearer "
    "token. If it is not set, only programs on the same machine have access, and none behind a "
    "proxy.\n"
)


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        same = secrets.compare_digest(given.strip().encode(), settings.METRICS_TOKEN.encode())
        return scheme.lower() == "bearer" and same
    # Headers that most proxies add; a proxy that adds none is declared in the settings.
    if any(name in request.headers for name in _FORWARDED):
        return False
    if settings.TRUSTED_PROXIES or settings.CSRF_TRUSTED_ORIGINS:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
