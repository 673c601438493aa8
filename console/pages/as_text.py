"""Pages as Markdown: the same address with `as=markdown`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.exports import MARKDOWN, MARKDOWN_TYPE, PARAMETER


def is_markdown_requested(request: HttpRequest) -> bool:
    """Return whether the address requests the page as Markdown."""
    return request.GET.get(PARAMETER) == MARKDOWN


def markdown_answer(text: str) -> HttpResponse:
    """Return *text* as a response of a type that browsers display and never execute."""
    return HttpResponse(text, content_type=MARKDOWN_TYPE)
