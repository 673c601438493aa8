"""Addresses of pages as they have to stand outside the console."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse


def join_link(request: HttpRequest, secret: str) -> str:
    """Return the link of an invitation."""
    url = request.build_absolute_uri(reverse("pages:join", args=[secret]))
    # A proxy that ends TLS in front of the console hides that it does.
    return url.replace("http://", "https://", 1) if settings.HTTPS_ONLY else url
