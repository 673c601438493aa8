"""The organizations of the person who is signed in."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.orgs.queries import orgs_of
from console.pages.access import signed_in, signed_in_user


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Lead to the organizations."""
    return HttpResponseRedirect(reverse("pages:orgs"))


@require_safe
@signed_in
def org_list(request: HttpRequest) -> HttpResponse:
    """List the organizations; with only one, go there."""
    orgs = list(orgs_of(signed_in_user(request)))
    if len(orgs) == 1 and "all" not in request.GET:
        return HttpResponseRedirect(reverse("pages:overview", args=[orgs[0].slug]))
    return render(request, "orgs/index.html", {"orgs": orgs})
