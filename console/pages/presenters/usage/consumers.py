"""Resource-hours by consumer: choices, stacked bars, and the table of consumers."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.http import QueryDict
from django.urls import reverse

from console.accounting.amounts import HOUR, time_of_hour
from console.accounting.queries.accounts import DIMENSIONS, Accounts, Used
from console.accounting.queries.read_hours import LABEL
from console.accounting.window import AccountWindow, Step
from console.engine.model.amounts import Amount
from console.engine.wording.words import resource_name, short_name
from console.pages.personal_formats import active_formats
from console.pages.presenters.charts.chart import Line, Piece, Shape, lines_of
from console.pages.presenters.charts.frame import Frame, Tick, frame_of
from console.pages.presenters.charts.labels import amount_steps, axis_label, rounded_amount
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.usage.panel_parts import LegendEntry, drawing_of
from console.pages.presenters.usage.usage_page import Choice

#: The title of workloads without a value.
WITHOUT: Final = "none"

#: The label of teams has a title of its own, and a place beside queues: most readers compare teams.
_TEAM: Final = f"{LABEL}team"

#: The titles of the dimensions, and of this label.
_TITLES: Final = {
    "queue": "Queue",
    _TEAM: "Team",
    "user": "User",
    "project": "Project",
    "flavor": "Flavor",
}

#: Maximum number of labels with a link of their own.
_MOST_LABELS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerRow:
    """One consumer in the table."""

    #: The part of the drawing; empty without one of its own.
    part: str
    title: str
    #: The address of the queue, or of its workloads; empty for workloads without a value, and for
    #: a queue that does not exist any more.
    url: str
    hours: str
    share: str
    #: Use in percent of the quota; empty without a finite quota.
    of_quota: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerChart:
    """The stacked bars of the largest consumers and of all others together."""

    frame: Frame
    lines: tuple[Line, ...]
    ticks: tuple[Tick, ...]
    shapes: tuple[Shape, ...]
    legend: tuple[LegendEntry, ...]
    sentence: str


def title_of(by: str) -> str:
    """
    Return the title of a dimension or label.

    >>> title_of("queue"), title_of("label.team"), title_of("label.stage")
    ('Queue', 'Team', 'stage')
    """
    return _TITLES.get(by) or by.removeprefix(LABEL)


def dimension_choices(
    path: str, query: QueryDict, labels: Sequence[str], chosen: str
) -> tuple[Choice, ...]:
    """Return the choices of what the use is broken down by: teams, if any, right after queues."""
    keys = [f"{LABEL}{key}" for key in labels]
    found = [*DIMENSIONS]
    if _TEAM in (*keys, chosen):
        found.insert(1, _TEAM)
    found += [key for key in keys if key != _TEAM][:_MOST_LABELS]
    if chosen and chosen not in found:
        found.append(chosen)
    return tuple(
        Choice(
            title=_TITLES.get(by) or f"Label {short_name(title_of(by))}",
            url=with_query(path, query, by=by, label=None, cursor=None),
            is_chosen=by == chosen,
        )
        for by in found
    )


def step_choices(path: str, query: QueryDict, window: AccountWindow) -> tuple[Choice, ...]:
    """Return the choices of the length of a bar: the chosen one, and those that suit the range."""
    return tuple(
        Choice(
            title=step.value.capitalize(),
            url=with_query(path, query, step=step.value),
            is_chosen=step is window.step,
        )
        for step in Step
        if step is window.step or step in window.suitable
    )


def expired_text(window: AccountWindow) -> str:
    """Return the sentence about a time range of which nothing is kept; empty for others."""
    if window.since < window.until:
        return ""
    since = time_of_hour(window.kept_since)
    return f"Usage is kept since {active_formats().day(since)}. Choose a later time range."


def shown_range(window: AccountWindow, now: datetime) -> str:
    """Return the text of a time range, which ends *now* at most; days and weeks are in UTC."""
    formats = active_formats() if window.step is Step.HOUR else active_formats().in_utc()
    since, until = time_of_hour(window.since), min(time_of_hour(window.until), now)
    return f"{formats.bare_minute(since)} to {formats.minute(until)}"


def resource_choices(path: str, query: QueryDict, found: Accounts) -> tuple[Choice, ...]:
    """Return the choices of the resource, GPUs first."""
    return tuple(
        Choice(
            title=resource_name(name),
            url=with_query(path, query, resource=name, cursor=None),
            is_chosen=name == found.resource,
        )
        for name in found.resources
    )


def hours_text(amount: Amount | None, resource: str) -> str:
    """Return the text of resource-time in resource-hours; empty if it is not finite."""
    return rounded_amount(amount / HOUR, resource) if isinstance(amount, int) else ""


def percent_text(part: int, whole: Amount | None) -> str:
    """
    Return *part* in percent of *whole*; empty without a finite whole.

    >>> percent_text(1, 3), percent_text(1, 0), percent_text(1, None)
    ('33.3 %', '', '')
    """
    return f"{part / whole:.1%}".replace("%", " %") if isinstance(whole, int) and whole else ""


def rows_of(
    found: Accounts, by: str, org: str, first: int, limit: int, queues: Container[str]
) -> Iterator[ConsumerRow]:
    """Yield *limit* rows of the table from number *first* on; only *queues* have a page."""
    resource = found.resource or ""
    total = found.totals.get(resource, 0)
    for number, used in enumerate(found.values[first : first + limit], start=first):
        amount = used.amounts.get(resource, 0)
        is_drawn = number < len(found.series) and any(found.series[number])
        yield ConsumerRow(
            part=_part(number) if is_drawn else "",
            title=used.value or WITHOUT,
            url=_url(used, by, org, queues),
            hours=hours_text(amount, resource),
            share=percent_text(amount, total),
            of_quota=percent_text(amount, found.quota_of(used, by, resource)),
        )


def chart_of(found: Accounts, by: str, simulated_until: datetime | None) -> ConsumerChart | None:
    """
    Return the stacked bars of the chosen resource; None without use.

    Usage before *simulated_until* is marked; None marks nothing.
    """
    resource = found.resource
    if resource is None or not found.totals.get(resource):
        return None
    window = found.window
    since, until = time_of_hour(window.since), time_of_hour(window.until)
    series = [*found.series, *([found.other] if found.other is not None else [])]
    titles = [each.value or WITHOUT for each in found.values[: len(found.series)]]
    sums = [sum(column) / HOUR for column in zip(*series, strict=True)]
    frame = frame_of(since, until, (), found.counted_since, is_by_day=window.step is not Step.HOUR)
    frame = frame.with_simulated(simulated_until)
    drawing, step = drawing_of(frame, max(sums), amount_steps(resource))
    lower = [0.0] * len(sums)
    legend = []
    for number, amounts in enumerate(series):
        is_other = number >= len(titles)
        part = "consumer-other" if is_other else _part(number)
        upper = [low + amount / HOUR for low, amount in zip(lower, amounts, strict=True)]
        drawing.area(part, _pieces(found, lower, upper))
        if any(amounts):
            title = "all others" if is_other else titles[number]
            legend.append(LegendEntry(part=part, title=title, is_area=True))
        lower = upper
    lines, ticks = lines_of(drawing, step, lambda value: axis_label(value, resource))
    total = hours_text(found.totals[resource], resource)
    most = hours_text(found.values[0].amounts.get(resource, 0), resource)
    return ConsumerChart(
        frame=frame,
        lines=lines,
        ticks=ticks,
        shapes=tuple(drawing.shapes),
        legend=tuple(legend),
        sentence=f"{total} {resource_name(resource)}-hours by {title_of(by).lower()}, "
        f"the most by {titles[0]}: {most}.",
    )


def _pieces(found: Accounts, lower: Sequence[float], upper: Sequence[float]) -> Iterator[Piece]:
    length = timedelta(hours=found.window.length)
    for start, low, high in zip(found.window.starts, lower, upper, strict=True):
        if high > low:
            begin = time_of_hour(start)
            yield Piece(begin, begin + length, high, low)


def _part(number: int) -> str:
    return f"consumer-{number + 1}"


def _url(used: Used, by: str, org: str, queues: Container[str]) -> str:
    if used.value is None or (by == "queue" and used.value not in queues):
        return ""
    if by == "queue":
        return reverse("pages:queue", args=[org, used.value])
    return with_query(reverse("pages:workloads", args=[org]), QueryDict(), **{by: used.value})
