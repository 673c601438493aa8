"""Preemptions of one workload."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.preemptions import preemption_answer, receipt_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import preemptions as schemas
from console.api.schemas.common import PAGED, problems
from console.workloads.queries import get_workload
from console.workloads.receipts import get_receipt, preemptions_of

_VISIBILITY = (
    "Operators, editors and owners see both workloads. Other members see the name of the other "
    "workload only if they submitted it."
)


class Preemptions(OrgView):
    """Preemptions of a workload, and of others for it."""

    parameters = PAGING

    @extend_schema(
        operation_id="list_preemptions",
        summary="List the preemptions of a workload",
        description=f"Newest first, as victim and as beneficiary. {_VISIBILITY}",
        parameters=PAGED,
        responses={200: schemas.PreemptionPage, **problems()},
        tags=["workloads"],
    )
    def get(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """List the preemptions of a workload."""
        workload = get_workload(self.actor.org, uid)
        cursor = request.query_params.get("cursor")
        page = preemptions_of(self.actor, workload, self.limit(request), cursor)
        return results([preemption_answer(each) for each in page.results], page.next)


class OnePreemption(OrgView):
    """The receipt of one preemption."""

    @extend_schema(
        operation_id="get_preemption",
        summary="Get the receipt of a preemption",
        description=f"The receipt is the same for victim and beneficiary. {_VISIBILITY}",
        responses={200: schemas.PreemptionReceipt, **problems()},
        tags=["workloads"],
    )
    def get(self, request: Request, uid: str, number: int, **kwargs: Any) -> Response:
        """Return the receipt of a preemption."""
        workload = get_workload(self.actor.org, uid)
        return Response(receipt_answer(get_receipt(self.actor, workload, number)))
