"""Counts that one batch of the engine adds to the totals."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from console.telemetry.models import Metric
from console.telemetry.totals import Count, add_totals, observed
from console.workloads.services.batch_observers import DecidedBatch, Writes
from console.workloads.transitions import Transition, TransitionKind

_METRICS = {
    TransitionKind.SUBMITTED: Metric.SUBMITTED,
    TransitionKind.ADMITTED: Metric.ADMITTED,
    TransitionKind.REJECTED: Metric.REJECTED,
    TransitionKind.PREEMPTED: Metric.EVICTED,
    TransitionKind.FINISHED: Metric.FINISHED,
    TransitionKind.WITHDRAWN: Metric.WITHDRAWN,
}


def count_batch(decided: DecidedBatch) -> Writes:
    """Return the statement that adds the counts of a batch, run in its transaction."""
    cycle = time.perf_counter() - decided.begun
    counts = counts_of(decided.transitions, decided.intake_waits, cycle, decided.load)
    return Writes(statements=(add_totals(decided.org.pk, counts),))


def counts_of(
    transitions: Iterable[Transition],
    intake_waits: Iterable[float],
    cycle: float,
    load: float | None,
) -> Iterator[Count]:
    """
    Yield the counts of a batch: transitions, waits of its intake, and its duration.

    Durations are in seconds; *load* is the time to rebuild the state from rows before its first
    batch.
    """
    for kind, queue, wait, reason in transitions:
        yield Count(_METRICS[kind], queue or "", reason)
        if wait is not None:
            yield from observed(Metric.ADMISSION_WAIT, wait, queue or "")
    for seconds in intake_waits:
        yield from observed(Metric.INTAKE_WAIT, seconds)
    yield from observed(Metric.CYCLE, cycle)
    if load is not None:
        yield from observed(Metric.LOAD, load)
