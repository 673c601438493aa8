"""One address for each list: where a form sends empty or repeated fields, the browser goes on."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseRedirect, QueryDict

from console.pages.poll import PollRequest


def sent_on(request: HttpRequest, query: QueryDict) -> HttpResponseRedirect | None:
    """
    Return the way to the address in which *query* stands; None when the browser is there.

    An open page that asks for parts of itself gets them wherever it is: going on would
    give it the whole page, every time.
    """
    if query == request.GET or isinstance(request, PollRequest) or "HX-Request" in request.headers:
        return None
    return HttpResponseRedirect(f"{request.path}?{query.urlencode()}".rstrip("?"))
