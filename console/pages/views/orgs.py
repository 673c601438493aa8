"""Views of the signed-in user's organizations."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.overview.badges import badges_of
from console.pages.access import signed_in, signed_in_user

#: Maximum number of listed organizations.
_LISTED = 200
#: Maximum length of the name filter, in characters.
_LONGEST = 200


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Redirect to the list of organizations."""
    return HttpResponseRedirect(reverse("pages:orgs"))


@require_safe
@signed_in
def org_list(request: HttpRequest) -> HttpResponse:
    """List the organizations with their attention items; redirect if there is only one."""
    part = request.GET.get("q", "").strip()[:_LONGEST].replace("\0", "")
    found = badges_of(signed_in_user(request), timezone.now(), _LISTED + 1, part)
    if len(found) == 1 and "all" not in request.GET:
        return HttpResponseRedirect(reverse("pages:overview", args=[found[0].org.slug]))
    context = {"orgs": found[:_LISTED], "more": len(found) > _LISTED, "part": part}
    return render(request, "orgs/index.html", context)
