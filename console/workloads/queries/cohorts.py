"""
Queries of cohorts: pools, loans and starved queues.

Like queries of queues, they read a constant number of statements, and rows whose number grows
with the config and with kinds of pending workloads, never with the number of workloads.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache

from django.db.models import TextField
from django.db.models.functions import Cast

from console.engine.disciplines.read_model import Loan, Member
from console.engine.model.amounts import FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.policies.renames import absent
from console.workloads.models import PendingClass, QueueCount
from console.workloads.queries.capacity import capacity_of
from console.workloads.queries.cohort_views import (
    CohortSummary,
    CohortView,
    MemberView,
    Starved,
    WaitingView,
)
from console.workloads.queries.demand import Demand, cannot_run_count, short_of_quota_reasons
from console.workloads.queries.over_quota import over_quota_since_of
from console.workloads.queries.sections import COHORTS, has_section
from console.workloads.queries.used import used_of


def cohort_list(org: Organization) -> list[CohortSummary]:
    """
    Return the cohorts of the active version, by tree in the order of the text, roots first.

    Empty under a discipline without the section for cohorts.
    """
    data = _CohortData(org)
    if not data.has_cohorts:
        return []
    trees = data.capacity.tree
    names = []
    for root in trees.roots:
        names += [root, *(member.name for member in trees.below(root) if member.is_cohort)]
    return [data.summary(name) for name in names]


def cohort_view(org: Organization, name: str) -> CohortView:
    """Return one cohort; raises NotFound or Renamed if the active version has no such cohort."""
    data = _CohortData(org)
    if not data.has_cohorts or name not in data.capacity.tree.names:
        raise absent(org, name, "cohort")
    members = list(data.capacity.tree.below(name))
    return CohortView(
        summary=data.summary(name),
        members=tuple(data.member(member) for member in members),
        loans=data.loans_of(name, members),
        over_quota_since=over_quota_since_of(org),
        waiting=data.waiting(members),
        policy=data.policy,
    )


class _CohortData:
    """The policy and the rows of an organization that cohort views are computed from."""

    def __init__(self, org: Organization) -> None:
        self.policy = active_policy(org)
        self.capacity = capacity_of(self.policy, used_of(org))
        self._counts = {row.queue: row for row in QueueCount.objects.filter(org=org)}
        self._demand: defaultdict[str, Demand] = defaultdict(Demand)
        #: (queue, flavor, resource) -> total request of workloads that are short of it.
        self._short: Counter[tuple[str, str, str]] = Counter()
        # There are many more classes than different requests, so each request is decoded once.
        decoded = cache(json.loads)
        short = frozenset(short_of_quota_reasons())
        rows = PendingClass.objects.filter(org=org).annotate(
            requests_text=Cast("requests", TextField()), missing_text=Cast("missing", TextField())
        )
        for queue, reason, requests_text, missing_text, count in rows.values_list(
            "queue", "reason", "requests_text", "missing_text", "count"
        ):
            requests, missing = decoded(requests_text), decoded(missing_text)
            self._demand[queue].add(reason, requests, count)
            if reason in short:
                for flavor, resource in self.capacity.keys(queue):
                    if f"{flavor}/{resource}" in missing:
                        # Rows of older versions do not include pods in the request.
                        self._short[queue, flavor, resource] += requests.get(resource, 0) * count
        self.usages = {name: self._usages_of(name) for name in self.policy.queues}
        self._lent: defaultdict[tuple[str, str, str], list[Loan]] = defaultdict(list)
        for loan in self.capacity.loans:
            if not loan.is_from_cohort:
                self._lent[loan.lender, loan.flavor, loan.resource].append(loan)
        self._pools: dict[str, tuple[CapacityNode, ...]] = {}

    @property
    def has_cohorts(self) -> bool:
        """Whether the discipline has cohorts."""
        return has_section(self.policy, COHORTS)

    def summary(self, name: str) -> CohortSummary:
        """Return the summary of a cohort."""
        trees = self.capacity.tree
        queues = trees.queues_below(name)
        running, pending, cannot_run = self._counted(queues)
        return CohortSummary(
            name=name,
            path=trees.path(name),
            origin=self.policy.spec.parents[name],
            queues=trees.queues(name),
            cohorts=trees.cohorts(name),
            queue_count=len(queues),
            running=running,
            pending=pending,
            cannot_run=cannot_run,
            borrowers=sum(any(usage.borrowed for usage in self.usages[queue]) for queue in queues),
            starved=tuple(found for queue in queues for found in self._starved(queue)),
            pools=self._pools_of(name),
            share=self.capacity.share(name, is_cohort=True),
        )

    def member(self, member: Member) -> MemberView:
        """Return a member with its usage."""
        name = member.name
        below = self.capacity.tree.queues_below(name) if member.is_cohort else (name,)
        running, pending, cannot_run = self._counted(below)
        return MemberView(
            name=name,
            is_cohort=member.is_cohort,
            parent=member.parent,
            depth=member.depth,
            running=running,
            pending=pending,
            cannot_run=cannot_run,
            usages=self._pools_of(name) if member.is_cohort else self.usages[name],
            share=self.capacity.share(name, is_cohort=member.is_cohort),
            queue=None if member.is_cohort else self.policy.queues[name],
        )

    def loans_of(self, cohort: str, members: Iterable[Member]) -> tuple[Loan, ...]:
        """Return loans from or to queues below *cohort*, by flavor-resource, largest first."""
        inside = {(member.name, member.is_cohort) for member in members} | {(cohort, True)}
        loans = [
            loan
            for loan in self.capacity.loans
            if (loan.borrower, False) in inside or (loan.lender, loan.is_from_cohort) in inside
        ]
        # Amounts of different resources are not comparable: flavor-resources keep their order.
        places = {key: place for place, key in enumerate(dict.fromkeys(map(_key, loans)))}
        return tuple(sorted(loans, key=lambda loan: (places[_key(loan)], -loan.amount)))

    def waiting(self, members: Iterable[Member]) -> tuple[WaitingView, ...]:
        """Return pending workloads of the queues among *members* by reason, most frequent first."""
        found: defaultdict[str, list[tuple[str, int]]] = defaultdict(list)
        for member in members:
            if not member.is_cohort:
                for reason, count in self._demand[member.name].reasons.items():
                    found[reason].append((member.name, count))
        views = [
            WaitingView(
                reason=reason,
                count=sum(count for _, count in queues),
                queues=tuple(sorted(queues, key=lambda queue: -queue[1])),
            )
            for reason, queues in found.items()
        ]
        return tuple(sorted(views, key=lambda view: (-view.count, view.reason)))

    def _usages_of(self, queue: str) -> tuple[CapacityNode, ...]:
        demand = self._demand[queue]
        return self.capacity.queue_nodes(queue, demand.wanted, demand.cannot_run)

    def _counted(self, queues: Iterable[str]) -> tuple[int, int, int]:
        """Return how many workloads of *queues* are running, pending, and unable to run."""
        names = list(queues)
        rows = [self._counts[queue] for queue in names if queue in self._counts]
        cannot_run = sum(cannot_run_count(self._demand[queue].reasons) for queue in names)
        return sum(row.running for row in rows), sum(row.pending for row in rows), cannot_run

    def _starved(self, queue: str) -> Iterable[Starved]:
        for usage in self.usages[queue]:
            wanted = self._short[queue, *usage.key]
            loans = self._lent.get((queue, *usage.key), ())
            if wanted and loans and isinstance(usage.guaranteed, int):
                yield Starved(
                    queue=queue,
                    flavor=usage.flavor,
                    resource=usage.resource,
                    unused=usage.guaranteed - usage.used,
                    wanted=wanted,
                    loans=tuple(loans),
                )

    def _pools_of(self, cohort: str) -> tuple[CapacityNode, ...]:
        found = self._pools.get(cohort)
        if found is None:
            found = self._pools[cohort] = self.capacity.cohort_nodes(cohort, self.usages)
        return found


def _key(loan: Loan) -> FlavorResource:
    return loan.flavor, loan.resource
