"""URLs of health checks, metrics, the API and the pages."""

from django.conf import settings
from django.urls import include, path, re_path

from console.api.compat.base import NoSuchAddress
from console.health import healthz, readyz
from console.telemetry.views import metrics

urlpatterns = [
    path("healthz", healthz),
    path("readyz", readyz),
    path("metrics", metrics),
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
