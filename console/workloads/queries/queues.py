"""
Read models of queues: quota, usage and pending workloads.

They are read from rows whose number grows with the config, never with the number of workloads:
usage, counts and pending classes.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery, TextField
from django.db.models.functions import Cast

from console.dialects.objects import current_queue
from console.engine.disciplines import load_discipline
from console.engine.disciplines.read_model import Capacity, Loan
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, Queue, StopPolicy, Strategy
from console.engine.model.reasons import reason_of
from console.engine.routing.rule_routing import rules_of
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.policies.renames import absent
from console.workloads.models import PendingClass, QueueCount, QueueHold, State, Workload
from console.workloads.queries.capacity import capacity_of
from console.workloads.queries.demand import Demand, cannot_run_count
from console.workloads.queries.pressure import Pressure, pressure_of, utilization_of
from console.workloads.queries.used import used_of


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """One queue: its settings, counts, usage and loans."""

    name: str
    #: The name of its parent; for a created queue, of the nearest one in the config.
    cohort: str | None
    #: Whether the parent is a queue, too.
    cohort_is_queue: bool
    passthrough: bool
    held: QueueHold | None
    #: The stop policy in its config.
    stop: StopPolicy
    strategy: Strategy
    #: Whether it is absent from the active version and still has workloads of an earlier one.
    draining: bool
    #: The queue that continues it under another name, if it is draining; None: none does.
    successor: str | None
    #: Number of running workloads of each draining queue that it continues, by name.
    replaces: Mapping[str, int]
    #: Whether it is absent from the active version, and exists as long as it has workloads.
    created: bool
    running: int
    pending: int
    #: Submission time of the pending workload that was submitted first.
    oldest_pending: datetime | None
    #: Indices of the rules that route to it.
    rules: tuple[int, ...]
    origin: Origin | None
    usages: tuple[CapacityNode, ...]
    #: Loans from and to it.
    loans: tuple[Loan, ...]
    #: Number of pending workloads by reason, most frequent first.
    reasons: Mapping[str, int]
    #: Its spec in the active version; None if it is draining.
    settings: Queue | None
    #: A short description of its preemption policy.
    preemption_summary: str

    @property
    def cohort_page(self) -> str:
        """The name of the page of its parent."""
        return "queue" if self.cohort_is_queue else "cohort"

    @property
    def is_stopped(self) -> bool:
        """Whether the config stops it."""
        return self.stop is not StopPolicy.NONE

    @property
    def cannot_run(self) -> int:
        """Number of pending workloads that can never run under the active config."""
        return cannot_run_count(self.reasons)

    @property
    def with_position(self) -> int:
        """Number of pending workloads that have a position, because they are active and can run."""
        out = (count for why, count in self.reasons.items() if not reason_of(why).has_position)
        return self.pending - sum(out)

    @property
    def pressure(self) -> Pressure:
        """Its demand in relation to available quota."""
        return pressure_of(self.usages)

    @property
    def utilization(self) -> float:
        """The largest ratio of usage to nominal quota of a flavor-resource."""
        return utilization_of(self.usages)


def queue_list(org: Organization) -> list[QueueView]:
    """Return the queues of the active version in the order of its text, then draining ones."""
    return queues_and_capacity(org)[0]


def queues_and_capacity(org: Organization) -> tuple[list[QueueView], Capacity]:
    """Return the queues as `queue_list`, and the capacity that their usage was read from."""
    policy = active_policy(org)
    counts = {row.queue: row for row in _counts(org)}
    used = used_of(org)
    capacity = capacity_of(policy, used)
    loans = _loans_by_queue(capacity)
    waiting = _waiting(PendingClass.objects.filter(org=org))
    holds = {hold.queue: hold for hold in QueueHold.objects.filter(org=org)}
    busy = {name for name, row in counts.items() if row.running or row.pending} | used.keys()
    names = [*policy.queues, *sorted(busy - policy.queues.keys())]
    rules: defaultdict[str, list[int]] = defaultdict(list)
    for rule in rules_of(policy):
        rules[rule.queue].append(rule.index)
    replaced = _replaced(policy, busy)
    views = [
        _view(
            policy,
            name,
            rules[name],
            counts,
            replaced[name],
            capacity.queue_nodes(name, waiting[name].wanted, waiting[name].cannot_run),
            loans[name],
            holds.get(name),
            waiting[name],
        )
        for name in names
    ]
    return views, capacity


def existing_queues(org: Organization, names: Collection[str]) -> set[str]:
    """Return those of *names* that are queues of the active version, or draining ones."""
    queues = active_policy(org).queues
    active = {name for name in names if name in queues}
    others = QueueCount.objects.filter(org=org, queue__in=set(names) - active)
    draining: Iterable[str] = others.exclude(running=0, pending=0).values_list("queue", flat=True)
    return active | set(draining)


def queue_view(org: Organization, name: str) -> QueueView:
    """Return one queue; raises NotFound or Renamed if it is neither active nor draining."""
    policy = active_policy(org)
    used = used_of(org)
    replaced = _replaced(policy, used)[name]
    counts = {row.queue: row for row in _counts(org).filter(queue__in=[name, *replaced])}
    count = counts.get(name)
    waiting = _waiting(PendingClass.objects.filter(org=org, queue=name))[name]
    hold = hold_of(org, name)
    busy = name in used or (count is not None and (count.running or count.pending))
    if name not in policy.queues and not busy:
        raise absent(org, name)
    rules = [rule.index for rule in rules_of(policy) if rule.queue == name]
    capacity = capacity_of(policy, used)
    usages = capacity.queue_nodes(name, waiting.wanted, waiting.cannot_run)
    loans = _loans_by_queue(capacity)[name]
    return _view(policy, name, rules, counts, replaced, usages, loans, hold, waiting)


def hold_of(org: Organization, queue: str) -> QueueHold | None:
    """Return the hold of *queue*; None if it is not held."""
    return QueueHold.objects.filter(org=org, queue=queue).first()


def _replaced(policy: Policy, busy: Iterable[str]) -> defaultdict[str, list[str]]:
    """Return those of *busy* that are draining, by the queue of *policy* that continues them."""
    replaced: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(busy):
        if name not in policy.queues:
            replaced[current_queue(policy, name)].append(name)
    return replaced


def _loans_by_queue(capacity: Capacity) -> defaultdict[str, list[Loan]]:
    loans: defaultdict[str, list[Loan]] = defaultdict(list)
    for loan in capacity.loans:
        loans[loan.borrower].append(loan)
        if not loan.is_from_cohort:
            loans[loan.lender].append(loan)
    return loans


def _counts(org: Organization) -> QuerySet[QueueCount]:
    pending = Workload.objects.filter(
        org=org, queue=OuterRef("queue"), state=State.PENDING
    ).order_by("pk")
    return QueueCount.objects.filter(org=org).annotate(
        oldest_pending=Subquery(pending.values("submitted_at")[:1])
    )


def _waiting(rows: QuerySet[PendingClass]) -> defaultdict[str, Demand]:
    """Return the demand and the reasons of pending workloads by queue."""
    waiting: defaultdict[str, Demand] = defaultdict(Demand)
    # There are many more classes than different requests, so each request is decoded once.
    known: dict[str, dict[str, int]] = {}
    columns = rows.annotate(requests_text=Cast("requests", TextField()))
    for queue, reason, requests_text, count in columns.values_list(
        "queue", "reason", "requests_text", "count"
    ):
        if requests_text not in known:
            known[requests_text] = json.loads(requests_text)
        waiting[queue].add(reason, known[requests_text], count)
    return waiting


def _view(
    policy: Policy,
    name: str,
    rules: Iterable[int],
    counts: Mapping[str, QueueCount],
    replaced: Iterable[str],
    usages: tuple[CapacityNode, ...],
    loans: Iterable[Loan],
    held: QueueHold | None,
    waiting: Demand,
) -> QueueView:
    queue, count = policy.queue(name), counts.get(name)
    running = {each: counts[each].running for each in replaced if each in counts}
    parent, created = queue.parent if queue else None, False
    if queue is not None and name not in policy.queues:
        created = True
        parent = next((each for each in policy.spec.path(name) if each in policy.queues), None)
    successor = current_queue(policy, name) if queue is None else name
    return QueueView(
        name=name,
        successor=successor if successor != name else None,
        cohort=parent,
        cohort_is_queue=parent in policy.queues,
        passthrough=queue is not None and queue.is_passthrough,
        held=held,
        stop=queue.stop if queue else StopPolicy.NONE,
        strategy=queue.strategy if queue else Strategy.BEST_EFFORT_FIFO,
        draining=queue is None,
        replaces={each: number for each, number in running.items() if number and each != name},
        created=created,
        running=count.running if count else 0,
        pending=count.pending if count else 0,
        oldest_pending=getattr(count, "oldest_pending", None),
        rules=tuple(rules),
        origin=queue.origin if queue else None,
        usages=usages,
        loans=tuple(loans),
        reasons=dict(sorted(waiting.reasons.items(), key=lambda item: (-item[1], item[0]))),
        settings=queue,
        preemption_summary=load_discipline(policy.discipline).preemption_summary(queue)
        if queue
        else "",
    )
