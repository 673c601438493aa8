"""Measure the top consumers of each resource among a limited number of running workloads."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from django.db.models import F, Q

from console.orgs.models import Organization
from console.overview.consumers import KINDS, MOST_RESOURCES, MOST_ROWS, Consumer, encode
from console.overview.models import Consumption
from console.overview.task_limits import MAX_ORGS_PER_RUN
from console.workloads.models import Engine, Workload
from console.workloads.queries.nodes import RUNNING
from console.workloads.stored_pod_sets import decode_pod_sets

#: Maximum number of workloads in each state, the oldest first.
MOST_LOOKED_AT: Final = 10_000

#: How long a measurement is valid.
_VALID_FOR: Final = timedelta(minutes=5)

_COLUMNS = ("uid", "name", "project", "user", "queue", "requests", "pod_sets", "assignment")


class _Seen(NamedTuple):
    """A running workload and its used quota."""

    uid: str
    name: str
    project: str
    user: str
    queue: str
    held: Mapping[str, int]
    since: datetime


def due_consumptions(now: datetime) -> list[int]:
    """
    Return the keys of organizations whose measurement has expired.

    At most `MAX_ORGS_PER_RUN`, those measured longest ago first, so that each gets its turn.
    """
    of_org = "org__consumption"
    # If the last measurement found no running workload and no decision changed since, skip it.
    is_due = Q(**{of_org: None}) | Q(**{f"{of_org}__measured_at__lt": now - _VALID_FOR}) & (
        Q(**{f"{of_org}__looked_through__gt": 0}) | Q(settled_at__gte=F(f"{of_org}__measured_at"))
    )
    waits_longest = F(f"{of_org}__measured_at").asc(nulls_first=True)
    rows = Engine.objects.filter(is_due).order_by(waits_longest, "pk")
    return list(rows.values_list("pk", flat=True)[:MAX_ORGS_PER_RUN])


def measure_consumers(org_id: int, now: datetime) -> None:
    """Rewrite the top consumers; does nothing if the organization is deleted."""
    if not Organization.objects.filter(pk=org_id).exists():
        return
    seen, is_whole = _running(org_id, now)
    common = Counter(resource for each in seen for resource in each.held)
    Consumption.objects.update_or_create(
        org_id=org_id,
        defaults={
            "resources": {
                resource: {kind: _top(kind, resource, seen, now) for kind in KINDS}
                for resource, _ in common.most_common(MOST_RESOURCES)
            },
            "looked_through": len(seen),
            "is_whole": is_whole,
            "measured_at": now,
        },
    )


def _running(org_id: int, now: datetime) -> tuple[list[_Seen], bool]:
    found: list[_Seen] = []
    is_whole = True
    for state in RUNNING:
        rows = Workload.objects.filter(org=org_id, state=state).order_by("pk")
        columns = rows.values_list(*_COLUMNS, "admitted_at")[: MOST_LOOKED_AT + 1]
        part = list(columns)
        is_whole = is_whole and len(part) <= MOST_LOOKED_AT
        for uid, name, project, user, queue, requests, pod_sets, assignment, since in part[
            :MOST_LOOKED_AT
        ]:
            held = _held(requests, pod_sets, assignment)
            found.append(_Seen(uid, name, project, user, queue or "", held, since or now))
    return found, is_whole


def _held(
    requests: Mapping[str, int],
    pod_sets: Sequence[Any],
    assignment: Iterable[Mapping[str, Any]],
) -> Mapping[str, int]:
    """Return the used quota of a workload: less than requested in a partial admission."""
    if not pod_sets:
        return requests
    counts = {each["name"]: each["count"] for each in assignment}
    held: Counter[str] = Counter()
    for each in decode_pod_sets(pod_sets, requests):
        for resource, amount in each.requests.items():
            held[resource] += amount * counts.get(each.name, each.count)
    return held


def _top(kind: str, resource: str, seen: Iterable[_Seen], now: datetime) -> list[dict[str, Any]]:
    of_one: defaultdict[str, list[_Seen]] = defaultdict(list)
    for each in seen:
        if each.held.get(resource):
            of_one[getattr(each, "uid" if kind == "workload" else kind)].append(each)
    consumers = sorted(
        _consumers(kind, resource, of_one, now),
        key=lambda each: (-each.hours, -each.held, each.name, each.uid),
    )
    return [encode(each) for each in consumers[:MOST_ROWS]]


def _consumers(
    kind: str, resource: str, of_one: Mapping[str, Sequence[_Seen]], now: datetime
) -> Iterator[Consumer]:
    for key, workloads in of_one.items():
        is_workload = kind == "workload"
        yield Consumer(
            name=workloads[0].name if is_workload else key,
            uid=key if is_workload else "",
            queue=workloads[0].queue if is_workload else "",
            workloads=len(workloads),
            held=sum(each.held[resource] for each in workloads),
            hours=sum(_hours(each, resource, now) for each in workloads),
            since=min(each.since for each in workloads),
        )


def _hours(seen: _Seen, resource: str, now: datetime) -> int:
    seconds = max(0, int((now - seen.since).total_seconds()))
    return seen.held[resource] * seconds // 3600
