"""Former names of queues and cohorts, so that a series continues across a rename."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from console.capacity.queries.clusters import get_cluster
from console.errors import Renamed
from console.orgs.models import Organization
from console.policies.models import ConfigVersion, VersionChange
from console.policies.queries import active_policy
from console.policies.renames import MOST_NAMES, absent
from console.series.models import Kind, QuotaLine, SeriesPoint, Step, Tally
from console.series.queries.counts import counts_series
from console.series.queries.points import Points
from console.series.queries.use import QuotaSpan, Series, quota_spans, series_of
from console.series.readings import Reading
from console.series.subjects import WHOLE_ORG, Subject
from console.series.tallies import Counts
from console.workloads.models import QueueCount

#: Maximum number of renames of all queues that are read.
_MOST_RENAMES = 500

#: The kinds of objects that can be renamed, by the kind of a subject.
_NOUNS = {Kind.QUEUE.value: "queue", Kind.COHORT.value: "cohort"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectHistory:
    """Use, quota and counts of a subject under all its names, and its former names."""

    series: Series
    spans: list[QuotaSpan]
    counts: dict[datetime, Counts]
    #: Former names with their ends, latest first.
    before: tuple[tuple[str, datetime], ...]


def known_subject(org: Organization, subject: Subject) -> Subject:
    """
    Return *subject*; raises Renamed if it has another name now.

    Raises NotFound if *org* has no such subject and no samples of it.
    """
    if subject.kind == Kind.CLUSTER:
        return _known_cluster(org, subject)
    policy = active_policy(org)
    names = policy.queues if subject.kind == Kind.QUEUE else policy.spec.parents
    if subject == WHOLE_ORG or subject.name in names or _is_draining(org, subject):
        return subject
    error = absent(org, subject.name, _NOUNS[subject.kind])
    if not isinstance(error, Renamed) and _has_rows(org, subject):
        return subject
    raise error


def _known_cluster(org: Organization, subject: Subject) -> Subject:
    """Return the subject of a cluster that is registered, or has samples from before."""
    if not _has_rows(org, subject):
        get_cluster(org, subject.name)
    return subject


def _has_rows(org: Organization, subject: Subject) -> bool:
    of_subject = {"org": org, "kind": subject.kind, "name": subject.name}
    models = (QuotaLine, SeriesPoint, Tally)
    return any(model.objects.filter(**of_subject).exists() for model in models)


def subject_history(
    org: Organization, subject: Subject, since: datetime, until: datetime, step: Step
) -> SubjectHistory:
    """Return use, quota and counts of *subject*; before a rename, those of its old name."""
    points = Points(org, subject)
    series = series_of(org, subject, since, until, step, points)
    spans = quota_spans(org, subject, since, until)
    counts = counts_series(org, subject=subject, since=since, until=until, step=step, points=points)
    before = tuple(each for each in _names_before(org, subject) if each[1] > since)
    for name, end in before:
        past = Subject(subject.kind, name)
        points = Points(org, past)
        older = series_of(org, past, since, until, step, points)
        series = replace(series, readings=_combined(series, older, end))
        spans = [
            *(span for span in quota_spans(org, past, since, until) if span.since < end),
            *spans,
        ]
        happened = counts_series(
            org, subject=past, since=since, until=until, step=step, points=points
        )
        for start, of_past in happened.items():
            if start < end:
                counts[start].merge(of_past)
    return SubjectHistory(series=series, spans=spans, counts=counts, before=before)


def _is_draining(org: Organization, subject: Subject) -> bool:
    """Return whether workloads of an earlier version still run under the old name."""
    if subject.kind != Kind.QUEUE:
        return False
    row = QueueCount.objects.filter(org=org, queue=subject.name).first()
    return row is not None and bool(row.running or row.pending)


def _names_before(org: Organization, subject: Subject) -> Iterator[tuple[str, datetime]]:
    noun = _NOUNS.get(subject.kind)
    if noun is None:
        return
    rows = VersionChange.objects.filter(org=org, kind="renamed", noun=noun)
    renames = list(
        rows.order_by("-version").values_list("version", "old_name", "name")[:_MOST_RENAMES]
    )
    found: list[tuple[str, int]] = []
    name = subject.name
    for version, old, new in renames:
        # Newest first: each is earlier than the one before it.
        if new == name and len(found) < MOST_NAMES:
            found.append((old, version))
            name = old
    if not found:
        return
    versions = ConfigVersion.objects.filter(org=org, number__in=[number for _, number in found])
    applied = dict(versions.values_list("number", "created_at"))
    for old, number in found:
        yield old, applied[number]


def _combined(series: Series, older: Series, end: datetime) -> tuple[Reading, ...]:
    """Return the combined readings; those of *older* are used until *end*."""
    return tuple(
        _combined_reading(now, then) if then.start < end else now
        for now, then in zip(series.readings, older.readings, strict=True)
    )


def _combined_reading(now: Reading, then: Reading) -> Reading:
    # The same minutes were sampled for both.
    minutes = max(now.totals.minutes, then.totals.minutes)
    return Reading(now.start, replace(now.totals.merged(then.totals), minutes=minutes))
