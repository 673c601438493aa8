"""Queues: usage and counts, pending workloads in order, hold and resume."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.queues import queue_answer
from console.api.answers.workloads import workload_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import state as schemas
from console.api.schemas.common import PAGED, example, problems
from console.api.schemas.workloads import WorkloadPage
from console.orgs.models import Organization
from console.orgs.permissions import Permission
from console.paging import read_cursor, write_cursor
from console.series.queries import wait_quantiles, wait_quantiles_of
from console.workloads.queries import pending_in_order, queue_list, queue_view
from console.workloads.services.hold_queue import hold_queue, resume_queue

_TAG = ["queues"]


class Queues(OrgView):
    """The queues of an organization."""

    parameters = PAGING

    @extend_schema(
        operation_id="list_queues",
        summary="List queues",
        description="In the order of the active config, followed by draining queues.",
        parameters=PAGED,
        responses={200: schemas.QueuePage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List queues."""
        # The config limits the number of queues, and each one needs all counts, so the complete
        # list is computed and then cut into pages.
        queues = queue_list(self.actor.org)
        (start,) = read_cursor(request.query_params.get("cursor")) or (0,)
        end = start + self.limit(request)
        rest = write_cursor(end) if end < len(queues) else None
        shown = queues[start:end]
        waits = wait_quantiles_of(self.actor.org, [queue.name for queue in shown])
        return results([queue_answer(queue, waits[queue.name]) for queue in shown], rest)


class OneQueue(OrgView):
    """One queue."""

    @extend_schema(
        operation_id="get_queue",
        summary="Get a queue",
        responses={200: schemas.Queue, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, queue: str, **kwargs: Any) -> Response:
        """Return a queue."""
        return _queue_response(self.actor.org, queue)


class QueuePending(OrgView):
    """Pending workloads of a queue."""

    parameters = PAGING

    @extend_schema(
        operation_id="list_pending",
        summary="List the pending workloads of a queue",
        description="In the order in which they are tried, each with its position and reason. A "
        "later workload can start before an earlier one that does not fit.",
        parameters=PAGED,
        responses={200: WorkloadPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, queue: str, **kwargs: Any) -> Response:
        """List the pending workloads of a queue."""
        org = self.actor.org
        queue_view(org, queue)
        page = pending_in_order(org, queue, self.limit(request), request.query_params.get("cursor"))
        rows = [workload_answer(row, getattr(row, "position", None)) for row in page.results]
        return results(rows, page.next)


class HoldQueue(OrgView):
    """Holds a queue."""

    permissions = {"POST": Permission.HOLD_QUEUES}

    @extend_schema(
        operation_id="hold_queue",
        summary="Hold a queue",
        description="No workload of the queue is admitted until it is resumed; running workloads "
        "continue. With `until`, at most a year ahead, the queue is resumed automatically "
        "at that time. Holding a held queue replaces the reason and the end.",
        request=schemas.HoldIn,
        responses={200: schemas.Queue, **problems(413, 415)},
        examples=[
            example("A reason", {"reason": "Maintenance of the rack"}, request=True),
            example(
                "For a time",
                {"reason": "Maintenance of the rack", "until": "2030-01-31T12:00:00Z"},
                request=True,
            ),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, queue: str, **kwargs: Any) -> Response:
        """Hold a queue."""
        reader, fields = self.fields(request, ("reason", "until"), required=("reason",))
        until = reader.moment(fields.get("until"), "until")
        reader.finish()
        hold_queue(self.actor, queue, fields["reason"], until)
        return _queue_response(self.actor.org, queue)


class ResumeQueue(OrgView):
    """Resumes a queue."""

    permissions = {"POST": Permission.HOLD_QUEUES}

    @extend_schema(
        operation_id="resume_queue",
        summary="Resume a queue",
        description="Resuming a queue that is not held has no effect.",
        request=schemas.ResumeIn,
        responses={200: schemas.Queue, **problems(413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, queue: str, **kwargs: Any) -> Response:
        """Resume a queue."""
        reader, fields = self.fields(request, ("reason",))
        reader.finish()
        resume_queue(self.actor, queue, fields.get("reason") or "")
        return _queue_response(self.actor.org, queue)


def _queue_response(org: Organization, name: str) -> Response:
    return Response(queue_answer(queue_view(org, name), wait_quantiles(org, name)))
