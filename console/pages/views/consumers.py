"""The usage page of an organization by consumer: resource-hours, shares and idle quota."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone

from console.accounting.export import EXPORTED, exported_rows, file_name
from console.accounting.queries.accounts import accounts
from console.accounting.queries.read_hours import LABEL
from console.accounting.window import Step, account_window, begin_of
from console.engine.wording.words import resource_name
from console.exports import PARAMETER
from console.orgs.permissions import Actor
from console.pages.canonical import canonical_redirect
from console.pages.exports import export_response
from console.pages.local_times import absolute_times
from console.pages.presenters.lists.addresses import PAGE_SIZE, Pager, with_query
from console.pages.presenters.usage.consumers import (
    chart_of,
    dimension_choices,
    expired_text,
    hours_text,
    percent_text,
    resource_choices,
    rows_of,
    shown_range,
    step_choices,
    title_of,
)
from console.pages.presenters.usage.usage_page import Choice
from console.pages.shell import render_page
from console.paging import read_cursor, write_cursor
from console.reading import QueryReader
from console.workloads.queries.labels import seen_labels
from console.workloads.queries.queues import existing_queues

#: Time ranges to choose from; each ends now.
_RANGES: Final = {"24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": timedelta(days=30)}
_RANGE_TITLES: Final = {"24h": "24 hours", "7d": "7 days", "30d": "30 days"}
_USUAL: Final = "7d"


def consumers(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Show resource-hours by the dimension of the parameter *by*."""
    query = absolute_times(request.GET)
    if redirect := canonical_redirect(request, query):
        return redirect
    reader = QueryReader(query)
    by, label = reader.text("by") or "queue", reader.text("label")
    since, until = reader.time("since"), reader.time("until")
    chosen = reader.choice("range", tuple(_RANGES))
    step, resource = reader.choice("step", Step.values), reader.text("resource")
    reader.finish()
    if label is not None:
        by = f"{LABEL}{label}"
    now = timezone.now()
    range_name = chosen or ("" if since or until else _USUAL)
    if range_name:
        since, until = begin_of(_RANGES[range_name], now), None
    window = account_window(
        since, until, Step(step) if step else None, now, only_whole_days=bool(range_name)
    )
    found = accounts(actor, by, window, now, resource)
    org = actor.org.slug
    rows = exported_rows(found, by, now)
    file = export_response(request, actor, file_name(by), EXPORTED, rows)
    if file is not None:
        return file
    (first,) = read_cursor(query.get("cursor")) or (0,)
    end = first + PAGE_SIZE
    path = request.path
    name = found.resource or ""
    total, quota, idle = found.totals.get(name, 0), found.quota.get(name), found.idle(name)
    labels = tuple(seen_labels(actor.org))
    shown = found.values[first:end]
    queues = (each.value for each in shown) if by == "queue" else ()
    linked = existing_queues(actor.org, [name for name in queues if name is not None])
    context = {
        "by": by,
        "title": title_of(by),
        "dimensions": dimension_choices(path, query, labels, by),
        "labels": labels,
        "ranges": tuple(
            Choice(
                title=_RANGE_TITLES[each],
                url=with_query(path, query, range=each, since=None, until=None, step=None),
                is_chosen=each == range_name,
            )
            for each in _RANGES
        ),
        "steps": step_choices(path, query, window),
        "resources": resource_choices(path, query, found),
        "since": None if range_name else since,
        "until": until,
        "found": found,
        "shown_range": shown_range(window, now),
        "expired": expired_text(window),
        "resource": resource_name(name),
        "chart": chart_of(found, by, actor.org.simulated_until),
        "rows": tuple(rows_of(found, by, org, first, PAGE_SIZE, linked)),
        "pager": Pager(
            first_url=with_query(path, query, cursor=None) if first else "",
            next_url=with_query(path, query, cursor=write_cursor(end))
            if end < len(found.values)
            else "",
        ),
        "total": hours_text(total, name),
        "quota": hours_text(quota, name),
        "idle": hours_text(idle, name),
        "idle_share": percent_text(idle, quota) if idle is not None else "",
        "file_url": with_query(path, query, **{PARAMETER: "csv"}),
    }
    return render_page(request, actor, "usage/consumers.html", context, section="usage")
