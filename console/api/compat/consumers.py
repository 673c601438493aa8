"""Top consumers of an organization or of one queue."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.compat.base import ClientView, results
from console.api.compat.queues import workload_url
from console.reading import QueryReader
from console.workloads.queries import queue_view
from console.workloads.queries.consumers import top_consumers

_USUAL, _MOST = 10, 100


class TopConsumers(ClientView):
    """The workloads that use the most nodes; among equals, those that run longest."""

    parameters = ("limit", "queue_id")

    def get(self, request: Request) -> Response:
        """List the workloads, the largest first."""
        org = self.actor.org
        limit = self.number(request, "limit", _USUAL, 1, _MOST)
        reader = QueryReader(request.query_params)
        queue = reader.text("queue_id")
        reader.finish()
        if queue is not None:
            queue_view(org, queue)
        rows = [
            {
                "cluster_id": each.workload.uid,
                "name": each.workload.name,
                "project": each.workload.project or None,
                "nodes": each.nodes,
                "duration_seconds": each.seconds,
                "url": workload_url(request, org.slug, each.workload.uid),
            }
            for each in top_consumers(org, limit, queue)
        ]
        return results(rows, len(rows), None)
