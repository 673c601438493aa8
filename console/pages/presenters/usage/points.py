"""Points of the usage pages: sampled levels and counts by time step, and columns over them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from typing import Any, Final

from console.engine.model.amounts import SCALE, Amount, FlavorResource, Unlimited
from console.pages.personal_formats import PersonalFormats
from console.pages.presenters.charts.labels import (
    decimal_text,
    duration_text,
    rounded_amount,
)
from console.series.queries import Counts, QuotaSpan, Series, quotas_in
from console.series.readings import LENGTH
from console.series.totals import UNUSED, ZERO, Cell, Level, Totals
from console.series.waits import WaitQuantiles, quantiles
from console.workloads.transitions import TransitionKind


@dataclass(frozen=True, kw_only=True)
class Point:
    """The samples and counts of a time span, with the use of one flavor-resource."""

    start: datetime
    end: datetime
    #: Number of sampled minutes; 0 for a gap.
    minutes: int
    running: Level
    pending: Level
    counts: Counts = field(default_factory=Counts)
    cell: Cell = UNUSED
    demand: Level = ZERO
    cannot_run_demand: Level = ZERO
    #: Nominal quota and limit at *start*; None without quota.
    nominal: Amount | None = None
    limit: Amount | None = None

    @property
    def is_gap(self) -> bool:
        """Whether no minute was sampled."""
        return not self.minutes

    def mean(self, level: Level) -> float:
        """Return the mean of *level* over the sampled minutes."""
        return level.mean(self.minutes)

    @property
    def own(self) -> float:
        """The mean used own quota, in thousandths."""
        used, borrowed, over, _ = self.cell
        return self.mean(Level(used.total - borrowed.total - over.total))

    @cached_property
    def waits(self) -> WaitQuantiles:
        """Wait quantiles of the workloads admitted in the span."""
        return quantiles(self.counts.waits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One number of a point: its name in files, its title on pages, and how to get and print it."""

    name: str
    title: str
    #: Returns None if the number is unknown or does not exist.
    value: Callable[[Point], float | None]
    text: Callable[[float], str] = decimal_text
    #: Whether gaps have the number, too, because events are counted and not sampled.
    is_counted: bool = False

    def of(self, point: Point) -> float | None:
        """Return the number of *point*, or None."""
        return None if point.is_gap and not self.is_counted else self.value(point)


def points_of(
    series: Series,
    counts: Mapping[datetime, Counts],
    spans: Sequence[QuotaSpan],
    key: FlavorResource | None,
    most: int = 0,
) -> list[Point]:
    """
    Return the points of *series* with the use of the flavor-resource *key*.

    There are at most *most* points: adjacent steps are merged as needed. 0 returns every step.
    """
    readings = series.readings
    together = -(-len(readings) // most) if most and readings else 1
    points = []
    for i in range(0, len(readings), together):
        part = readings[i : i + together]
        counted = counts[part[0].start]
        if len(part) > 1:
            counted = Counts()
            for reading in part:
                counted.merge(counts[reading.start])
        end = part[-1].start + LENGTH[series.step]
        owned = quotas_in(spans, part[0].start, end).get(key) if key else None
        points.append(
            Point(
                start=part[0].start,
                end=end,
                counts=counted,
                nominal=owned[0] if owned else None,
                limit=owned[1] if owned else None,
                **_merged_levels([reading.totals for reading in part if not reading.is_gap], key),
            )
        )
    return points


def _merged_levels(seen: Sequence[Totals], key: FlavorResource | None) -> dict[str, Any]:
    """Return the merged levels of *seen*, with the use of *key* only."""
    found: dict[str, Any] = {
        "minutes": sum(totals.minutes for totals in seen),
        "running": Level.merge(totals.running for totals in seen),
        "pending": Level.merge(totals.pending for totals in seen),
    }
    if key is not None:
        cells = [totals.cells[key] for totals in seen if key in totals.cells]
        found["cell"] = Cell(*(Level.merge(cell[i] for cell in cells) for i in range(4)))
        for name in ("demand", "cannot_run_demand"):
            found[name] = Level.merge(getattr(totals, name).get(key[1], ZERO) for totals in seen)
    return found


def use_columns(resource: str) -> tuple[Column, ...]:
    """Return the columns of the use of a flavor-resource, in units of *resource*."""
    amount = partial(_amount, resource)
    return (
        amount("own_mean", "Own", lambda point: point.own),
        amount("borrowed_mean", "Borrowed", lambda point: point.mean(point.cell.borrowed)),
        amount("over_mean", "Over nominal", lambda point: point.mean(point.cell.over)),
        amount("lent_mean", "Lent", lambda point: point.mean(point.cell.lent)),
        amount("used_peak", "Peak usage", lambda point: point.cell.used.peak),
        amount("nominal", "Nominal", lambda point: _finite(point.nominal)),
        amount("limit", "Limit", lambda point: _finite(point.limit)),
        _counted(TransitionKind.PREEMPTED),
    )


def cluster_columns(resource: str) -> tuple[Column, ...]:
    """Return the columns of the use of the nodes of a cluster, in units of *resource*."""
    amount = partial(_amount, resource)
    return (
        amount("used_mean", "Mean usage", lambda point: point.mean(point.cell.used)),
        amount("used_peak", "Peak usage", lambda point: point.cell.used.peak),
        amount("offered", "Offered", lambda point: _finite(point.nominal)),
    )


def demand_columns(resource: str) -> tuple[Column, ...]:
    """Return the columns of the demand of pending workloads, in units of *resource*."""
    amount = partial(_amount, resource)
    return (
        amount("demand_mean", "Mean", lambda point: point.mean(point.demand)),
        amount("demand_peak", "Peak", lambda point: point.demand.peak),
        amount(
            "cannot_run_demand_peak",
            "Can never run, peak",
            lambda point: point.cannot_run_demand.peak,
        ),
    )


def _amount(resource: str, name: str, title: str, value: Callable[[Point], float | None]) -> Column:
    return Column(
        name=name,
        title=title,
        value=value,
        text=lambda number: rounded_amount(number, resource),
    )


def _counted(what: TransitionKind) -> Column:
    return Column(
        name=what.value,
        title=what.label,
        value=lambda point: point.counts.counts[what.value],
        is_counted=True,
    )


#: Columns of running and pending workloads, and of counted events.
WORKLOADS: Final = (
    Column(name="running_mean", title="Running", value=lambda p: p.mean(p.running)),
    Column(name="running_peak", title="peak", value=lambda p: p.running.peak),
    Column(name="pending_mean", title="Pending", value=lambda p: p.mean(p.pending)),
    Column(name="pending_peak", title="peak", value=lambda p: p.pending.peak),
    *map(_counted, TransitionKind),
)

#: Columns of the waits of admitted workloads, in seconds.
WAITS: Final = (
    Column(
        name="wait_p50",
        title="p50",
        value=lambda p: p.waits.p50,
        text=duration_text,
        is_counted=True,
    ),
    Column(
        name="wait_p95",
        title="p95",
        value=lambda p: p.waits.p95,
        text=duration_text,
        is_counted=True,
    ),
    Column(name="waits", title="n", value=lambda p: p.waits.n, is_counted=True),
)

#: Columns in thousandths, which files contain in units.
_AMOUNTS: Final = frozenset(
    column.name
    for column in (*use_columns(""), *cluster_columns(""), *demand_columns(""))
    if not column.is_counted
)


def file_columns(columns: Sequence[Column]) -> list[str]:
    """Return the names of the columns of a file."""
    return ["start", "sampled_minutes", *(column.name for column in columns)]


def file_rows(points: Sequence[Point], columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    """Yield a row of a file for each of *points*; unknown numbers are None."""
    for point in points:
        row: dict[str, Any] = {
            "start": f"{point.start:%Y-%m-%dT%H:%M:%SZ}",
            "sampled_minutes": point.minutes,
        }
        for column in columns:
            value = column.of(point)
            if value is not None:
                value = round(value / SCALE if column.name in _AMOUNTS else value, 3)
            row[column.name] = value
        yield row


def table_rows(
    points: Sequence[Point], columns: Sequence[Column], formats: PersonalFormats
) -> list[tuple[str, ...]]:
    """Return the cells of a table row for each of *points*, starting with its time in *formats*."""
    rows = []
    for point in points:
        texts = []
        for column in columns:
            value = column.of(point)
            texts.append("—" if value is None else column.text(value))
        known = "no data" if point.is_gap else str(point.minutes)
        rows.append((formats.bare_minute(point.start), known, *texts))
    return rows


def _finite(amount: Amount | None) -> int | None:
    return None if amount is None or isinstance(amount, Unlimited) else amount
