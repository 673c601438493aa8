"""Response bodies of cohorts."""

from __future__ import annotations

from typing import Any, cast

from console.api.answers.configs import range_answer
from console.api.answers.queues import usage_answer
from console.api.answers.times import time_answer
from console.engine.disciplines.quota.spec import QueueSpec, spec_of
from console.engine.disciplines.read_model import FairShare, Loan
from console.engine.model.amounts import WEIGHT_ONE, amount_to_number
from console.engine.model.capacity_node import CapacityNode
from console.workloads.queries.cohort_views import (
    CohortSummary,
    CohortView,
    MemberView,
    Starved,
    WaitingView,
)
from console.workloads.queries.over_quota import OverQuotaSince


def cohort_answer(cohort: CohortSummary) -> dict[str, Any]:
    """Return a cohort with its place in the tree, its counts and its pools."""
    return {
        "name": cohort.name,
        "path": list(cohort.path),
        "cohorts": list(cohort.cohorts),
        "queues": list(cohort.queues),
        "range": range_answer(cohort.origin),
        "counts": {
            "queues": cohort.queue_count,
            "borrowers": cohort.borrowers,
            "running": cohort.running,
            "pending": cohort.pending,
            "cannot_run": cohort.cannot_run,
        },
        "contention": round(cohort.contention, 3),
        "pools": [_pool(pool) for pool in cohort.pools],
        "share": _share(cohort.share),
        "starved": [_starved(starved) for starved in cohort.starved],
    }


def whole_cohort_answer(view: CohortView) -> dict[str, Any]:
    """Return a cohort with all queues and cohorts below it."""
    return cohort_answer(view.summary) | {
        "members": [_member(member) for member in view.members],
        "loans": [loan_answer(loan) | _since(loan, view.over_quota_since) for loan in view.loans],
        "waiting": [_waiting(waiting) for waiting in view.waiting],
        "fair_sharing": [strategy.value for strategy in spec_of(view.policy).settings.fair_sharing],
    }


def loan_answer(loan: Loan) -> dict[str, Any]:
    """Return a loan: borrower, lender and amount."""
    return {
        "borrower": loan.borrower,
        "lender": {"type": "cohort" if loan.is_from_cohort else "queue", "name": loan.lender},
        "cohort": loan.cohort,
        "flavor": loan.flavor,
        "resource": loan.resource,
        "amount": amount_to_number(loan.amount),
        "certain": loan.is_certain,
    }


def _since(loan: Loan, over_quota_since: OverQuotaSince) -> dict[str, Any]:
    rise = over_quota_since.get((loan.borrower, loan.flavor, loan.resource))
    return {
        "since": time_answer(rise.since) if rise else None,
        "since_version": rise.config_version if rise else None,
    }


def _pool(pool: CapacityNode) -> dict[str, Any]:
    return {
        "flavor": pool.flavor,
        "resource": pool.resource,
        "own": amount_to_number(pool.amount("owned")),
        "deposited": amount_to_number(pool.amount("deposited")),
        "pool": amount_to_number(pool.guaranteed),
        "used": amount_to_number(pool.used),
        "borrowed": amount_to_number(pool.borrowed),
        "over": amount_to_number(pool.over),
        "lent": amount_to_number(pool.lent),
        "available": amount_to_number(pool.available),
        "limit": amount_to_number(pool.limit),
        "borrowing_limit": amount_to_number(pool.amount("borrowing_limit")),
        "lending_limit": amount_to_number(pool.amount("lending_limit")),
        "demand": amount_to_number(pool.demand),
        "cannot_run_demand": amount_to_number(pool.cannot_run_demand),
    }


def _member(member: MemberView) -> dict[str, Any]:
    return {
        "type": "cohort" if member.is_cohort else "queue",
        "name": member.name,
        "cohort": member.parent,
        "depth": member.depth,
        "counts": {
            "running": member.running,
            "pending": member.pending,
            "cannot_run": member.cannot_run,
        },
        "preemption": _preemption(cast(QueueSpec, member.queue)) if member.queue else None,
        "share": _share(member.share),
        "usage": [
            usage_answer(usage)
            | {
                "borrowing_limit": amount_to_number(usage.amount("borrowing_limit")),
                "lending_limit": amount_to_number(usage.amount("lending_limit")),
            }
            for usage in member.usages
        ],
    }


def _share(share: FairShare | None) -> dict[str, Any] | None:
    if share is None:
        return None
    return {
        "value": share.thousandths,
        "unbounded": share.thousandths is None,
        "resource": share.resource,
        "weight": share.weight / WEIGHT_ONE,
    }


def _preemption(queue: QueueSpec) -> dict[str, Any]:
    rules = queue.preemption
    return {
        "within_queue": rules.within_queue.value,
        "reclaim_within_cohort": rules.reclaim_within_cohort.value,
        "borrow_within_cohort": rules.borrow_within_cohort.value,
        "max_priority_threshold": rules.max_priority_threshold,
    }


def _starved(starved: Starved) -> dict[str, Any]:
    return {
        "queue": starved.queue,
        "flavor": starved.flavor,
        "resource": starved.resource,
        "unused": amount_to_number(starved.unused),
        "wanted": amount_to_number(starved.wanted),
        "loans": [loan_answer(loan) for loan in starved.loans],
    }


def _waiting(waiting: WaitingView) -> dict[str, Any]:
    return {
        "reason": waiting.reason,
        "count": waiting.count,
        "queues": [{"name": name, "count": count} for name, count in waiting.queues],
    }
