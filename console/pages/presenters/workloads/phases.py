"""Phases of a workload: a bar along time, and a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from console.configs.models import ConfigVersion
from console.engine.model.reasons import ReasonClass
from console.engine.wording.reasons import reason_class, reason_title
from console.pages.presenters.charts.labels import duration_text
from console.workloads.queries.phases import Phase, PhaseHistory, PhaseKind

#: Length of the bar in units, and minimum length of a phase.
WIDTH, _LEAST = 1000.0, 3.0

_TITLES = {PhaseKind.RUNNING: "Running", PhaseKind.STOPPING: "Stopping"}

#: Class of reason -> look of the waiting phase; the look of others is "waiting".
_LOOKS = {
    ReasonClass.UNSEEN: "unseen",
    ReasonClass.HELD: "held",
    ReasonClass.CANNOT_RUN: "stuck",
    ReasonClass.SOON: "soon",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseRow:
    """One phase in the table and in the bar."""

    title: str
    look: str
    start: datetime
    #: None for the current phase.
    end: datetime | None
    took: str
    config_version: int | None
    x: str
    width: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionMark:
    """The mark of a config version applied during the life of the workload."""

    number: int
    at: datetime
    x: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseBar:
    """The whole bar."""

    rows: tuple[PhaseRow, ...]
    #: (look, title) of the legend.
    looks: tuple[tuple[str, str], ...]
    marks: tuple[VersionMark, ...]
    #: Text of the bar for screen readers.
    sentence: str
    start: datetime
    end: datetime
    is_cut: bool


_LEGEND = {
    "unseen": "not evaluated yet",
    "waiting": "waiting for quota or turn",
    "held": "held",
    "stuck": "cannot run as configured",
    "soon": "starting soon",
    "running": "running",
    "stopping": "stopping",
}


def phase_bar(
    life: PhaseHistory, versions: Sequence[ConfigVersion], now: datetime
) -> PhaseBar | None:
    """Return the bar of *life* with marks of *versions* in its time; None without phases."""
    if not life.phases:
        return None
    start = life.phases[0].start
    end = max(life.phases[-1].end or now, start)
    length = max((end - start).total_seconds(), 0.001)

    def place(moment: datetime) -> float:
        return WIDTH * min(1.0, max(0.0, (moment - start).total_seconds() / length))

    rows = tuple(
        _row(phase, place(phase.start), place(phase.end or end), end) for phase in life.phases
    )
    seen = {row.look for row in rows}
    marks = (
        VersionMark(number=each.number, at=each.created_at, x=f"{place(each.created_at):.1f}")
        for each in versions
        if start <= each.created_at <= end
    )
    return PhaseBar(
        rows=rows,
        looks=tuple((look, title) for look, title in _LEGEND.items() if look in seen),
        marks=tuple(marks),
        sentence=f"{', '.join(f'{row.title} for {row.took}' for row in rows[-6:])}.",
        start=start,
        end=end,
        is_cut=life.is_cut,
    )


def _row(phase: Phase, left: float, right: float, end: datetime) -> PhaseRow:
    return PhaseRow(
        title=_title(phase),
        look=_look(phase),
        start=phase.start,
        end=phase.end,
        took=duration_text(((phase.end or end) - phase.start).total_seconds()),
        config_version=phase.config_version,
        x=f"{min(left, WIDTH - _LEAST):.1f}",
        width=f"{max(right - left, _LEAST):.1f}",
    )


def _title(phase: Phase) -> str:
    title = _TITLES.get(phase.kind)
    if title is not None:
        return (
            f"{title}: {reason_title(phase.reason)}" if phase.kind is PhaseKind.STOPPING else title
        )
    return f"Waiting: {reason_title(phase.reason)}"


def _look(phase: Phase) -> str:
    if phase.kind is not PhaseKind.WAITING:
        return phase.kind.value
    return _LOOKS.get(reason_class(phase.reason), "waiting")
