"""Lists of the top consumers: workloads, projects and users."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.http import QueryDict
from django.urls import reverse

from console.overview.consumers import Consumer, Consumers
from console.pages.presenters.charts.labels import rounded_amount
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.usage.usage_page import Choice

#: Rows per list.
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerRow:
    """A workload, project or user."""

    #: Id within the list, independent of the sort order.
    key: str
    name: str
    #: The workload, or the filtered list of workloads; empty for consumers without a name.
    href: str
    queue: str
    workloads: int
    held: str
    hours: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerList:
    """The top consumers of one kind."""

    key: str
    title: str
    #: Whether a row sums several workloads.
    is_sum: bool
    rows: tuple[ConsumerRow, ...]


def consumer_lists(org: str, consumers: Consumers) -> tuple[ConsumerList, ...]:
    """Return the lists of *consumers*, workloads first."""
    return (
        ConsumerList(
            key="workload",
            title="Workload",
            is_sum=False,
            rows=_rows(org, consumers.resource, "", consumers.workloads),
        ),
        ConsumerList(
            key="project",
            title="Project",
            is_sum=True,
            rows=_rows(org, consumers.resource, "project", consumers.projects),
        ),
        ConsumerList(
            key="user",
            title="User",
            is_sum=True,
            rows=_rows(org, consumers.resource, "user", consumers.users),
        ),
    )


def resource_choices(path: str, query: QueryDict, consumers: Consumers) -> tuple[Choice, ...]:
    """Return the choices of the resource."""
    return tuple(
        Choice(
            title=name,
            url=with_query(path, query, resource=name),
            is_chosen=name == consumers.resource,
        )
        for name in consumers.resources
    )


def _rows(
    org: str, resource: str, filtered: str, consumers: Iterable[Consumer]
) -> tuple[ConsumerRow, ...]:
    return tuple(_row(org, resource, filtered, each) for each in list(consumers)[:_SHOWN])


def _row(org: str, resource: str, filtered: str, consumer: Consumer) -> ConsumerRow:
    if consumer.uid:
        href = reverse("pages:workload", args=[org, consumer.uid])
    elif consumer.name:
        query = QueryDict(mutable=True)
        query.update({"state": "admitted", filtered: consumer.name})
        href = f"{reverse('pages:workloads', args=[org])}?{query.urlencode()}"
    else:
        href = ""
    return ConsumerRow(
        key=consumer.uid or consumer.name.encode().hex(),
        name=consumer.name or f"no {filtered} named",
        href=href,
        queue=consumer.queue,
        workloads=consumer.workloads,
        held=rounded_amount(consumer.held, resource),
        hours=rounded_amount(round(consumer.hours, -1), resource),
        since=consumer.since,
    )
