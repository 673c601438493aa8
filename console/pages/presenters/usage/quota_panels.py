"""Panels of quota: use of a flavor-resource, and demand of pending workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from console.engine.model.amounts import Amount, FlavorResource, Unlimited
from console.engine.wording.words import amount, quantity
from console.pages.presenters.charts.chart import Piece, lines_of
from console.pages.presenters.charts.frame import Frame
from console.pages.presenters.charts.labels import amount_steps, axis_label, rounded_amount
from console.pages.presenters.usage.panel_parts import (
    LegendEntry,
    Panel,
    area_pieces,
    drawing_of,
    legend_of,
    level_summary,
    line_pieces,
)
from console.pages.presenters.usage.points import Column, Point, demand_columns, use_columns

#: A limit is drawn if it is at most this multiple of the nominal quota and the peak use.
_FAR: Final = 3


def use_panel(
    frame: Frame,
    points: Sequence[Point],
    key: FlavorResource,
    *,
    own: str = "used",
    owned: str = "nominal quota",
    columns: Callable[[str], tuple[Column, ...]] = use_columns,
) -> Panel:
    """
    Return the panel of the use of *key*, with the titles of the *own* part and of the quota.

    *columns* returns the columns of its table for a resource.
    """
    flavor, resource = key
    seen = [point for point in points if not point.is_gap]
    peak = max((point.cell.used.peak for point in seen), default=0)
    nominal = max((_finite(point.nominal) for point in points), default=0)
    limit = max((_finite(point.limit) for point in points), default=0)
    lent = max((point.cell.lent.peak for point in seen), default=0)
    held = max(peak, nominal)
    is_far = limit > _FAR * held > 0
    drawing, step = drawing_of(frame, held if is_far else max(held, limit), amount_steps(resource))
    if lent:
        drawing.low = -(-(-lent // step) * step)
    below = [Piece(p.start, p.end, 0, -p.mean(p.cell.lent)) for p in seen if p.cell.lent.peak]
    drawing.area("own", area_pieces(seen, lambda p: 0, lambda p: p.own))
    drawing.area("borrowed", area_pieces(seen, _own, _covered), "borrowed")
    drawing.area("over", area_pieces(seen, _covered, lambda p: p.mean(p.cell.used)), "over")
    drawing.area("lent", below, "lent")
    drawing.line("peak", line_pieces(seen, lambda p: p.cell.used.peak))
    drawing.line("nominal", _amounts(points, lambda p: p.nominal))
    if not is_far:
        drawing.line("limit", _amounts(points, lambda p: p.limit))
    lines, ticks = lines_of(drawing, step, lambda value: axis_label(value, resource))
    short = owned.removesuffix(" quota")
    parts = (
        LegendEntry(part="own", title=own, is_area=True),
        LegendEntry(part="borrowed", title="borrowed", is_area=True, pattern="borrowed"),
        LegendEntry(part="over", title=f"over {short}", is_area=True, pattern="over"),
        LegendEntry(part="lent", title="lent, below zero", is_area=True, pattern="lent"),
        LegendEntry(part="peak", title="peak usage"),
        LegendEntry(part="nominal", title=owned),
        LegendEntry(part="limit", title="limit"),
    )
    note = f"The limit of {quantity(limit, resource)} is beyond the chart." if is_far else ""
    words = level_summary(
        seen, lambda p: p.mean(p.cell.used), lambda v: rounded_amount(v, resource)
    )
    last = next((p.nominal for p in reversed(points) if p.nominal is not None), None)
    owns = f"; {short} {quantity(last, resource)}" if last is not None else ""
    return Panel(
        key="use",
        title=f"{resource} on {flavor}",
        sentence=f"Usage of {resource} on {flavor}: {words}{owns}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=legend_of(parts, drawing),
        columns=columns(resource),
        note=note,
    )


def demand_panel(frame: Frame, points: Sequence[Point], resource: str) -> Panel:
    """Return the panel of the demand of pending workloads for *resource*, on any flavor."""
    seen = [point for point in points if not point.is_gap]
    most = max((point.demand.peak for point in seen), default=0)
    drawing, step = drawing_of(frame, most, amount_steps(resource))
    drawing.area("demand", area_pieces(seen, lambda p: 0, lambda p: p.mean(p.demand)))
    drawing.line("demand-peak", line_pieces(seen, lambda p: p.demand.peak))
    lines, ticks = lines_of(drawing, step, lambda value: axis_label(value, resource))
    words = level_summary(seen, lambda p: p.mean(p.demand), lambda v: rounded_amount(v, resource))
    never = max((point.cannot_run_demand.peak for point in seen), default=0)
    parts = (
        LegendEntry(part="demand", title="requested by pending workloads", is_area=True),
        LegendEntry(part="demand-peak", title="peak"),
    )
    return Panel(
        key="demand",
        title=f"{resource} requested, pending",
        sentence=f"Pending workloads requested {resource}: {words}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=legend_of(parts, drawing),
        columns=demand_columns(resource),
        note=f"Workloads that can never run requested up to {amount(never, resource)} in addition, "
        "not drawn."
        if never
        else "",
    )


def _own(point: Point) -> float:
    return point.own


def _covered(point: Point) -> float:
    return point.own + point.mean(point.cell.borrowed)


def _amounts(points: Iterable[Point], amount: Callable[[Point], Amount | None]) -> Iterator[Piece]:
    """Yield the pieces with a finite quota; the quota of gaps is known, too."""
    for point in points:
        found = amount(point)
        if found is not None and not isinstance(found, Unlimited):
            yield Piece(point.start, point.end, found)


def _finite(amount: Amount | None) -> int:
    return 0 if amount is None or isinstance(amount, Unlimited) else amount
