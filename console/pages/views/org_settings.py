"""View of the name of an organization, which owners change."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from console.errors import BadRequest
from console.orgs.org_names import LONGEST_NAME
from console.orgs.permissions import Actor
from console.orgs.services.rename_org import rename_org
from console.pages.access import org_page
from console.pages.shell import render_page


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def organization(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the name and the slug of the organization; owners change the name."""
    typed, error, status = actor.org.name, "", HTTPStatus.OK
    if request.method == "POST":
        typed = request.POST.get("name", "")
        try:
            rename_org(actor, typed)
        except BadRequest as bad:
            error, status = bad.errors[0].message, HTTPStatus.UNPROCESSABLE_ENTITY
        else:
            messages.success(request, "Saved.")
            return HttpResponseRedirect(request.path)
    context = {
        "typed": typed[: LONGEST_NAME + 1],
        "error": error,
        "longest": LONGEST_NAME,
        "created_at": actor.org.created_at,
    }
    return render_page(
        request,
        actor,
        "settings/organization.html",
        context,
        section="settings",
        status=status,
    )
