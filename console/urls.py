"""URLs of health checks, metrics, the API and the pages."""

from django.conf import settings
from django.urls import include, path, re_path

from console.api.compat.base import NoSuchAddress
from console.health import healthz, readyz
from console.pages.views.api_reference import api_operation, api_reference
from console.telemetry.views import metrics

_REFERENCE = [
    path("", api_reference, name="operations"),
    path("<slug:name>", api_operation, name="operation"),
]

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
    # The addresses of the API end with a pattern that matches all others.
    path("api/v1/docs/", include((_REFERENCE, "reference"))),
    path("api/v1/", include("console.api.urls")),
    # The anyscale client sends "//api" if its host is configured with a trailing slash.
    re_path("^/*api/v2/", include("console.api.compat.urls")),
    re_path("^/*ext/v0/", include("console.api.compat.external_urls")),
    # Addresses of schedulers are configured with a trailing slash, too.
    re_path("^/*ws/v1/", include("console.api.yunikorn.urls")),
    re_path("^/*(?:api/v2|ext/v0)$", NoSuchAddress.as_view()),
    path("", include("console.pages.urls")),
]

if settings.OIDC_ISSUER:
    urlpatterns.insert(0, path("login/oidc", include("console.oidc.urls")))
