"""Reports about single pods of a running workload: finished, or released after they stopped."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.schemas import pod_sets as schemas
from console.api.schemas.common import IDEMPOTENCY_KEY, example, problems
from console.api.schemas.workloads import EXAMPLE_IDS, Ids
from console.logs import bind_workloads
from console.orgs.permissions import Permission
from console.workloads.pod_reports import PodReport
from console.workloads.services.end_pods import end_pods

#: Maximum number of characters of the name of a pod set, cluster or node.
_LONGEST = 253


class _EndPods(OrgView):
    """An endpoint that reports pods of the workload in the URL."""

    permissions = {"POST": Permission.SUBMIT}
    kind: ClassVar[str]

    def post(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Report pods of the workload *uid*."""
        known = ("pod_set", "count", "cluster", "node")
        reader, fields = self.fields(request, known, required=("pod_set", "count"))
        reader.finish()
        report = PodReport(
            kind=self.kind,
            pod_set=reader.text(fields["pod_set"], "pod_set", _LONGEST, blank=False),
            count=reader.integer(fields["count"], "count", 1),
            cluster=reader.optional_text(fields.get("cluster"), "cluster", _LONGEST),
            node=reader.optional_text(fields.get("node"), "node", _LONGEST),
        )
        reader.finish()
        end_pods(self.actor, uid, report, request.headers.get("Idempotency-Key"))
        bind_workloads([uid])
        return Response({"ids": [uid]}, status=202)


def _documented(operation: str, summary: str, description: str) -> Callable[[type], type]:
    schema = extend_schema(
        operation_id=operation,
        summary=summary,
        description=f"{description} A repeated report counts again, unless both have the same "
        "`Idempotency-Key`.",
        parameters=[IDEMPOTENCY_KEY],
        request=schemas.PodsIn,
        responses={202: Ids, **problems(409, 415)},
        examples=[
            example("Two pods", schemas.EXAMPLE_PODS, request=True),
            example("The id", EXAMPLE_IDS),
        ],
        tags=["workloads"],
    )
    return extend_schema_view(post=schema)


@_documented(
    "finish_pods",
    "Finish pods of a workload",
    "Pods of a running workload have finished; their capacity becomes free, and the workload ends "
    "with its last pod.",
)
class FinishPods(_EndPods):
    """Reports that pods of a workload have finished."""

    kind = PodReport.FINISH


@_documented(
    "release_pods",
    "Release pods of a workload",
    "Pods of a running workload have stopped; their capacity becomes free. Pods that a decision "
    "has taken are gone. Others get another place, if the scheduler of the config grants pods one "
    "by one.",
)
class ReleasePods(_EndPods):
    """Reports that pods of a workload have stopped before they finished."""

    kind = PodReport.RELEASE
