"""
Roll up minutes to hours and hours to days, repeatedly until they are final.

Every pass rewrites an hour from all its minutes, so a repeated pass changes nothing. An hour is
final when no transaction can add to it any more. Its minutes are not deleted before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Min, Q, Sum

from console.series.coverage import DAY, HOUR, floor_day, floor_hour
from console.series.models import (
    SampledDay,
    SampledHour,
    Sampler,
    SeriesPoint,
    Step,
    Tally,
)
from console.series.readings import hour_totals
from console.series.stored import COLUMNS, point_of, totals_of
from console.series.subjects import Subject
from console.series.tallies import Counts
from console.series.totals import Totals, merge

#: How long after its end an hour can still change: longer than any batch.
LATE = timedelta(minutes=3)

#: Expiry of the lock of a pass without progress.
_SILENCE = timedelta(minutes=2)

#: Maximum number of hours of one pass, which limits its duration after a long downtime.
_HOURS = 48

_COUNT_COLUMNS = ("counts", "waits")
_KEY = ("org", "kind", "name", "step", "start")


def due_for_rolling(now: datetime) -> list[int]:
    """
    Return the keys of organizations that have minutes to roll up.

    An organization without changes is returned once a day.
    """
    busy = Q(is_empty=False) | Q(org__engine__settled_at__gte=F("rolled_until"))
    due = busy | Q(rolled_until=None) | Q(rolled_until__lt=floor_day(now))
    return list(Sampler.objects.filter(due).order_by("pk").values_list("pk", flat=True))


def roll_up_org(org_id: int, now: datetime) -> bool:
    """
    Write the hours and days since the last final hour; return whether any are left.

    Only one pass runs at a time; a second one returns immediately.
    """
    with roll_up_lock(org_id, now) as sampler:
        hour = _first_hour(sampler) if sampler else None
        if hour is None:
            return False
        first, last = hour, min(floor_hour(now), hour + _HOURS * HOUR)
        while hour <= last:
            with transaction.atomic():
                _write_hour(org_id, hour)
                if hour + HOUR + LATE <= now:
                    Sampler.objects.filter(pk=org_id).update(rolled_until=hour + HOUR)
            hour += HOUR
        day = floor_day(first)
        while day <= last:
            with transaction.atomic():
                _write_day(org_id, day)
            day += DAY
        return last < floor_hour(now)


@contextmanager
def roll_up_lock(org_id: int, now: datetime) -> Iterator[Sampler | None]:
    """Lock rolling up and deleting of an organization; None while another process has the lock."""
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    if not Sampler.objects.filter(free, pk=org_id).update(busy_until=now + _SILENCE):
        yield None
        return
    try:
        yield Sampler.objects.get(pk=org_id)
    finally:
        Sampler.objects.filter(pk=org_id, busy_until=now + _SILENCE).update(busy_until=None)


def _first_hour(sampler: Sampler) -> datetime | None:
    """Return the first hour that is not final; None without samples."""
    if sampler.rolled_until is not None:
        return sampler.rolled_until
    sampled = SampledHour.objects.filter(org=sampler.org_id).aggregate(first=Min("start"))
    counted = Tally.objects.filter(org=sampler.org_id)
    firsts = (sampled["first"], counted.aggregate(first=Min("start"))["first"])
    found = [moment for moment in firsts if moment is not None]
    return floor_hour(min(found)) if found else None


def _write_hour(org_id: int, hour: datetime) -> None:
    covered = SampledHour.objects.filter(org_id=org_id, start=hour)
    minutes = covered.values_list("minutes", flat=True).first() or 0
    counted = _counted(org_id, hour)
    sampled = _rows_by_subject(org_id, Step.MINUTE, hour, hour + HOUR)
    points = []
    for subject in sampled.keys() | counted.keys():
        rows = [(start, totals_of(row)) for start, *row in sampled.get(subject, ())]
        totals, counts = hour_totals(rows, minutes), counted.get(subject)
        if counts or not totals.is_zero:
            points.append(point_of(org_id, subject, Step.HOUR, hour, totals, counts))
    _write(points)


def _counted(org_id: int, hour: datetime) -> dict[Subject, Counts]:
    """Return the counts of an hour, summed in the database."""
    rows = Tally.objects.filter(org_id=org_id, start__gte=hour, start__lt=hour + HOUR)
    columns = rows.values_list("kind", "name", "what", "bucket").annotate(total=Sum("count"))
    counted: defaultdict[Subject, Counts] = defaultdict(Counts)
    for kind, name, what, bucket, count in columns.order_by():
        counted[Subject(kind, name)].add(what, bucket, count)
    return counted


def _write_day(org_id: int, day: datetime) -> None:
    hours = SampledHour.objects.filter(org_id=org_id, start__gte=day, start__lt=day + DAY)
    minutes = sum(bits.bit_count() for bits in hours.values_list("minutes", flat=True))
    if minutes:
        SampledDay.objects.update_or_create(org_id=org_id, start=day, defaults={"minutes": minutes})
    points = []
    for subject, rows in _rows_by_subject(org_id, Step.HOUR, day, day + DAY).items():
        counts = Counts()
        for *_, counted, waits in rows:
            counts.merge(Counts.stored(counted, waits))
        totals = _of_day([totals_of(row) for _, *row in rows], minutes)
        points.append(point_of(org_id, subject, Step.DAY, day, totals, counts))
    _write(points)


def _of_day(hours: list[Totals], minutes: int) -> Totals:
    """Return the totals of a day; hours without a row were at zero."""
    found = merge(hours)
    return found.merged(Totals(minutes=max(0, minutes - found.minutes)))


def _rows_by_subject(
    org_id: int, step: Step, since: datetime, until: datetime
) -> dict[Subject, list[tuple[Any, ...]]]:
    """Return start, `COLUMNS`, counts and waits of every row of that time, in order."""
    rows = SeriesPoint.objects.filter(
        org_id=org_id, step=step.value, start__gte=since, start__lt=until
    ).order_by("start")
    found: defaultdict[Subject, list[tuple[Any, ...]]] = defaultdict(list)
    for kind, name, *row in rows.values_list("kind", "name", "start", *COLUMNS, *_COUNT_COLUMNS):
        found[Subject(kind, name)].append(tuple(row))
    return found


def _write(points: list[SeriesPoint]) -> None:
    SeriesPoint.objects.bulk_create(
        points,
        update_conflicts=True,
        unique_fields=list(_KEY),
        update_fields=[*COLUMNS, *_COUNT_COLUMNS],
    )
