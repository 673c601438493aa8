"""Submit ended workloads again."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.schemas import workloads as schemas
from console.api.schemas.common import IDEMPOTENCY_KEY, example, problems
from console.api.views.endings import read_ids, results_answer
from console.orgs.permissions import Permission
from console.workloads.selection import MOST_SELECTED
from console.workloads.services.resubmit_workloads import resubmit_each


class ResubmitWorkloads(OrgView):
    """Submits ended workloads again, each for itself."""

    permissions = {"POST": Permission.SUBMIT}

    @extend_schema(
        operation_id="resubmit_workloads",
        summary="Submit ended workloads again",
        description=f"1 to {MOST_SELECTED} workloads. Each ended one is submitted again with the "
        "same request: `ids` has the new workloads, and `results` the outcome of each workload in "
        "the order of the request. The submission event of a new workload names the one that it "
        "repeats. A request with an `Idempotency-Key` can be repeated: it creates no further "
        "workloads.",
        parameters=[IDEMPOTENCY_KEY],
        request=schemas.Ids,
        responses={202: schemas.Resubmitted, **problems(409, 413, 415)},
        examples=[
            example("Ids", schemas.EXAMPLE_IDS, request=True),
            example("The new workload", schemas.EXAMPLE_RESUBMITTED),
        ],
        tags=["workloads"],
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Submit the workloads of the request again."""
        reader, fields = self.fields(request, ("ids",), required=("ids",))
        reader.finish()
        ids = read_ids(reader, fields["ids"], MOST_SELECTED)
        found = resubmit_each(self.actor, ids, request.headers.get("Idempotency-Key"))
        return results_answer(found, [each.made for each in found if each.made])
