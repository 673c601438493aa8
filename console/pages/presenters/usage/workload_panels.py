"""Panels of workloads: numbers of running and pending workloads, and waits until admission."""

from __future__ import annotations

from collections.abc import Sequence

from console.pages.presenters.charts.chart import Piece, lines_of
from console.pages.presenters.charts.frame import Frame
from console.pages.presenters.charts.labels import (
    axis_label,
    count_steps,
    decimal_text,
    duration_text,
    span_steps,
)
from console.pages.presenters.usage.panel_parts import (
    LegendEntry,
    Panel,
    area_pieces,
    drawing_of,
    legend_of,
    level_summary,
    line_pieces,
)
from console.pages.presenters.usage.points import WAITS, WORKLOADS, Point


def workloads_panel(frame: Frame, points: Sequence[Point]) -> Panel:
    """Return the panel of the numbers of running and pending workloads."""
    seen = [point for point in points if not point.is_gap]
    most = max((max(p.running.peak, p.pending.peak) for p in seen), default=0)
    drawing, step = drawing_of(frame, most, count_steps(), least=1)
    drawing.area("waiting", area_pieces(seen, lambda p: 0, lambda p: p.pending.peak))
    drawing.line("running", line_pieces(seen, lambda p: p.running.peak))
    lines, ticks = lines_of(drawing, step, axis_label)
    running = level_summary(seen, lambda p: p.mean(p.running), decimal_text)
    pending = level_summary(seen, lambda p: p.mean(p.pending), decimal_text)
    return Panel(
        key="workloads",
        title="Running and pending workloads",
        sentence=f"Workloads running: {running}. Pending: {pending}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=legend_of(
            (
                LegendEntry(part="running", title="running"),
                LegendEntry(part="waiting", title="pending", is_area=True),
            ),
            drawing,
        ),
        columns=WORKLOADS,
        note="Both lines show peaks.",
    )


def waits_panel(frame: Frame, points: Sequence[Point]) -> Panel:
    """Return the panel of the waits of admitted workloads."""
    waits = [(point, point.waits) for point in points]
    half = [Piece(p.start, p.end, found.p50) for p, found in waits if found.p50 is not None]
    band = [
        Piece(p.start, p.end, found.p95, found.p50)
        for p, found in waits
        if found.p95 is not None and found.p50 is not None
    ]
    most = max((piece.upper for piece in [*half, *band]), default=0.0)
    drawing, step = drawing_of(frame, most, span_steps(), least=1)
    drawing.area("p95", band)
    drawing.line("p50", half)
    lines, ticks = lines_of(drawing, step, lambda value: duration_text(value) if value else "0")
    n = sum(found.n for _, found in waits)
    halves = [piece.upper for piece in half]
    ends = (
        f"p50 from {duration_text(min(halves))} to {duration_text(max(halves))}, " if halves else ""
    )
    return Panel(
        key="waits",
        title="Wait until admission",
        sentence=f"Wait until admission: {ends}n = {n}.",
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=legend_of(
            (
                LegendEntry(part="p50", title="median (p50)"),
                LegendEntry(part="p95", title="up to p95 (n of at least 20)", is_area=True),
            ),
            drawing,
        ),
        columns=WAITS,
        note=f"n = {n}",
    )
