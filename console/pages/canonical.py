"""Canonical addresses of lists: redirects from addresses with empty or repeated parameters."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseRedirect, QueryDict

from console.pages.poll import PollRequest


def canonical_redirect(
    request: HttpRequest, query: QueryDict, *, keeps: str = ""
) -> HttpResponseRedirect | None:
    """
    Return the redirect to the address with *query*; None if the request has this query already.

    Nothing is redirected with the parameter *keeps*, which *query* lacks although it has a
    meaning.

    Polls and htmx requests are never redirected: an open page would get the whole page instead
    of the requested part, every time.
    """
    if (
        (keeps and keeps in request.GET)
        or query == request.GET
        or isinstance(request, PollRequest)
        or "HX-Request" in request.headers
    ):
        return None
    return HttpResponseRedirect(f"{request.path}?{query.urlencode()}".rstrip("?"))
