"""Use of queues by users and groups, from the rows of running workloads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.disciplines.hierarchy.user_report import (
    HolderUse,
    RunningOfUser,
    user_report,
)
from console.engine.live.mutations import usage_of
from console.engine.model.workload import Workload as Judged
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.workloads.models import Workload
from console.workloads.queries.running import RUNNING
from console.workloads.queries.sections import USERS, has_section
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_pod_sets import decode_pod_sets

#: Maximum number of running workloads that are read, the newest.
MOST_RUNNING: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UserUse:
    """What users and groups use, those with the tightest limit first."""

    holders: tuple[HolderUse, ...] = ()
    #: Whether all running workloads were counted. If not, the numbers are minimums.
    is_complete: bool = True


def user_use_of(org: Organization) -> UserUse | None:
    """Return the use of queues by users and groups; None if queues have no limits for them."""
    policy = active_policy(org)
    if not has_section(policy, USERS):
        return None
    running = list(_running(org))
    return UserUse(
        holders=user_report(hierarchy_of(policy), running[:MOST_RUNNING]),
        is_complete=len(running) <= MOST_RUNNING,
    )


def _running(org: Organization) -> Iterator[RunningOfUser]:
    rows = Workload.objects.filter(org=org, queue__isnull=False, state__in=RUNNING)
    columns = ("queue", "user", "groups", "requests", "pod_sets", "assignment")
    newest = rows.order_by("-pk").values_list(*columns)[: MOST_RUNNING + 1]
    for queue, user, groups, requests, pod_sets, assignment in newest:
        judged = Judged(id="", sequence=0, pod_sets=decode_pod_sets(pod_sets, requests))
        yield RunningOfUser(
            queue=queue or "",
            user=user,
            groups=tuple(groups),
            usage=usage_of(judged, decode_assignment(assignment)),
        )
