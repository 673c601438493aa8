"""The columns that a person has chosen for a list, kept in a cookie of the browser."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote, unquote

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict

from console.errors import BadRequest
from console.exports import PARAMETER as EXPORT
from console.pages.appearance import YEAR
from console.pages.poll import PollRequest
from console.pages.presenters.lists.columns import FIELDS
from console.workloads.columns import PARAMETER, ListColumns

_COOKIE: Final = "columns"

#: Maximum number of characters of a cookie; longer choices are in the address alone.
_LONGEST: Final = 1_000


def with_kept_columns(request: HttpRequest, query: QueryDict, columns: ListColumns) -> QueryDict:
    """
    Return *query* with the columns that the reader has chosen last, if it names none.

    The address gets them by a redirect, so that it alone determines the page. Polls, files and
    parts of a page show what their own address says.
    """
    if (
        PARAMETER in query
        or EXPORT in query
        or any(name in request.GET for name in FIELDS)
        or isinstance(request, PollRequest)
        or "HX-Request" in request.headers
    ):
        return query
    try:
        names = columns.read(unquote(request.COOKIES.get(_COOKIE, "")))
    except BadRequest:
        # The columns of an older release.
        return query
    if names == columns.usual:
        return query
    found = query.copy()
    found[PARAMETER] = ",".join(names)
    return found


def keep_columns(request: HttpRequest, response: HttpResponse, query: QueryDict) -> None:
    """Keep the columns of *query* for the next visit if the form has chosen them."""
    if not any(name in request.GET for name in FIELDS):
        return
    text = quote(query.get(PARAMETER, ""))
    if not text or len(text) > _LONGEST:
        response.delete_cookie(_COOKIE, path=request.path)
        return
    # The path limits it to this list of this organization.
    response.set_cookie(
        _COOKIE,
        text,
        max_age=YEAR,
        path=request.path,
        secure=settings.HTTPS_ONLY,
        samesite="Lax",
        httponly=True,
    )
