"""Queues in the client's protocol, with their running and pending workloads."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.answers.workloads import amounts_answer
from console.api.compat.base import ClientView, result, results
from console.api.compat.resources import counts_answer, market_answer, nodes_answer, usage_answer
from console.errors import BadRequest, FieldError
from console.paging import read_cursor, write_cursor
from console.workloads.models import State, Workload
from console.workloads.queries import (
    QueueView,
    pending_in_order,
    queue_list,
    queue_view,
    running_of,
)
from console.workloads.queries.nodes import Nodes, nodes_by_queue, nodes_of, pods_of
from console.workloads.stored_assignments import stored_flavors

#: Default and maximum number of rows.
_USUAL, _MOST_QUEUES, _MOST_WORKLOADS = 100, 200, 1000
_STATES = ("pending", "running")


class Queues(ClientView):
    """The queues of the active config, followed by draining queues."""

    parameters = ("limit", "paging_token")

    def get(self, request: Request) -> Response:
        """List the queues."""
        limit = self.number(request, "limit", _USUAL, 1, _MOST_QUEUES)
        (start,) = read_cursor(self.paging_token(request)) or (0,)
        queues = queue_list(self.actor.org)
        page, end = queues[start : start + limit], start + limit
        nodes = nodes_by_queue(
            self.actor.org, {queue.name: (queue.running, queue.pending) for queue in page}
        )
        rest = write_cursor(end) if end < len(queues) else None
        return results([_row(queue, nodes[queue.name]) for queue in page], len(queues), rest)


class OneQueue(ClientView):
    """One queue."""

    def get(self, request: Request, queue: str) -> Response:
        """Return the queue with its counts of running and pending workloads."""
        view = queue_view(self.actor.org, queue)
        nodes = nodes_of(self.actor.org, (view.running, view.pending), queue)
        summary = {
            "running_workloads": view.running,
            "pending_workloads": view.pending,
            "nodes": nodes_answer(nodes),
            "market": market_answer(nodes),
        }
        return result({"queue": queue, "summary": summary})


class QueueWorkloads(ClientView):
    """Running or pending workloads of a queue."""

    parameters = ("state", "limit")

    def get(self, request: Request, queue: str) -> Response:
        """List running workloads, newest first, or pending ones in the order of admission."""
        org = self.actor.org
        state = (request.query_params.get("state") or "").lower()
        if state not in _STATES:
            message = f"Use one of: {', '.join(_STATES)}."
            raise BadRequest([FieldError("state", "invalid_choice", message)])
        limit = self.number(request, "limit", _USUAL, 1, _MOST_WORKLOADS)
        view = queue_view(org, queue)
        waits = state == "pending"
        page = (pending_in_order if waits else running_of)(org, queue, limit)
        rows = [_workload(request, org.slug, workload) for workload in page.results]
        return results(rows, view.pending if waits else view.running, None)


def workload_url(request: Request, org: str, uid: str) -> str:
    """Return the URL of the page of a workload."""
    return request.build_absolute_uri(reverse("pages:workload", kwargs={"org": org, "uid": uid}))


def _row(queue: QueueView, nodes: Nodes) -> dict[str, Any]:
    quota = (
        usage_answer(usage.flavor, usage.resource, usage.used, usage.limit)
        for usage in queue.usages
    )
    return {
        "queue_id": queue.name,
        "queue": queue.name,
        "cohort": queue.cohort,
        "workloads": counts_answer(queue.running, queue.pending),
        "nodes": nodes_answer(nodes),
        "quota": [usage for usage in quota if usage],
        "market": market_answer(nodes),
    }


def _workload(request: Request, org: str, workload: Workload) -> dict[str, Any]:
    pods = pods_of(workload.pod_sets, workload.assignment)
    waits = workload.state == State.PENDING
    runs = 0 if waits else pods
    return {
        "cluster_id": workload.uid,
        "name": workload.name,
        "type": workload.type.upper(),
        "project": workload.project or None,
        "priority": workload.priority or 0,
        "nodes": {
            "requested": pods_of(workload.pod_sets, ()),
            "admitted": runs,
            "running": runs,
            "pending": pods if waits else 0,
        },
        "flavors": sorted(set(stored_flavors(workload.assignment).values())),
        # The protocol's cloud is the organization.
        "cloud_id": org,
        "created_at": time_answer(workload.submitted_at),
        "status": _status(workload),
        # The config version whose rule routed the workload.
        "plan_id": str(workload.config_version or ""),
        # The protocol has no null here; 0 means that the workload runs or cannot run.
        "queue_position": getattr(workload, "position", None) or 0,
        "requested_resources": amounts_answer(workload.requests),
        "url": workload_url(request, org, workload.uid),
    }


def _status(workload: Workload) -> str:
    if workload.state != State.PENDING:
        return "RUNNING"
    return "REQUEUED" if workload.preemptions else "QUEUED"
