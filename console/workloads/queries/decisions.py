"""Queries of the decisions about one workload."""

from __future__ import annotations

from console.engine.model.policy import Policy
from console.errors import NotFound
from console.orgs.models import Organization
from console.policies.queries import NO_POLICY, policies_of
from console.workloads.models import Decision, Workload


def latest_decisions(workload: Workload, limit: int) -> list[Decision]:
    """Return the latest decisions about *workload*, newest first, without their traces."""
    rows = Decision.objects.filter(workload=workload).order_by("-pk").defer("trace")
    return list(rows[:limit])


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
