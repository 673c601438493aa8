"""Rows of the list of queues: pressure, waits, reasons and sparkline; choices of its filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import QueryDict

from console.engine.model.amounts import Unlimited
from console.engine.wording import reasons
from console.engine.wording.words import amount, quantity
from console.pages.presenters.charts.labels import decimal_text, duration_text
from console.pages.presenters.charts.sparklines import Sparkline, used_sparklines
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.queues.queue import STATE_TITLES, QueueRow, queue_row
from console.pages.presenters.quota_bars.quota_bar import Bar
from console.pages.queue_form import GROUPS, NO_COHORT, ORDERS, STATES, QueueSearch
from console.series.queries import Sparks
from console.series.waits import WaitQuantiles
from console.workloads.queries import QueueView
from console.workloads.queries.freshness import Freshness
from console.workloads.queries.over_quota import OverQuotaSince
from console.workloads.queries.pressure import Pressure

ORDER_TITLES: Final = {
    "pressure": "Pressure",
    "name": "Name",
    "running": "Running",
    "pending": "Pending",
    "age": "Pending longest",
    "utilization": "Utilization",
}

#: Grouping -> title; the empty one is a list.
GROUP_TITLES: Final = {"": "List", "cohort": "By cohort", "tree": "Tree with sums"}

#: Column -> its title, the order by which its head sorts (or none), and its classes.
_COLUMNS: Final[Mapping[str, tuple[str, str, str]]] = {
    "quota": ("Tightest quota", "utilization", "queues__quota"),
    "running": ("Running", "running", "number queues__count"),
    "pending": ("Pending", "pending", "number queues__count"),
    "wait": ("Wait p50", "", "number queues__wait"),
    "reason": ("Why workloads wait", "pressure", "queues__why"),
    "used": ("Used, 24 h", "", "queues__used"),
    "cohort": ("Cohort", "", "queues__cohort"),
    "state": ("State", "", "queues__state"),
    "oldest": ("Pending for", "age", "number queues__wait"),
    "pressure": ("Pressure", "pressure", "queues__why"),
    "preemption": ("Preemption", "", "queues__why"),
}

#: Column -> columns of a file with chosen columns, if they have other names.
_IN_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "quota": ("flavor", "resource", "nominal", "used", "available"),
    "pending": ("pending", "cannot_run"),
    "wait": ("wait_p50_seconds", "wait_p95_seconds", "waits"),
    "reason": ("top_reason", "top_reason_count"),
    "used": ("utilization",),
    "state": ("state", "held_until"),
    "oldest": ("oldest_pending",),
    "pressure": ("pressure_resource", "pressure_wanted", "pressure_free"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedQueue:
    """One queue of the list."""

    row: QueueRow
    #: The names of its parents with a final dot, if the name begins with them; else empty.
    parent: str
    #: The name after *parent*.
    leaf: str
    #: Facts that have no column: the full name, where the queue is, and what it preempts.
    about: str
    #: Number of bars besides the tightest one.
    more_bars: int
    pressure: str
    #: The ratio as text; empty if nothing is requested.
    pressure_ratio: str
    #: Waits of admissions: the p50, and the p95 with the sample size.
    wait: str
    wait_rest: str
    top_reason: str
    top_reason_title: str
    top_reason_count: int
    #: Number of workloads that are pending for other reasons.
    other_reasons: int
    preemption: str
    spark: Sparkline | None
    #: The cohort if this is its first row; else None.
    begins: str | None
    #: Whether the queue has no data yet, as opposed to no workloads.
    is_unknown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a column."""

    title: str
    #: Address of the list that is sorted by it; empty if it is not.
    url: str
    #: How the list is sorted by it, as in ``aria-sort``; empty if it is sorted by another column.
    direction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedBars:
    """The bars of one flavor-resource by queue; None for a queue without quota of it."""

    title: str
    bars: tuple[tuple[str, Bar | None], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One choice of a form field."""

    value: str
    title: str
    is_chosen: bool


def listed_queues(
    views: Sequence[QueueView],
    waits: Mapping[str, WaitQuantiles],
    sparks: Sparks,
    *,
    is_grouped: bool,
    fresh: Freshness,
    over_quota_since: OverQuotaSince,
) -> tuple[ListedQueue, ...]:
    """Return the rows of *views*, in the same order."""
    lines = used_sparklines(sparks)
    rows = []
    before: str | None = None
    for view in views:
        cohort = view.cohort or NO_COHORT
        row = queue_row(view, fresh=fresh, over_quota_since=over_quota_since)
        wait = waits[view.name]
        top, count = next(iter(view.reasons.items()), ("", 0))
        rows.append(
            ListedQueue(
                row=row,
                parent=(parent := _parent(view)),
                leaf=view.name.removeprefix(parent),
                about=_about(view),
                more_bars=row.more_bars,
                pressure=pressure_words(view.pressure),
                pressure_ratio=_ratio(view.pressure),
                wait="—" if wait.p50 is None else duration_text(wait.p50),
                wait_rest=_wait_rest(wait),
                top_reason=top,
                top_reason_title=reasons.reason_title(top) if top else "",
                top_reason_count=count,
                other_reasons=sum(view.reasons.values()) - count,
                preemption=view.preemption_summary,
                spark=lines.get(view.name),
                begins=cohort if is_grouped and cohort != before else None,
                is_unknown=fresh.as_of is not None and _is_blank(view),
            )
        )
        before = cohort
    return tuple(rows)


def compared_bars(rows: Sequence[ListedQueue]) -> tuple[ComparedBars, ...]:
    """Return the bars of all flavor-resources of *rows*, in order of first occurrence."""
    of_rows = [
        (each.row.view.name, {(bar.flavor, bar.resource): bar for bar in each.row.bars})
        for each in rows
    ]
    keys = dict.fromkeys(key for _, bars in of_rows for key in bars)
    return tuple(
        ComparedBars(
            title=f"{flavor} {resource}",
            bars=tuple((name, bars.get((flavor, resource))) for name, bars in of_rows),
        )
        for flavor, resource in keys
    )


def pressure_words(pressure: Pressure) -> str:
    """
    Return the text of a pressure: requested amount, available amount and their ratio.

    >>> pressure_words(Pressure(resource="gpu", wanted=84000, free=2000, nominal=8000))
    '84 GPUs ÷ 2 available = 42'
    >>> pressure_words(Pressure(resource="gpu", wanted=84000, nominal=8000))
    '84 GPUs, none available'
    >>> pressure_words(Pressure())
    '0'
    """
    if not pressure.wanted:
        return "0"
    wants = amount(pressure.wanted, pressure.resource)
    if isinstance(pressure.free, Unlimited):
        return f"{wants}, no limit"
    if not pressure.free:
        return f"{wants}, none available"
    free = quantity(pressure.free, pressure.resource)
    return f"{wants} ÷ {free} available = {decimal_text(pressure.ratio)}"


def order_choices(search: QueueSearch) -> list[Choice]:
    """Return the choices of the sort order."""
    return [
        Choice(value=each, title=ORDER_TITLES[each], is_chosen=each == search.sort)
        for each in ORDERS
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueColumn:
    """A column of the list after the name, with its head."""

    name: str
    kind: str
    head: Head


def head_of(path: str, query: QueryDict, search: QueueSearch, title: str, order: str) -> Head:
    """Return the head of the column with *title* that sorts the list by *order*, if any."""
    if not order:
        return Head(title=title, url="", direction="")
    return Head(
        title=title,
        url=with_query(path, query, sort=None if order == ORDERS[0] else order, cursor=None),
        direction=("ascending" if order == "name" else "descending")
        if order == search.sort
        else "",
    )


def columns_of(
    path: str, query: QueryDict, search: QueueSearch, names: Iterable[str]
) -> tuple[QueueColumn, ...]:
    """Return the columns *names* with their heads."""
    return tuple(
        QueueColumn(
            name=name,
            kind=_COLUMNS[name][2],
            head=head_of(path, query, search, column_title(name), _COLUMNS[name][1]),
        )
        for name in names
    )


def column_title(name: str) -> str:
    """Return the title of a column."""
    return _COLUMNS[name][0]


def file_columns(names: Iterable[str]) -> tuple[str, ...]:
    """
    Return the columns of a CSV file of a list with the columns *names*.

    >>> file_columns(["running", "oldest"])
    ('queue', 'running', 'oldest_pending')
    """
    files = ("queue", *(each for name in names for each in _IN_FILES.get(name, (name,))))
    return tuple(dict.fromkeys(files))


def state_choices(search: QueueSearch) -> list[Choice]:
    """Return the choices of the state filter."""
    return [
        Choice(value=each, title=STATE_TITLES[each], is_chosen=each == search.state)
        for each in STATES
    ]


def cohort_choices(search: QueueSearch, cohorts: Iterable[str]) -> list[Choice]:
    """Return the choices of the cohort filter; empty if there are no cohorts."""
    names = list(cohorts)
    if not names:
        return []
    return [
        *(Choice(value=each, title=each, is_chosen=each == search.cohort) for each in names),
        Choice(value=NO_COHORT, title="No cohort", is_chosen=search.cohort == NO_COHORT),
    ]


def group_choices(search: QueueSearch) -> list[Choice]:
    """Return the choices of the grouping."""
    return [
        Choice(value=each, title=GROUP_TITLES[each], is_chosen=each == search.group)
        for each in ("", *GROUPS)
    ]


def _parent(view: QueueView) -> str:
    above = f"{view.cohort}." if view.cohort and view.cohort_is_queue else ""
    return above if view.name.startswith(above) else ""


def _about(view: QueueView) -> str:
    facts = [view.name]
    if view.cohort:
        facts.append(f"{'below' if view.cohort_is_queue else 'cohort'} {view.cohort}")
    if view.created:
        facts.append("created by a placement rule")
    if view.preemption_summary:
        facts.append(f"preemption: {view.preemption_summary}")
    return " · ".join(facts)


def _ratio(pressure: Pressure) -> str:
    if not pressure.wanted:
        return ""
    return "none available" if pressure.is_exhausted else f"pressure {decimal_text(pressure.ratio)}"


def _wait_rest(wait: WaitQuantiles) -> str:
    if not wait.n:
        return ""
    rest = "" if wait.p95 is None else f"p95 {duration_text(wait.p95)}, "
    return f"{rest}n = {wait.n}"


def _is_blank(view: QueueView) -> bool:
    """Return whether a queue has no workloads and no usage."""
    return not (view.running or view.pending or any(usage.used for usage in view.usages))
