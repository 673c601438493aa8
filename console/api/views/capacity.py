"""Capacity: clusters with their nodes, reports and heartbeats."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.capacity import cluster_answer, cluster_with_usage, report_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import capacity as schemas
from console.api.schemas.common import PAGED, example, problems
from console.capacity.queries.clusters import get_cluster, list_clusters, nodes_of
from console.capacity.services.delete_cluster import delete_cluster
from console.capacity.services.record_heartbeat import record_heartbeat
from console.capacity.services.report_cluster import report_cluster
from console.orgs.permissions import Permission
from console.reading import QueryReader
from console.workloads.queries.node_usage import node_usage_of

_TAG = ["capacity"]


class Capacity(OrgView):
    """The clusters of an organization."""

    parameters = ("nodes", *PAGING)

    @extend_schema(
        operation_id="list_clusters",
        summary="List clusters with their nodes",
        description="In the order of registration.",
        parameters=[schemas.NODES, *PAGED],
        responses={200: schemas.ClusterPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List clusters."""
        reader = QueryReader(request.query_params)
        with_nodes = reader.flag("nodes", default=True)
        reader.finish()
        cursor = request.query_params.get("cursor")
        page = list_clusters(self.actor.org, self.limit(request), cursor, with_nodes=with_nodes)
        nodes = nodes_of(page.results) if with_nodes else {}
        usage = node_usage_of(self.actor.org, [each.name for each in page.results])
        return results(
            [cluster_with_usage(each, nodes.get(each.pk), usage) for each in page.results],
            page.next,
        )


class OneCluster(OrgView):
    """One cluster."""

    permissions = dict.fromkeys(("PUT", "DELETE"), Permission.REPORT_CAPACITY)

    @extend_schema(
        operation_id="get_cluster",
        summary="Get a cluster with its nodes",
        responses={200: schemas.ClusterWithNodes, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, name: str, **kwargs: Any) -> Response:
        """Return a cluster."""
        cluster = get_cluster(self.actor.org, name)
        usage = node_usage_of(self.actor.org, [name])
        return Response(cluster_with_usage(cluster, nodes_of([cluster])[cluster.pk], usage))

    @extend_schema(
        operation_id="report_cluster",
        summary="Report a cluster",
        description="Replaces the cluster and all its nodes; the first report registers it. The "
        "same report again changes nothing. The response is the cluster without its nodes.",
        request=schemas.ReportIn,
        responses={
            200: schemas.ReportResult,
            201: schemas.ReportResult,
            **problems(409, 413, 415),
        },
        examples=[example("A cluster with one node", schemas.EXAMPLE_REPORT, request=True)],
        tags=_TAG,
    )
    def put(self, request: Request, name: str, **kwargs: Any) -> Response:
        """Report a cluster."""
        result = report_cluster(self.actor, name, request.data)
        return Response(report_answer(result), status=201 if result.is_new else 200)

    @extend_schema(
        operation_id="delete_cluster",
        summary="Delete a cluster",
        description="Deletes the cluster with its nodes; its next report registers it again. The "
        "response is the deleted cluster without its nodes.",
        responses={200: schemas.Cluster, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, name: str, **kwargs: Any) -> Response:
        """Delete a cluster."""
        return Response(cluster_answer(delete_cluster(self.actor, name)))


class ClusterHeartbeat(OrgView):
    """Records heartbeats of a cluster."""

    permissions = {"POST": Permission.REPORT_CAPACITY}

    @extend_schema(
        operation_id="send_heartbeat",
        summary="Send a heartbeat of a cluster",
        description="A cluster whose heartbeats stop is silent and accepts no new pods; the next "
        "heartbeat or report ends the silence.",
        request=None,
        responses={200: schemas.Heartbeat, **problems(413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, name: str, **kwargs: Any) -> Response:
        """Record a heartbeat."""
        return Response({"name": name, "version": record_heartbeat(self.actor, name)})
