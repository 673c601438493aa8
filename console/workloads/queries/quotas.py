"""
Quota as people look at it: what queues and cohorts own, and who uses it.

Everything is computed from the config and from usage rows, which grow with it. Pages ask for
the same again and again, so what was computed last of a policy is kept.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from threading import Lock, RLock
from types import MappingProxyType
from typing import Final

from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.disciplines.quota.lending import Loan, Used, lending
from console.engine.disciplines.quota.shares import Share, dominant_share
from console.engine.model.amounts import Amount, FlavorResource
from console.engine.model.policy import Policy, ResourceGroup
from console.workloads.queries.quota_views import PoolView, UsageView

__all__ = ["Accounts", "PoolView", "UsageView", "accounts_of"]

#: resource -> thousandths.
Amounts = Mapping[str, int]
_NOTHING: Final[Amounts] = MappingProxyType({})

#: By flavor-resource, what pending workloads want, and what those that can never run ask for.
_PoolDemand = dict[FlavorResource, tuple[int, int]]

#: Policies of which the accounts that were asked for last are kept.
_KEPT: Final = 16

_kept: OrderedDict[int, Accounts] = OrderedDict()
_keeping = Lock()


def accounts_of(policy: Policy, used: Used) -> Accounts:
    """
    Return the accounts of *policy* with what is *used*, which nobody changes afterwards.

    They are those that were returned last for this very policy, if as much was used then.
    """
    with _keeping:
        last = _kept.get(id(policy))
        if last is not None and last.policy is policy and last.used == used:
            _kept.move_to_end(id(policy))
            return last
    accounts = Accounts(policy, used)
    with _keeping:
        _kept[id(policy)] = accounts
        _kept.move_to_end(id(policy))
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return accounts


class Accounts:
    """
    The quota of every queue and cohort of a policy with what is used, borrowed and lent.

    Several threads may ask at once.
    """

    def __init__(self, policy: Policy, used: Used) -> None:
        self.policy = policy
        self.used = used
        self.trees = Hierarchy(policy)
        self._lending = lending(policy, used)
        self._ledger = Ledger(policy)
        for name in policy.queues:
            self._ledger.add(name, used.get(name, {}))
        #: The ledger opens accounts when they are asked for.
        self._lock = RLock()
        #: What was told last, by queue or cohort, and what was asked for then.
        self._usages: dict[str, tuple[tuple[Amounts, Amounts], tuple[UsageView, ...]]] = {}
        self._pools: dict[str, tuple[_PoolDemand, tuple[PoolView, ...]]] = {}

    @property
    def loans(self) -> tuple[Loan, ...]:
        """Who uses whose quota."""
        return self._lending.loans

    def share(self, name: str, *, is_cohort: bool = False) -> Share | None:
        """Return the fair share of a queue or cohort; None where shares decide nothing."""
        if not self.policy.settings.fair_sharing:
            return None
        with self._lock:
            node = self._ledger.cohort(name) if is_cohort else self._ledger.queue(name)
            # Who borrows nothing has a weight too, and people look for it.
            return replace(dominant_share(node), weight=node.weight)

    def keys(self, queue: str) -> list[FlavorResource]:
        """Return what *queue* has quota of, in the order of the text."""
        found = self.policy.queues.get(queue)
        return _by_key(found.groups) if found else []

    def usages(
        self, queue: str, wanted: Amounts, cannot_run: Amounts = _NOTHING
    ) -> tuple[UsageView, ...]:
        """
        Return the flavor-resources of *queue* in the order of the text.

        Its pending workloads ask for *wanted*, and those that can never run for *cannot_run*.
        Then those that only running work of an earlier version still uses; they
        are all there is of a queue that the policy does not have.
        """
        with self._lock:
            last = self._usages.get(queue)
            if last is None or last[0] != (wanted, cannot_run):
                asked = dict(wanted), dict(cannot_run)
                last = self._usages[queue] = asked, self._usages_of(queue, *asked)
            return last[1]

    def _usages_of(self, queue: str, wanted: Amounts, cannot_run: Amounts) -> tuple[UsageView, ...]:
        found = self.policy.queues.get(queue)
        listed = {}
        for group in found.groups if found else ():
            for place, entry in enumerate(group.flavors):
                for resource in group.resources:
                    asked = wanted.get(resource, 0), cannot_run.get(resource, 0)
                    listed[entry.flavor, resource] = asked if place == 0 else (0, 0)
        left = sorted(self.used.get(queue, {}).keys() - listed.keys())
        return tuple(
            [self._usage(queue, key, *asked) for key, asked in listed.items()]
            + [self._left_over(queue, key) for key in left]
        )

    def pools(self, cohort: str, usages: Mapping[str, Iterable[UsageView]]) -> tuple[PoolView, ...]:
        """Return the pools of *cohort*; *usages* has those of every queue below it."""
        members = list(self.trees.below(cohort))
        queues = {member.name for member in members if not member.is_cohort}
        cohorts = {cohort, *(member.name for member in members if member.is_cohort)}
        demand: _PoolDemand = dict.fromkeys(_by_key(self.policy.cohorts[cohort].groups), (0, 0))
        for name in self.trees.queues_below(cohort):
            for usage in usages[name]:
                wanted, never = demand.get(usage.key, (0, 0))
                demand[usage.key] = wanted + usage.demand, never + usage.cannot_run_demand
        for name in (m.name for m in members if m.is_cohort):
            for key in _by_key(self.policy.cohorts[name].groups):
                demand.setdefault(key, (0, 0))
        with self._lock:
            last = self._pools.get(cohort)
            if last is None or last[0] != demand:
                entering, leaving = _crossing(self.loans, queues, cohorts)
                told = tuple(
                    self._pool(cohort, key, asked, entering.get(key, ()), leaving.get(key, ()))
                    for key, asked in demand.items()
                )
                last = self._pools[cohort] = demand, told
            return last[1]

    def _usage(self, queue: str, key: FlavorResource, demand: int, cannot_run: int) -> UsageView:
        cell = self._ledger.queue(queue).cell(key)
        position = self._lending.position(queue, key)
        return UsageView(
            flavor=key[0],
            resource=key[1],
            nominal=cell.nominal,
            used=cell.used,
            own=position.own,
            borrowed=position.borrowed,
            over=position.over,
            lent=position.lent,
            is_certain=position.is_certain,
            available=max(0, cell.available),
            limit=cell.potential,
            borrowing_limit=cell.quota.borrowing_limit,
            lending_limit=cell.quota.lending_limit,
            demand=demand,
            cannot_run_demand=cannot_run,
        )

    def _left_over(self, queue: str, key: FlavorResource) -> UsageView:
        used = self.used[queue][key]
        position = self._lending.position(queue, key)
        return UsageView(
            flavor=key[0],
            resource=key[1],
            nominal=0,
            used=used,
            own=0,
            borrowed=position.borrowed,
            over=used - position.borrowed,
            lent=0,
            is_certain=position.is_certain,
            available=0,
            limit=0,
            borrowing_limit=0,
            lending_limit=0,
            demand=0,
            cannot_run_demand=0,
        )

    def _pool(
        self,
        cohort: str,
        key: FlavorResource,
        asked: tuple[int, int],
        entering: Sequence[Loan],
        leaving: Sequence[Loan],
    ) -> PoolView:
        node = self._ledger.cohort(cohort)
        cell = node.cell(key)
        borrowed = sum(loan.amount for loan in entering)
        return PoolView(
            flavor=key[0],
            resource=key[1],
            nominal=cell.subtree,
            used=cell.used,
            own=cell.used - cell.over,
            borrowed=borrowed,
            over=cell.over - borrowed,
            lent=sum(loan.amount for loan in leaving),
            is_certain=all(loan.is_certain for loan in (*entering, *leaving)),
            available=max(0, cell.available),
            limit=cell.potential,
            borrowing_limit=cell.quota.borrowing_limit,
            lending_limit=cell.quota.lending_limit,
            demand=asked[0],
            cannot_run_demand=asked[1],
            owned=cell.nominal,
            deposited=_total(child.cell(key).deposit for child in node.children),
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


def _by_key(groups: Iterable[ResourceGroup]) -> list[FlavorResource]:
    return [
        (entry.flavor, resource)
        for group in groups
        for entry in group.flavors
        for resource in entry.quotas
    ]
