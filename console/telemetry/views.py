"""`/metrics`: what a monitoring system reads, and who may read it."""

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
    Answer with the metrics of all organizations.

    Whoever has `METRICS_TOKEN` as bearer token may read them; where none is set, only
    programs of this machine, and not where there is a proxy: it asks from here for anybody.
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
    "Metrics tell of all organizations. Send the value of METRICS_TOKEN as a bearer token; where "
    "none is set, they are for programs of the machine itself alone, and for nobody behind a "
    "proxy.\n"
)


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        same = secrets.compare_digest(given.strip().encode(), settings.METRICS_TOKEN.encode())
        return scheme.lower() == "bearer" and same
    # A proxy may say so in one of these, or not; who has one tells us in the settings.
    if any(name in request.headers for name in _FORWARDED):
        return False
    if settings.TRUSTED_PROXIES or settings.CSRF_TRUSTED_ORIGINS:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
