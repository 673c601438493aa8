"""View of the audit log: actions of members and tokens, newest first."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from console.orgs.audit_search import (
    MOST_COUNTED,
    PARAMETERS,
    REPEATABLE,
    AuditSearch,
    all_audit,
    count_by_action,
    newest_entry,
    search_audit,
    sees_all,
)
from console.orgs.chain import COLUMNS, sealed_facts_of
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.canonical import canonical_redirect
from console.pages.exports import export_links, export_response
from console.pages.live import live_by
from console.pages.presenters.activity.audit import action_title, audit_rows, families_of
from console.pages.presenters.lists.addresses import CARD_PAGE_SIZE, pager_of
from console.pages.presenters.lists.filters import canonical_query, chips_of
from console.pages.presenters.lists.tallies import kept_since, permalink, tallies_of
from console.pages.shell import live_version, render_page


def _version(org: Organization) -> str:
    return f"{live_version(org)}.{newest_entry(org)}"


@org_page
@require_safe
@live_by(_version)
def audit(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """List audit entries by the filters of the address, or export them."""
    query = canonical_query(request.GET, REPEATABLE)
    if redirect := canonical_redirect(request, query):
        return redirect
    search = AuditSearch.from_query(query)
    every = map(sealed_facts_of, all_audit(actor, search))
    file = export_response(request, actor, f"{actor.org.slug}-audit", COLUMNS, every)
    if file is not None:
        return file
    page = search_audit(actor, search, CARD_PAGE_SIZE, query.get("cursor"))
    counts = count_by_action(actor, search)
    link = permalink(request.path, query)
    context = {
        "rows": audit_rows(actor.org, page.results),
        "pager": pager_of(request.path, query, page),
        "is_start": not query.get("cursor"),
        "chips": chips_of(request.path, query, PARAMETERS),
        "families": families_of(request.path, query),
        "tallies": tallies_of(request.path, query, "action", counts, action_title),
        "most_counted": MOST_COUNTED,
        "exports": export_links(request.path, query),
        "permalink": link,
        "permalink_text": request.build_absolute_uri(link),
        "kept_since": kept_since(settings.AUDIT_RETENTION_DAYS),
        "sees_all": sees_all(actor),
        "chosen": query,
        "search": search,
        "kept_actions": query.getlist("action"),
        "kept_kinds": query.getlist("kind"),
    }
    return render_page(request, actor, "events/audit.html", context, section="events")
