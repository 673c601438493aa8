"""Tallies: events of workloads per minute, counted for their queue, cohorts and organization."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from console.bulk import Prepared, add_to_rows
from console.engine.model.policy import Policy
from console.series.coverage import floor_minute
from console.series.models import Tally
from console.series.subjects import subjects_of
from console.series.waits import NO_WAIT, bucket_of
from console.workloads.services.batch_observers import DecidedBatch, Writes
from console.workloads.transitions import Transition, TransitionKind


@dataclass(slots=True)
class Counts:
    """Counts of events of workloads in one time span."""

    counts: Counter[str] = field(default_factory=Counter)
    #: Number of admissions by bucket of their wait.
    waits: Counter[int] = field(default_factory=Counter)

    @classmethod
    def stored(cls, counts: Mapping[str, int], waits: Mapping[str, int]) -> Counts:
        """Return the counts stored in a row of an hour or day."""
        found = cls()
        # Faster than the constructor of Counter, which checks its argument: there are many rows.
        dict.update(found.counts, counts)
        dict.update(found.waits, {int(bucket): count for bucket, count in waits.items()})
        return found

    def add(self, what: str, bucket: int, count: int) -> None:
        """Add the count of one row of a minute."""
        self.counts[what] += count
        if what == TransitionKind.ADMITTED:
            self.waits[bucket] += count

    def merge(self, other: Counts) -> None:
        """Add the counts of *other*."""
        for what, count in other.counts.items():
            self.counts[what] += count
        for bucket, count in other.waits.items():
            self.waits[bucket] += count


_COLUMNS = ("org_id", "kind", "name", "start", "what", "bucket", "count")


def tally(
    org_id: int, now: datetime, transitions: Iterable[Transition], policy: Policy
) -> Prepared:
    """
    Return the statement that counts *transitions* in the minute of *now*.

    Run it in the transaction that writes the events, so that each is counted exactly once. Each
    event counts for its queue, for the cohorts above the queue in *policy*, and for the
    organization.
    """
    found = Counter(
        (transition.kind, transition.queue, _bucket(transition)) for transition in transitions
    )
    counts: Counter[tuple[str, str, str, int]] = Counter()
    for (what, queue, bucket), count in found.items():
        for kind, name in subjects_of(queue, policy):
            counts[kind, name, what.value, bucket] += count
    start = floor_minute(now)
    return add_to_rows(
        Tally,
        _COLUMNS,
        # Sorted, so that concurrent upserts of the same rows lock them in the same order.
        (
            (org_id, kind, name, start, what, bucket, count)
            for (kind, name, what, bucket), count in sorted(counts.items())
        ),
        key=_COLUMNS[:-1],
        counts=("count",),
    )


def tally_batch(decided: DecidedBatch) -> Writes:
    """Return the tally of a batch, to be written in the batch's transaction."""
    batch = decided.batch
    counted = tally(batch.org_id, batch.now, decided.transitions, decided.state.policy)
    return Writes(statements=(counted,))


def _bucket(transition: Transition) -> int:
    return NO_WAIT if transition.wait is None else bucket_of(transition.wait)
