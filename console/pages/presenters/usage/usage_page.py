"""Usage over time as its page shows it: what can be chosen, the panels, tables and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from console.engine.model.amounts import FlavorResource
from console.exports import PARAMETER
from console.pages.presenters.charts.frame import Frame
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.usage.panel_parts import Panel
from console.pages.presenters.usage.points import Point, table_rows
from console.pages.presenters.usage.quota_panels import demand_panel, use_panel
from console.pages.presenters.usage.workload_panels import waits_panel, workloads_panel
from console.pages.usage_form import ALL, RANGES, TITLES
from console.series.queries import QuotaSpan, Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One of several things to look at."""

    title: str
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A panel with its addresses, and its table where that is asked for."""

    panel: Panel
    table_url: str
    file_url: str
    has_table: bool
    #: Cells of each row, the time first.
    rows: tuple[tuple[str, ...], ...] = ()


def keys_of(series: Series, spans: Sequence[QuotaSpan]) -> list[FlavorResource]:
    """Return the flavor-resources that were owned or used, those of the newest config first."""
    found = dict.fromkeys(key for span in reversed(spans) for key in span.quotas)
    found |= dict.fromkeys(key for reading in series.readings for key in reading.totals.cells)
    return list(found)


def range_choices(path: str, query: QueryDict, chosen: str) -> tuple[Choice, ...]:
    """Return the times to choose from."""
    return tuple(
        Choice(
            title=TITLES[name],
            url=with_query(path, query, range=name, since=None, until=None),
            is_chosen=name == chosen,
        )
        for name in RANGES
    )


def key_choices(
    path: str, query: QueryDict, keys: Iterable[FlavorResource], chosen: FlavorResource | None
) -> tuple[Choice, ...]:
    """Return the flavor-resources to choose from."""
    return tuple(
        Choice(
            title=f"{resource} on {flavor}",
            url=with_query(path, query, flavor=flavor, resource=resource),
            is_chosen=(flavor, resource) == chosen,
        )
        for flavor, resource in keys
    )


def panels_of(
    frame: Frame, points: Sequence[Point], key: FlavorResource | None, *, lends: bool
) -> list[Panel]:
    """Return the panels, one above another; those of quota only where there is any."""
    panels = []
    if key is not None:
        panels += [use_panel(frame, points, key, lends=lends), demand_panel(frame, points, key[1])]
    return [*panels, workloads_panel(frame, points), waits_panel(frame, points)]


def shown(
    path: str, query: QueryDict, panels: Iterable[Panel], points: Sequence[Point], table: str
) -> list[Shown]:
    """Return *panels* with their addresses; the one called *table*, or all, with its rows."""
    return [
        Shown(
            panel=panel,
            table_url=with_query(
                path, query, table=None if table in (panel.key, ALL) else panel.key
            ),
            file_url=with_query(path, query, chart=panel.key, **{PARAMETER: "csv"}),
            has_table=table in (panel.key, ALL),
            rows=tuple(table_rows(points, panel.columns)) if table in (panel.key, ALL) else (),
        )
        for panel in panels
    ]


def stride_of(frame: Frame, points: Sequence[Point]) -> str:
    """Return how wide a point is, in percent of the width, for the cursor of its readings."""
    if not points:
        return "100"
    return f"{frame.x(points[0].end) / 10:.4f}"


def lost_minutes(series: Series, since: datetime, until: datetime) -> int:
    """Return the number of minutes without samples from *since* to *until*."""
    spans = ((max(begin, since), min(end, until)) for begin, end in series.gaps)
    return sum(max(0, int((end - begin).total_seconds()) // 60) for begin, end in spans)
