"""Absolute links to pages, for use outside the console."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse


def invitation_link(request: HttpRequest, secret: str) -> str:
    """Return the link of an invitation."""
    url = request.build_absolute_uri(reverse("pages:join", args=[secret]))
    # Behind a proxy that ends TLS, the request itself is plain http.
    return url.replace("http://", "https://", 1) if settings.HTTPS_ONLY else url
