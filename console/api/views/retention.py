"""Retention periods, and the number of stored rows of each kind."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.base import OrgView
from console.api.schemas import retention as schemas
from console.api.schemas.common import problems
from console.retention.queries import RetentionStatus, retention_statuses_of


class Retention(OrgView):
    """Retention of the data of an organization."""

    @extend_schema(
        operation_id="get_retention",
        summary="Get retention periods",
        description="Periods are set for the whole installation. Rows are counted up to a limit.",
        responses={200: schemas.Retention, **problems()},
        tags=["organizations"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return retention periods."""
        return Response(
            {"results": [_answer(each) for each in retention_statuses_of(self.actor.org.pk)]}
        )


def _answer(keeping: RetentionStatus) -> dict[str, Any]:
    rows = keeping.rows
    return {
        "kind": keeping.kind.value,
        "days": keeping.days,
        "setting": keeping.setting or None,
        "rows": rows.count,
        "has_more_rows": rows.is_more,
        "oldest": time_answer(rows.oldest),
        "looked_at": time_answer(keeping.looked_at),
        "forgotten_at": time_answer(keeping.forgotten_at),
        "forgotten": keeping.forgotten,
    }
