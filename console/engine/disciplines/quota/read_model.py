"""
The read model of quota: capacity nodes of queues and cohorts, loans and fair shares.

The extras of a queue's nodes are the parts of its usage, *own*, *borrowed* and *over*; *lent* and
*is_certain*, by the convention of `lending`; and the limits of the config, *borrowing_limit* and
*lending_limit*. The nodes of a cohort describe its pool: *guaranteed* is the whole pool, *owned*
the cohort's own quota, and *deposited* the deposits of its queues and cohorts. Quota above a
lending limit, and its usage, are not part of the pool. *borrowed* and *lent* are from and to
cohorts above.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from threading import RLock
from typing import Final

from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.disciplines.quota.lending import lending
from console.engine.disciplines.quota.shares import dominant_share
from console.engine.disciplines.quota.spec import ResourceGroup, spec_of
from console.engine.disciplines.read_model import (
    NO_REQUESTS,
    CapacityWording,
    Column,
    FairShare,
    Loan,
    Requests,
    Section,
    Unit,
    Used,
)
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy

COLUMNS: Final = (
    Column(key="guaranteed", title="Nominal", help="The quota that the queue owns."),
    Column(key="used", title="Used", help="The quota that running workloads of the queue use."),
    Column(
        key="borrowed",
        title="Borrowed or lent",
        unit=Unit.EXCHANGE,
        help="Quota of other queues that this queue uses, or its own quota that others use.",
        needs_parent=True,
    ),
    Column(
        key="available",
        title="Available",
        help="Free quota of the queue plus quota that it can borrow now.",
    ),
    Column(
        key="demand",
        title="Requested",
        unit=Unit.DEMAND,
        help="Requests of pending workloads, counted once per resource, at its first flavor.",
    ),
)

WORDING: Final = CapacityWording(
    title="Quota",
    flavor="Flavor",
    note=(
        "Amounts are in units of the resource. Requested is the total of pending workloads, shown "
        "once for each resource, at the first flavor that is tried. Requests of workloads that can "
        "never run are counted separately: freed quota does not let them start."
    ),
    nothing="The active config has no quota: all workloads are admitted.",
)

SECTIONS: Final = (Section(key="cohorts", title="Cohorts"),)

#: By flavor-resource, the requests of pending workloads and of those that can never run.
_Demand = dict[FlavorResource, tuple[int, int]]


class QuotaCapacity:
    """
    The quota of every queue and cohort of a policy, with used, borrowed and lent amounts.

    Thread-safe.
    """

    def __init__(self, policy: Policy, used: Used) -> None:
        self.policy = policy
        self.used = used
        self.tree = Hierarchy(policy)
        self._lending = lending(policy, used)
        self._ledger = Ledger(policy)
        for name in spec_of(policy).queues:
            self._ledger.add(name, used.get(name, {}))
        #: The ledger creates accounts on request.
        self._lock = RLock()
        #: The latest nodes and the requests that they were computed for, by queue or cohort.
        self._queues: dict[str, tuple[tuple[Requests, Requests], tuple[CapacityNode, ...]]] = {}
        self._cohorts: dict[str, tuple[_Demand, tuple[CapacityNode, ...]]] = {}

    @property
    def loans(self) -> tuple[Loan, ...]:
        """The loans between queues, and from cohorts."""
        return self._lending.loans

    def share(self, name: str, *, is_cohort: bool = False) -> FairShare | None:
        """Return the fair share of a queue or cohort; None without fair sharing."""
        if not spec_of(self.policy).settings.fair_sharing:
            return None
        with self._lock:
            node = self._ledger.cohort(name) if is_cohort else self._ledger.queue(name)
            share = dominant_share(node)
        # The weight is shown even for a node that borrows nothing.
        return FairShare(
            thousandths=share.thousandths(), weight=node.weight, resource=share.resource
        )

    def keys(self, queue: str) -> tuple[FlavorResource, ...]:
        """Return the flavor-resources of which *queue* has quota, in the order of the text."""
        found = spec_of(self.policy).queues.get(queue)
        return _keys(found.groups) if found else ()

    def queue_nodes(
        self, queue: str, requested: Requests, cannot_run: Requests = NO_REQUESTS
    ) -> tuple[CapacityNode, ...]:
        """Return the nodes of *queue* in the order of the text, then those without quota."""
        with self._lock:
            last = self._queues.get(queue)
            if last is None or last[0] != (requested, cannot_run):
                asked = dict(requested), dict(cannot_run)
                last = self._queues[queue] = asked, self._nodes_of(queue, *asked)
            return last[1]

    def cohort_nodes(
        self, cohort: str, queues: Mapping[str, Iterable[CapacityNode]]
    ) -> tuple[CapacityNode, ...]:
        """Return the pools of *cohort*; *queues* has the nodes of every queue below it."""
        members = list(self.tree.below(cohort))
        names = {member.name for member in members if not member.is_cohort}
        cohorts = {cohort, *(member.name for member in members if member.is_cohort)}
        demand: _Demand = dict.fromkeys(_keys(spec_of(self.policy).cohorts[cohort].groups), (0, 0))
        for name in self.tree.queues_below(cohort):
            for node in queues[name]:
                requested, never = demand.get(node.key, (0, 0))
                demand[node.key] = requested + node.demand, never + node.cannot_run_demand
        for name in (member.name for member in members if member.is_cohort):
            for key in _keys(spec_of(self.policy).cohorts[name].groups):
                demand.setdefault(key, (0, 0))
        with self._lock:
            last = self._cohorts.get(cohort)
            if last is None or last[0] != demand:
                entering, leaving = _crossing(self.loans, names, cohorts)
                told = tuple(
                    self._pool(cohort, key, asked, entering.get(key, ()), leaving.get(key, ()))
                    for key, asked in demand.items()
                )
                last = self._cohorts[cohort] = demand, told
            return last[1]

    def _nodes_of(
        self, queue: str, requested: Requests, cannot_run: Requests
    ) -> tuple[CapacityNode, ...]:
        found = spec_of(self.policy).queues.get(queue)
        listed = {}
        for group in found.groups if found else ():
            for place, entry in enumerate(group.flavors):
                for resource in group.resources:
                    asked = requested.get(resource, 0), cannot_run.get(resource, 0)
                    listed[entry.flavor, resource] = asked if place == 0 else (0, 0)
        left = sorted(self.used.get(queue, {}).keys() - listed.keys())
        parent = found.parent if found else None
        path = (queue,) if parent is None else (*self.tree.path(parent), parent, queue)
        return tuple(
            [self._node(path, key, *asked) for key, asked in listed.items()]
            + [self._left_over(path, key) for key in left]
        )

    def _node(
        self, path: tuple[str, ...], key: FlavorResource, demand: int, cannot_run: int
    ) -> CapacityNode:
        queue = path[-1]
        cell = self._ledger.queue(queue).cell(key)
        position = self._lending.position(queue, key)
        return CapacityNode(
            kind="queue",
            path=path,
            flavor=key[0],
            resource=key[1],
            guaranteed=cell.nominal,
            limit=cell.potential,
            used=cell.used,
            entitled=max(0, cell.available + cell.used),
            demand=demand,
            cannot_run_demand=cannot_run,
            extras={
                "own": position.own,
                "borrowed": position.borrowed,
                "over": position.over,
                "lent": position.lent,
                "is_certain": position.is_certain,
                "borrowing_limit": cell.quota.borrowing_limit,
                "lending_limit": cell.quota.lending_limit,
            },
        )

    def _left_over(self, path: tuple[str, ...], key: FlavorResource) -> CapacityNode:
        queue = path[-1]
        used = self.used[queue][key]
        position = self._lending.position(queue, key)
        return CapacityNode(
            kind="queue",
            path=path,
            flavor=key[0],
            resource=key[1],
            guaranteed=0,
            limit=0,
            used=used,
            entitled=0,
            demand=0,
            cannot_run_demand=0,
            extras={
                "own": 0,
                "borrowed": position.borrowed,
                "over": used - position.borrowed,
                "lent": 0,
                "is_certain": position.is_certain,
                "borrowing_limit": 0,
                "lending_limit": 0,
            },
        )

    def _pool(
        self,
        cohort: str,
        key: FlavorResource,
        asked: tuple[int, int],
        entering: Sequence[Loan],
        leaving: Sequence[Loan],
    ) -> CapacityNode:
        node = self._ledger.cohort(cohort)
        cell = node.cell(key)
        borrowed = sum(loan.amount for loan in entering)
        return CapacityNode(
            kind="cohort",
            path=(*self.tree.path(cohort), cohort),
            flavor=key[0],
            resource=key[1],
            guaranteed=cell.subtree,
            limit=cell.potential,
            used=cell.used,
            entitled=max(0, cell.available + cell.used),
            demand=asked[0],
            cannot_run_demand=asked[1],
            extras={
                "own": cell.used - cell.over,
                "borrowed": borrowed,
                "over": cell.over - borrowed,
                "lent": sum(loan.amount for loan in leaving),
                "is_certain": all(loan.is_certain for loan in (*entering, *leaving)),
                "borrowing_limit": cell.quota.borrowing_limit,
                "lending_limit": cell.quota.lending_limit,
                "owned": cell.nominal,
                "deposited": _total(child.cell(key).deposit for child in node.children),
            },
        )


def organization_nodes(policy: Policy, queues: Iterable[CapacityNode]) -> tuple[CapacityNode, ...]:
    """
    Return a node per flavor-resource with its total quota and usage, in the order of the text.

    *queues* are the nodes of all queues. Nothing is borrowed from outside an organization: usage
    beyond the total nominal quota is over.
    """
    owned: dict[FlavorResource, Amount] = {}
    sums: defaultdict[FlavorResource, list[int]] = defaultdict(lambda: [0, 0, 0])
    for node in queues:
        owned[node.key] = owned.get(node.key, 0) + node.guaranteed
        of_key = sums[node.key]
        of_key[0] += node.used
        of_key[1] += node.demand
        of_key[2] += node.cannot_run_demand
    for group in (group for cohort in spec_of(policy).cohorts.values() for group in cohort.groups):
        for entry in group.flavors:
            for resource, quota in entry.quotas.items():
                key = entry.flavor, resource
                owned[key] = owned.get(key, 0) + quota.nominal
    return tuple(
        CapacityNode(
            kind="organization",
            path=(),
            flavor=key[0],
            resource=key[1],
            guaranteed=nominal,
            limit=nominal,
            used=sums[key][0],
            entitled=nominal,
            demand=sums[key][1],
            cannot_run_demand=sums[key][2],
        )
        for key, nominal in owned.items()
    )


def _crossing(
    loans: Iterable[Loan], queues: AbstractSet[str], cohorts: AbstractSet[str]
) -> tuple[dict[FlavorResource, list[Loan]], dict[FlavorResource, list[Loan]]]:
    """Return the loans into and out of a subtree, by flavor-resource."""
    entering: defaultdict[FlavorResource, list[Loan]] = defaultdict(list)
    leaving: defaultdict[FlavorResource, list[Loan]] = defaultdict(list)
    for loan in loans:
        borrows = loan.borrower in queues
        lends = loan.lender in (cohorts if loan.is_from_cohort else queues)
        if borrows != lends:
            (entering if borrows else leaving)[loan.flavor, loan.resource].append(loan)
    return entering, leaving


def _total(amounts: Iterable[Amount]) -> Amount:
    total: Amount = 0
    for amount in amounts:
        total = total + amount
    return total


def _keys(groups: Iterable[ResourceGroup]) -> tuple[FlavorResource, ...]:
    return tuple(
        (entry.flavor, resource)
        for group in groups
        for entry in group.flavors
        for resource in entry.quotas
    )
