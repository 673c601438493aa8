"""The overview of an organization."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.overview import item_answer, numbers_answer, org_usage_answer
from console.api.answers.usage import waits_answer
from console.api.base import OrgView
from console.api.schemas import overview as schemas
from console.api.schemas.common import problems
from console.orgs.permissions import Permission
from console.overview.attention import attention
from console.overview.numbers import numbers_of, usage_of_all
from console.overview.past import past_of
from console.policies.queries import active_policy
from console.workloads.queries import queue_list


class Overview(OrgView):
    """Attention items and totals of an organization."""

    @extend_schema(
        operation_id="get_overview",
        summary="Get the overview",
        description="Attention items are in order of severity. Items about webhooks and tokens are "
        "returned to owners only. The cost depends on the config, not on the number of "
        "workloads.",
        responses={200: schemas.Overview, **problems()},
        tags=["organizations"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the overview."""
        org, now = self.actor.org, timezone.now()
        queues = queue_list(org)
        items = attention(org, queues, now, manages=self.actor.may(Permission.MANAGE_ORG))
        numbers = numbers_of(org, queues, now, past_of(org, now).week_ago)
        usages = usage_of_all(active_policy(org), queues)
        return Response(
            {
                "attention": [item_answer(org.slug, item) for item in items],
                "numbers": numbers_answer(numbers),
                "waits": waits_answer(numbers.waits),
                "usage": [org_usage_answer(usage) for usage in usages],
            }
        )
