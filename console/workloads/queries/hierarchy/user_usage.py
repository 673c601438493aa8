"""Use of queues by users and groups, from the rows of running workloads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Final, TypeAlias

from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.disciplines.hierarchy.user_report import (
    HolderUse,
    RunningOfUser,
    user_report,
)
from console.engine.model.policy import Policy
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.workloads.models import Workload
from console.workloads.queries.freshness import present_state
from console.workloads.queries.running import RUNNING
from console.workloads.queries.sections import USERS, has_section
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_pod_sets import decode_pod_sets

#: Maximum number of running workloads that are read, the newest.
MOST_RUNNING: Final = 20_000

#: Maximum number of organizations whose report is kept per process.
_KEPT: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class UserUse:
    """What users and groups use, those with the tightest limit first."""

    holders: tuple[HolderUse, ...] = ()
    #: Whether all running workloads were counted. If not, the numbers are minimums.
    is_complete: bool = True


#: Key and creation time of an organization, because a restored database may reuse a key.
_Org: TypeAlias = tuple[int, datetime]

_lock = Lock()
_kept: OrderedDict[_Org, tuple[str, Policy, UserUse]] = OrderedDict()


def user_use_of(org: Organization) -> UserUse | None:
    """
    Return the use of queues by users and groups; None if queues have no limits for them.

    Running workloads are read again only after a write of the worker or an apply.
    """
    policy = active_policy(org)
    if not has_section(policy, USERS):
        return None
    # Read before the rows: what is written in between is found by the next call.
    state, key = present_state(org), (org.pk, org.created_at)
    with _lock:
        known = _kept.get(key)
    if known is not None and known[0] == state and known[1] is policy:
        return known[2]
    running = list(_running(org))
    found = UserUse(
        holders=user_report(hierarchy_of(policy), running[:MOST_RUNNING]),
        is_complete=len(running) <= MOST_RUNNING,
    )
    with _lock:
        _kept[key] = state, policy, found
        _kept.move_to_end(key)
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return found


def _running(org: Organization) -> Iterator[RunningOfUser]:
    rows = Workload.objects.filter(org=org, queue__isnull=False, state__in=RUNNING)
    columns = ("queue", "user", "groups", "requests", "pod_sets", "assignment")
    newest = rows.order_by("-pk").values_list(*columns)[: MOST_RUNNING + 1]
    for queue, user, groups, requests, pod_sets, assignment in newest:
        asked = {each.name: each.requests for each in decode_pod_sets(pod_sets, requests)}
        yield RunningOfUser(
            queue=queue or "",
            user=user,
            groups=tuple(groups),
            pods=[
                (asked[each.name], each.count + sum(place.count for place in each.stopping))
                for each in decode_assignment(assignment)
            ],
        )
