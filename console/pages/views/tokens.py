"""Views of the help page about API tokens."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.orgs.queries import orgs_of, owned_by
from console.pages.access import signed_in, signed_in_user
from console.pages.shell import SWITCHER_SIZE


@require_safe
@signed_in
def tokens(request: HttpRequest) -> HttpResponse:
    """Show how to create and use an API token in each of the user's organizations."""
    user = signed_in_user(request)
    context = {
        "orgs": list(orgs_of(user)),
        "owned": list(owned_by(user)[:SWITCHER_SIZE]),
        "host": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "tokens/index.html", context)


@require_safe
def client_keys(request: HttpRequest) -> HttpResponse:
    """Redirect from the URL that the public anyscale client prints if a token is wrong."""
    return HttpResponseRedirect(reverse("pages:tokens"))
