"""Data of the usage pages: choices of range and flavor-resource, panels, tables and file URLs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict

from console.engine.model.amounts import FlavorResource
from console.engine.wording.words import is_gpu
from console.exports import PARAMETER
from console.pages.presenters.charts.frame import Frame
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.usage.panel_parts import Panel
from console.pages.presenters.usage.points import Point, cluster_columns, table_rows
from console.pages.presenters.usage.quota_panels import demand_panel, use_panel
from console.pages.presenters.usage.workload_panels import waits_panel, workloads_panel
from console.pages.usage_form import ALL, RANGES, TITLES
from console.series.models import Kind
from console.series.queries import QuotaSpan, Series


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One choice of a range, flavor-resource or resource."""

    title: str
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPanel:
    """A panel with its URLs, and with its table if requested."""

    panel: Panel
    table_url: str
    file_url: str
    has_table: bool
    #: Cells of each row, starting with the time.
    rows: tuple[tuple[str, ...], ...] = ()


def keys_of(series: Series, spans: Sequence[QuotaSpan]) -> list[FlavorResource]:
    """Return the flavor-resources with quota or use: GPUs first, and the newest config first."""
    found = dict.fromkeys(key for span in reversed(spans) for key in span.quotas)
    found |= dict.fromkeys(key for reading in series.readings for key in reading.totals.cells)
    return sorted(found, key=lambda key: not is_gpu(key[1]))


def range_choices(path: str, query: QueryDict, chosen: str) -> tuple[Choice, ...]:
    """Return the choices of the time range."""
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
    """Return the choices of the flavor-resource."""
    return tuple(
        Choice(
            title=f"{resource} on {flavor}",
            url=with_query(path, query, flavor=flavor, resource=resource),
            is_chosen=(flavor, resource) == chosen,
        )
        for flavor, resource in keys
    )


def panels_of(
    frame: Frame, points: Sequence[Point], key: FlavorResource | None, kind: str
) -> list[Panel]:
    """
    Return the panels of a subject of *kind* from top to bottom; those of quota only with a *key*.

    Workloads are counted by queue, so a cluster has no panels of demand, workloads and waits.
    """
    if kind == Kind.CLUSTER:
        if key is None:
            return []
        return [use_panel(frame, points, key, owned="offered", columns=cluster_columns)]
    panels = []
    if key is not None:
        own = "own quota used" if kind != Kind.ORG else "used"
        panels += [
            use_panel(frame, points, key, own=own),
            demand_panel(frame, points, key[1]),
        ]
    return [*panels, workloads_panel(frame, points), waits_panel(frame, points)]


def shown_panels(
    path: str, query: QueryDict, panels: Iterable[Panel], points: Sequence[Point], table: str
) -> list[ShownPanel]:
    """Return *panels* with their URLs; the panel *table*, or all of them, with a table."""
    return [
        ShownPanel(
            panel=panel,
            table_url=with_query(
                path, query, table=None if table in (panel.key, ALL) else panel.key
            ),
            file_url=with_query(path, query, chart=panel.key, **{PARAMETER: "csv"}),
            has_table=table in (panel.key, ALL),
            rows=tuple(table_rows(points, panel.columns, panel.frame.formats))
            if table in (panel.key, ALL)
            else (),
        )
        for panel in panels
    ]


def stride_of(frame: Frame, points: Sequence[Point]) -> str:
    """Return the width of a point in percent of the chart, for the cursor that shows values."""
    if not points:
        return "100"
    return f"{frame.x(points[0].end) / 10:.4f}"


def lost_minutes(series: Series, since: datetime, until: datetime) -> int:
    """Return the number of minutes without samples from *since* to *until*."""
    spans = ((max(begin, since), min(end, until)) for begin, end in series.gaps)
    return sum(max(0, int((end - begin).total_seconds()) // 60) for begin, end in spans)
