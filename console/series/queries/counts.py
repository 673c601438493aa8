"""Counts and waits over time, read from final days and hours, and minutes for the rest."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone

from console.orgs.models import Organization
from console.series.coverage import DAY, HOUR, floor_hour, floor_minute
from console.series.models import Kind, SeriesPoint, Step, Tally
from console.series.queries.edges import ceiling, rolled_until
from console.series.queries.points import Points
from console.series.queries.use import series_of
from console.series.readings import FLOOR, LENGTH, edges
from console.series.subjects import WHOLE_ORG, Subject
from console.series.tallies import Counts
from console.series.waits import WaitQuantiles, quantiles
from console.time_formats import parse_time
from console.workloads.stored_texts import as_text
from console.workloads.transitions import TransitionKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsAt:
    """Mean running and pending workloads in an hour, None without samples; rejections in a day."""

    running: float | None
    pending: float | None
    #: In the 24 hours before, from the beginning of an hour.
    rejected: float


def counts_series(
    org: Organization,
    queue: str | None = None,
    *,
    subject: Subject | None = None,
    since: datetime,
    until: datetime,
    step: Step = Step.HOUR,
    points: Points | None = None,
) -> dict[datetime, Counts]:
    """
    Return the counts of workloads of *queue*, or of all, for each step of the time range.

    A *subject* can be given instead, with its *points*. The result has every step.
    """
    about = subject or (WHOLE_ORG if queue is None else Subject.queue(queue))
    since, until = FLOOR[step](since), ceiling(until, step)
    found: dict[datetime, Counts | None] = dict.fromkeys(edges(step, since, until))
    for start, counts in _counted(org, about, since, until, step, points or Points(org, about)):
        # Most steps have exactly one row, which is used unchanged.
        edge = start if start in found else FLOOR[step](start)
        present = found[edge]
        if present is None:
            found[edge] = counts
        else:
            present.merge(counts)
    return {start: counts or Counts() for start, counts in found.items()}


def wait_quantiles(
    org: Organization,
    queue: str | None = None,
    hours: int = 24,
    *,
    subject: Subject | None = None,
    now: datetime | None = None,
) -> WaitQuantiles:
    """
    Return percentiles of the waits of admissions in the last *hours*, in seconds.

    They are those of *queue*, of *subject*, or of all. See `console.series.waits` for the
    accuracy.
    """
    about = subject or (WHOLE_ORG if queue is None else Subject.queue(queue))
    found = _waits(org, about.kind, [about.name], hours, now or timezone.now())
    return quantiles(found[about.name])


def wait_quantiles_of(
    org: Organization, queues: Collection[str], hours: int = 24, *, now: datetime | None = None
) -> dict[str, WaitQuantiles]:
    """Return `wait_quantiles` of each of *queues*, read at once."""
    found = _waits(org, Kind.QUEUE.value, queues, hours, now or timezone.now())
    return {name: quantiles(found[name]) for name in queues}


def counts_at(org: Organization, at: datetime, queue: str | None = None) -> CountsAt:
    """
    Return running and pending workloads in the hour around *at*, and rejections in the day before.

    Rejections of that hour are interpolated to *at*, because old counts are not stored by the
    minute.
    """
    about = WHOLE_ORG if queue is None else Subject.queue(queue)
    (reading,) = series_of(org, about, at, floor_hour(at) + HOUR, Step.HOUR).readings
    totals = reading.totals
    day = counts_series(org, subject=about, since=at - DAY, until=at)
    rejected = sum(
        counts.counts[TransitionKind.REJECTED.value] * min(1, (at - start) / HOUR)
        for start, counts in day.items()
    )
    return CountsAt(
        running=None if reading.is_gap else totals.running.mean(totals.minutes),
        pending=None if reading.is_gap else totals.pending.mean(totals.minutes),
        rejected=rejected,
    )


def _counted(
    org: Organization,
    subject: Subject,
    since: datetime,
    until: datetime,
    step: Step,
    points: Points,
) -> Iterator[tuple[datetime, Counts]]:
    """
    Yield counts with their times, without overlap.

    The coarsest final rows come first, then minutes.
    """
    ranges, rest = _final_ranges(org, since, until, step)
    for coarse, begin, end in ranges:
        yield from points.counts(coarse, begin, end)
    about = {"org": org, "kind": subject.kind, "name": subject.name}
    for _, start, counts in _of_minutes(about, rest, until):
        yield start, counts


def _waits(
    org: Organization, kind: str, names: Collection[str], hours: int, now: datetime
) -> defaultdict[str, Counter[int]]:
    """Count the waits of whole hours and of the minutes since, by name and bucket."""
    until = floor_minute(now) + LENGTH[Step.MINUTE]
    since = floor_hour(until - hours * HOUR)
    about: dict[str, Any] = {"org": org, "kind": kind, "name__in": names}
    ranges, rest = _final_ranges(org, since, until, Step.HOUR)
    found: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for coarse, begin, end in ranges:
        rows = SeriesPoint.objects.filter(
            **about, step=coarse.value, start__gte=begin, start__lt=end
        )
        told = rows.annotate(text=as_text("waits"))
        # For hundreds of queues these are thousands of rows, and many are equal.
        for (name, text), times in Counter(told.values_list("name", "text")).items():
            of_name = found[name]
            for bucket, count in json.loads(text).items():
                of_name[int(bucket)] += count * times
    for name, _, counts in _of_minutes(about, rest, until):
        found[name].update(counts.waits)
    return found


def _final_ranges(
    org: Organization, since: datetime, until: datetime, step: Step
) -> tuple[list[tuple[Step, datetime, datetime]], datetime]:
    """Return the final days and hours of a time range, and the time from which minutes are read."""
    ranges: list[tuple[Step, datetime, datetime]] = []
    if step is Step.MINUTE:
        return ranges, since
    final = rolled_until(org) or since
    for coarse in (Step.DAY, Step.HOUR) if step is Step.DAY else (Step.HOUR,):
        end = min(max(FLOOR[coarse](final), since), until)
        if since < end:
            ranges.append((coarse, since, end))
            since = end
    return ranges, since


def _of_minutes(
    about: dict[str, Any], since: datetime, until: datetime
) -> Iterator[tuple[str, datetime, Counts]]:
    found: defaultdict[tuple[str, str], Counts] = defaultdict(Counts)
    rows = Tally.objects.filter(**about, start__gte=since, start__lt=until)
    # There can be thousands of rows in a few minutes, so each time is parsed once.
    told = rows.annotate(at=as_text("start")).order_by()
    for name, at, what, bucket, count in told.values_list("name", "at", "what", "bucket", "count"):
        found[name, at].add(what, bucket, count)
    for (name, at), counts in found.items():
        yield name, parse_time(at), counts
