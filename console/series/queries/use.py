"""Use and demand over time, read from final rows of the coarsest step, and minutes for the rest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from console.engine.model.amounts import Amount, FlavorResource, decode_amount
from console.orgs.models import Organization
from console.series.coverage import Span, floor_day, floor_hour, gaps
from console.series.models import (
    QuotaLine,
    SampledDay,
    SampledHour,
    Sampler,
    Step,
)
from console.series.queries.edges import ceiling, rolled_until
from console.series.queries.points import Points
from console.series.readings import (
    FLOOR,
    LENGTH,
    Reading,
    coarser_readings,
    edges,
    hour_totals,
    minute_readings,
)
from console.series.subjects import Subject
from console.series.totals import Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Use and demand of a subject from *since* to *until*, one reading for each step."""

    subject: Subject
    step: Step
    since: datetime
    until: datetime
    readings: tuple[Reading, ...]
    #: Spans without samples, to the minute; for days, only whole days.
    gaps: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSpan:
    """Nominal quota and limit of a subject during a time span."""

    since: datetime
    #: None while it is current.
    until: datetime | None
    config_version: int
    #: Nominal quota and limit by flavor-resource.
    quotas: Mapping[FlavorResource, tuple[Amount, Amount]]


def quotas_in(
    spans: Iterable[QuotaSpan], since: datetime, until: datetime
) -> Mapping[FlavorResource, tuple[Amount, Amount]]:
    """Return the first quotas of the ordered *spans* that were current in a time range."""
    for span in spans:
        if span.since < until and (span.until is None or span.until > since):
            return span.quotas
    return {}


def sampled_until(org: Organization) -> datetime | None:
    """Return the end of the last minute that was sampled; None before the first."""
    minute = Sampler.objects.filter(pk=org.pk).values_list("minute", flat=True).first()
    return minute + LENGTH[Step.MINUTE] if minute else None


def series_of(
    org: Organization,
    subject: Subject,
    since: datetime,
    until: datetime,
    step: Step,
    points: Points | None = None,
) -> Series:
    """
    Return use and demand of *subject*; both ends are rounded down to a *step*.

    Times that are not rolled up yet are read from minutes. *points* are those of *subject*.
    """
    points = points or Points(org, subject)
    since, until = FLOOR[step](since), ceiling(until, step)
    hours: dict[datetime, int] = {}
    if step is Step.DAY:
        readings = _days(org, points, since, until)
        of_days = [reading for reading in readings if reading.is_gap]
        empty = tuple((each.start, each.start + LENGTH[step]) for each in of_days)
        return _series(subject, step, since, until, readings, _joined(empty))
    hours = _covered(org, since, until)
    read = _minutes if step is Step.MINUTE else _hours
    readings = read(org, points, hours, since, until)
    return _series(subject, step, since, until, readings, tuple(gaps(hours, since, until)))


def quota_spans(
    org: Organization, subject: Subject, since: datetime, until: datetime
) -> list[QuotaSpan]:
    """Return the quotas of *subject* during a time range, in order."""
    rows = QuotaLine.objects.filter(
        Q(until=None) | Q(until__gt=since),
        org=org,
        kind=subject.kind,
        name=subject.name,
        since__lt=until,
    )
    return [
        QuotaSpan(
            since=row.since,
            until=row.until,
            config_version=row.config_version,
            quotas={
                (flavor, resource): (decode_amount(nominal), decode_amount(limit))
                for flavor, resource, nominal, limit in row.quotas
            },
        )
        for row in rows.order_by("since")
    ]


def _series(
    subject: Subject,
    step: Step,
    since: datetime,
    until: datetime,
    readings: list[Reading],
    empty: tuple[Span, ...],
) -> Series:
    return Series(
        subject=subject,
        step=step,
        since=since,
        until=until,
        readings=tuple(readings),
        gaps=empty,
    )


def _joined(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    joined: list[Span] = []
    for begin, end in spans:
        if joined and joined[-1][1] == begin:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return tuple(joined)


def _covered(org: Organization, since: datetime, until: datetime) -> dict[datetime, int]:
    rows = SampledHour.objects.filter(org=org, start__gte=floor_hour(since), start__lt=until)
    return dict(rows.values_list("start", "minutes"))


def _minutes(
    org: Organization,
    points: Points,
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
) -> list[Reading]:
    rows = points.totals(Step.MINUTE, floor_hour(since), until)
    return minute_readings(rows, hours, since, until)


def _hours(
    org: Organization,
    points: Points,
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
) -> list[Reading]:
    edge = min(max(rolled_until(org) or since, since), until)
    rows = dict(points.totals(Step.HOUR, since, edge))
    done = [
        Reading(start, rows.get(start, Totals(minutes=hours.get(start, 0).bit_count())))
        for start in edges(Step.HOUR, since, edge)
    ]
    of_hour: defaultdict[datetime, list[tuple[datetime, Totals]]] = defaultdict(list)
    for start, totals in points.totals(Step.MINUTE, edge, until):
        of_hour[floor_hour(start)].append((start, totals))
    # An hour at a time: where nothing is rolled up yet, these are weeks of minutes.
    rest = [
        Reading(start, hour_totals(of_hour.get(start, ()), hours.get(start, 0)))
        for start in edges(Step.HOUR, edge, until)
    ]
    return done + rest


def _days(org: Organization, points: Points, since: datetime, until: datetime) -> list[Reading]:
    final = rolled_until(org)
    edge = min(max(floor_day(final) if final else since, since), until)
    rows = dict(points.totals(Step.DAY, since, edge))
    days = SampledDay.objects.filter(org=org, start__gte=since, start__lt=edge)
    covered = dict(days.values_list("start", "minutes"))
    done = [
        Reading(start, rows.get(start, Totals(minutes=covered.get(start, 0))))
        for start in edges(Step.DAY, since, edge)
    ]
    rest = _hours(org, points, _covered(org, edge, until), edge, until)
    return done + coarser_readings(rest, Step.DAY, edge, until)
