"""View of the search for objects and pages of an organization, and for documentation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.destinations import destinations_of
from console.pages.shell import render_page
from console.workloads.queries.name_search import search_names

#: Maximum length of the search text, in characters.
_LONGEST = 200

#: Maximum number of results of each kind.
_MOST = 8


@org_page
@require_safe
def search(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the results for ``q``; without ``q``, all pages."""
    text = request.GET.get("q", "").strip()[:_LONGEST].replace("\0", "")
    groups = destinations_of(actor, text, search_names(actor.org, text, _MOST), _MOST)
    context = {"text": text, "groups": groups, "most": _MOST}
    return render_page(request, actor, "search/index.html", context, section="")
