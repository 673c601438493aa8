"""Tiles, quota bars and charts of the overview."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import QueryDict
from django.urls import reverse

from console.configs.models import ConfigVersion
from console.engine.model.capacity_node import CapacityNode
from console.overview.numbers import Number, Numbers
from console.pages.presenters.charts.frame import Frame, frame_of
from console.pages.presenters.charts.labels import duration_text
from console.pages.presenters.charts.marks import Marks, marks_of
from console.pages.presenters.charts.sparklines import Sparkline, count_sparkline
from console.pages.presenters.quota_bars.quota_bar import Bar, bar_of
from console.pages.presenters.usage.points import points_of
from console.pages.presenters.usage.usage_page import ShownPanel, shown_panels, stride_of
from console.pages.presenters.usage.workload_panels import waits_panel, workloads_panel
from console.pages.templatetags.ui import count
from console.series.models import Step
from console.series.queries import Counts, Series, Sparks
from console.series.readings import FLOOR, LENGTH
from console.series.waits import WaitQuantiles
from console.time_formats import to_iso
from console.workloads.models import State
from console.workloads.transitions import TransitionKind

#: Number of bars that are always shown, and maximum number when expanded.
FIRST_BARS = 6
MOST_BARS = 60

#: Maximum number of points of a chart.
_MOST_POINTS = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One number with its sparkline and its change from a week ago."""

    state: str
    title: str
    number: int
    change: str
    spark: Sparkline
    #: Earliest submission of the counted workloads; empty: current workloads are counted.
    since: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """All quota bars of an organization, highest pressure first."""

    first: tuple[Bar, ...]
    more: tuple[Bar, ...]
    #: Number of bars that are not included.
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Charts:
    """Charts of workloads and waits on one time axis, with marks of applied versions."""

    frame: Frame
    panels: tuple[ShownPanel, ...]
    marks: Marks
    #: Number of points, and width of one point in percent.
    count: int
    stride: str


def tiles_of(numbers: Numbers, running: Sparks, pending: Sparks) -> tuple[Tile, ...]:
    """Return the tiles: running, pending and rejected."""
    starts = sorted(numbers.hours)
    hours = tuple(numbers.hours[start].counts[TransitionKind.REJECTED.value] for start in starts)
    rejected = Sparks(
        step=Step.HOUR,
        since=starts[0],
        until=starts[-1] + LENGTH[Step.HOUR],
        courses={"": hours},
    )
    return (
        _tile(
            "admitted",
            "Running",
            numbers.running,
            count_sparkline(running, "Running"),
            among=_among(numbers.states[State.PREEMPTING], "stopping"),
        ),
        _tile(
            "pending",
            "Pending",
            numbers.pending,
            count_sparkline(pending, "Pending"),
            among=_among(numbers.cannot_run, "can never run"),
        ),
        _tile(
            "rejected",
            "Rejected in 24 h",
            numbers.rejected,
            count_sparkline(rejected, "Rejected per hour"),
            since=f"{starts[0]:%Y-%m-%dT%H:%M:%SZ}",
        ),
    )


def change_words(number: Number) -> str:
    """
    Return the text of the difference between a number and its value a week ago.

    Nothing is said of a week that was not recorded.

    >>> change_words(Number(now=5, week_ago=None)), change_words(Number(now=5, week_ago=5.2))
    ('', 'same as a week ago')
    >>> change_words(Number(now=5, week_ago=2.0)), change_words(Number(now=0, week_ago=1.0))
    ('3 more than a week ago', '1 fewer than a week ago')
    """
    if number.week_ago is None:
        return ""
    difference = number.now - round(number.week_ago)
    if not difference:
        return "same as a week ago"
    word = "more" if difference > 0 else "fewer"
    return f"{count(abs(difference))} {word} than a week ago"


def bars_of(usages: Iterable[CapacityNode]) -> Bars:
    """Return the bars of *usages*, highest pressure first."""
    tightest = sorted(usages, key=lambda usage: -usage.pressure)
    bars = [bar_of(usage) for usage in tightest[:MOST_BARS]]
    return Bars(
        first=tuple(bars[:FIRST_BARS]),
        more=tuple(bars[FIRST_BARS:]),
        left_out=max(0, len(tightest) - MOST_BARS),
    )


def charts_of(
    org: str,
    series: Series,
    counts: Mapping[datetime, Counts],
    versions: Sequence[ConfigVersion],
    now: datetime,
    begun: datetime | None,
    simulated_until: datetime | None,
    table: str = "",
) -> Charts:
    """
    Return the charts of *series*, with marks of those *versions*, newest first, in its time range.

    If sampling has *begun* within the time range, the charts start with that step. History before
    *simulated_until* is marked.
    """
    first = FLOOR[series.step](begun) if begun else series.since
    since = max(series.since, min(first, now - LENGTH[series.step]))
    # One hour in steps of minutes is short enough to be shown completely.
    since = series.since if series.step is Step.MINUTE else since
    frame = frame_of(since, now, series.gaps, begun, is_by_day=series.step is Step.DAY)
    frame = frame.with_simulated(simulated_until)
    points = [
        each for each in points_of(series, counts, (), None, _MOST_POINTS) if each.end > since
    ]
    panels = [workloads_panel(frame, points), waits_panel(frame, points)]
    here, files = reverse("pages:overview", args=[org]), reverse("pages:usage", args=[org])
    time_range = QueryDict(mutable=True)
    time_range["since"], time_range["until"] = to_iso(since), to_iso(now)
    inside = [each for each in reversed(versions) if since <= each.created_at <= now]
    return Charts(
        frame=frame,
        panels=tuple(
            replace(each, file_url=file.file_url)
            for each, file in zip(
                shown_panels(here, QueryDict(), panels, points, table),
                shown_panels(files, time_range, panels, points, ""),
                strict=True,
            )
        ),
        count=len(points),
        stride=stride_of(frame, points),
        marks=marks_of(frame, inside, points),
    )


def wait_words(waits: WaitQuantiles) -> str:
    """
    Return the text of the wait quantiles of the last day's admissions.

    >>> wait_words(WaitQuantiles(p50=None, p95=None, n=0))
    'no first admissions'
    >>> wait_words(WaitQuantiles(p50=4.0, p95=None, n=3))
    'p50 4 s; too few for p95 (n = 3)'
    """
    if waits.p50 is None:
        return "no first admissions"
    half = f"p50 {duration_text(waits.p50)}"
    if waits.p95 is None:
        return f"{half}; too few for p95 (n = {waits.n})"
    return f"{half}, p95 {duration_text(waits.p95)} (n = {count(waits.n)})"


def _among(number: int, words: str) -> str:
    return f"{count(number)} {words}" if number else ""


def _tile(
    state: str,
    title: str,
    number: Number,
    spark: Sparkline,
    *,
    since: str = "",
    among: str = "",
) -> Tile:
    return Tile(
        state=state,
        title=title,
        number=number.now,
        change=", ".join(filter(None, (among, change_words(number)))),
        spark=spark,
        since=since,
    )
