"""Conversion between `Totals` and rows of `SeriesPoint`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from console.series.models import SeriesPoint, Step
from console.series.subjects import Subject
from console.series.tallies import Counts
from console.series.totals import (
    Level,
    StoredCells,
    Totals,
    decode_demand,
    encode_cells,
    encode_demand,
)

#: The columns that `totals_of` reads, in order.
COLUMNS: Final = (
    "minutes",
    "running",
    "running_peak",
    "pending",
    "pending_peak",
    "cells",
    "demand",
    "cannot_run_demand",
    "tightest",
)


def point_of(
    org_id: int,
    subject: Subject,
    step: Step,
    start: datetime,
    totals: Totals,
    counts: Counts | None = None,
) -> SeriesPoint:
    """Return an unsaved row with *totals* and, for hours and days, *counts*."""
    return SeriesPoint(
        org_id=org_id,
        kind=subject.kind,
        name=subject.name,
        step=step.value,
        start=start,
        minutes=totals.minutes,
        running=totals.running.total,
        running_peak=totals.running.peak,
        pending=totals.pending.total,
        pending_peak=totals.pending.peak,
        cells=encode_cells(totals.cells),
        demand=encode_demand(totals.demand),
        cannot_run_demand=encode_demand(totals.cannot_run_demand),
        tightest=totals.tightest,
        counts=dict(counts.counts) if counts else {},
        waits={str(bucket): count for bucket, count in counts.waits.items()} if counts else {},
    )


def totals_of(row: Sequence[Any]) -> Totals:
    """Return the totals of a *row* whose first values are those of `COLUMNS`."""
    minutes, running, running_peak, pending, pending_peak, cells, *rest = row
    demand, cannot_run_demand, tightest, *_ = rest
    return Totals(
        minutes=minutes,
        running=Level(running, running_peak),
        pending=Level(pending, pending_peak),
        cells=StoredCells(cells),
        demand=decode_demand(demand),
        cannot_run_demand=decode_demand(cannot_run_demand),
        tightest=tightest,
    )
