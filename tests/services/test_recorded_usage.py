"""Recorded usage of all queues and clusters: whole hours, then minutes, without gaps."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest

from console.engine.model.amounts import FlavorResource
from console.engine.model.usage_history import RecordedUsage
from console.orgs.models import Organization
from console.series.coverage import HOUR, MINUTE, bit_of, floor_hour, is_sampled
from console.series.models import Kind, QuotaLine, SampledHour, Sampler, SeriesPoint, Step
from console.series.queries import series_of
from console.series.queries.recorded_usage import recorded_usage
from console.series.readings import edges
from console.series.services.roll_up import roll_up_org
from console.series.stored import point_of
from console.series.subjects import Subject
from console.series.totals import AT_ZERO, Cell, Level, Totals
from console.time_formats import milliseconds

BEGIN = datetime(2026, 1, 31, 20, tzinfo=UTC)
END = BEGIN + 5 * HOUR + 20 * MINUTE

QUEUES = ("train", "batch", "idle")
CPU, GPU = ("any", "cpu"), ("any", "gpu")


@pytest.fixture
def recorded(org: Organization) -> Mapping[str, Mapping[datetime, int]]:
    """Record five hours and return the GPUs that each cluster offers in each minute."""
    chance = random.Random(7)
    hours: dict[datetime, int] = {}
    for minute in edges(Step.MINUTE, BEGIN, END):
        # Nothing is sampled in the second hour, and some minutes are left out.
        hours.setdefault(floor_hour(minute), 0)
        if floor_hour(minute) != BEGIN + HOUR and chance.random() < 0.9:
            hours[floor_hour(minute)] |= bit_of(minute)
    SampledHour.objects.bulk_create(
        SampledHour(org=org, start=hour, minutes=minutes) for hour, minutes in hours.items()
    )
    sampled = [each for each in edges(Step.MINUTE, BEGIN, END) if is_sampled(hours, each)]
    for name in QUEUES[:2]:
        for minute in sampled:
            is_first = floor_hour(minute) != floor_hour(minute - MINUTE)
            if is_first or chance.random() < 0.3:
                SeriesPoint.objects.bulk_create([_point(org, chance, name, minute)])
    offers: dict[str, dict[datetime, int]] = {"east": {}, "west": {}}
    for name, of_cluster in offers.items():
        since = BEGIN - HOUR if name == "east" else BEGIN + 150 * MINUTE
        while since < END:
            length = chance.randint(10, 100) * MINUTE
            until = since + length if since + length < END else None
            amount = chance.randint(1, 9)
            quotas = [[name, "gpu", amount, "unlimited"]]
            QuotaLine.objects.create(
                org=org, kind=Kind.CLUSTER, name=name, since=since, until=until,
                config_version=0, quotas=quotas,
            )  # fmt: skip
            of_cluster.update(dict.fromkeys(edges(Step.MINUTE, since, until or END), amount))
            since = until or END
    Sampler.objects.update_or_create(org=org, defaults={"minute": sampled[-1]})
    return offers


def _point(org: Organization, chance: random.Random, name: str, minute: datetime) -> SeriesPoint:
    cells = {key: Cell(used=Level.of(chance.randint(0, 9))) for key in (CPU, GPU)}
    totals = Totals(minutes=1, cells=cells) if chance.random() < 0.8 else AT_ZERO
    return point_of(org.pk, Subject.queue(name), Step.MINUTE, minute, totals)


def spans(org: Organization, since: datetime, until: datetime) -> list[RecordedUsage]:
    found = list(recorded_usage(org, since, until))
    ends = [milliseconds(floor_hour(since)), *(each.end for each in found)]
    assert all(each.begin >= end for each, end in zip(found, ends, strict=False))
    assert ends[-1] <= milliseconds(until)
    return found


def used(found: list[RecordedUsage], queue: str) -> Counter[FlavorResource]:
    total: Counter[FlavorResource] = Counter()
    for each in found:
        total.update(each.used.get(queue, {}))
    return total


@pytest.mark.parametrize("is_rolled", [False, True])
@pytest.mark.parametrize("since", [BEGIN, BEGIN + 3 * HOUR, BEGIN - 48 * HOUR])
def test_sums_are_those_of_the_series_and_of_the_clusters(
    org: Organization,
    recorded: Mapping[str, Mapping[datetime, int]],
    since: datetime,
    is_rolled: bool,
) -> None:
    if is_rolled:
        assert not roll_up_org(org.pk, END)
    found = spans(org, since, END)
    lengths = Counter(each.end - each.begin for each in found)
    of_hours = lengths[milliseconds(BEGIN + HOUR) - milliseconds(BEGIN)]
    # Of the first three hours, one has no samples. The last two full hours stay minutes.
    assert of_hours == (2 if is_rolled and since < BEGIN + 3 * HOUR else 0)
    for name in QUEUES:
        series = series_of(org, Subject.queue(name), since, END, Step.MINUTE)
        expected: Counter[FlavorResource] = Counter()
        for reading in series.readings:
            expected.update({k: c.used.total for k, c in reading.totals.cells.items()})
        assert used(found, name) == +expected
    hours = dict(SampledHour.objects.values_list("start", "minutes"))
    sampled = [each for each in edges(Step.MINUTE, since, END) if is_sampled(hours, each)]
    assert sum(each.minutes for each in found) == len(sampled)
    for name, of_cluster in recorded.items():
        offered = sum(each.offered.get((name, "gpu"), 0) for each in found)
        assert offered == sum(of_cluster.get(minute, 0) for minute in sampled)


def test_whole_days_have_the_sums_of_their_hours(org: Organization) -> None:
    chance = random.Random(3)
    begin, hours = BEGIN - 20 * HOUR + 23 * HOUR, 54
    for number in range(hours):
        hour = begin + number * HOUR
        SampledHour.objects.create(org=org, start=hour, minutes=chance.getrandbits(60) | 1)
        SeriesPoint.objects.bulk_create([_point(org, chance, "train", hour)])
    quotas = [["east", "gpu", 3, "unlimited"]]
    QuotaLine.objects.create(
        org=org, kind=Kind.CLUSTER, name="east", since=begin + 7 * HOUR, config_version=0,
        quotas=quotas,
    )  # fmt: skip
    Sampler.objects.update_or_create(org=org)
    end = begin + hours * HOUR
    while roll_up_org(org.pk, end):
        pass
    by_hour = list(recorded_usage(org, begin, end))
    by_day = list(recorded_usage(org, begin, end, by_day=True))
    day, hour = 24 * 3_600_000, 3_600_000
    assert [each.end - each.begin for each in by_day if each.end - each.begin >= hour] == [
        hour,
        day,
        day,
        *[hour] * 3,
    ]
    for found in (by_hour, by_day):
        starts = [each.begin for each in found]
        assert starts == sorted(starts)
    assert sum(each.minutes for each in by_day) == sum(each.minutes for each in by_hour)
    assert used(by_day, "train") == used(by_hour, "train")
    offered = [sum(each.offered.get(("east", "gpu"), 0) for each in of) for of in (by_hour, by_day)]
    assert offered[0] == offered[1] > 0


def test_an_organization_without_samples_has_no_spans(org: Organization) -> None:
    assert spans(org, BEGIN, END) == []


def test_the_span_of_an_hour_and_of_a_minute(org: Organization) -> None:
    Sampler.objects.update_or_create(org=org, defaults={"rolled_until": BEGIN + HOUR})
    SampledHour.objects.create(org=org, start=BEGIN, minutes=0b1111)
    SampledHour.objects.create(org=org, start=BEGIN + 3 * HOUR, minutes=0b10)
    quotas = [["east", "gpu", 8000, "unlimited"]]
    QuotaLine.objects.create(
        org=org, kind=Kind.CLUSTER, name="east", since=BEGIN + 2 * MINUTE, config_version=0,
        quotas=quotas,
    )  # fmt: skip
    cells = {GPU: Cell(used=Level(6000, 2000))}
    totals = Totals(minutes=4, cells=cells)
    late = Totals(minutes=1, cells={GPU: Cell(used=Level.of(500))})
    SeriesPoint.objects.bulk_create(
        [
            point_of(org.pk, Subject.queue("train"), Step.HOUR, BEGIN, totals),
            point_of(org.pk, Subject.queue("train"), Step.MINUTE, BEGIN + 3 * HOUR + MINUTE, late),
        ]
    )
    begin, minute = milliseconds(BEGIN), timedelta(minutes=1)
    late_begin = milliseconds(BEGIN + 3 * HOUR + minute)
    assert spans(org, BEGIN + 30 * MINUTE, BEGIN + 3 * HOUR + 5 * MINUTE) == [
        RecordedUsage(
            begin=begin,
            end=begin + 3_600_000,
            minutes=4,
            used={"train": {GPU: 6000}},
            offered={("east", "gpu"): 16000},
        ),
        RecordedUsage(
            begin=late_begin,
            end=late_begin + 60_000,
            minutes=1,
            used={"train": {GPU: 500}},
            offered={("east", "gpu"): 8000},
        ),
    ]
