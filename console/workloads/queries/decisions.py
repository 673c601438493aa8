"""Queries of the decisions about one workload."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from console.engine.model.policy import Policy
from console.errors import NotFound
from console.orgs.models import Organization
from console.policies.queries import NO_POLICY, policies_of
from console.workloads.models import Decision, Workload


def latest_decisions(workload: Workload, limit: int) -> list[Decision]:
    """Return the latest decisions about *workload*, newest first, without their traces."""
    rows = Decision.objects.filter(workload=workload).order_by("-pk").defer("trace")
    return list(rows[:limit])


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonRecord:
    """Since when a reason holds for a workload, and how often it has been decided for it."""

    #: None: the latest decision had another reason.
    since: datetime | None = None
    count: int = 0


def record_of_reason(workload: Workload, reason: str) -> ReasonRecord:
    """
    Return since when *reason* holds for *workload*, and how many decisions have had it.

    The worker stores a decision when the reason of a workload changes, not at every evaluation.
    """
    has_reason = Q(reason=reason)
    found = Decision.objects.filter(workload=workload).aggregate(
        count=Count("pk", filter=has_reason),
        latest=Max("pk"),
        latest_with_reason=Max("pk", filter=has_reason),
        since=Max("created_at", filter=has_reason),
    )
    is_current = found["latest"] is not None and found["latest"] == found["latest_with_reason"]
    return ReasonRecord(since=found["since"] if is_current else None, count=found["count"])


def get_decision(workload: Workload, number: int) -> Decision:
    """Return decision *number* about *workload*; raises NotFound if there is none."""
    decision = Decision.objects.filter(workload=workload, pk=number).first()
    if decision is None:
        raise NotFound(f"There is no decision {number} about the workload {workload.uid!r}.")
    return decision


def admitting_policy(org: Organization, workload: Workload) -> Policy:
    """Return the policy under which *workload* was assigned; an empty one without an assignment."""
    version = workload.config_version
    if version is None or not workload.assignment:
        return NO_POLICY
    return policies_of(org, [version]).get(version, NO_POLICY)
