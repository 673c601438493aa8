"""Panels of a usage page: use, demand, workloads and waits, one above another on one time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from console.configs.models import ConfigVersion
from console.engine.amounts import SCALE, Amount, Unlimited
from console.engine.ledger import FlavorResource
from console.engine.words import quantity
from console.pages.presenters.chart_words import (
    about,
    amount_steps,
    count_steps,
    plain,
    span,
    span_steps,
)
from console.pages.presenters.charts import (
    WIDTH,
    Drawing,
    Frame,
    Line,
    Piece,
    Shape,
    Tick,
    lines_of,
    percent,
    step_of,
)
from console.pages.presenters.usage_points import (
    WAITS,
    WORKLOADS,
    Column,
    Point,
    demand_columns,
    use_columns,
)

#: A limit is drawn when it is at most so many times what is owned or used.
_FAR: Final = 3

#: How near two versions may be, in units of the drawing, before only the first is named.
_NEAR: Final = 55


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One entry of a legend."""

    part: str
    title: str
    is_area: bool = False
    pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A version of the config where it was applied."""

    #: In percent of the width, for words, and in units, for the line.
    at: str
    x: str
    number: int
    title: str
    #: Whether there is room for its name, and whether only in front of the line.
    is_named: bool
    is_at_end: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One chart, finished, with the columns of its table and its file."""

    key: str
    title: str
    #: What a reader who does not see it is told.
    sentence: str
    frame: Frame
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    shapes: tuple[Shape, ...]
    legend: tuple[Key, ...]
    columns: tuple[Column, ...]
    note: str = ""


def markers_of(frame: Frame, versions: Iterable[ConfigVersion]) -> tuple[Marker, ...]:
    """Return where *versions*, oldest first, were applied; who are close share one name."""
    markers: list[Marker] = []
    last = -float(_NEAR)
    for version in versions:
        x = frame.x(version.created_at)
        named = x - last >= _NEAR
        last = x if named else last
        markers.append(
            Marker(
                at=percent(frame, version.created_at),
                x=f"{x:.1f}",
                number=version.number,
                title=f"{version.created_at:%Y-%m-%d %H:%M} UTC by {version.author}",
                is_named=named,
                is_at_end=x > WIDTH - _NEAR,
            )
        )
    return tuple(markers)


def use_panel(frame: Frame, points: Sequence[Point], key: FlavorResource, *, lends: bool) -> Panel:
    """Return the panel of what was used of *key*; *lends*: it is part of a cohort."""
    flavor, resource = key
    seen = [point for point in points if not point.is_gap]
    peak = max((point.cell.used.peak for point in seen), default=0)
    owned = max((_finite(point.nominal) for point in points), default=0)
    limit = max((_finite(point.limit) for point in points), default=0)
    lent = max((point.cell.lent.peak for point in seen), default=0)
    held = max(peak, owned)
    is_far = limit > _FAR * held > 0
    drawing, step = _drawing(frame, held if is_far else max(held, limit), amount_steps(resource))
    if lent:
        drawing.low = -(-(-lent // step) * step)
    below = [Piece(p.start, p.end, 0, -p.mean(p.cell.lent)) for p in seen if p.cell.lent.peak]
    drawing.area("own", _stack(seen, lambda p: 0, lambda p: p.own))
    drawing.area("borrowed", _stack(seen, _own, _covered), "borrowed")
    drawing.area("over", _stack(seen, _covered, lambda p: p.mean(p.cell.used)), "over")
    drawing.area("lent", below, "lent")
    drawing.line("peak", _edge(seen, lambda p: p.cell.used.peak))
    drawing.line("nominal", _amounts(points, lambda p: p.nominal))
    if not is_far:
        drawing.line("limit", _amounts(points, lambda p: p.limit))
    lines, ticks = lines_of(drawing, step, lambda value: about(value, resource))
    parts = (
        Key(part="own", title="used of its own" if lends else "used", is_area=True),
        Key(part="borrowed", title="borrowed", is_area=True, pattern="borrowed"),
        Key(part="over", title="over nominal", is_area=True, pattern="over"),
        Key(part="lent", title="lent, below zero", is_area=True, pattern="lent"),
        Key(part="peak", title="peak of use"),
        Key(part="nominal", title="nominal quota"),
        Key(part="limit", title="limit"),
    )
    note = f"The limit of {quantity(limit, resource)} is beyond the chart." if is_far else ""
    words = _levels(seen, lambda p: p.mean(p.cell.used), lambda v: about(v, resource))
    last = next((p.nominal for p in reversed(points) if p.nominal is not None), None)
    owns = f"; nominal {quantity(last, resource)}" if last is not None else ""
    return Panel(
        key="use",
        title=f"{resource} on {flavor}",
        sentence=f"Use of {resource} on {flavor}: {words}{owns}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=_drawn(parts, drawing),
        columns=use_columns(resource),
        note=note,
    )


def demand_panel(frame: Frame, points: Sequence[Point], resource: str) -> Panel:
    """Return the panel of what pending workloads asked for of *resource*, on whatever flavor."""
    seen = [point for point in points if not point.is_gap]
    most = max((point.demand.peak for point in seen), default=0)
    drawing, step = _drawing(frame, most, amount_steps(resource))
    drawing.area("demand", _stack(seen, lambda p: 0, lambda p: p.mean(p.demand)))
    drawing.line("demand-peak", _edge(seen, lambda p: p.demand.peak))
    lines, ticks = lines_of(drawing, step, lambda value: about(value, resource))
    words = _levels(seen, lambda p: p.mean(p.demand), lambda v: about(v, resource))
    parts = (
        Key(part="demand", title="wanted by pending workloads", is_area=True),
        Key(part="demand-peak", title="peak"),
    )
    return Panel(
        key="demand",
        title=f"{resource} wanted and not there",
        sentence=f"Pending workloads wanted {resource}: {words}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=_drawn(parts, drawing),
        columns=demand_columns(resource),
    )


def workloads_panel(frame: Frame, points: Sequence[Point]) -> Panel:
    """Return the panel of how many workloads ran and waited."""
    seen = [point for point in points if not point.is_gap]
    most = max((max(p.running.peak, p.pending.peak) for p in seen), default=0)
    drawing, step = _drawing(frame, most, count_steps(), least=1)
    drawing.area("waiting", _stack(seen, lambda p: 0, lambda p: p.pending.peak))
    drawing.line("running", _edge(seen, lambda p: p.running.peak))
    lines, ticks = lines_of(drawing, step, plain)
    running = _levels(seen, lambda p: p.mean(p.running), plain)
    pending = _levels(seen, lambda p: p.mean(p.pending), plain)
    return Panel(
        key="workloads",
        title="Workloads that run and wait",
        sentence=f"Workloads running: {running}. Pending: {pending}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=_drawn(
            (
                Key(part="running", title="running"),
                Key(part="waiting", title="pending", is_area=True),
            ),
            drawing,
        ),
        columns=WORKLOADS,
        note="Both at their peaks.",
    )


def waits_panel(frame: Frame, points: Sequence[Point]) -> Panel:
    """Return the panel of how long those admitted in each stretch had waited."""
    waits = [(point, point.waits) for point in points]
    half = [Piece(p.start, p.end, found.p50) for p, found in waits if found.p50 is not None]
    band = [
        Piece(p.start, p.end, found.p95, found.p50)
        for p, found in waits
        if found.p95 is not None and found.p50 is not None
    ]
    most = max((piece.upper for piece in [*half, *band]), default=0.0)
    drawing, step = _drawing(frame, most, span_steps(), least=1)
    drawing.area("p95", band)
    drawing.line("p50", half)
    lines, ticks = lines_of(drawing, step, lambda value: span(value) if value else "0")
    n = sum(found.n for _, found in waits)
    halves = [piece.upper for piece in half]
    ends = f"p50 from {span(min(halves))} to {span(max(halves))}, " if halves else ""
    return Panel(
        key="waits",
        title="Wait until admission",
        sentence=f"Waits until admission: {ends}n = {n}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=_drawn(
            (
                Key(part="p50", title="half waited no longer (p50)"),
                Key(part="p95", title="up to p95, where n is at least 20", is_area=True),
            ),
            drawing,
        ),
        columns=WAITS,
        note=f"n = {n}",
    )


def _drawing(
    frame: Frame, most: float, steps: Iterator[float], least: float = SCALE
) -> tuple[Drawing, float]:
    """Return a drawing from 0 to above *most*, and what its axis goes in."""
    reach = max(most, 0) or least
    step = step_of(reach, steps)
    return Drawing(frame, 0, -(-reach // step) * step), step


def _own(point: Point) -> float:
    return point.own


def _covered(point: Point) -> float:
    return point.own + point.mean(point.cell.borrowed)


def _stack(
    points: Iterable[Point], lower: Callable[[Point], float], upper: Callable[[Point], float]
) -> Iterator[Piece]:
    """Yield what lies between two edges, where there is anything."""
    for point in points:
        low, high = lower(point), upper(point)
        if high > low:
            yield Piece(point.start, point.end, high, low)


def _edge(points: Iterable[Point], upper: Callable[[Point], float]) -> Iterator[Piece]:
    return (Piece(point.start, point.end, upper(point)) for point in points)


def _amounts(points: Iterable[Point], amount: Callable[[Point], Amount | None]) -> Iterator[Piece]:
    """Yield where a finite quota was; it is known of gaps, too."""
    for point in points:
        found = amount(point)
        if found is not None and not isinstance(found, Unlimited):
            yield Piece(point.start, point.end, found)


def _finite(amount: Amount | None) -> int:
    return 0 if amount is None or isinstance(amount, Unlimited) else amount


def _drawn(parts: Iterable[Key], drawing: Drawing) -> tuple[Key, ...]:
    """Return the legend of what is there."""
    found = {shape.part for shape in drawing.shapes}
    return tuple(part for part in parts if part.part in found)


def _levels(
    points: Sequence[Point], mean: Callable[[Point], float], text: Callable[[float], str]
) -> str:
    if not points:
        return "no data"
    means = [mean(point) for point in points]
    return f"{text(min(means))} to {text(max(means))}, {text(means[-1])} last"
