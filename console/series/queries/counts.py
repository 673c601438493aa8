"""Counts and waits over time, each thing once: whole days and hours, and minutes for the rest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet, Sum
from django.utils import timezone

from console.orgs.models import Organization
from console.series.coverage import HOUR, floor_hour, floor_minute
from console.series.models import (
    Kind,
    Step,
    Tally,
    What,
)
from console.series.queries.edges import ceiling, rolled_until
from console.series.queries.use import series_of
from console.series.readings import FLOOR, LENGTH, edges
from console.series.subjects import EVERYTHING, Subject
from console.series.waits import WaitQuantiles, quantiles


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
    since, until = FLOOR[step](since), ceiling(until, step)
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


def _tallies(
    org: Organization, since: datetime, until: datetime, step: Step
) -> list[tuple[Step, QuerySet[Tally]]]:
    """Return the rows that count that time, each thing once: the coarsest that are final."""
    final = rolled_until(org) or since
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
