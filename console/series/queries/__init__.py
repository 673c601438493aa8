"""Queries of series: use and demand, counts and waits, quotas, and gaps."""

from console.series.queries.begun import sampled_since
from console.series.queries.counts import (
    CountsAt,
    counts_at,
    counts_series,
    wait_quantiles,
    wait_quantiles_of,
)
from console.series.queries.edges import rolled_until
from console.series.queries.names import Course, course_of, known_subject
from console.series.queries.peaks import peaks_of
from console.series.queries.sparks import Sparks, spark_of_all, sparks_of
from console.series.queries.use import (
    QuotaSpan,
    Series,
    owned_in,
    quota_spans,
    sampled_until,
    series_of,
)
from console.series.tallies import Counts

__all__ = [
    "Counts",
    "CountsAt",
    "Course",
    "QuotaSpan",
    "Series",
    "Sparks",
    "counts_at",
    "counts_series",
    "course_of",
    "known_subject",
    "owned_in",
    "peaks_of",
    "quota_spans",
    "rolled_until",
    "sampled_since",
    "sampled_until",
    "series_of",
    "spark_of_all",
    "sparks_of",
    "wait_quantiles",
    "wait_quantiles_of",
]
