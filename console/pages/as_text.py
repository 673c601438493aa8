"""Pages as Markdown: the same address with `as=markdown`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from console.exports import MARKDOWN, MARKDOWN_TYPE, PARAMETER


def is_markdown_requested(request: HttpRequest) -> bool:
    """Say whether the address asks for the page as Markdown."""
    return request.GET.get(PARAMETER) == MARKDOWN


def markdown_answer(text: str) -> HttpResponse:
    """Return *text* for programs and people to read as it is; browsers show it, never run it."""
    return HttpResponse(text, content_type=MARKDOWN_TYPE)
