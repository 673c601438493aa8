"""Cohort accounts after the engine admits, preempts and returns quota."""

from __future__ import annotations

from collections.abc import Callable

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.queries.cohorts import cohort_view
from console.workloads.services.end_workloads import finish_workloads, release_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.cohort_sample import TWO_TEAMS, gpus


def test_borrowed_quota_is_reclaimed_by_its_owner(
    org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    apply_config(owner, "kueue", TWO_TEAMS, "", 0)
    settle(org)

    def submit(*work: dict[str, object]) -> list[str]:
        made = submit_workloads(owner, read_submissions(list(work)))
        settle(org)
        return [workload.uid for workload in made]

    def accounts() -> dict[str, tuple[int, int, int]]:
        """Return own, borrowed and lent reserved GPUs by queue."""
        return {
            member.name: (usage.own // 1000, usage.borrowed // 1000, usage.lent // 1000)
            for member in cohort_view(org, "research").members
            for usage in member.usages
            if usage.key == ("reserved", "nvidia.com/gpu")
        }

    submit(gpus("speech", "own", 8))
    (extra,) = submit(gpus("speech", "extra", 8))
    assert accounts() == {"vision": (0, 0, 8), "speech": (8, 8, 0)}
    view = cohort_view(org, "research")
    assert [(loan.borrower, loan.lender, loan.amount) for loan in view.loans] == [
        ("speech", "vision", 8000)
    ]
    assert view.summary.starved == ()

    (late,) = submit(gpus("vision", "late", 16, "production"))
    preempted = Workload.objects.get(state="preempting")
    # The preempted workload holds its borrowed quota until it has stopped.
    assert accounts() == {"vision": (0, 0, 8), "speech": (8, 8, 0)}
    release_workloads(owner, [preempted.uid])
    settle(org)
    assert accounts() == {"vision": (16, 0, 0), "speech": (8, 0, 0)}
    assert cohort_view(org, "research").loans == ()

    finish_workloads(owner, [late])
    settle(org)
    assert accounts() == {"vision": (0, 0, 8), "speech": (8, 8, 0)}
    assert Workload.objects.get(uid=extra).state == "admitted"
