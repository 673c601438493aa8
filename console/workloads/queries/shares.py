"""
Shares of queues: what each is entitled to on the present nodes, also with one number changed.

The queries read rows whose number grows with queues, nodes and kinds of workloads, never with the
number of workloads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.db.models import Count
from django.utils import timezone

from console.capacity.queries.inventory import load_inventory
from console.engine.disciplines import load_discipline
from console.engine.disciplines.share_report import (
    NumberChange,
    QueueShares,
    RunningKind,
    ShareFacts,
    ShareReport,
)
from console.engine.live.mutations import usage_of
from console.engine.model.policy import Policy
from console.engine.model.workload import Workload as Judged
from console.errors import BadRequest, FieldError
from console.orgs.models import Organization
from console.policies.queries import active_policy
from console.workloads.models import PendingClass, Workload
from console.workloads.queries.running import RUNNING
from console.workloads.queries.usage_history import usage_history_of
from console.workloads.queries.used import used_of
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_facts import decode_facts
from console.workloads.stored_pod_sets import decode_pod_sets

#: Maximum number of kinds of running workloads that are read, the most frequent.
MOST_KINDS: Final = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The shares of all queues, and those with the requested change; None: none was requested."""

    policy: Policy
    report: ShareReport
    changed: ShareReport | None = None


def shares_of(
    org: Organization,
    change: NumberChange | None = None,
    *,
    reclaiming: str | None = None,
) -> Shares | None:
    """
    Return the shares of all queues of *org*, and what they would be with *change*.

    None if its queues have no shares. Only for the queue *reclaiming*, the report has what the
    queue may reclaim. Raises BadRequest if the number to change does not exist.
    """
    policy = active_policy(org)
    if not has_shares(policy):
        return None
    if change is not None and change.queue not in policy.queues:
        text = f"There is no queue {change.queue!r} in the active config."
        raise BadRequest([FieldError("queue", "invalid_choice", text)])
    discipline = load_discipline(policy.discipline)
    facts = _facts(org)
    report = discipline.share_report(policy, facts, reclaiming=reclaiming)
    assert report is not None, "disciplines with the section have shares"
    if change is None:
        return Shares(policy=policy, report=report)
    if change.resource and change.resource not in report.total:
        text = f"resource has to be one of: {', '.join(report.total)}."
        raise BadRequest([FieldError("resource", "invalid_choice", text)])
    return Shares(
        policy=policy, report=report, changed=discipline.share_report(policy, facts, change)
    )


def queue_shares(org: Organization, queue: str) -> QueueShares | None:
    """Return the shares of one queue, with what it may reclaim; None if it has none."""
    found = shares_of(org, reclaiming=queue)
    listed = found.report.queues if found is not None else ()
    return next((each for each in listed if each.name == queue), None)


def has_shares(policy: Policy) -> bool:
    """Return whether queues of *policy* have shares."""
    sections = load_discipline(policy.discipline).sections()
    return any(each.key == "shares" for each in sections)


def _facts(org: Organization) -> ShareFacts:
    requested: defaultdict[str, dict[str, int]] = defaultdict(dict)
    first: dict[str, dict[str, int]] = {}
    classes = PendingClass.objects.filter(org=org).order_by("queue", "-priority", "pk")
    for queue, requests, count in classes.values_list("queue", "requests", "count"):
        first.setdefault(queue, requests)
        total = requested[queue]
        for resource, amount in requests.items():
            total[resource] = total.get(resource, 0) + amount * count
    return ShareFacts(
        inventory=load_inventory(org.pk),
        used=used_of(org),
        requested=requested,
        first=first,
        running=tuple(_running(org)),
        history=usage_history_of(org),
        now=int(timezone.now().timestamp() * 1000),
    )


def _running(org: Organization) -> Iterator[RunningKind]:
    alike = (
        Workload.objects.filter(org=org, queue__isnull=False, state__in=RUNNING)
        .order_by()
        .values("queue", "priority", "facts", "requests", "pod_sets", "assignment")
        .annotate(members=Count("pk"))
        .order_by("-members")
    )
    columns = ("queue", "priority", "facts", "requests", "pod_sets", "assignment", "members")
    for queue, priority, facts, requests, pod_sets, assignment, members in alike.values_list(
        *columns
    )[:MOST_KINDS]:
        judged = Judged(id="", sequence=0, pod_sets=decode_pod_sets(pod_sets, requests))
        yield RunningKind(
            queue=queue,
            priority=priority or 0,
            is_preemptible=decode_facts(facts).is_preemptible,
            usage=usage_of(judged, decode_assignment(assignment)),
            count=members,
        )
