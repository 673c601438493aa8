"""Views of usage over time: of a queue, a cohort, a cluster, and the organization."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.utils import timezone
from django.views.decorators.http import require_safe

from console.configs.queries import versions_between
from console.exports import Row
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.canonical import canonical_redirect
from console.pages.exports import export_response
from console.pages.live import live_by
from console.pages.local_times import absolute_times
from console.pages.presenters.charts.frame import frame_of
from console.pages.presenters.charts.marks import marks_of
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.queues.queue_page import tabs_of
from console.pages.presenters.usage.consumers import dimension_choices
from console.pages.presenters.usage.points import file_columns, file_rows, points_of
from console.pages.presenters.usage.usage_page import (
    key_choices,
    keys_of,
    lost_minutes,
    panels_of,
    range_choices,
    shown_panels,
    stride_of,
)
from console.pages.shell import render_page
from console.pages.usage_form import ALL, TITLES, read_usage_query
from console.pages.views.consumers import consumers
from console.policies.queries import active_number
from console.series.models import Kind, Step
from console.series.queries import known_subject, sampled_since, sampled_until, subject_history
from console.series.retention import RetentionPeriods
from console.series.subjects import WHOLE_ORG, Subject
from console.series.window import window_of
from console.workloads.queries.holds import holds_between
from console.workloads.queries.labels import seen_labels

#: Maximum numbers of points in a chart and of marked versions.
MOST_POINTS = 240
MOST_VERSIONS = 30


def _version(org: Organization) -> str:
    """Return a text that changes with every sample, once a minute, and with the active version."""
    sampled = sampled_until(org)
    return f"{sampled.timestamp() if sampled else 0:.0f}.{active_number(org)}"


@org_page
@require_safe
@live_by(_version)
def queue_usage(request: HttpRequest, actor: Actor, queue: str) -> HttpResponseBase:
    """Show the use and demand of a queue."""
    return _usage(request, actor, Subject.queue(queue), "queues")


@org_page
@require_safe
@live_by(_version)
def cohort_usage(request: HttpRequest, actor: Actor, cohort: str) -> HttpResponseBase:
    """Show the use and demand of a cohort."""
    return _usage(request, actor, Subject.cohort(cohort), "cohorts")


@org_page
@require_safe
@live_by(_version)
def cluster_usage(request: HttpRequest, actor: Actor, cluster: str) -> HttpResponseBase:
    """Show what pods use of the nodes of a cluster, and what these offer."""
    return _usage(request, actor, Subject.cluster(cluster), "capacity")


@org_page
@require_safe
@live_by(_version)
def usage(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Show the use and demand of the organization, or its resource-hours by a dimension."""
    if "by" in request.GET:
        return consumers(request, actor)
    return _usage(request, actor, WHOLE_ORG, "usage")


def _usage(
    request: HttpRequest, actor: Actor, requested: Subject, section: str
) -> HttpResponseBase:
    org, now = actor.org, timezone.now()
    address = absolute_times(request.GET)
    if redirect := canonical_redirect(request, address):
        return redirect
    subject = known_subject(org, requested)
    begun = sampled_since(org)
    query = read_usage_query(address).with_default_range(begun, now)
    sampled = sampled_until(org)
    since, until = query.window(now, sampled)
    window = window_of(since, until, None, now, RetentionPeriods.configured())
    course = subject_history(org, subject, window.since, window.until, window.step)
    series, spans, counts = course.series, course.spans, course.counts
    keys = keys_of(series, spans)
    key = query.key if query.key in keys else next(iter(keys), None)
    is_by_day = window.step is Step.DAY
    end = min(until, window.until)
    frame = frame_of(window.since, end, series.gaps, begun, is_by_day=is_by_day)
    frame = frame.with_simulated(org.simulated_until)
    points = points_of(series, counts, spans, key, MOST_POINTS)
    panels = panels_of(frame, points, key, subject.kind)
    columns = next((each.columns for each in panels if each.key == query.chart), ())

    def every_step() -> Iterator[Row]:
        # A file contains every step; a chart may merge several steps.
        yield from file_rows(points_of(series, counts, spans, key), columns)

    file = export_response(
        request, actor, f"{org.slug}-usage-{query.chart}", file_columns(columns), every_step()
    )
    if file is not None:
        return file
    holds = (
        holds_between(org, subject.name, frame.since, frame.until)
        if subject.kind == Kind.QUEUE
        else ()
    )
    marked, more = versions_between(org, frame.since, frame.until, MOST_VERSIONS)
    context = {
        "subject": subject,
        "tabs": tabs_of(org.slug, subject.name, "usage") if subject.kind == Kind.QUEUE else (),
        "dimensions": dimension_choices(request.path, QueryDict(), tuple(seen_labels(org)), "")
        if subject == WHOLE_ORG
        else (),
        "window": window,
        "frame": frame,
        "query": query,
        "begun": begun,
        "range_title": TITLES.get(query.range, ""),
        "all_tables": with_query(request.path, address, table=ALL),
        "without_tables": with_query(request.path, address, table=None),
        "ranges": range_choices(request.path, address, query.range),
        "count": len(points),
        "stride": stride_of(frame, points),
        "keys": key_choices(request.path, address, keys, key),
        "key": key,
        "panels": shown_panels(request.path, address, panels, points, query.table),
        "marks": marks_of(frame, marked, points, holds),
        "more_versions": more,
        "lost": lost_minutes(series, frame.begun or frame.since, frame.until),
        "together": len(series.readings) > MOST_POINTS,
        "never": sampled is None,
        "before": course.before,
        "kept": RetentionPeriods.configured(),
    }
    return render_page(request, actor, "usage/index.html", context, section=section)
