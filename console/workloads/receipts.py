"""
Receipts of preemptions: the freed quota, the beneficiary, and the preemption policy.

The number of a receipt is that of the decision that preempted the victim. It is the same for both
workloads, except for names that a reader may not see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import QuerySet

from console.engine.explain import StageText
from console.engine.model.decision import Outcome
from console.errors import NotFound
from console.orgs.permissions import Actor
from console.paging import Page, merged_newest_first
from console.workloads.disclosure import Disclosed, disclose, for_reader
from console.workloads.explanations import Explained, explain_decision
from console.workloads.models import Decision, Event, EventType, State, Workload
from console.workloads.org_filter import in_org
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_pod_sets import decode_pod_sets

#: Events that end the stop of a preempted workload and free its quota.
_RELEASES = (
    EventType.REQUEST_RELEASED,
    EventType.REQUEST_FULFILLED,
    EventType.REQUEST_ABORTED,
    EventType.REQUEST_FAILED,
)

#: Maximum number of preemptions of one workload that are counted.
MOST_COUNTED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the two workloads, with the facts that the reader may see."""

    #: None if the reader may not see the workload.
    uid: str | None
    name: str
    queue: str | None
    priority: int | None
    #: Its requests by resource, in thousandths; empty if the workload is deleted.
    requests: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preemption:
    """The summary of one preemption."""

    number: int
    at: datetime
    reason: str
    config_version: int
    #: Whether the requested workload is the victim.
    is_victim: bool
    victim: Side
    #: None if it was not preempted for another workload.
    beneficiary: Side | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """One preemption with all known details."""

    preemption: Preemption
    #: The reason of the preemption, from the decision.
    explained: Explained
    #: The preemption policy that allowed it, with lines of the config.
    policy: StageText | None
    #: The search for victims that selected it; None if that is not recorded.
    search: StageText | None
    #: The quota that it used and that is freed, in thousandths by "flavor/resource".
    frees: Mapping[str, int]
    #: Time and event type of the release; None if it is still to come, or no longer recorded.
    released_at: datetime | None
    released_by: str | None
    #: Whether the victim is still stopping and uses its quota.
    is_stopping: bool
    #: Display names of workloads that may be linked, by id.
    names: Mapping[str, str]
    #: Number of preemptions of the victim up to this one, and of those for the same beneficiary.
    times: int
    times_for_it: int


def preemptions_of(
    actor: Actor, workload: Workload, limit: int, cursor: str | None = None
) -> Page[Preemption]:
    """Return preemptions of *workload* and preemptions of others for it, newest first."""
    stops = Decision.objects.filter(org=actor.org, outcome=Outcome.PREEMPTED.value)
    rows = stops.select_related("workload__label_set").defer("trace")
    walks = (_preemptions_of(workload), stops.filter(preemptor=workload.uid))
    page = merged_newest_first(rows, walks, limit, cursor)
    others = [row.workload.uid for row in page.results]
    others += [row.preemptor for row in page.results if row.preemptor]
    disclosed = disclose(actor, set(others) - {workload.uid})
    beneficiaries = _by_uid(actor, {row.preemptor for row in page.results if row.preemptor})
    summary = [_summary(row, workload, disclosed, beneficiaries) for row in page.results]
    return Page(summary, page.next)


def _preemptions_of(workload: Workload) -> QuerySet[Decision]:
    """Return the decisions that preempted *workload*."""
    # No filter on the organization: its index would make the database scan all its decisions.
    return Decision.objects.filter(workload=workload, outcome=Outcome.PREEMPTED.value)


def get_receipt(actor: Actor, workload: Workload, number: int) -> Receipt:
    """Return receipt *number* of *workload*; raises NotFound if *workload* is on neither side."""
    stops = Decision.objects.filter(org=actor.org, outcome=Outcome.PREEMPTED.value)
    row = stops.select_related("workload__label_set").filter(pk=number).first()
    if row is None or workload.uid not in (row.workload.uid, row.preemptor):
        raise NotFound(f"There is no preemption {number} of the workload {workload.uid!r}.")
    disclosed = disclose(actor, {row.workload.uid, row.preemptor or ""} - {workload.uid, ""})
    explained = for_reader(actor, explain_decision(actor.org, row))
    searched = _search(actor, row)
    ended = _release_event(row)
    mine = _preemptions_of(row.workload).filter(pk__lte=row.pk)
    told_for = list(mine.order_by("-pk").values_list("preemptor", flat=True)[:MOST_COUNTED])
    summary = _summary(row, workload, disclosed, _by_uid(actor, {row.preemptor or ""}))
    return Receipt(
        preemption=_as_of_preemption(summary, explained),
        explained=explained,
        policy=_stage(explained),
        search=_stage(searched) if searched is not None else None,
        frees=_freed_quota(row),
        released_at=ended.created_at if ended is not None else None,
        released_by=ended.type if ended is not None else None,
        is_stopping=row.workload.state == State.PREEMPTING and ended is None,
        names={**explained.names, **(searched.names if searched is not None else {})},
        times=len(told_for),
        times_for_it=told_for.count(row.preemptor),
    )


def _summary(
    row: Decision,
    subject: Workload,
    disclosed: Disclosed,
    beneficiaries: Mapping[str, Workload],
) -> Preemption:
    beneficiary = None
    if row.preemptor:
        found = beneficiaries.get(row.preemptor)
        beneficiary = _side(row.preemptor, found, subject, disclosed)
    victim = _side(row.workload.uid, row.workload, subject, disclosed)
    return Preemption(
        number=row.pk,
        at=row.created_at,
        reason=row.reason,
        config_version=row.config_version,
        is_victim=row.workload.uid == subject.uid,
        victim=replace(victim, queue=row.queue, priority=row.priority),
        beneficiary=beneficiary,
    )


def _as_of_preemption(summary: Preemption, explained: Explained) -> Preemption:
    """Return *summary* with the requests of the beneficiary at the time of the preemption."""
    step = explained.trace.preempted
    if summary.beneficiary is None or step is None:
        return summary
    beneficiary = replace(
        summary.beneficiary,
        queue=step.queue,
        priority=step.preemptor_priority,
        requests=step.preemptor_requests,
    )
    return replace(summary, beneficiary=beneficiary)


def _side(uid: str, workload: Workload | None, subject: Workload, disclosed: Disclosed) -> Side:
    name = subject.name if uid == subject.uid else disclosed.names[uid]
    return Side(
        uid=None if uid in disclosed.hidden else uid,
        name=name,
        queue=workload.queue if workload is not None else None,
        priority=workload.priority if workload is not None else None,
        requests=workload.requests if workload is not None else {},
    )


def _by_uid(actor: Actor, uids: set[str]) -> dict[str, Workload]:
    return {each.uid: each for each in in_org(Workload.objects.filter(uid__in=uids), actor.org)}


def _stage(explained: Explained) -> StageText | None:
    stages = explained.explanation.stages
    return next((stage for stage in stages if stage.stage == "preemption"), None)


def _search(actor: Actor, row: Decision) -> Explained | None:
    """Return the search for victims in the beneficiary's decision."""
    if not row.preemptor:
        return None
    beneficiary = Workload.objects.filter(org=actor.org, uid=row.preemptor).first()
    earlier = Decision.objects.filter(workload=beneficiary, created_at__lte=row.created_at)
    for decided in earlier.order_by("-pk")[:3]:
        if row.workload.uid in decided.victims:
            return for_reader(actor, explain_decision(actor.org, decided))
    return None


def _freed_quota(row: Decision) -> dict[str, int]:
    """Return the quota of the victim at the time of the preemption."""
    admitted = Decision.objects.filter(
        workload=row.workload, outcome=Outcome.ADMITTED.value, pk__lt=row.pk
    )
    last = admitted.order_by("-pk").values_list("assignment", flat=True).first()
    given = {each.name: each for each in decode_assignment(last or row.workload.assignment)}
    held: dict[str, int] = defaultdict(int)
    for pod_set in decode_pod_sets(row.workload.pod_sets, row.workload.requests):
        got = given.get(pod_set.name)
        if got is None:
            continue
        for resource, amount in pod_set.requests.items():
            if resource in got.flavors:
                held[f"{got.flavors[resource]}/{resource}"] += amount * got.count
    return dict(held)


def _release_event(row: Decision) -> Event | None:
    events = Event.objects.filter(
        workload=row.workload, type__in=_RELEASES, created_at__gte=row.created_at
    )
    return events.order_by("pk").first()
