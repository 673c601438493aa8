"""
Roll up: minutes become hours and hours become days, over and over until they are final.

Every pass writes an hour anew from all of its minutes, so passing twice changes
nothing; an hour is final when no transaction can add to it any more. Minutes are
never forgotten before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Min, Q

from console.series.coverage import DAY, HOUR, floor_day, floor_hour
from console.series.models import (
    SampledDay,
    SampledHour,
    Sampler,
    SeriesPoint,
    Step,
    Tally,
)
from console.series.readings import LENGTH, hour_totals
from console.series.stored import COLUMNS, point_of, totals_of
from console.series.subjects import Subject
from console.series.totals import Totals, merge

#: How long after its end an hour may still be added to: longer than any batch may take.
LATE = timedelta(minutes=3)

#: A pass that says nothing for so long is not there any more.
_SILENCE = timedelta(minutes=2)

#: Hours of one pass, so that it ends in time after a long absence.
_HOURS = 48

_KEY = ("org", "kind", "name", "step", "start")


def due_for_rolling(now: datetime) -> list[int]:
    """
    Return the keys of organizations that have minutes to roll up.

    Whoever has nothing, and has not been written to, comes up once a day.
    """
    busy = Q(is_empty=False) | Q(org__engine__settled_at__gte=F("rolled_until"))
    due = busy | Q(rolled_until=None) | Q(rolled_until__lt=floor_day(now))
    return list(Sampler.objects.filter(due).order_by("pk").values_list("pk", flat=True))


def roll_up_org(org_id: int, now: datetime) -> bool:
    """
    Write the hours and days since the last final hour; return whether anything is left.

    Only one pass runs at a time; another one returns at once.
    """
    with claimed(org_id, now) as sampler:
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
def claimed(org_id: int, now: datetime) -> Iterator[Sampler | None]:
    """Be the only one who rolls up or forgets of an organization; None while another one is."""
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    if not Sampler.objects.filter(free, pk=org_id).update(busy_until=now + _SILENCE):
        yield None
        return
    try:
        yield Sampler.objects.get(pk=org_id)
    finally:
        Sampler.objects.filter(pk=org_id, busy_until=now + _SILENCE).update(busy_until=None)


def _first_hour(sampler: Sampler) -> datetime | None:
    """Return the first hour that is not final; None when there is nothing at all yet."""
    if sampler.rolled_until is not None:
        return sampler.rolled_until
    sampled = SampledHour.objects.filter(org=sampler.org_id).aggregate(first=Min("start"))
    counted = Tally.objects.filter(org=sampler.org_id, step=Step.MINUTE.value)
    firsts = (sampled["first"], counted.aggregate(first=Min("start"))["first"])
    found = [moment for moment in firsts if moment is not None]
    return floor_hour(min(found)) if found else None


def _write_hour(org_id: int, hour: datetime) -> None:
    _add_up(org_id, Step.MINUTE, Step.HOUR, hour)
    covered = SampledHour.objects.filter(org_id=org_id, start=hour)
    minutes = covered.values_list("minutes", flat=True).first() or 0
    points = []
    for subject, rows in _rows_by_subject(org_id, Step.MINUTE, hour, hour + HOUR):
        totals = hour_totals(rows, minutes)
        if not totals.is_zero:
            points.append(point_of(org_id, subject, Step.HOUR, hour, totals))
    _write(points)


def _write_day(org_id: int, day: datetime) -> None:
    _add_up(org_id, Step.HOUR, Step.DAY, day)
    hours = SampledHour.objects.filter(org_id=org_id, start__gte=day, start__lt=day + DAY)
    minutes = sum(bits.bit_count() for bits in hours.values_list("minutes", flat=True))
    if not minutes:
        return
    SampledDay.objects.update_or_create(org_id=org_id, start=day, defaults={"minutes": minutes})
    _write(
        [
            point_of(org_id, subject, Step.DAY, day, _of_day(rows, minutes))
            for subject, rows in _rows_by_subject(org_id, Step.HOUR, day, day + DAY)
        ]
    )


def _of_day(rows: list[tuple[datetime, Totals]], minutes: int) -> Totals:
    """Return the totals of a day; hours without a row were at zero."""
    found = merge(totals for _, totals in rows)
    return found.merged(Totals(minutes=minutes - found.minutes))


def _rows_by_subject(
    org_id: int, step: Step, since: datetime, until: datetime
) -> Iterator[tuple[Subject, list[tuple[datetime, Totals]]]]:
    rows = SeriesPoint.objects.filter(
        org_id=org_id, step=step.value, start__gte=since, start__lt=until
    ).order_by("kind", "name", "start")
    columns = rows.values_list("kind", "name", "start", *COLUMNS)
    for (kind, name), of_subject in groupby(columns, key=lambda row: row[:2]):
        yield Subject(kind, name), [(row[2], totals_of(row[3:])) for row in of_subject]


def _write(points: list[SeriesPoint]) -> None:
    SeriesPoint.objects.bulk_create(
        points,
        update_conflicts=True,
        unique_fields=list(_KEY),
        update_fields=list(COLUMNS),
    )


def _add_up(org_id: int, fine: Step, coarse: Step, start: datetime) -> None:
    """Write the tallies of one *coarse* step anew, inside the database: there may be many."""
    table = connection.ops.quote_name(Tally._meta.db_table)
    statement = (
        f"INSERT INTO {table} (org_id, kind, name, step, start, what, bucket, count) "  # noqa: S608
        f"SELECT org_id, kind, name, %s, %s, what, bucket, SUM(count) FROM {table} "
        "WHERE org_id = %s AND step = %s AND start >= %s AND start < %s "
        "GROUP BY org_id, kind, name, what, bucket "
        "ON CONFLICT (org_id, kind, name, step, start, what, bucket) "
        "DO UPDATE SET count = excluded.count"
    )
    first, end = (_adapted(moment) for moment in (start, start + LENGTH[coarse]))
    with connection.cursor() as cursor:
        cursor.execute(statement, [coarse.value, first, org_id, fine.value, first, end])


def _adapted(moment: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)
