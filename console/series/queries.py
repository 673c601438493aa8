"""Named reads of series: use and demand, counts and waits, quota in force, and gaps."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet, Sum
from django.utils import timezone

from console.engine.amounts import Amount, decode_amount
from console.engine.ledger import FlavorResource
from console.orgs.models import Organization
from console.series.coverage import HOUR, Span, floor_day, floor_hour, floor_minute, gaps
from console.series.models import (
    Kind,
    QuotaLine,
    RollUp,
    SampledDay,
    SampledHour,
    Sampler,
    SeriesPoint,
    Step,
    Tally,
    What,
)
from console.series.readings import FLOOR, LENGTH, Reading, edges, folded, minute_readings
from console.series.stored import COLUMNS, totals_of
from console.series.subjects import EVERYTHING, Subject
from console.series.totals import Totals
from console.series.waits import WaitQuantiles, quantiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What a subject used and wanted from *since* to *until*, one reading for each step."""

    subject: Subject
    step: Step
    since: datetime
    until: datetime
    readings: tuple[Reading, ...]
    #: Stretches that nobody sampled, to the minute; of days only whole ones.
    gaps: tuple[Span, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSpan:
    """What a subject owned and could use at most during some time."""

    since: datetime
    #: None while it is in force.
    until: datetime | None
    config_version: int
    #: Nominal quota and limit by flavor-resource.
    quotas: Mapping[FlavorResource, tuple[Amount, Amount]]


@dataclass(slots=True)
class Counts:
    """What happened to workloads in one step of time."""

    counts: Counter[str] = field(default_factory=Counter)
    #: Admissions by the bucket of their wait.
    waits: Counter[int] = field(default_factory=Counter)

    def add(self, what: str, bucket: int, count: int) -> None:
        """Add what one row tells."""
        self.counts[what] += count
        if what == What.ADMITTED:
            self.waits[bucket] += count

    def merge(self, other: Counts) -> None:
        """Add what *other* tells."""
        self.counts.update(other.counts)
        self.waits.update(other.waits)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsAt:
    """What ran and waited around a moment; None where nobody looked."""

    running: float | None
    pending: float | None
    #: In the 24 hours before.
    rejected: int


def sampled_until(org: Organization) -> datetime | None:
    """Return the end of the last minute that was sampled; None before the first."""
    minute = Sampler.objects.filter(pk=org.pk).values_list("minute", flat=True).first()
    return minute + LENGTH[Step.MINUTE] if minute else None


def series_of(
    org: Organization, subject: Subject, since: datetime, until: datetime, step: Step
) -> Series:
    """
    Return what *subject* used and wanted; both ends are taken down to an edge of *step*.

    What is not rolled up yet is read from its minutes.
    """
    since, until = FLOOR[step](since), _ceiling(until, step)
    hours: dict[datetime, int] = {}
    if step is Step.DAY:
        readings = _days(org, subject, since, until)
        of_days = [reading for reading in readings if reading.is_gap]
        empty = tuple((each.start, each.start + LENGTH[step]) for each in of_days)
        return _series(subject, step, since, until, readings, _joined(empty))
    hours = _covered(org, since, until)
    read = _minutes if step is Step.MINUTE else _hours
    readings = read(org, subject, hours, since, until)
    return _series(subject, step, since, until, readings, tuple(gaps(hours, since, until)))


def quota_spans(
    org: Organization, subject: Subject, since: datetime, until: datetime
) -> list[QuotaSpan]:
    """Return what *subject* owned at any moment of that time, in order."""
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


def counts_series(
    org: Organization,
    queue: str | None = None,
    *,
    subject: Subject | None = None,
    since: datetime,
    until: datetime,
    step: Step = Step.HOUR,
) -> dict[datetime, Counts]:
    """
    Return what happened in each step of the time to workloads of *queue*, or of all.

    A *subject* may be given instead. Every step of the time is there.
    """
    about = subject or (EVERYTHING if queue is None else Subject.queue(queue))
    since, until = FLOOR[step](since), _ceiling(until, step)
    found = {start: Counts() for start in edges(step, since, until)}
    for at, rows in _tallies(org, since, until, step):
        of_subject = rows.filter(kind=about.kind, name=about.name)
        for start, what, bucket, count in of_subject.values_list(
            "start", "what", "bucket", "count"
        ):
            found[FLOOR[step](start) if at is not step else start].add(what, bucket, count)
    return found


def wait_quantiles(
    org: Organization,
    queue: str | None = None,
    hours: int = 24,
    *,
    subject: Subject | None = None,
    now: datetime | None = None,
) -> WaitQuantiles:
    """
    Return how long the admissions of the last *hours* were waited for, in seconds.

    They are those of *queue*, of *subject*, or of all. See `console.series.waits`
    for how near the quantiles are.
    """
    about = subject or (EVERYTHING if queue is None else Subject.queue(queue))
    found = _waits(org, about.kind, [about.name], hours, now or timezone.now())
    return quantiles(found[about.name])


def wait_quantiles_of(
    org: Organization, queues: Collection[str], hours: int = 24, *, now: datetime | None = None
) -> dict[str, WaitQuantiles]:
    """Return `wait_quantiles` of each of *queues*, read at once."""
    found = _waits(org, Kind.QUEUE.value, queues, hours, now or timezone.now())
    return {name: quantiles(found[name]) for name in queues}


def counts_at(org: Organization, at: datetime, queue: str | None = None) -> CountsAt:
    """Return what ran and waited in the hour around *at*, and was rejected in the day before."""
    about = EVERYTHING if queue is None else Subject.queue(queue)
    (reading,) = series_of(org, about, at, floor_hour(at) + HOUR, Step.HOUR).readings
    totals = reading.totals
    rejected = sum(
        counts.counts[What.REJECTED.value]
        for counts in counts_series(
            org, subject=about, since=at - timedelta(days=1), until=at
        ).values()
    )
    return CountsAt(
        running=None if reading.is_gap else totals.running.mean(totals.minutes),
        pending=None if reading.is_gap else totals.pending.mean(totals.minutes),
        rejected=rejected,
    )


def rolled_until() -> datetime | None:
    """Return from which hour on minutes are not rolled up for good; None when none is."""
    return RollUp.objects.values_list("until", flat=True).first()


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


def _ceiling(moment: datetime, step: Step) -> datetime:
    below = FLOOR[step](moment)
    return below if below == moment else below + LENGTH[step]


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


def _points(
    org: Organization, subject: Subject, step: Step, since: datetime, until: datetime
) -> list[tuple[datetime, Totals]]:
    rows = SeriesPoint.objects.filter(
        org=org,
        kind=subject.kind,
        name=subject.name,
        step=step.value,
        start__gte=since,
        start__lt=until,
    ).order_by("start")
    return [(start, totals_of(row)) for start, *row in rows.values_list("start", *COLUMNS)]


def _minutes(
    org: Organization,
    subject: Subject,
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
) -> list[Reading]:
    rows = _points(org, subject, Step.MINUTE, floor_hour(since), until)
    return minute_readings(rows, hours, since, until)


def _hours(
    org: Organization,
    subject: Subject,
    hours: Mapping[datetime, int],
    since: datetime,
    until: datetime,
) -> list[Reading]:
    edge = min(max(rolled_until() or since, since), until)
    rows = dict(_points(org, subject, Step.HOUR, since, edge))
    done = [
        Reading(start, rows.get(start, Totals(minutes=hours.get(start, 0).bit_count())))
        for start in edges(Step.HOUR, since, edge)
    ]
    rest = _minutes(org, subject, hours, edge, until)
    return done + folded(rest, Step.HOUR, edge, until)


def _days(org: Organization, subject: Subject, since: datetime, until: datetime) -> list[Reading]:
    final = rolled_until()
    edge = min(max(floor_day(final) if final else since, since), until)
    rows = dict(_points(org, subject, Step.DAY, since, edge))
    days = SampledDay.objects.filter(org=org, start__gte=since, start__lt=edge)
    covered = dict(days.values_list("start", "minutes"))
    done = [
        Reading(start, rows.get(start, Totals(minutes=covered.get(start, 0))))
        for start in edges(Step.DAY, since, edge)
    ]
    rest = _hours(org, subject, _covered(org, edge, until), edge, until)
    return done + folded(rest, Step.DAY, edge, until)


def _tallies(
    org: Organization, since: datetime, until: datetime, step: Step
) -> list[tuple[Step, QuerySet[Tally]]]:
    """Return the rows that count that time, each thing once: the coarsest that are final."""
    final = rolled_until() or since
    rows = Tally.objects.filter(org=org)
    parts = []
    begin = since
    for coarse in (Step.DAY, Step.HOUR):
        if coarse is Step.HOUR or step is Step.DAY:
            edge = min(max(FLOOR[coarse](final), begin), until)
            if begin < edge and step is not Step.MINUTE:
                parts.append((coarse, _within(rows, coarse, begin, edge)))
                begin = edge
    parts.append((Step.MINUTE, _within(rows, Step.MINUTE, begin, until)))
    return parts


def _within(rows: QuerySet[Tally], step: Step, since: datetime, until: datetime) -> QuerySet[Tally]:
    return rows.filter(step=step.value, start__gte=since, start__lt=until)


def _waits(
    org: Organization, kind: str, names: Collection[str], hours: int, now: datetime
) -> defaultdict[str, Counter[int]]:
    """Count the waits of whole hours and of the minutes since, by name and bucket."""
    until = floor_minute(now) + LENGTH[Step.MINUTE]
    found: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for _, rows in _tallies(org, floor_hour(until - hours * HOUR), until, Step.HOUR):
        admitted: QuerySet[Any] = rows.filter(
            kind=kind, name__in=names, what=What.ADMITTED.value, bucket__gte=0
        )
        totals = admitted.values_list("name", "bucket").annotate(total=Sum("count"))
        for name, bucket, count in totals.order_by():
            found[name][bucket] += count
    return found


__all__ = [
    "Counts",
    "CountsAt",
    "QuotaSpan",
    "Series",
    "counts_at",
    "counts_series",
    "quota_spans",
    "rolled_until",
    "sampled_until",
    "series_of",
    "wait_quantiles",
    "wait_quantiles_of",
]
