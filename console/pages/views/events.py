"""View of the event log, newest first."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.canonical import canonical_redirect
from console.pages.exports import export_links, export_response
from console.pages.live import live_by
from console.pages.presenters.activity.event_rows import event_rows
from console.pages.presenters.charts.histogram import histogram_of, is_counted
from console.pages.presenters.lists.addresses import CARD_PAGE_SIZE, pager_of
from console.pages.presenters.lists.filters import canonical_query, chips_of
from console.pages.presenters.lists.tallies import kept_since, permalink, tallies_of
from console.pages.shell import live_version, render_page
from console.pages.templatetags.ui import event_title
from console.pages.webhook_form import new_webhook_url
from console.series.event_counts import event_counts
from console.workloads.disclosure import disclose_events
from console.workloads.event_facts import COLUMNS, event_facts
from console.workloads.models import EventType, Level
from console.workloads.queries.event_search import (
    MOST_TYPED,
    PARAMETERS,
    REPEATABLE,
    EventSearch,
    all_events,
    count_by_type,
    newest_event,
    search_events,
)


def _version(org: Organization) -> str:
    """Return a text that also changes with every event: some precede the engine's run."""
    return f"{live_version(org)}.{newest_event(org)}"


@org_page
@require_safe
@live_by(_version)
def events(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """List events by the filters of the address, or export them."""
    query = canonical_query(request.GET, REPEATABLE)
    if redirect := canonical_redirect(request, query):
        return redirect
    org, search = actor.org, EventSearch.from_query(query)
    file = export_response(
        request,
        actor,
        f"{org.slug}-events",
        COLUMNS,
        map(event_facts, disclose_events(actor, all_events(org, search))),
    )
    if file is not None:
        return file
    page = search_events(org, search, CARD_PAGE_SIZE, query.get("cursor"))
    histogram, now = None, timezone.now()
    if is_counted(search):
        queue = next(iter(search.queues), None)
        parts = event_counts(org, queue, search.since, search.before, now)
        histogram = histogram_of(request.path, query, search, parts, now)
    link = permalink(request.path, query)
    context = {
        "rows": event_rows(org, disclose_events(actor, page.results)),
        "pager": pager_of(request.path, query, page),
        "is_start": not query.get("cursor"),
        "chips": chips_of(request.path, query, PARAMETERS),
        "tallies": tallies_of(request.path, query, "type", count_by_type(org, search), event_title),
        "most_counted": MOST_TYPED,
        "histogram": histogram,
        "webhook_url": new_webhook_url(org.slug, search)
        if actor.may(Permission.MANAGE_ORG)
        else "",
        "exports": export_links(request.path, query),
        "permalink": link,
        "permalink_text": request.build_absolute_uri(link),
        "kept_since": kept_since(settings.EVENT_RETENTION_DAYS),
        "chosen": query,
        "search": search,
        "types": EventType.values,
        "levels": Level.values,
    }
    return render_page(request, actor, "events/index.html", context, section="events")
