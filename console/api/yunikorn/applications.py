"""Applications: the workloads of an organization."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.yunikorn.allocations import (
    NodeNames,
    allocation,
    ask,
    missing_pods,
    pod_groups,
    requested_by,
    used_by,
)
from console.api.yunikorn.application_states import (
    ACTIVE,
    LISTS,
    NEW,
    STATUSES,
    state_log,
    state_name,
)
from console.api.yunikorn.base import SchedulerView
from console.api.yunikorn.errors import Missing, WrongParameter
from console.api.yunikorn.paging import PARAMETERS, limit_of, page_answer
from console.api.yunikorn.queues import find_queue, partition_state, read_queue
from console.api.yunikorn.shapes import nanoseconds, present
from console.capacity.queries.kept_inventory import present_inventory
from console.dialects.yunikorn.routing import PlacementRouting
from console.engine.disciplines.hierarchy.original_messages import (
    message_of_reason,
    original_messages,
)
from console.engine.explain.sentences import ExplainContext
from console.engine.model.workload import Workload as Judged
from console.engine.wording.reasons import reason_message
from console.errors import NotFound
from console.paging import Page
from console.policies.queries import policy_of
from console.reading import printable
from console.workloads.disclosure import for_reader
from console.workloads.explanations import explain_workload
from console.workloads.models import State, Workload
from console.workloads.queries import get_workload, reason_of
from console.workloads.queries.applications import list_of_states
from console.workloads.queries.decisions import record_of_reason

#: The states of workloads that wait or were refused, for a reason.
_EXPLAINED: Final = (State.PENDING, State.REJECTED)


class ApplicationView(SchedulerView):
    """An endpoint about applications."""

    def answers(self, workloads: Iterable[Workload]) -> list[dict[str, Any]]:
        """Return applications; why they wait is told by their reason."""
        names = NodeNames(present_inventory(self.actor.org).clusters.values())
        return [self.answer(each, names, _brief(each)) for each in workloads]

    def answer(
        self, workload: Workload, names: NodeNames, messages: Sequence[str], count: int = 1
    ) -> dict[str, Any]:
        """
        Return one application; *messages* tell why it waits or was refused.

        *count* is how many decisions have had that reason.
        """
        partition, path = self._place(workload)
        missing = missing_pods(workload)
        log = [{"message": each, "count": count} for each in messages]
        uid = workload.uid
        return {
            "applicationID": uid,
            "partition": partition,
            "queueName": path,
            **present(
                usedResource=used_by(workload),
                pendingResource=requested_by(missing),
                submissionTime=nanoseconds(workload.submitted_at),
                startTime=nanoseconds(workload.admitted_at),
                finishedTime=nanoseconds(workload.ended_at),
                requests=[ask(workload, *each, uid, log) for each in missing],
                allocations=[
                    allocation(workload, group, names, uid) for group in pod_groups(workload)
                ],
                applicationState=state_name(workload),
                user=workload.user,
                groups=workload.groups,
                rejectedMessage=("\n".join(messages) if workload.state == State.REJECTED else ""),
                stateLog=state_log(workload),
                maxRequestPriority=(workload.priority or 0) if missing else 0,
            ),
        }

    def _place(self, workload: Workload) -> tuple[str, str]:
        """Return the partition and the queue of a workload; without a queue, an empty text."""
        if workload.queue is not None:
            partition, path = self.spec.split(workload.queue)
            return (partition.name if partition is not None else "", path)
        return self._routing_partition(workload), ""

    def _routing_partition(self, workload: Workload) -> str:
        routing = policy_of(self.version).routing
        assert isinstance(routing, PlacementRouting)
        labels: Mapping[str, str] = getattr(workload, "labels", {})
        judged = Judged(id=workload.uid, sequence=workload.pk, labels=labels)
        return routing.partition_of(judged)[0].name

    def page(self, request: Request, partition: str, states: Sequence[State]) -> Page[Workload]:
        """Return one page of the workloads of a partition in some states."""
        found = list_of_states(
            self.actor.org, states, limit_of(self, request), request.query_params.get("cursor")
        )
        if len(self.spec.partitions) == 1:
            return found
        # Workloads without a queue have their partition in a label, so each row is looked at.
        rows = [each for each in found.results if self._place(each)[0] == partition]
        return Page(rows, found.next)


class PartitionApplications(ApplicationView):
    """The applications of a partition in some states."""

    parameters = (*PARAMETERS, "status")

    def get(self, request: Request, partition: str, state: str) -> Response:
        """List the applications, newest first."""
        name = self.partition(partition).name
        states, status = _read_states(request, state, tuple(LISTS))
        page = self.page(request, name, states)
        return page_answer(request, self.answers(_of_status(page.results, status)), page.next)


class QueueApplications(ApplicationView):
    """The active applications of a leaf queue."""

    parameters = (*PARAMETERS, "status")

    def get(self, request: Request, partition: str, queue: str, state: str = ACTIVE) -> Response:
        """List the applications, newest first."""
        found = partition_state(self, partition)
        path = find_queue(found, queue).path
        states, status = _read_states(request, state, (ACTIVE,))
        page = list_of_states(
            self.actor.org,
            states,
            limit_of(self, request),
            request.query_params.get("cursor"),
            queue=found.full_name(path),
        )
        return page_answer(request, self.answers(_of_status(page.results, status)), page.next)


class OneApplication(ApplicationView):
    """One application, with YuniKorn's messages about it."""

    def get(
        self, request: Request, partition: str, application: str, queue: str | None = None
    ) -> Response:
        """Return the application; with a queue, only if it is there."""
        name = self.partition(partition).name
        path = None if queue is None else read_queue(queue)
        if path is not None:
            find_queue(partition_state(self, partition), path)
        workload = self._workload(application)
        place = self._place(workload)
        if place[0] != name or path not in (None, place[1]):
            raise _missing(application)
        names = NodeNames(present_inventory(self.actor.org).clusters.values())
        messages, count = self._messages(workload)
        return Response(self.answer(workload, names, messages, count))

    def _workload(self, uid: str) -> Workload:
        try:
            return get_workload(self.actor.org, uid)
        except NotFound as error:
            raise _missing(uid) from error

    def _messages(self, workload: Workload) -> tuple[Sequence[str], int]:
        """Return why a workload waits or was refused, and the number of such decisions."""
        if workload.state not in _EXPLAINED:
            return (), 0
        explained = for_reader(self.actor, explain_workload(self.actor.org, workload))
        context = ExplainContext(explained.trace, explained.names, has_config=True)
        messages = original_messages(context) or [explained.explanation.headline]
        record = record_of_reason(workload, explained.explanation.reason)
        # The present reason counts, even if no decision has had it yet.
        return messages, record.count or 1


def _brief(workload: Workload) -> Sequence[str]:
    """Return why a workload waits or was refused, as far as its row tells."""
    if workload.state not in _EXPLAINED:
        return ()
    reason = reason_of(workload)
    return [message_of_reason(reason) or reason_message(reason)]


def _missing(application: str) -> Missing:
    return Missing(
        "Application not found", f"There is no application {printable(application)!r} there."
    )


def _read_states(
    request: Request, state: str, allowed: Sequence[str]
) -> tuple[Sequence[State], str]:
    """Return the states of a list, and the name of the status in lower case; empty for all."""
    found = state.lower()
    if found not in allowed:
        words = ", ".join(allowed)
        raise WrongParameter(
            "state",
            f"Only following application states are allowed: {words}",
            f"The last part of this address has to be one of: {words}.",
        )
    status = request.query_params.get("status", "").lower()
    if not status or found != ACTIVE:
        return LISTS[found], ""
    if status not in STATUSES:
        words = ", ".join(STATUSES)
        raise WrongParameter(
            "status",
            f"Only following active statuses are allowed: {words}",
            f"status has to be one of: {words}.",
        )
    return STATUSES[status], status


def _of_status(workloads: Iterable[Workload], status: str) -> list[Workload]:
    """Return the workloads of a status: workloads without a queue are new, others accepted."""
    if status not in ("new", "accepted"):
        return list(workloads)
    return [each for each in workloads if (state_name(each) == NEW) is (status == "new")]
