"""Workloads as applications with asks, in the units of queues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from console.engine.disciplines.hierarchy.applications import Application, Ask
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.requests import GANG, HARD, of_pod
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, plus, times
from console.engine.disciplines.hierarchy.users import groups_of
from console.engine.model.workload import PodSet, Workload
from console.engine.pending.pending_class import Pending

#: Milliseconds until the pods of a gang need not start together any more.
_GANG_TIMEOUT: Final = 15 * 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationBuilder:
    """Makes applications of workloads."""

    #: Whether queues count the pods themselves.
    counts_pods: bool
    #: Returns the nodes that a pod set may use; None: all of them.
    allowed: Callable[[PodSet], frozenset[str] | None]
    #: Returns the node that a pod set names as the only one; None: it names none.
    required: Callable[[PodSet], str | None]

    def application(self, workload: Workload, queue: QueueUsage) -> Application:
        """Return an application without pods and asks."""
        return Application(
            id=workload.id,
            queue=queue,
            user=workload.user,
            groups=groups_of(workload.user, workload.groups),
            created=workload.sequence,
        )

    def ask(
        self,
        app: Application,
        workload: Workload,
        pod_set: PodSet,
        *,
        priority: int,
        submitted: int,
        count: int,
    ) -> Ask:
        """Return an ask for *count* pods of a pod set of *workload*."""
        return Ask(
            key=pod_set.name,
            app=app,
            resources=self._of_pod(pod_set),
            priority=priority,
            created=app.created,
            submitted=submitted,
            pending=count,
            is_repeated=True,
            may_be_preempted=workload.is_preemptible is not False,
            required_node=self.required(pod_set),
            allowed=self.allowed(pod_set),
        )

    def _of_pod(self, pod_set: PodSet) -> Resources:
        """Return what one pod uses: itself at least, because an ask for nothing gets no node."""
        is_empty = not any(pod_set.requests.values())
        return of_pod(pod_set.requests, counts_pods=self.counts_pods or is_empty)

    def asked(self, workload: Workload) -> tuple[Resources, int]:
        """Return what all pods of a workload use together, and their number."""
        total: Resources = NOTHING
        for each in workload.pod_sets:
            total = plus(total, times(self._of_pod(each), each.count))
        return total, sum(each.count for each in workload.pod_sets)

    def unit_of(self, pending: Pending, app: Application, now: int) -> tuple[tuple[Ask, int], ...]:
        """
        Return the pods that start together: the minimum of a gang.

        After its timeout, the pods of a soft gang start one by one.
        """
        if not starts_together(pending, now):
            return ()
        minima = {each.name: each.minimum for each in pending.workload.pod_sets}
        return tuple((ask, minima[ask.key]) for ask in app.asks if minima[ask.key])


def is_gang(workload: Workload) -> bool:
    """Return whether a workload states pods that have to start together."""
    return any(each.min_count is not None for each in workload.pod_sets)


def starts_together(pending: Pending, now: int) -> bool:
    """Return whether pods of a workload have to start together: a gang whose time has not ended."""
    expires = gang_expiry(pending)
    return expires is not None and expires > now


def is_hard_gang(workload: Workload) -> bool:
    """Return whether a gang is refused after its timeout; otherwise its pods start one by one."""
    return _gang_facts(workload).get("style") == HARD


def gang_expiry(pending: Pending) -> int | None:
    """Return when the pods of a gang need not start together any more; None: it is no gang."""
    if not is_gang(pending.workload):
        return None
    timeout = _gang_facts(pending.workload).get("timeout")
    milliseconds = timeout * 1000 if isinstance(timeout, int) and timeout > 0 else _GANG_TIMEOUT
    return pending.workload.pending_since + milliseconds


def _gang_facts(workload: Workload) -> Mapping[str, object]:
    facts = (workload.placement or {}).get(GANG)
    return facts if isinstance(facts, dict) else {}
