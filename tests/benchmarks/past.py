"""A history of samples for 300 queues in 30 cohorts, created in the database of a product."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils import timezone

from console.orgs.models import Organization
from console.orgs.services.create_org import create_org
from console.series.coverage import floor_hour, floor_minute
from console.series.models import SampledHour, Sampler, SeriesPoint, Step
from console.series.services.roll_up import roll_up_org
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import sample_orgs
from console.series.stored import point_of
from console.series.subjects import WHOLE_ORG, Subject
from console.series.tallies import Counts
from console.series.totals import Cell, Level, Totals
from tests.benchmarks.over_time import COHORTS, DAYS, QUEUES, QUIET, TIMES


def fill(slug: str) -> None:
    """Write every hour of `DAYS` days for every queue and cohort, as sampling would."""
    org = Organization.objects.get(slug=slug)
    last = floor_hour(timezone.now())
    hours = [last - timedelta(hours=back) for back in range(DAYS * 24, 0, -1)]
    for hour in hours:
        SeriesPoint.objects.bulk_create(points_at(org, hour))
    SampledHour.objects.bulk_create(
        SampledHour(org=org, start=hour, minutes=2**60 - 1) for hour in hours
    )
    Sampler.objects.update_or_create(pk=org.pk, defaults={"rolled_until": last})


def points_at(org: Organization, hour: datetime) -> Iterator[SeriesPoint]:
    """Yield the rows of one hour: of the organization, every cohort and every queue."""
    subjects = [WHOLE_ORG, *(Subject.cohort(f"lab-{n}") for n in range(COHORTS))]
    subjects += [Subject.queue(f"team-{n}") for n in range(QUEUES)]
    for number, subject in enumerate(subjects):
        # More use by day than by night, and slightly different values for each.
        used = (4 + (hour.hour * 7 + hour.day * 3 + number) % 8) * 1000
        totals = Totals(
            minutes=60,
            running=Level(used // 1000 * 60, used // 1000 + 1),
            pending=Level(120, 4),
            cells={
                (flavor, resource): Cell(
                    used=Level(used * 60, used + 1000),
                    borrowed=Level(max(0, used - 8000) * 60, max(0, used - 8000)),
                )
                for flavor in ("spot", "on-demand")
                for resource in ("gpu", "cpu")
            },
            demand={"gpu": Level(2000 * 60, 4000), "cpu": Level(8000 * 60, 16000)},
            tightest=used // 8,
        )
        counts = Counts()
        for bucket in range(0, 96, 8):
            counts.add("admitted", bucket, 9)
        yield point_of(org.pk, subject, Step.HOUR, hour, totals, counts)


def measure(slug: str) -> None:
    """Sample and roll up, and print the median durations in milliseconds as JSON."""
    org = Organization.objects.get(slug=slug)
    minute = floor_minute(timezone.now()) + timedelta(days=1)
    took: dict[str, list[float]] = {"changed": [], "quiet": [], "rolled": []}
    for number in range(TIMES):
        # As if all rows had changed since.
        Sampler.objects.filter(pk=org.pk).update(digests={})
        now = minute + timedelta(minutes=number)
        took["changed"].append(_timed(lambda now=now: sample_org(org.pk, now)))
    rows = SeriesPoint.objects.filter(org=org, step="minute", start__gte=minute).count()
    for number in range(QUIET):
        create_org(f"quiet-{number}", "Quiet", None)
    now = minute + timedelta(minutes=TIMES)
    for org_id in sample_orgs(now):
        sample_org(org_id, now)
    for number in range(1, 6):
        now = minute + timedelta(minutes=TIMES + number)
        took["quiet"].append(_timed(lambda now=now: sample_orgs(now)))
    Sampler.objects.filter(pk=org.pk).update(rolled_until=floor_hour(minute))
    took["rolled"].append(_timed(lambda: roll_up_org(org.pk, now)))
    found = {name: sorted(values)[len(values) // 2] for name, values in took.items()}
    sys.stdout.write(json.dumps(found | {"rows": rows}) + "\n")


def _timed(what) -> float:
    start = time.perf_counter()
    what()
    return (time.perf_counter() - start) * 1000
