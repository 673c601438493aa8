"""The exposition: metric families built from readings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import accumulate

from django.utils import timezone
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.core import (
    Metric as PrometheusMetric,
)

from console import expensive
from console.telemetry.families import COUNTERS, GAUGES, HISTOGRAMS, REFUSED, TAKEN, UNDER_WAY
from console.telemetry.models import Metric
from console.telemetry.readings import gauge_readings, total_readings
from console.telemetry.totals import BOUNDS, SUM

#: Prefix of all metric names.
PREFIX = "sluice_"

#: (organization, queue)
_Place = tuple[str, str]


class Sluice:
    """All metrics of all organizations, as a collector of the Prometheus client."""

    def __init__(self, *, by_queue: bool) -> None:
        self._by_queue = by_queue

    def collect(self) -> Iterator[PrometheusMetric]:
        """Read the rows; yield each metric once, even without samples."""
        yield from self._gauges()
        yield from self._totals()
        yield from _questions()

    def _gauges(self) -> Iterator[PrometheusMetric]:
        gauges = {
            name: GaugeMetricFamily(PREFIX + name, family.meaning, labels=family.labels)
            for name, family in GAUGES.items()
        }
        for name, (labels, value) in gauge_readings(timezone.now(), by_queue=self._by_queue):
            gauges[name].add_metric(labels, value)
        yield from gauges.values()

    def _totals(self) -> Iterator[PrometheusMetric]:
        counters = {
            metric: CounterMetricFamily(PREFIX + family.name, family.meaning, labels=family.labels)
            for metric, family in COUNTERS.items()
        }
        durations: defaultdict[tuple[str, _Place], dict[str, int]] = defaultdict(dict)
        for metric, place, label, value in total_readings(by_queue=self._by_queue):
            if metric in counters:
                labels = (*place, label)[: len(COUNTERS[Metric(metric)].labels)]
                counters[Metric(metric)].add_metric(labels, value)
            # Other totals were written by a newer version on the same database.
            elif metric in HISTOGRAMS:
                durations[metric, place][label] = value
        yield from counters.values()
        yield from _histograms(durations)


def _questions() -> Iterator[PrometheusMetric]:
    """Yield the broker's counts of expensive requests; no samples while the broker is down."""
    under_way = GaugeMetricFamily(
        PREFIX + UNDER_WAY.name, UNDER_WAY.meaning, labels=UNDER_WAY.labels
    )
    taken, refused = (
        CounterMetricFamily(PREFIX + family.name, family.meaning, labels=family.labels)
        for family in (TAKEN, REFUSED)
    )
    for each in expensive.count_by_kind():
        labels = [each.kind.value]
        under_way.add_metric(labels, each.in_flight)
        taken.add_metric(labels, each.taken)
        refused.add_metric(labels, each.refused)
    yield from (under_way, taken, refused)


def _histograms(
    durations: dict[tuple[str, _Place], dict[str, int]],
) -> Iterator[PrometheusMetric]:
    histograms = {
        metric: HistogramMetricFamily(PREFIX + family.name, family.meaning, labels=family.labels)
        for metric, family in HISTOGRAMS.items()
    }
    for (name, place), counted in durations.items():
        metric = Metric(name)
        bounds = [*map(str, map(float, BOUNDS[metric])), "+Inf"]
        counts = accumulate(counted.get(str(number), 0) for number in range(len(bounds)))
        histograms[metric].add_metric(
            place[: len(HISTOGRAMS[metric].labels)],
            list(zip(bounds, counts, strict=True)),
            counted.get(SUM, 0) / 1_000_000,
        )
    yield from histograms.values()
