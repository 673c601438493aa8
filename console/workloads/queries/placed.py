"""Running workloads with their pods and places, the newest of them."""

from __future__ import annotations

from typing import Final

from console.orgs.models import Organization
from console.paging import newest_of
from console.workloads.models import State, Workload
from console.workloads.queries.running import RUNNING

#: Maximum number of workloads of each state that are read, the newest.
MOST_READ: Final = 10_000

#: Maximum number of workloads of each state that may need or give back pods, the newest.
MOST_CHANGING: Final = 2_000

_COLUMNS: Final = (
    *("uid", "name", "namespace", "user", "groups", "queue", "priority", "state"),
    *("requests", "pod_sets", "assignment", "remaining_pods", "submitted_at", "admitted_at"),
)


def newest_running(org: Organization) -> tuple[list[Workload], bool]:
    """
    Return the running workloads, oldest first, and whether they are all.

    At most the newest `MOST_READ` of each state are read.
    """
    found: list[Workload] = []
    is_whole = True
    for state in RUNNING:
        rows = Workload.objects.filter(org=org, state=state, queue__isnull=False)
        newest = sorted(newest_of(rows, MOST_READ + 1).only(*_COLUMNS), key=lambda each: each.pk)
        is_whole = is_whole and len(newest) <= MOST_READ
        found += newest[-MOST_READ:]
    return sorted(found, key=lambda each: each.pk), is_whole


def changing_pods(org: Organization) -> list[Workload]:
    """
    Return the running workloads that may miss pods, and those that have to stop.

    Few workloads have several pods. At most the newest `MOST_CHANGING` of each state are read.
    """
    rows = Workload.objects.filter(org=org, queue__isnull=False).only(*_COLUMNS).order_by("-pk")
    wide = rows.filter(state=State.ADMITTED).exclude(pod_sets=[])
    return [*wide[:MOST_CHANGING], *rows.filter(state=State.PREEMPTING)[:MOST_CHANGING]]
