"""Load the requests of pending workloads that a state has not restored one by one."""

from __future__ import annotations

from collections import defaultdict

from console.engine.disciplines import load_discipline
from console.engine.model.reasons import registered_reasons
from console.engine.pending.pending_class import PREEMPTOR
from console.engine.pending.unrestored import UnrestoredClass
from console.engine.state import State
from console.orgs.models import Organization
from console.workloads.models import PendingClass


def load_requests(state: State, org: Organization) -> None:
    """
    Give the queues of *state* the classes of their active pending workloads.

    Restored members do not count.

    Call this after pending workloads are routed. Preempting workloads are always restored. Does
    nothing if the discipline does not read the requests.
    """
    if not load_discipline(state.policy.discipline).reads_requests:
        return
    deactivated = [str(each) for each in registered_reasons() if each.is_deactivated]
    rows = PendingClass.objects.filter(org=org).exclude(key__startswith=PREEMPTOR)
    rows = rows.exclude(reason__in=deactivated)
    found: defaultdict[str, list[UnrestoredClass]] = defaultdict(list)
    for queue, key, priority, requests, count in rows.values_list(
        "queue", "key", "priority", "requests", "count"
    ):
        there = state.queues.get(queue)
        restored = there.pending.classes.get(key) if there is not None else None
        rest = count - (len(restored) if restored is not None else 0)
        if rest > 0:
            found[queue].append(UnrestoredClass(priority=priority, requests=requests, count=rest))
    for name, there in state.queues.items():
        there.unrestored = tuple(found[name])
