"""Sparklines of the last day of many subjects, in a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from django.utils import timezone

from console.orgs.models import Organization
from console.series.coverage import HOUR, MINUTE, floor_hour, floor_minute
from console.series.models import Kind, SampledHour, SeriesPoint, Step
from console.series.readings import edges, minutes_of
from console.time_formats import parse_time
from console.workloads.stored_texts import as_text

#: The values: highest use of any nominal quota, in thousandths, or peak counts.
Measure = Literal["tightest", "running_peak", "pending_peak"]

#: The time range: a day, or an hour while fewer hours are sampled.
_HOURS = 24
_YOUNG = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparks:
    """The sparklines of subjects in one time range."""

    step: Step
    since: datetime
    until: datetime
    #: Peaks for each step, None in a gap; by name, for all requested subjects.
    courses: Mapping[str, tuple[int | None, ...]]


def sparks_of(
    org: Organization,
    queues: Collection[str],
    measure: Measure = "tightest",
    *,
    now: datetime | None = None,
) -> Sparks:
    """Return the sparklines of *queues*."""
    return _sparks(org, Kind.QUEUE.value, queues, measure, now or timezone.now())


def spark_of_all(org: Organization, measure: Measure, *, now: datetime | None = None) -> Sparks:
    """Return the sparkline of the organization, under the empty name."""
    return _sparks(org, Kind.ORG.value, [""], measure, now or timezone.now())


def _sparks(
    org: Organization, kind: str, names: Collection[str], measure: Measure, now: datetime
) -> Sparks:
    last = floor_minute(now) + MINUTE
    since = floor_hour(last) - (_HOURS - 1) * HOUR
    covered = SampledHour.objects.filter(org=org, start__gte=since, start__lt=last, minutes__gt=0)
    hours = dict(covered.values_list("start", "minutes"))
    is_young = len(hours) < _YOUNG
    step = Step.MINUTE if is_young else Step.HOUR
    if is_young:
        since = last - HOUR
    points = SeriesPoint.objects.filter(
        org=org, kind=kind, name__in=names, start__lt=last
    ).annotate(at=as_text("start"))
    columns = ("name", "at", measure)
    rows = points.filter(step=step.value, start__gte=floor_hour(since)).values_list(*columns)
    if not is_young:
        # An hour that has just begun or ended may not be rolled up, or not for the last time.
        minutes = points.filter(step=Step.MINUTE.value, start__gte=floor_hour(last) - HOUR)
        rows = rows.union(minutes.values_list(*columns), all=True)
    found: defaultdict[str, list[tuple[datetime, int]]] = defaultdict(list)
    for name, at, value in rows.order_by("at"):
        found[name].append((parse_time(at), value))
    return Sparks(
        step=step,
        since=since,
        until=last,
        courses={
            name: _of_minutes(found[name], hours, since, last)
            if is_young
            else _of_hours(found[name], hours, since, last)
            for name in names
        },
    )


def _of_minutes(
    rows: list[tuple[datetime, int]],
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
) -> tuple[int | None, ...]:
    return tuple(value for _, value in minutes_of(rows, hours, since, until, 0))


def _of_hours(
    rows: list[tuple[datetime, int]],
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
) -> tuple[int | None, ...]:
    peaks: defaultdict[datetime, int] = defaultdict(int)
    for start, value in rows:
        hour = floor_hour(start)
        peaks[hour] = max(peaks[hour], value)
    return tuple(
        peaks[start] if start in hours else None for start in edges(Step.HOUR, since, until)
    )
