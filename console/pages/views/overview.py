"""Views of the overview and of all attention items."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.configs.changelog import Log, VersionFilter, read_log
from console.configs.models import ConfigVersion
from console.engine.disciplines import load_discipline
from console.heartbeat import pulse
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.overview.attention import attention
from console.overview.badges import outlook_digest
from console.overview.consumers import top_consumers
from console.overview.numbers import Numbers, numbers_of, usage_of_all
from console.overview.past import Past, past_of
from console.pages.access import org_page
from console.pages.live import live_by
from console.pages.parts import lazily
from console.pages.presenters.configs.history import HistoryRow, history_row
from console.pages.presenters.overview.attention import attention_rows
from console.pages.presenters.overview.consumers import consumer_lists, resource_choices
from console.pages.presenters.overview.overview import (
    Charts,
    bars_of,
    charts_of,
    tiles_of,
    wait_words,
)
from console.pages.presenters.queues.queue import queue_row
from console.pages.shell import live_version, render_page
from console.policies.queries import active_number, active_policy
from console.series.models import Step
from console.series.queries import Counts, Series, counts_series, sampled_until
from console.workloads.queries import QueueView, queue_list
from console.workloads.queries.waiting_longest import LOOKED_AT, waiting_longest

#: Maximum numbers of shown attention items, queues and versions.
MOST_ITEMS = 7
MOST_QUEUES = 10
RECENT_VERSIONS = 5
MOST_WAITING = 5


def _version(org: Organization) -> str:
    """Return a text that changes with the data of the overview, also by the passage of time."""
    sampled = sampled_until(org)
    minute = f"{sampled.timestamp():.0f}" if sampled else ""
    return f"{live_version(org)}.{minute}.{pulse()}.{outlook_digest(org)[:8]}"


@org_page
@require_safe
@live_by(_version)
def overview(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show attention items, then quota, numbers, tight queues, consumers and changes."""
    org, now = actor.org, timezone.now()
    queues = lazily(lambda: queue_list(org))
    manages = actor.may(Permission.MANAGE_ORG)
    rows = lazily(lambda: attention_rows(org.slug, attention(org, queues(), now, manages=manages)))
    past = lazily(lambda: past_of(org, now))
    numbers = lazily(lambda: numbers_of(org, queues(), now, past().week_ago))
    log = lazily(lambda: read_log(org, VersionFilter(), RECENT_VERSIONS))
    consumers = lazily(lambda: top_consumers(org, request.GET.get("resource")))
    context = {
        "attention": lambda: rows()[:MOST_ITEMS],
        "more_items": lambda: max(0, len(rows()) - MOST_ITEMS),
        "numbers": numbers,
        "total": lambda: sum(numbers().states.values()),
        "tiles": lambda: tiles_of(numbers(), past().running, past().pending),
        "waits": lambda: wait_words(numbers().waits),
        "wording": lazily(lambda: load_discipline(active_policy(org).discipline).wording),
        "bars": lazily(lambda: bars_of(usage_of_all(active_policy(org), queues()))),
        "tight": lazily(lambda: [queue_row(view) for view in _tightest(queues())]),
        "queue_count": lambda: len(queues()),
        "consumers": consumers,
        "consumer_lists": lambda: consumer_lists(org.slug, found) if (found := consumers()) else (),
        "resources": lambda: (
            resource_choices(request.path, request.GET, found) if (found := consumers()) else ()
        ),
        "charts": lazily(lambda: _charts(request, org, past(), numbers(), log().page.results, now)),
        "changes": lazily(lambda: _changes(org, log())),
        "waiting": lazily(lambda: waiting_longest(org, MOST_WAITING)),
        "looked_at": LOOKED_AT,
    }
    return render_page(request, actor, "overview/index.html", context, section="overview")


@org_page
@require_safe
@live_by(_version)
def all_attention(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show all attention items with their subjects."""
    org = actor.org
    items = attention(
        org, queue_list(org), timezone.now(), manages=actor.may(Permission.MANAGE_ORG)
    )
    context = {"attention": attention_rows(org.slug, items)}
    return render_page(request, actor, "overview/attention.html", context, section="overview")


def _tightest(queues: Sequence[QueueView]) -> list[QueueView]:
    limited = (view for view in queues if view.usages)
    return heapq.nlargest(
        MOST_QUEUES, limited, key=lambda view: max(usage.pressure for usage in view.usages)
    )


def _charts(
    request: HttpRequest,
    org: Organization,
    past: Past,
    numbers: Numbers,
    versions: Sequence[ConfigVersion],
    now: datetime,
) -> Charts:
    counts = _counts(org, past.series, numbers)
    table = request.GET.get("table", "")
    return charts_of(
        org.slug, past.series, counts, versions, now, past.begun, org.simulated_until, table
    )


def _changes(org: Organization, log: Log) -> list[HistoryRow]:
    active = active_number(org)
    return [
        history_row(version, log.changes[version.number], active=active)
        for version in log.page.results
    ]


def _counts(org: Organization, series: Series, numbers: Numbers) -> Mapping[datetime, Counts]:
    """Return the counts of each step of *series*; hourly counts are already in *numbers*."""
    if series.step is Step.HOUR:
        return numbers.hours
    return counts_series(org, since=series.since, until=series.until, step=series.step)
