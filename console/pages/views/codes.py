"""View of the list of diagnostic codes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.configs.expectation_files import FAMILY
from console.dialects.catalogue import families
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.shell import render_page


@org_page
@require_safe
def codes(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List every code that a check can report, with its advice."""
    actor.require(Permission.READ)
    context = {"families": (*families(), FAMILY)}
    return render_page(request, actor, "configs/codes.html", context, section="config")
