"""Attention items about workloads and queues."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from django.db.models import OuterRef, Subquery

from console.engine.model.amounts import Unlimited
from console.engine.model.reasons import reason_of
from console.orgs.models import Organization
from console.overview.items import MOST_SUBJECTS, Item, Kind, Subject
from console.workloads.models import (
    Event,
    EventType,
    PendingClass,
    QueueCount,
    State,
    Workload,
)
from console.workloads.queries.demand import (
    is_short_of_quota,
    reasons_without_position,
    short_of_quota_reasons,
)
from console.workloads.queries.queues import QueueView
from console.workloads.queries.waiting import MOST_WITHOUT_QUEUE, waiting_without_queue

#: Time range of reported rejections, and the maximum number that is read.
RECENT: Final = timedelta(hours=1)
MOST_REJECTED: Final = 500

#: How long workloads wait in a full queue before it becomes an item.
PATIENCE: Final = timedelta(minutes=15)

#: Maximum number of workloads that cannot run among which the oldest is searched.
_MOST_CANNOT_RUN: Final = 1000
#: Maximum number of queues that are examined, and of pending classes in them.
_MOST_QUEUES: Final = 100
_MOST_CLASSES: Final = 2000


def work_items(org: Organization, queues: Sequence[QueueView], now: datetime) -> Iterator[Item]:
    """Yield the items about all *queues* and their workloads."""
    yield from _rejected(org, now)
    yield from _cannot_run(org, queues)
    starved = list(_starved(org, queues))
    yield from _one_item(Kind.QUEUE_STARVED, starved)
    known = {subject.name for subject in starved}
    full = [view for view in queues if view.name not in known and _is_full(view)]
    yield from _one_item(Kind.QUEUE_AT_CEILING, _waiting_too_long(org, full, now))
    yield from _one_item(Kind.QUEUE_HELD, _held(queues))
    yield from _one_item(Kind.QUEUE_DRAINING, _draining(queues))


def _one_item(kind: Kind, found: Iterator[Subject] | Sequence[Subject]) -> Iterator[Item]:
    subjects = sorted(found, key=lambda each: (-each.count, each.name))
    if subjects:
        yield Item(
            kind=kind,
            count=len(subjects),
            since=min((each.since for each in subjects if each.since), default=None),
            subjects=tuple(subjects[:MOST_SUBJECTS]),
        )


def _rejected(org: Organization, now: datetime) -> Iterator[Item]:
    rows = Event.objects.filter(org=org, type=EventType.REQUEST_REJECTED).order_by("-pk")
    newest = rows.values_list("created_at", "data__reason")[:MOST_REJECTED]
    recent = [(moment, reason) for moment, reason in newest if moment >= now - RECENT]
    for reason, count in Counter(reason for _, reason in recent).items():
        yield Item(
            kind=Kind.REJECTED,
            reason=reason,
            count=count,
            is_exact=len(recent) < MOST_REJECTED,
            since=min(moment for moment, each in recent if each == reason),
        )


def _cannot_run(org: Organization, queues: Sequence[QueueView]) -> Iterator[Item]:
    by_reason: defaultdict[str, list[Subject]] = defaultdict(list)
    for view in queues:
        for reason, count in view.reasons.items():
            if reason_of(reason).cannot_run:
                by_reason[reason].append(Subject(name=view.name, count=count))
    without_queue = waiting_without_queue(org)
    are_all = sum(without_queue.values()) < MOST_WITHOUT_QUEUE
    lost = {
        reason: count for reason, count in without_queue.items() if reason_of(reason).cannot_run
    }
    oldest = _oldest_cannot_run(org, list(by_reason)) if by_reason else {}
    for reason in by_reason.keys() | lost.keys():
        subjects = sorted(by_reason[reason], key=lambda each: (-each.count, each.name))
        count = sum(each.count for each in subjects)
        yield Item(
            kind=Kind.CANNOT_RUN,
            reason=reason,
            count=count + lost.get(reason, 0),
            is_exact=are_all or reason not in lost,
            # Above the limit, the oldest is unknown.
            since=oldest.get(reason) if count < _MOST_CANNOT_RUN and reason not in lost else None,
            subjects=tuple(subjects[:MOST_SUBJECTS]),
        )


def _oldest_cannot_run(org: Organization, reasons: list[str]) -> dict[str, datetime]:
    """Return the oldest submission time among a limited number of workloads of each reason."""
    classes = PendingClass.objects.filter(org=org, reason__in=reasons).order_by("-count")
    of_class = dict(classes.values_list("key", "reason")[:MOST_SUBJECTS])
    rows = Workload.objects.filter(org=org, state=State.PENDING, pending_class__in=list(of_class))
    found: dict[str, datetime] = {}
    looked_at = rows.order_by().values_list("pending_class", "submitted_at")[:_MOST_CANNOT_RUN]
    for key, moment in looked_at:
        reason = of_class[key or ""]
        found[reason] = min(found.get(reason, moment), moment)
    return found


def _starved(org: Organization, queues: Sequence[QueueView]) -> Iterator[Subject]:
    """Yield the queues whose workloads wait for nominal quota that other queues use."""
    lent: dict[str, set[str]] = {}
    for view in queues:
        if is_short_of_quota(view.reasons):
            loans = [each for each in view.loans if each.lender == view.name]
            if loans and not all(loan.is_from_cohort for loan in loans):
                lent[view.name] = {f"{loan.flavor}/{loan.resource}" for loan in loans}
    names = list(lent)[:_MOST_QUEUES]
    rows = PendingClass.objects.filter(
        org=org, queue__in=names, reason__in=short_of_quota_reasons()
    ).order_by("-count")
    short: Counter[str] = Counter()
    for queue, missing, count in rows.values_list("queue", "missing", "count")[:_MOST_CLASSES]:
        if lent[queue] & missing.keys():
            short[queue] += count
    for view in queues:
        if view.name in short:
            yield Subject(
                name=view.name,
                count=short[view.name],
                since=view.oldest_pending,
                cohort=view.cohort or "",
            )


def _is_full(view: QueueView) -> bool:
    """Return whether workloads wait for quota in a queue that uses its limit."""
    return is_short_of_quota(view.reasons) and any(
        not isinstance(usage.limit, Unlimited) and usage.used >= usage.limit > 0
        for usage in view.usages
    )


def _waiting_too_long(
    org: Organization, full: Sequence[QueueView], now: datetime
) -> Iterator[Subject]:
    """Yield those of *full* in which workloads with a position have waited too long."""
    names = [view.name for view in full][:_MOST_QUEUES]
    without = reasons_without_position()
    classes = PendingClass.objects.filter(org=org, reason__in=without).order_by()
    pending = (
        Workload.objects.filter(org=org, queue=OuterRef("queue"), state=State.PENDING)
        .exclude(pending_class__in=classes.values("key"))
        .order_by("pk")
    )
    rows = QueueCount.objects.filter(org=org, queue__in=names)
    oldest = dict(
        rows.annotate(oldest=Subquery(pending.values("submitted_at")[:1])).values_list(
            "queue", "oldest"
        )
    )
    for view in full:
        since = oldest.get(view.name)
        if since is not None and since < now - PATIENCE:
            yield Subject(name=view.name, count=view.with_position, since=since)


def _held(queues: Sequence[QueueView]) -> Iterator[Subject]:
    for view in queues:
        if view.held:
            yield Subject(
                name=view.name,
                count=view.pending,
                since=view.held.since,
                until=view.held.until,
                actor=view.held.actor,
                note=view.held.reason,
            )


def _draining(queues: Sequence[QueueView]) -> Iterator[Subject]:
    for view in queues:
        if view.draining:
            yield Subject(name=view.name, count=view.running + view.pending)
