"""Addresses: health checks, the API, and the pages."""

from django.conf import settings
from django.urls import include, path

from console.health import healthz, readyz
from console.telemetry.views import metrics

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
    path("api/v1/", include("console.api.urls")),
    path("api/v2/", include("console.api.compat.urls")),
    path("", include("console.pages.urls")),
]

if settings.OIDC_ISSUER:
    urlpatterns.insert(0, path("login/oidc", include("console.oidc.urls")))
