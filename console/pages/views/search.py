"""Find the way: queues, cohorts, workloads, versions and pages by a text."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.destinations import destinations_of
from console.pages.shell import render_page
from console.workloads.queries.named import find_named

#: Characters of a text that is looked for.
_LONGEST = 200

#: Of each kind that are offered.
_MOST = 8


@org_page
@require_safe
def search(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Offer where to go by ``q``; every page without one."""
    text = request.GET.get("q", "").strip()[:_LONGEST].replace("\0", "")
    groups = destinations_of(actor, text, find_named(actor.org, text, _MOST))
    context = {"text": text, "groups": groups, "most": _MOST}
    return render_page(request, actor, "search/index.html", context, section="")
