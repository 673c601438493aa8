"""View of the config history: versions with their changes and effects."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.configs.changelog import KINDS, VersionFilter, authors_of, read_log
from console.configs.temporary_changes import schedules_of
from console.dialects.objects import shared_vocabulary
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.canonical import canonical_redirect
from console.pages.presenters.configs.history import history_row, kind_titles, noun_titles
from console.pages.presenters.configs.schedule import version_notes
from console.pages.presenters.lists.addresses import pager_of
from console.pages.presenters.lists.filters import canonical_query, chips_of
from console.pages.shell import render_page
from console.pages.templatetags.ui import field_day
from console.policies.queries import active_number

#: Versions per page.
PAGE_SIZE = 20

FILTERS = ("author", "kind", "noun", "name", "since", "until")


@org_page
@require_safe
def history(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List versions by the filters of the address, newest first."""
    query = canonical_query(request.GET)
    if redirect := canonical_redirect(request, query):
        return redirect
    chosen = VersionFilter.from_query(query)
    log = read_log(actor.org, chosen, PAGE_SIZE, query.get("cursor"))
    active = active_number(actor.org)
    begun, made = schedules_of(actor.org, [version.number for version in log.page.results])
    rows = [
        history_row(
            version,
            log.changes[version.number],
            active=active,
            notes=version_notes(begun.get(version.number), made.get(version.number)),
        )
        for version in log.page.results
    ]
    context = {
        "rows": rows,
        "active_number": active,
        "pager": pager_of(request.path, query, log.page),
        "chips": chips_of(request.path, query, FILTERS),
        "chosen": chosen,
        "days": {
            "since": field_day(chosen.since),
            # The end is exclusive; its field has the last day that is included.
            "until": field_day(chosen.until and chosen.until - timedelta(microseconds=1)),
        },
        "old_names": log.old_names,
        "authors": authors_of(actor.org),
        "kinds": kind_titles(KINDS),
        "nouns": noun_titles(shared_vocabulary()),
    }
    return render_page(request, actor, "configs/history.html", context, section="config")
