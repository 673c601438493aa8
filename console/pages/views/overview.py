"""The overview: is anything wrong, where is pressure, what changed."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.configs.changelog import VersionFilter, read_log
from console.configs.queries import active_number, active_policy
from console.health import pulse
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.overview.attention import attention
from console.overview.badges import outlook_digest
from console.overview.consumers import top_consumers
from console.overview.numbers import Numbers, numbers_of, usage_of_all
from console.overview.past import past_of
from console.pages.access import org_page
from console.pages.live import live_by
from console.pages.presenters.attention import attention_rows
from console.pages.presenters.consumers import consumer_lists, resource_choices
from console.pages.presenters.history import history_row
from console.pages.presenters.overview import bars_of, charts_of, tiles_of, wait_words
from console.pages.presenters.queues import queue_row
from console.pages.shell import live_version, render_page
from console.series.models import Step
from console.series.queries import Counts, Series, counts_series, sampled_until
from console.workloads.queries import QueueView, queue_list

#: Items of the attention list, queues and versions shown.
MOST_ITEMS = 7
MOST_QUEUES = 10
RECENT_VERSIONS = 5


def _version(org: Organization) -> str:
    """Return a text that changes with what the overview shows, also when only time passes."""
    sampled = sampled_until(org)
    minute = f"{sampled.timestamp():.0f}" if sampled else ""
    return f"{live_version(org)}.{minute}.{pulse()}.{outlook_digest(org)[:8]}"


@org_page
@require_safe
@live_by(_version)
def overview(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what needs a person first, then quota, numbers, tight queues, consumers and changes."""
    org, now = actor.org, timezone.now()
    queues = queue_list(org)
    items = attention(org, queues, now, manages=actor.may(Permission.MANAGE_ORG))
    past = past_of(org, now)
    numbers = numbers_of(org, now, past.week_ago)
    log = read_log(org, VersionFilter(), RECENT_VERSIONS)
    active = active_number(org)
    tight = heapq.nlargest(MOST_QUEUES, (view for view in queues if view.usages), key=_tightest)
    consumers = top_consumers(org, request.GET.get("resource"))
    rows = attention_rows(org.slug, items)
    context = {
        "attention": rows[:MOST_ITEMS],
        "more_items": max(0, len(rows) - MOST_ITEMS),
        "numbers": numbers,
        "total": sum(numbers.states.values()),
        "tiles": tiles_of(numbers, past.running, past.pending),
        "waits": wait_words(numbers.waits),
        "bars": bars_of(usage_of_all(active_policy(org), queues)),
        "tight": [queue_row(view) for view in tight],
        "queue_count": len(queues),
        "consumers": consumers,
        "consumer_lists": consumer_lists(org.slug, consumers) if consumers else (),
        "resources": resource_choices(request.path, request.GET, consumers) if consumers else (),
        "charts": charts_of(
            org.slug,
            past.series,
            _counts(org, past.series, numbers),
            log.page.results,
            now,
            past.begun,
            request.GET.get("table", ""),
        ),
        "changes": [
            history_row(version, log.told[version.number], active=active)
            for version in log.page.results
        ],
    }
    return render_page(request, actor, "overview/index.html", context, section="overview")


@org_page
@require_safe
@live_by(_version)
def all_attention(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show everything that needs a person, with what each is about."""
    org = actor.org
    items = attention(
        org, queue_list(org), timezone.now(), manages=actor.may(Permission.MANAGE_ORG)
    )
    context = {"attention": attention_rows(org.slug, items)}
    return render_page(request, actor, "overview/attention.html", context, section="overview")


def _tightest(view: QueueView) -> float:
    return max(usage.pressure for usage in view.usages)


def _counts(org: Organization, series: Series, numbers: Numbers) -> Mapping[datetime, Counts]:
    """Return what happened in each step of *series*; by the hour that is known already."""
    if series.step is Step.HOUR:
        return numbers.hours
    return counts_series(org, since=series.since, until=series.until, step=series.step)
