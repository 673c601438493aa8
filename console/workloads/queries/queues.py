"""
Queues as people look at them: their quota, what is used of it, and what waits.

Everything comes from rows that grow with the config, never with the number of
workloads: usage, counts and pending classes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery

from console.configs.queries import active_policy
from console.engine.amounts import UNLIMITED, Amount, Unlimited
from console.engine.origin import Origin
from console.engine.policy import Queue
from console.errors import NotFound
from console.orgs.models import Organization
from console.workloads.models import PendingClass, QueueCount, QueueHold, State, Usage, Workload

#: (flavor, resource) -> thousandths in use.
Used = Mapping[tuple[str, str], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageView:
    """One flavor-resource of a queue; amounts in thousandths or UNLIMITED."""

    flavor: str
    resource: str
    #: What the queue owns; 0 when the active version no longer gives it any.
    nominal: Amount
    used: int
    #: What may still be used now.
    available: Amount
    #: What may be used at most.
    limit: Amount
    #: What pending workloads of the queue ask for of the resource, whichever
    #: flavor they may get: shown once for each group, at its first flavor.
    demand: int

    @property
    def borrowed(self) -> int:
        """What is used beyond the nominal quota; work that only drains borrows nothing."""
        most = self.used if isinstance(self.limit, Unlimited) else min(self.used, self.limit)
        return 0 if isinstance(self.nominal, Unlimited) else max(0, most - self.nominal)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """One queue: its place in the config, its counts, and its usage."""

    name: str
    cohort: str | None
    passthrough: bool
    held: QueueHold | None
    #: The active version does not have it, and work of an earlier one still runs in it.
    draining: bool
    running: int
    pending: int
    #: When the earliest submitted of its pending workloads was submitted.
    oldest_pending: datetime | None
    #: Indices of the rules that lead here.
    rules: tuple[int, ...]
    origin: Origin | None
    usages: tuple[UsageView, ...]


def queue_list(org: Organization) -> list[QueueView]:
    """Return the queues of the active version in the order of its text, then draining ones."""
    policy = active_policy(org)
    counts = {row.queue: row for row in _counts(org)}
    used = _used(Usage.objects.filter(org=org))
    demand = _demand(PendingClass.objects.filter(org=org))
    holds = {hold.queue: hold for hold in QueueHold.objects.filter(org=org)}
    busy = {name for name, row in counts.items() if row.running or row.pending} | used.keys()
    names = [*policy.queues, *sorted(busy - policy.queues.keys())]
    rules: defaultdict[str, list[int]] = defaultdict(list)
    for rule in policy.rules:
        rules[rule.queue].append(rule.index)
    return [
        _view(
            name,
            policy.queues.get(name),
            rules[name],
            counts.get(name),
            used[name],
            demand[name],
            holds.get(name),
        )
        for name in names
    ]


def queue_view(org: Organization, name: str) -> QueueView:
    """Return one queue; raises NotFound when it is neither active nor draining."""
    policy = active_policy(org)
    count = _counts(org).filter(queue=name).first()
    used = _used(Usage.objects.filter(org=org, queue=name))
    demand = _demand(PendingClass.objects.filter(org=org, queue=name))
    hold = hold_of(org, name)
    busy = name in used or (count is not None and (count.running or count.pending))
    if name not in policy.queues and not busy:
        raise NotFound(f"There is no queue {name!r} in the active config of {org.slug}.")
    rules = [rule.index for rule in policy.rules if rule.queue == name]
    return _view(name, policy.queues.get(name), rules, count, used[name], demand[name], hold)


def hold_of(org: Organization, queue: str) -> QueueHold | None:
    """Return who paused *queue* and why; None when it admits."""
    return QueueHold.objects.filter(org=org, queue=queue).first()


def _counts(org: Organization) -> QuerySet[QueueCount]:
    pending = Workload.objects.filter(
        org=org, queue=OuterRef("queue"), state=State.PENDING
    ).order_by("pk")
    return QueueCount.objects.filter(org=org).annotate(
        oldest_pending=Subquery(pending.values("submitted_at")[:1])
    )


def _used(rows: QuerySet[Usage]) -> defaultdict[str, dict[tuple[str, str], int]]:
    used: defaultdict[str, dict[tuple[str, str], int]] = defaultdict(dict)
    for queue, flavor, resource, amount in rows.filter(used__gt=0).values_list(
        "queue", "flavor", "resource", "used"
    ):
        used[queue][flavor, resource] = amount
    return used


def _demand(rows: QuerySet[PendingClass]) -> defaultdict[str, dict[str, int]]:
    demand: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for queue, requests, count in rows.values_list("queue", "requests", "count"):
        of_queue = demand[queue]
        for resource, amount in requests.items():
            of_queue[resource] = of_queue.get(resource, 0) + amount * count
    return demand


def _view(
    name: str,
    queue: Queue | None,
    rules: Iterable[int],
    count: QueueCount | None,
    used: Used,
    demand: Mapping[str, int],
    held: QueueHold | None,
) -> QueueView:
    return QueueView(
        name=name,
        cohort=queue.parent if queue else None,
        passthrough=queue is not None and queue.is_passthrough,
        held=held,
        draining=queue is None,
        running=count.running if count else 0,
        pending=count.pending if count else 0,
        oldest_pending=getattr(count, "oldest_pending", None),
        rules=tuple(rules),
        origin=queue.origin if queue else None,
        usages=tuple(_usages(queue, used, demand)),
    )


def _usages(queue: Queue | None, used: Used, demand: Mapping[str, int]) -> Iterable[UsageView]:
    shown = set()
    for group in queue.groups if queue else ():
        for place, flavor in enumerate(group.flavors):
            for resource in group.resources:
                shown.add((flavor.flavor, resource))
                quota = flavor.quotas.get(resource)
                nominal = quota.nominal if quota else UNLIMITED
                now = used.get((flavor.flavor, resource), 0)
                yield UsageView(
                    flavor=flavor.flavor,
                    resource=resource,
                    nominal=nominal,
                    used=now,
                    available=max(0, nominal - now) if isinstance(nominal, int) else UNLIMITED,
                    limit=nominal,
                    demand=demand.get(resource, 0) if place == 0 else 0,
                )
    for (name, resource), now in sorted(used.items()):
        if (name, resource) not in shown:
            yield UsageView(
                flavor=name, resource=resource, nominal=0, used=now, available=0, limit=0, demand=0
            )
