"""Tallies: what happened to workloads, counted for everything that it happened to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from console.engine.policy import Policy
from console.series.coverage import floor_minute
from console.series.models import Step, Tally, What
from console.series.subjects import subjects_of
from console.series.waits import NO_WAIT, bucket_of
from console.workloads.bulk import Prepared, add_to_rows

_COLUMNS = ("org_id", "kind", "name", "step", "start", "what", "bucket", "count")


class Happening(NamedTuple):
    """One thing that happened to one workload."""

    what: What
    #: None when no queue has it.
    queue: str | None
    #: Of an admission: how long it was waited for, in seconds; None when no wait is to be told.
    wait: float | None = None


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
            (org_id, kind, name, Step.MINUTE.value, start, what, bucket, count)
            for (kind, name, what, bucket), count in sorted(counts.items())
        ),
        key=_COLUMNS[:-1],
        count="count",
    )


def _bucket(happening: Happening) -> int:
    return NO_WAIT if happening.wait is None else bucket_of(happening.wait)
