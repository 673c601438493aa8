"""One queue as its page shows it: tabs, who waits above and below the line, who runs on what."""

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
from console.pages.presenters.workloads.pod_sets import held_by
from console.workloads.models import Workload
from console.workloads.queries import QueueView
from console.workloads.queries.pending import place_of
from console.workloads.queries.rule_hits import Hit, RuleHits

#: The tabs by what the address says; that of usage has a page of its own.
TABS: Final = {
    "pending": "Pending",
    "running": "Running",
    "usage": "Usage over time",
    "rules": "Rules",
    "history": "History",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tab:
    """One tab: a plain address."""

    title: str
    url: str
    is_open: bool
    #: How many are in it; None: it is no list of live things.
    count: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One reason why work waits, with the address of those who wait for it."""

    reason: str
    title: str
    count: int
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRow:
    """One that waits; *begins_line* says that the capacity ends right before it."""

    workload: Workload
    begins_line: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRow:
    """One that holds quota."""

    workload: Workload
    #: Its part of the nominal quota, where it holds of what the list is ordered by.
    share: str
    #: Its use of borrowed flavor-resources, which the lender can reclaim.
    borrowed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An order of those who run."""

    title: str
    url: str
    is_chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HitRow:
    """A rule or a local queue that leads to a queue, with the recorded work that it took."""

    rule: RuleRow | None
    local: LocalQueueRow | None
    runs: int
    #: A day, as YYYY-MM-DD; empty: none came.
    last_seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """One version that touched a queue, and what it did to it."""

    version: ConfigVersion
    kind: str
    lines: tuple[ChangeLine, ...]


def free_words(view: QueueView) -> str:
    """Return what a queue that admits work could still give; empty where it gives nothing."""
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
    """Return the tabs of *queue*, *chosen* open; *counts* has how many are in some of them."""
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


def clauses_of(org: str, view: QueueView, chosen: str) -> tuple[Clause, ...]:
    """Return why work waits in a queue, most first; the *chosen* one leads back to all."""
    path = reverse("pages:queue", args=[org, view.name])
    return tuple(
        Clause(
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
    Return who waits; *end* is the place where the capacity ends.

    The line stands once in the list: of pages behind the first only that which it falls on
    has it, and there it may not stand before the first row.
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
    """Return the orders of those who run: by each of *resources*, and the newest first."""
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
    """Return who holds quota of the queue of *view*, in an order by *resource* or by age."""
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
    """Return the rules, or the local queues, that lead to the queue of *view*."""
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
    """Return the versions that touched a queue."""
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
    amount = held_by(workload).get(resource, 0)
    owned = [usages[key].guaranteed for key in held if key[1] == resource and key in usages]
    total = sum(each for each in owned if isinstance(each, int))
    if not amount or not total or len(owned) != 1:
        return ""
    return f"{amount * 100 // total}% of nominal"
