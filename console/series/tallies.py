"""Tallies: what happened to workloads, counted for everything that it happened to."""

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
from console.workloads.happenings import Happening, What
from console.workloads.services.batch_observers import DecidedBatch, Writes


@dataclass(slots=True)
class Counts:
    """What happened to workloads in some time."""

    counts: Counter[str] = field(default_factory=Counter)
    #: Admissions by the bucket of their wait.
    waits: Counter[int] = field(default_factory=Counter)

    @classmethod
    def stored(cls, counts: Mapping[str, int], waits: Mapping[str, int]) -> Counts:
        """Return what a row of an hour or a day keeps."""
        found = cls()
        # Not by the constructor of a counter, which looks at what it is given: there are many.
        dict.update(found.counts, counts)
        dict.update(found.waits, {int(bucket): count for bucket, count in waits.items()})
        return found

    def add(self, what: str, bucket: int, count: int) -> None:
        """Add what one row of a minute tells."""
        self.counts[what] += count
        if what == What.ADMITTED:
            self.waits[bucket] += count

    def merge(self, other: Counts) -> None:
        """Add what *other* tells."""
        for what, count in other.counts.items():
            self.counts[what] += count
        for bucket, count in other.waits.items():
            self.waits[bucket] += count


_COLUMNS = ("org_id", "kind", "name", "start", "what", "bucket", "count")


def tally(org_id: int, now: datetime, happenings: Iterable[Happening], policy: Policy) -> Prepared:
    """
    Return the statement that counts *happenings* in the minute of *now*.

    It belongs into the transaction that writes what happened: so nothing is lost, and
    nothing is counted twice. Each counts for its queue, for the cohorts around that
    in *policy*, and for the organization.
    """
    found = Counter(
        (happening.what, happening.queue, _bucket(happening)) for happening in happenings
    )
    counts: Counter[tuple[str, str, str, int]] = Counter()
    for (what, queue, bucket), count in found.items():
        for kind, name in subjects_of(queue, policy):
            counts[kind, name, what.value, bucket] += count
    start = floor_minute(now)
    return add_to_rows(
        Tally,
        _COLUMNS,
        # In one order for everybody, as with every row that may be there already.
        (
            (org_id, kind, name, start, what, bucket, count)
            for (kind, name, what, bucket), count in sorted(counts.items())
        ),
        key=_COLUMNS[:-1],
        count="count",
    )


def tally_batch(decided: DecidedBatch) -> Writes:
    """Return the tally of a batch, which is written with it."""
    batch = decided.batch
    counted = tally(batch.org_id, batch.now, decided.happenings, decided.state.policy)
    return Writes(statements=(counted,))


def _bucket(happening: Happening) -> int:
    return NO_WAIT if happening.wait is None else bucket_of(happening.wait)
