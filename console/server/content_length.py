"""Middleware that sets Content-Length, so that connections can be kept alive."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class ContentLengthMiddleware:
    """Sets the length of responses: the server closes connections after one of unknown length."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response, with its length if it is not streaming."""
        response = self.get_response(request)
        is_known = response.streaming or response.has_header("Content-Length")
        # Responses with these statuses have no body and must not have a length.
        if not is_known and response.status_code not in (204, 304):
            response.headers["Content-Length"] = str(len(response.content))
        return response
