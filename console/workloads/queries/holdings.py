"""Holdings: quota used by running workloads of queues, with equal workloads grouped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any, Final

from django.db.models import Count

from console.chunks import chunks
from console.engine.live.mutations import usage_of
from console.engine.model.consequences import Holding
from console.engine.model.workload import Workload as Judged
from console.orgs.models import Organization
from console.workloads.models import Workload
from console.workloads.queries.running import RUNNING
from console.workloads.stored_assignments import decode_assignment
from console.workloads.stored_pod_sets import decode_pod_sets

#: Maximum number of kinds that are read, the most frequent.
MOST_KINDS: Final = 2_000


def holdings_of(org: Organization, queues: Collection[str]) -> dict[str, list[Holding]]:
    """
    Return the quota of running workloads by queue, with one entry for equal ones.

    Evicting workloads, which hold their quota, are included. Beyond `MOST_KINDS` kinds, the rest
    is omitted.
    """
    found: defaultdict[str, list[Holding]] = defaultdict(list)
    kinds: list[tuple[Any, ...]] = []
    for some in chunks(sorted(queues)):
        rows = Workload.objects.filter(org=org, queue__in=some, state__in=RUNNING).order_by()
        alike = rows.values("queue", "requests", "pod_sets", "assignment")
        counted = alike.annotate(members=Count("pk")).order_by("-members")
        columns = ("queue", "requests", "pod_sets", "assignment", "members")
        kinds += counted.values_list(*columns)[: MOST_KINDS - len(kinds)]
    for queue, requests, pod_sets, assignment, members in kinds:
        judged = Judged(id="", sequence=0, labels={}, pod_sets=decode_pod_sets(pod_sets, requests))
        found[queue].append((usage_of(judged, decode_assignment(assignment)), members))
    return found
