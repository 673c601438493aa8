"""Queues of a partition: a whole tree, or one queue."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.errors import Missing, WrongParameter
from console.api.yunikorn.partition_state import OrganizationState, PartitionState
from console.api.yunikorn.shapes import percentages, present
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.runtime_queue import QueueStatus
from console.engine.disciplines.hierarchy.spec import Template
from console.engine.disciplines.hierarchy.tree import QUEUE_NAME
from console.engine.model.go_durations import NANOSECONDS_IN_MILLISECOND, write_go_duration
from console.reading import printable


class QueueTree(SchedulerView):
    """All queues of a partition."""

    def get(self, request: Request, partition: str) -> Response:
        """Return the root with all queues below it."""
        state = partition_state(self, partition, with_requests=True)
        return Response(_answer(state, state.root, is_whole=True))


class OneQueue(SchedulerView):
    """One queue of a partition."""

    parameters = ("subtree",)

    def get(self, request: Request, partition: str, queue: str) -> Response:
        """Return the queue; with ``subtree``, those below it, too."""
        state = partition_state(self, partition, with_requests=True)
        found = find_queue(state, queue)
        return Response(_answer(state, found, is_whole="subtree" in request.query_params))


def partition_state(
    view: SchedulerView, name: str, *, with_requests: bool = False
) -> PartitionState:
    """Return the state of a partition as `OrganizationState.partition` does; raises Missing."""
    partition = view.partition(name)
    state = OrganizationState(view.actor.org, view.spec)
    return state.partition(partition.name, with_requests=with_requests)


def read_queue(text: str) -> str:
    """Return the path of a queue in lower case; raises WrongParameter for an invalid name."""
    for name in text.split("."):
        if not QUEUE_NAME.fullmatch(name):
            raise WrongParameter(
                "queue",
                f"problem in queue query parameter parsing as queue param {text} contains invalid "
                f"queue name {name}. Queue name must only have alphanumeric characters, - or _, "
                "and be no longer than 64 characters",
                f'"{printable(name)}" is not a name of a queue: names have up to 64 letters, '
                "digits and _ : # / @ -, with dots between the names of a path.",
            )
    return text.lower()


def find_queue(state: PartitionState, text: str) -> QueueUsage:
    """Return a queue by its path in any case; raises Missing or WrongParameter."""
    found = state.queues.get(read_queue(text))
    if found is None:
        raise Missing(
            "Queue not found", f"There is no queue {text!r} in the partition {state.name}."
        )
    return found


def _answer(state: PartitionState, usage: QueueUsage, *, is_whole: bool) -> dict[str, Any]:
    queue = usage.queue
    settings = queue.settings
    children = list(usage.children.values())
    is_draining = queue.path in state.draining
    return {
        "queuename": queue.path,
        "status": (QueueStatus.DRAINING if is_draining else queue.status).value,
        "partition": state.name,
        "isLeaf": queue.is_leaf,
        "isManaged": queue.is_managed or is_draining,
        "currentPriority": usage.priority,
        "prioritySorting": settings.sorts_by_priority,
        "preemptionEnabled": settings.preempts,
        "isPreemptionFence": settings.is_preemption_fence,
        "isPriorityFence": settings.is_priority_fence,
        **present(
            pendingResource=usage.pending,
            maxResource=queue.maximum,
            guaranteedResource=queue.guaranteed,
            allocatedResource=usage.allocated,
            preemptingResource=usage.preempting,
            headroom=usage.headroom(),
            absUsedCapacity=percentages(queue.maximum, usage.allocated),
            properties=queue.properties,
            parent=queue.parent.path if queue.parent is not None else "",
            template=_template(queue.template),
            children=[_answer(state, each, is_whole=True) for each in children] if is_whole else (),
            childNames=[each.path for each in children],
            maxRunningApps=queue.applications,
            runningApps=usage.running,
            sortingPolicy=settings.sort.value,
            preemptionDelay=_duration(settings.preemption_delay),
            quotaPreemptionDelay=_duration(settings.quota_preemption_delay),
            priorityOffset=settings.priority_offset,
            unschedAskBackoff=settings.backoff,
            askBackoffDelay=_duration(settings.backoff_delay) if settings.backoff else "",
        ),
    }


def _template(template: Template | None) -> dict[str, Any] | None:
    if template is None:
        return None
    return present(
        maxApplications=template.applications,
        maxResource=template.maximum,
        guaranteedResource=template.guaranteed,
        properties=template.properties,
    )


def _duration(milliseconds: int) -> str:
    return write_go_duration(milliseconds * NANOSECONDS_IN_MILLISECOND)
