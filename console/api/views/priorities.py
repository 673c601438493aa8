"""Change the priorities of pending and running workloads."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.schemas import workloads as schemas
from console.api.schemas.common import example, problems
from console.api.views.endings import read_ids, results_answer
from console.orgs.permissions import Permission
from console.policies.queries import least_priority
from console.reading import Reader
from console.workloads.selection import DONE, MOST_SELECTED
from console.workloads.services.change_priorities import change_priorities, change_priority

_EFFECT = (
    "The priority of a pending workload determines its position in its queue, that of a running "
    "one, which workloads may preempt it. It changes when the engine has applied the request, "
    "which can be repeated."
)


class _Priorities(OrgView):
    """An endpoint that changes priorities."""

    def read_priority(self, reader: Reader, value: Any) -> int:
        """Return the priority *value* of a request; raises BadRequest."""
        least = least_priority(self.actor.org)
        found = reader.integer(value, "priority", least)
        reader.finish()
        return found


class ChangePriority(_Priorities):
    """Changes the priority of a workload."""

    permissions = {"PUT": Permission.SUBMIT}

    @extend_schema(
        operation_id="change_priority",
        summary="Change the priority of a workload",
        description=_EFFECT,
        request=schemas.Priority,
        responses={202: schemas.Ids, **problems(409, 415)},
        examples=[
            example("A priority", schemas.EXAMPLE_PRIORITY, request=True),
            example("The id", schemas.EXAMPLE_IDS),
        ],
        tags=["workloads"],
    )
    def put(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Change the priority of the workload *uid*."""
        reader, fields = self.fields(request, ("priority",), required=("priority",))
        reader.finish()
        change_priority(self.actor, uid, self.read_priority(reader, fields["priority"]))
        return Response({"ids": [uid]}, status=202)


class ChangePriorities(_Priorities):
    """Changes the priority of several workloads, each for itself."""

    permissions = {"POST": Permission.SUBMIT}

    @extend_schema(
        operation_id="change_priorities",
        summary="Change the priority of several workloads",
        description=f"{_EFFECT} 1 to {MOST_SELECTED} workloads, each for itself: `results` has the "
        "outcome of each in the order of the request, and `ids` those with the priority.",
        request=schemas.Priorities,
        responses={202: schemas.Reprioritized, **problems(413, 415)},
        examples=[
            example("Ids and a priority", schemas.EXAMPLE_PRIORITIES, request=True),
            example("A result for each", schemas.EXAMPLE_REPRIORITIZED),
        ],
        tags=["workloads"],
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Change the priority of the workloads of the request."""
        required = ("ids", "priority")
        reader, fields = self.fields(request, required, required=required)
        reader.finish()
        ids = read_ids(reader, fields["ids"], MOST_SELECTED)
        priority = self.read_priority(reader, fields["priority"])
        found = change_priorities(self.actor, ids, priority)
        return results_answer(found, [each.uid for each in found if each.outcome in DONE])
