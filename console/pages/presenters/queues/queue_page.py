"""Data of a queue's page: tabs, pending and running workloads, rules, and version history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.http import QueryDict
from django.urls import reverse

from console.configs.models import ConfigVersion
from console.configs.queue_log import QueueLog
from console.dialects.objects import vocabulary_of
from console.engine.model.amounts import UNLIMITED, Amount, FlavorResource, Unlimited
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy
from console.engine.wording import reasons
from console.engine.wording.words import amount, listed
from console.pages.presenters.configs.changes import ChangeLine, change_line
from console.pages.presenters.configs.history import kind_words
from console.pages.presenters.lists.addresses import with_query
from console.pages.presenters.queues.queue import (
    LocalQueueRow,
    RuleRow,
    local_queue_rows,
    rule_rows,
)
from console.pages.presenters.workloads.pod_sets import admitted_amounts
from console.workloads.models import Workload
from console.workloads.queries import QueueView
from console.workloads.queries.pending import place_of
from console.workloads.queries.rule_hits import Hit, RuleHits

#: Tab parameter -> title; the usage tab is a separate page.
TABS: Final = {
    "pending": "Pending",
    "running": "Running",
    "usage": "Usage over time",
    "rules": "Rules",
    "history": "History",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One tab, a plain link."""

    title: str
    url: str
    is_open: bool
    #: Number of rows; None for tabs without live workloads.
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingReason:
    """One pending reason, with the URL of the workloads that have it."""

    reason: str
    title: str
    count: int
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRow:
    """One pending workload; *begins_line* is true if available capacity ends before it."""

    workload: Workload
    begins_line: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRow:
    """One workload that uses quota."""

    workload: Workload
    #: Its part of the nominal quota of the sort resource; empty if it does not use the resource.
    share: str
    #: Its use of borrowed flavor-resources, which the lender can reclaim.
    borrowed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One sort order of the running workloads."""

    title: str
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRow:
    """A rule or local queue that routes to the queue, with its recorded workloads."""

    rule: RuleRow | None
    local: LocalQueueRow | None
    runs: int
    #: A day as YYYY-MM-DD; empty without recorded workloads.
    last_seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """One config version that changed the queue, with the changes."""

    version: ConfigVersion
    kind: str
    lines: tuple[ChangeLine, ...]


def free_words(view: QueueView) -> str:
    """Return the text of the available amounts; empty if the queue admits no workloads."""
    if view.held or view.is_stopped or view.draining:
        return ""
    free: dict[str, Amount] = {}
    for usage in view.usages:
        so_far = free.get(usage.resource, 0)
        if isinstance(so_far, Unlimited) or isinstance(usage.available, Unlimited):
            free[usage.resource] = UNLIMITED
        else:
            free[usage.resource] = so_far + usage.available
    return listed(
        f"any amount of {resource}" if isinstance(left, Unlimited) else amount(left, resource)
        for resource, left in free.items()
        if left
    )


def tabs_of(
    org: str, queue: str, chosen: str, counts: Mapping[str, int] = MappingProxyType({})
) -> tuple[Tab, ...]:
    """Return the tabs of *queue* with *chosen* open; *counts* maps some tabs to their rows."""
    path = reverse("pages:queue", args=[org, queue])
    urls = {"pending": path, "usage": reverse("pages:queue-usage", args=[org, queue])}
    return tuple(
        Tab(
            title=title,
            url=urls.get(name, f"{path}?tab={name}"),
            is_open=name == chosen,
            count=counts.get(name),
        )
        for name, title in TABS.items()
    )


def pending_reasons(org: str, view: QueueView, chosen: str) -> tuple[PendingReason, ...]:
    """Return the pending reasons of a queue, most frequent first; *chosen* links to all."""
    path = reverse("pages:queue", args=[org, view.name])
    return tuple(
        PendingReason(
            reason=reason,
            title=reasons.reason_title(reason),
            count=count,
            url=path if reason == chosen else f"{path}?reason={reason}",
            is_chosen=reason == chosen,
        )
        for reason, count in view.reasons.items()
    )


def pending_rows(
    workloads: Iterable[Workload], end: tuple[int, int] | None, *, is_first: bool
) -> tuple[PendingRow, ...]:
    """
    Return the rows of pending workloads; *end* is the position where available capacity ends.

    The line is shown once in the whole list. After the first page, only the page that contains
    the position shows it, and never before its first row.
    """
    rows = []
    behind = False
    for number, workload in enumerate(workloads):
        is_behind = end is not None and place_of(workload) >= end
        begins = is_behind and not behind and (is_first or number > 0)
        rows.append(PendingRow(workload=workload, begins_line=begins))
        behind = behind or is_behind
    return tuple(rows)


def orders_of(path: str, query: QueryDict, resources: Sequence[str], chosen: str) -> list[Order]:
    """Return the sort orders of running workloads: by each of *resources*, and newest first."""
    orders = [
        Order(
            title=f"Most {resource} first",
            url=with_query(path, query, by=resource, cursor=None),
            is_chosen=resource == chosen,
        )
        for resource in resources
    ]
    newest = with_query(path, query, by="newest", cursor=None)
    return [*orders, Order(title="Newest first", url=newest, is_chosen=not chosen)]


def running_rows(
    workloads: Iterable[Workload], view: QueueView, resource: str
) -> tuple[RunningRow, ...]:
    """Return the rows of running *workloads*, in their order; *resource* is the sort resource."""
    usages = {(usage.flavor, usage.resource): usage for usage in view.usages}
    rows = []
    for workload in workloads:
        held = _held_places(workload)
        rows.append(
            RunningRow(
                workload=workload,
                share=_share(workload, held, usages, resource),
                borrowed=", ".join(
                    f"{amount(usages[key].borrowed, key[1])} on {key[0]}"
                    for key in held
                    if key in usages and usages[key].borrowed
                ),
            )
        )
    return tuple(rows)


def hit_rows(view: QueueView, policy: Policy, hits: RuleHits) -> tuple[HitRow, ...]:
    """Return the rules or local queues that route to the queue of *view*, with their hits."""
    none = Hit()
    local_queues = local_queue_rows(view.name, policy)
    if local_queues is not None:
        found = [
            (hits.local_queues.get((each.namespace, each.name), none), each)
            for each in local_queues
        ]
        return tuple(
            HitRow(rule=None, local=each, runs=hit.runs, last_seen=hit.last_seen)
            for hit, each in found
        )
    return tuple(
        HitRow(rule=rule, local=None, runs=hit.runs, last_seen=hit.last_seen)
        for rule in rule_rows(view, policy)
        for hit in (hits.rules.get(rule.number - 1, none),)
    )


def log_rows(log: QueueLog) -> tuple[LogRow, ...]:
    """Return the rows of the versions in *log*."""
    return tuple(
        LogRow(
            version=version,
            kind=kind_words(version),
            lines=tuple(
                change_line(change, vocabulary_of(version.dialect))
                for change in log.changes[version.number]
            ),
        )
        for version in log.page.results
    )


def _held_places(workload: Workload) -> list[FlavorResource]:
    places = (
        (flavor, resource)
        for pod_set in workload.assignment
        for resource, flavor in pod_set["flavors"].items()
    )
    return list(dict.fromkeys(places))


def _share(
    workload: Workload,
    held: Iterable[FlavorResource],
    usages: Mapping[FlavorResource, CapacityNode],
    resource: str,
) -> str:
    amount = admitted_amounts(workload).get(resource, 0)
    owned = [usages[key].guaranteed for key in held if key[1] == resource and key in usages]
    total = sum(each for each in owned if isinstance(each, int))
    if not amount or not total or len(owned) != 1:
        return ""
    return f"{amount * 100 // total}% of nominal"
