"""Lenders that cannot reclaim: lent quota returns only when the borrowing workload ends."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from console.dialects.findings import Findings
from console.dialects.lints.codes import LENDER_STARVED
from console.dialects.lints.quota.sharing import quotas_of
from console.dialects.lints.wording import names, quoted
from console.dialects.place_finder import PlaceFinder
from console.engine.disciplines.quota.hierarchy import Hierarchy
from console.engine.disciplines.quota.spec import PreemptionRule, QueueSpec, spec_of
from console.engine.model.amounts import FlavorResource
from console.engine.model.policy import Policy


def lint_lenders(policy: Policy, places: PlaceFinder, findings: Findings) -> None:
    """Report, once per tree, the queues that lend quota and cannot reclaim it."""
    trees = Hierarchy(policy)
    for root in trees.roots:
        queues = [spec_of(policy).queues[name] for name in trees.queues_below(root)]
        lenders = [queue for queue in queues if _lends_without_reclaim(queue)]
        if not _can_borrow_from(lenders, queues):
            continue
        lender_names = names(queue.name for queue in lenders)
        findings.add(
            LENDER_STARVED,
            places.name(lenders[0].origin, lenders[0].name),
            f"In cohort {quoted(root)}, quota that {lender_names} "
            f"{'lends' if len(lenders) == 1 else 'lend'} "
            "returns only when the borrowing workload ends.",
            "Let them reclaim it by preemption, or keep some quota with a lending limit.",
        )


def _lends_without_reclaim(queue: QueueSpec) -> bool:
    return queue.preemption.reclaim_within_cohort is PreemptionRule.NEVER and any(
        quota.nominal > 0 and quota.lending_limit > 0 for _, quota in quotas_of([queue])
    )


def _can_borrow_from(lenders: Iterable[QueueSpec], queues: Iterable[QueueSpec]) -> bool:
    """Return whether any of *queues* may borrow quota of another queue in *lenders*."""
    borrowers: defaultdict[FlavorResource, set[str]] = defaultdict(set)
    for queue in queues:
        for key, quota in quotas_of([queue]):
            if quota.borrowing_limit > 0:
                borrowers[key].add(queue.name)
    # A queue does not borrow from itself.
    return any(
        quota.nominal > 0 and len(borrowers[key]) > (lender.name in borrowers[key])
        for lender in lenders
        for key, quota in quotas_of([lender])
    )
