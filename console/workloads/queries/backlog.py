"""Pending workloads grouped by the facts that a config can match, read within limits."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.db.models import Count, Max, OuterRef, Subquery

from console.chunks import chunks
from console.engine.model.history import Backlog, Waiting
from console.engine.model.workload import Workload as Judged
from console.orgs.models import Organization
from console.workloads.models import LabelSet, PendingClass, State, Workload
from console.workloads.stored_pod_sets import decode_pod_sets

#: Maximum number of workloads that are read, the newest; and of kinds, the largest.
MOST_LOOKED, MOST_KINDS = 20_000, 2_000

#: Maximum number of classes of which one member is read beyond that, the largest.
MOST_CLASSES = 1_000


def backlog_of(org: Organization) -> Backlog:
    """
    Return the pending workloads of *org* by kind.

    Beyond the newest `MOST_LOOKED`, a pending class is assumed to consist of workloads like its
    newest members, or like any one member if it has none among the newest. Others may differ in
    labels that the active config does not match.
    """
    pending = Workload.objects.filter(org=org, state=State.PENDING).order_by("-pk")
    columns_of_kind = (
        *("label_set", "namespace", "requested_priority", "user", "groups"),
        "pending_class",
    )
    groups = list(
        Workload.objects.filter(pk__in=pending.values("pk")[:MOST_LOOKED])
        .order_by()
        .values(*columns_of_kind)
        .annotate(members=Count("pk"), one=Max("pk"))
        .order_by("-members", "-one")
        .values_list("one", "members", "pending_class")[: MOST_KINDS + 1]
    )
    is_whole = len(groups) <= MOST_KINDS and not pending[MOST_LOOKED : MOST_LOOKED + 1].exists()
    counts = {one: members for one, members, _ in groups}
    if not is_whole:
        counts = _scaled(groups, _classes(org))
    return Backlog(kinds=tuple(_kinds(counts)), is_whole=is_whole)


def _classes(org: Organization) -> dict[str, tuple[int, int]]:
    """Return one member and the size of each of the largest classes, by key."""
    member = Workload.objects.filter(org=org, pending_class=OuterRef("key"), state=State.PENDING)
    classes = (
        PendingClass.objects.filter(org=org)
        .order_by("-count", "key")
        .annotate(one=Subquery(member.order_by().values("pk")[:1]))
        .values_list("key", "one", "count")[:MOST_CLASSES]
    )
    return {key: (one, size) for key, one, size in classes if one is not None}


def _scaled(
    groups: list[tuple[int, int, str | None]], classes: dict[str, tuple[int, int]]
) -> dict[int, int]:
    """Return estimated sizes of *groups*, and of each class without a group by one member."""
    seen: Counter[str | None] = Counter()
    for _, members, key in groups:
        seen[key] += members
    counts = {one: size for key, (one, size) in classes.items() if not seen[key]}
    for one, members, key in groups:
        size = classes[key][1] if key in classes else 0
        counts[one] = max(members, members * size // seen[key])
    return counts


def _kinds(counts: dict[int, int]) -> list[Waiting]:
    keys = list(counts)
    rows: list[tuple[Any, ...]] = []
    columns = ("pk", "uid", "queue", "label_set_id", "namespace", "requested_priority")
    for some in chunks(keys):
        found = Workload.objects.filter(pk__in=some).order_by()
        rows += found.values_list(*columns, "requests", "pod_sets", "user", "groups")
    sets = sorted({row[3] for row in rows})
    labels: dict[int, dict[str, str]] = {}
    for some in chunks(sets):
        of_sets = LabelSet.objects.filter(pk__in=some)
        labels |= of_sets.values_list("pk", "labels")
    return [
        Waiting(
            workload=Judged(
                id=uid,
                sequence=pk,
                labels=labels[label_set],
                namespace=namespace,
                priority=priority,
                user=user,
                groups=tuple(groups),
                pod_sets=decode_pod_sets(pod_sets, requests),
            ),
            queue=queue,
            count=counts[pk],
        )
        for pk, uid, queue, label_set, namespace, priority, requests, pod_sets, user, groups in (
            sorted(rows)
        )
    ]
