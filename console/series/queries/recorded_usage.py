"""The recorded usage of all queues and the capacity of all clusters, span by span."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from console.engine.model.amounts import FlavorResource
from console.engine.model.usage_history import RecordedUsage
from console.orgs.models import Organization
from console.series.coverage import HOUR, MINUTE, between, floor_day, floor_hour, is_sampled
from console.series.models import Kind, QuotaLine, SampledHour, SeriesPoint, Step
from console.series.queries.edges import ceiling, rolled_until
from console.series.readings import LENGTH, edges, minutes_of
from console.time_formats import milliseconds, parse_time
from console.workloads.stored_texts import as_text

#: The last hours are read by the minute, even if they are final.
_BY_MINUTE: Final = 2 * HOUR

_Used = Mapping[FlavorResource, int]
_NOTHING: Final[_Used] = {}


def recorded_usage(
    org: Organization, since: datetime, until: datetime, *, by_day: bool = False
) -> Iterator[RecordedUsage]:
    """
    Yield what was recorded from the hour of *since* until the minute *until*, in order.

    Spans are minutes in the last hours, and whole hours before; *by_day*, whole days where
    possible. Times without samples are left out, and so are hours that are no longer kept.
    """
    first = floor_hour(since)
    rows = SampledHour.objects.filter(org=org, start__gte=first, start__lt=until)
    hours = dict(rows.values_list("start", "minutes"))
    final = rolled_until(org) or first
    middle = max(first, min(final, floor_hour(until) - _BY_MINUTE))
    offers = _Offers.read(org, first, until)
    for step, begin, end in _ranges(first, middle, by_day=by_day):
        used = _by_start(org, step, begin, end)
        for start in edges(step, begin, end):
            sampled = [
                (hour, hours[hour])
                for hour in edges(Step.HOUR, start, start + LENGTH[step])
                if hours.get(hour)
            ]
            if sampled:
                yield RecordedUsage(
                    begin=milliseconds(start),
                    end=milliseconds(start + LENGTH[step]),
                    minutes=sum(minutes.bit_count() for _, minutes in sampled),
                    used=used.get(start, {}),
                    offered=offers.in_hours(sampled),
                )
    used_by_minute = _by_minute(org, hours, middle, until)
    for minute in edges(Step.MINUTE, middle, until):
        if is_sampled(hours, minute):
            yield RecordedUsage(
                begin=milliseconds(minute),
                end=milliseconds(minute + MINUTE),
                minutes=1,
                used=used_by_minute.get(minute, {}),
                offered=offers.at(minute),
            )


def _ranges(
    since: datetime, until: datetime, *, by_day: bool
) -> Iterator[tuple[Step, datetime, datetime]]:
    """Yield the ranges of final hours and, with *by_day*, of final days between them."""
    first, last = ceiling(since, Step.DAY), floor_day(until)
    if by_day and first < last:
        yield Step.HOUR, since, first
        yield Step.DAY, first, last
        since = last
    yield Step.HOUR, since, until


def _by_start(
    org: Organization, step: Step, since: datetime, until: datetime
) -> Mapping[datetime, Mapping[str, _Used]]:
    found: defaultdict[datetime, dict[str, _Used]] = defaultdict(dict)
    for start, name, used in _points(org, step, since, until):
        found[start][name] = used
    return found


def _by_minute(
    org: Organization, hours: Mapping[datetime, int], since: datetime, until: datetime
) -> Mapping[datetime, Mapping[str, _Used]]:
    rows: defaultdict[str, list[tuple[datetime, _Used]]] = defaultdict(list)
    for start, name, used in _points(org, Step.MINUTE, since, until):
        rows[name].append((start, used))
    found: defaultdict[datetime, dict[str, _Used]] = defaultdict(dict)
    for name, of_queue in rows.items():
        for minute, present in minutes_of(of_queue, hours, since, until, _NOTHING):
            if present:
                found[minute][name] = present
    return found


def _points(
    org: Organization, step: Step, since: datetime, until: datetime
) -> Iterator[tuple[datetime, str, _Used]]:
    """Yield the start, the queue and the sums of used amounts of each row, in order."""
    rows = SeriesPoint.objects.filter(
        org=org, kind=Kind.QUEUE.value, step=step.value, start__gte=since, start__lt=until
    )
    told = rows.order_by("start").annotate(at=as_text("start"), text=as_text("cells"))
    columns = list(zip(*told.values_list("at", "name", "text"), strict=True))
    if columns:
        starts, names, texts = columns
        # One text is parsed much faster than thousands, and many rows have the same start.
        times = {text: parse_time(text) for text in dict.fromkeys(starts)}
        parsed = json.loads(f"[{','.join(texts)}]")
        for start, name, cells in zip(starts, names, parsed, strict=True):
            yield times[start], name, {(each[0], each[1]): each[2] for each in cells if each[2]}


@dataclass(frozen=True, slots=True)
class _Offers:
    """What the nodes of all clusters offer, from each change to the next."""

    starts: Sequence[datetime]
    amounts: Sequence[Mapping[FlavorResource, int]]

    @classmethod
    def read(cls, org: Organization, since: datetime, until: datetime) -> _Offers:
        """Read the offers of a time range."""
        lines = QuotaLine.objects.filter(
            Q(until=None) | Q(until__gt=since), org=org, kind=Kind.CLUSTER.value, since__lt=until
        )
        changes: defaultdict[datetime, Counter[FlavorResource]] = defaultdict(Counter)
        for begin, end, quotas in lines.values_list("since", "until", "quotas"):
            offered = {(cluster, resource): amount for cluster, resource, amount, _ in quotas}
            changes[max(begin, since)].update(offered)
            if end is not None:
                changes[end].subtract(offered)
        starts, amounts = sorted(changes), []
        present: Counter[FlavorResource] = Counter()
        for start in starts:
            present.update(changes[start])
            amounts.append(dict(+present))
        return cls(starts, amounts)

    def at(self, moment: datetime) -> Mapping[FlavorResource, int]:
        """Return the offers at *moment*."""
        place = bisect_right(self.starts, moment) - 1
        return self.amounts[place] if place >= 0 else {}

    def in_hours(self, hours: Iterable[tuple[datetime, int]]) -> Mapping[FlavorResource, int]:
        """Return the sums over the sampled minutes of *hours*."""
        minutes: Counter[int] = Counter()
        for hour, sampled in hours:
            moment = hour
            while moment < hour + HOUR:
                place = bisect_right(self.starts, moment)
                end = min([hour + HOUR, *self.starts[place : place + 1]])
                first, last = (moment - hour) // MINUTE, (end - hour) // MINUTE
                minutes[place - 1] += between(sampled, first, last)
                moment = end
        del minutes[-1]
        found: Counter[FlavorResource] = Counter()
        for place, count in minutes.items():
            for key, amount in self.amounts[place].items():
                found[key] += amount * count
        return +found
