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
from console.series.queries.names import SubjectHistory, known_subject, subject_history
from console.series.queries.peaks import peaks_of
from console.series.queries.sparks import Sparks, spark_of_all, sparks_of
from console.series.queries.use import (
    QuotaSpan,
    Series,
    quota_spans,
    quotas_in,
    sampled_until,
    series_of,
)
from console.series.tallies import Counts

__all__ = [
    "Counts",
    "CountsAt",
    "QuotaSpan",
    "Series",
    "Sparks",
    "SubjectHistory",
    "counts_at",
    "counts_series",
    "known_subject",
    "peaks_of",
    "quota_spans",
    "quotas_in",
    "rolled_until",
    "sampled_since",
    "sampled_until",
    "series_of",
    "spark_of_all",
    "sparks_of",
    "subject_history",
    "wait_quantiles",
    "wait_quantiles_of",
]
