"""Views of the signed-in user's organizations."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from console.errors import Conflict, NotFound
from console.orgs.org_creation import why_not_create_orgs
from console.orgs.people import waiting_invitations
from console.orgs.services.accept_invitation import (
    accept_waiting_invitation,
    decline_invitation,
)
from console.overview.badges import badges_of
from console.pages.access import refusal, signed_in, signed_in_user
from console.pages.presenters.people.roles import role_choices

#: Maximum number of listed organizations.
_LISTED = 200
#: Maximum number of listed invitations.
_INVITATIONS = 20
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
    user = signed_in_user(request)
    found = badges_of(user, timezone.now(), _LISTED + 1, part)
    invitations = [
        (each, next(choice for choice in role_choices(each.role) if choice.is_chosen))
        for each in waiting_invitations(user, _INVITATIONS)
    ]
    if len(found) == 1 and not invitations and "all" not in request.GET:
        return HttpResponseRedirect(reverse("pages:overview", args=[found[0].org.slug]))
    context = {
        "why_not": why_not_create_orgs(user),
        "invitations": invitations,
        "orgs": found[:_LISTED],
        "more": len(found) > _LISTED,
        "part": part,
    }
    return render(request, "orgs/index.html", context)


@require_POST
@signed_in
def answer_invitation(request: HttpRequest, number: int) -> HttpResponse:
    """Accept or decline an invitation to the address of the signed-in user."""
    user = signed_in_user(request)
    try:
        if request.POST.get("do") == "decline":
            declined = decline_invitation(user, number)
            messages.success(request, f"You declined the invitation to {declined.org.name}.")
            return HttpResponseRedirect(f"{reverse('pages:orgs')}?all")
        joined = accept_waiting_invitation(user, number)
    except (NotFound, Conflict) as error:
        return refusal(request, error, None)
    messages.success(request, f"You joined {joined.org.name} as {joined.role}.")
    return HttpResponseRedirect(reverse("pages:overview", args=[joined.org.slug]))
