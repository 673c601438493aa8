"""Rows of exported cohorts: pools, members and loans, one row for each flavor-resource."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from console.engine.disciplines.quota.spec import spec_of
from console.engine.model.amounts import Amount, Unlimited, amount_to_number
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.policy import Policy
from console.exports import Row
from console.workloads.queries.cohort_views import CohortSummary, CohortView, MemberView

_USE: Final = (
    *("flavor", "resource", "nominal", "used", "own", "borrowed", "over", "lent", "certain"),
    *("available", "limit", "borrowing_limit", "lending_limit", "demand", "cannot_run_demand"),
)

#: Columns of the list of cohorts.
COHORTS: Final = ("cohort", "in", "queues", "borrowers", "running", "pending", "cannot_run", *_USE)
#: Columns of the members of a cohort.
MEMBERS: Final = (
    "cohort",
    "type",
    "name",
    "running",
    "pending",
    "cannot_run",
    *_USE,
    "above_nominal_since",
)
#: Columns of the loans of a cohort.
LOANS: Final = (
    *("borrower", "lender", "lender_type", "cohort", "flavor", "resource", "amount", "certain"),
    *("since", "since_version", "taken_back_from"),
)


def cohorts_file(cohorts: Iterable[CohortSummary]) -> Iterator[Row]:
    """Yield a row for each pool of *cohorts*."""
    for cohort in cohorts:
        for pool in cohort.pools:
            yield {
                "cohort": cohort.name,
                "in": cohort.path[-1] if cohort.path else "",
                "queues": cohort.queue_count,
                "borrowers": cohort.borrowers,
                "running": cohort.running,
                "pending": cohort.pending,
                "cannot_run": cohort.cannot_run,
                **_use(pool),
            }


def members_file(view: CohortView, members: Iterable[MemberView]) -> Iterator[Row]:
    """Yield a row for each flavor-resource of *members* of a cohort."""
    for member in members:
        for usage in member.usages:
            rise = (
                None if member.is_cohort else view.over_quota_since.get((member.name, *usage.key))
            )
            yield {
                "cohort": member.parent,
                "type": "cohort" if member.is_cohort else "queue",
                "name": member.name,
                "running": member.running,
                "pending": member.pending,
                "cannot_run": member.cannot_run,
                **_use(usage),
                "above_nominal_since": rise.since.isoformat() if rise else None,
            }


def loans_file(view: CohortView) -> Iterator[Row]:
    """Yield a row for each loan of a cohort, by borrower, lender and flavor-resource."""
    for loan in view.loans:
        rise = view.over_quota_since.get((loan.borrower, loan.flavor, loan.resource))
        yield {
            "borrower": loan.borrower,
            "lender": loan.lender,
            "lender_type": "cohort" if loan.is_from_cohort else "queue",
            "cohort": loan.cohort,
            "flavor": loan.flavor,
            "resource": loan.resource,
            "amount": amount_to_number(loan.amount),
            "certain": loan.is_certain,
            "since": rise.since.isoformat() if rise else None,
            "since_version": rise.config_version if rise else None,
            "taken_back_from": None if loan.is_from_cohort else _rule(loan.lender, view.policy),
        }


def _use(usage: CapacityNode) -> Row:
    return {
        "flavor": usage.flavor,
        "resource": usage.resource,
        "nominal": _number(usage.guaranteed),
        "used": _number(usage.used),
        "own": _number(usage.own),
        "borrowed": _number(usage.borrowed),
        "over": _number(usage.over),
        "lent": _number(usage.lent),
        "certain": usage.is_certain,
        "available": _number(usage.available),
        "limit": _number(usage.limit),
        "borrowing_limit": _number(usage.amount("borrowing_limit")),
        "lending_limit": _number(usage.amount("lending_limit")),
        "demand": _number(usage.demand),
        "cannot_run_demand": _number(usage.cannot_run_demand),
    }


def _number(amount: Amount) -> int | float | str | None:
    return "unlimited" if isinstance(amount, Unlimited) else amount_to_number(amount)


def _rule(queue: str, policy: Policy) -> str:
    return spec_of(policy).queues[queue].preemption.reclaim_within_cohort.value
