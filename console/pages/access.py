"""Access to pages: decorators that require a signed-in user and membership, and error pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme

from console.errors import (
    BadRequest,
    Conflict,
    ConsoleError,
    NotAllowed,
    NotFound,
    Renamed,
    RetryLater,
)
from console.orgs.models import User
from console.orgs.permissions import Actor
from console.orgs.queries import actor_for
from console.orgs.services.enter_org import enter_org
from console.orgs.sessions import SessionStore
from console.pages.personal_formats import PersonalFormats, using
from console.pages.poll import is_poll

OrgView = Callable[..., HttpResponseBase]

#: Statuses with their own template; all others use the template of 409.
_REFUSALS = (400, 403, 404, 429)


def signed_in(view: OrgView) -> OrgView:
    """
    Redirect requests without a session to the sign-in page, which returns to this address.

    The page is rendered in the formats of the user.
    """

    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _sign_in_first(request)
        if not is_poll(request):
            cast(SessionStore, request.session).note_seen()
        with using(PersonalFormats.of(signed_in_user(request))):
            return _private(view(request, *args, **kwargs))

    return page


def org_page(view: OrgView) -> OrgView:
    """
    Call *view* with the actor of the organization in the address.

    An error of a service is rendered as a page with the status and the message of the error.
    Another user's organization is the same 404 as an unknown one. A page with the old name of a
    renamed object redirects to the page with the new name.
    """

    @wraps(view)
    def page(
        request: HttpRequest, org: str, *, known_actor: Actor | None = None, **kwargs: Any
    ) -> HttpResponseBase:
        actor = known_actor
        try:
            if actor is None:
                user = signed_in_user(request)
                actor = actor_for(user, org) if is_poll(request) else enter_org(user, org)
            return view(request, actor, **kwargs)
        except Renamed as error:
            return _under_new_name(request, error) or refusal(request, error, actor)
        except (NotFound, NotAllowed, BadRequest, Conflict, RetryLater) as error:
            return refusal(request, error, actor)

    full_page = signed_in(page)

    @wraps(view)
    def poll_or_page(request: HttpRequest, org: str, **kwargs: Any) -> HttpResponseBase:
        # Open pages poll often, so one query reads the user together with the membership.
        if is_poll(request):
            member = cast(SessionStore, request.session).member_of(org)
            if member is not None:
                request.user = member.user
                actor = Actor.from_user(member.org, member.user, member.role)
                with using(PersonalFormats.of(member.user)):
                    return _private(page(request, org, known_actor=actor, **kwargs))
        return full_page(request, org, **kwargs)

    return poll_or_page


def refusal(request: HttpRequest, error: ConsoleError, actor: Actor | None) -> HttpResponse:
    """Return the error page: the reason of *error*, its field errors and a link to continue."""
    template = f"{error.status}.html" if error.status in _REFUSALS else "409.html"
    context = {
        "title": error.title,
        "message": error.message,
        "errors": getattr(error, "errors", ()),
        "org": actor.org if actor else None,
        # A retry repeats the same query; in other cases the page without parameters is safer.
        "here": request.get_full_path() if isinstance(error, RetryLater) else request.path,
    }
    response = render(request, template, context, status=error.status)
    if isinstance(error, RetryLater):
        response["Retry-After"] = str(error.seconds)
    return response


def signed_in_user(request: HttpRequest) -> User:
    """Return the user of a request that passed `signed_in`."""
    return cast(User, request.user)


def safe_return_url(request: HttpRequest, url: str) -> str:
    """Return *url* if it is on this site, else the URL of the list of organizations."""
    if url_has_allowed_host_and_scheme(
        url, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return url
    return reverse("pages:orgs")


def _under_new_name(request: HttpRequest, error: Renamed) -> HttpResponse | None:
    """
    Return the redirect to the page with the new name.

    None for a sent form: the sender meant the object that was shown under the old name.
    """
    match = request.resolver_match
    is_read = request.method in ("GET", "HEAD")
    if match is None or not is_read or match.kwargs.get(error.noun) != error.old:
        return None
    query = request.GET.copy()
    query.pop("v", None)
    address = reverse(match.view_name, kwargs={**match.kwargs, error.noun: error.new})
    return HttpResponseRedirect(f"{address}?{query.urlencode()}".rstrip("?"))


def _sign_in_first(request: HttpRequest) -> HttpResponse:
    if is_poll(request) or request.headers.get("Accept", "").startswith("application/json"):
        # A poll or a background check must not insert the sign-in page into the open page.
        return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
    query = urlencode({"next": request.get_full_path()}) if request.method == "GET" else ""
    return HttpResponseRedirect(f"{reverse('pages:sign-in')}?{query}".rstrip("?"))


def _private(response: HttpResponseBase) -> HttpResponseBase:
    patch_cache_control(response, private=True, no_store=True)
    return response
