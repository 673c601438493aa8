"""The length of each answer that is whole: its connection can then be kept for another request."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse


class ContentLengthMiddleware:
    """Says how long an answer is; the server closes the connection behind one of unknown length."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer the request."""
        response = self.get_response(request)
        is_known = response.streaming or response.has_header("Content-Length")
        # Those have no body, and may say nothing of one.
        if not is_known and response.status_code not in (204, 304):
            response.headers["Content-Length"] = str(len(response.content))
        return response
