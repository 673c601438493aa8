"""Response bodies of use, demand, counts and waits over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from console.api.answers.times import time_answer
from console.engine.model.amounts import SCALE, Amount, FlavorResource, amount_to_number
from console.series.queries import Counts, QuotaSpan, quotas_in
from console.series.readings import Reading
from console.series.totals import Cell, Level
from console.series.waits import WaitQuantiles, quantiles
from console.workloads.transitions import TransitionKind


def point_answer(
    reading: Reading, end: datetime, counts: Counts, spans: Sequence[QuotaSpan]
) -> dict[str, Any]:
    """Return the point that ends at *end*; *spans* are the quotas of the time range."""
    totals = reading.totals
    known = not reading.is_gap
    minutes = totals.minutes
    return {
        "start": time_answer(reading.start),
        "sampled_minutes": minutes,
        "running": _number(totals.running, minutes) if known else None,
        "pending": _number(totals.pending, minutes) if known else None,
        "usage": _cells(reading, end, spans) if known else None,
        "demand": _by_resource(totals.demand, minutes) if known else None,
        "cannot_run_demand": _by_resource(totals.cannot_run_demand, minutes) if known else None,
        "happened": {what: counts.counts[what] for what in TransitionKind.values},
        "waits": waits_answer(quantiles(counts.waits)),
    }


def waits_answer(waits: WaitQuantiles) -> dict[str, Any]:
    """Return percentiles of waits."""
    return {"p50": _seconds(waits.p50), "p95": _seconds(waits.p95), "n": waits.n}


def _cells(reading: Reading, end: datetime, spans: Iterable[QuotaSpan]) -> list[dict[str, Any]]:
    owned = quotas_in(spans, reading.start, end)
    cells = reading.totals.cells
    return [
        _cell(key, cells.get(key, Cell()), owned.get(key, (0, 0)), reading.totals.minutes)
        for key in [*owned, *sorted(cells.keys() - owned.keys())]
    ]


def _cell(
    key: FlavorResource, cell: Cell, owned: tuple[Amount, Amount], minutes: int
) -> dict[str, Any]:
    nominal, limit = owned
    levels = {name: _amount(getattr(cell, name), minutes) for name in Cell._fields}
    return {
        "flavor": key[0],
        "resource": key[1],
        "nominal": amount_to_number(nominal),
        "limit": amount_to_number(limit),
        **levels,
    }


def _by_resource(levels: Mapping[str, Level], minutes: int) -> dict[str, Any]:
    return {resource: _amount(level, minutes) for resource, level in levels.items()}


def _amount(level: Level, minutes: int) -> dict[str, Any]:
    return {"mean": _rounded(level.mean(minutes) / SCALE), "peak": amount_to_number(level.peak)}


def _number(level: Level, minutes: int) -> dict[str, Any]:
    return {"mean": _rounded(level.mean(minutes)), "peak": level.peak}


def _rounded(value: float) -> float:
    return round(value, 3)


def _seconds(value: float | None) -> float | None:
    return None if value is None else _rounded(value)
