"""Deactivate and activate pending and running workloads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.schemas import workloads as schemas
from console.api.schemas.common import example, problems
from console.api.views.endings import read_ids, results_answer
from console.orgs.permissions import Actor, Permission
from console.workloads.selection import DONE, MOST_SELECTED, Result
from console.workloads.services.activate_workloads import (
    activate_each,
    activate_workload,
    deactivate_each,
    deactivate_workload,
)

_DEACTIVATED = (
    "A deactivated workload gets no turn, and its request is no demand. A running one has to stop: "
    "the feed of decisions has a decision `preempted`, and it holds its quota until it is released."
)
_ACTIVATED = (
    "An activated workload has turns again, at its place by submission. Its maximum run time "
    "begins anew."
)


class _One(OrgView):
    """An endpoint for the workload in the URL."""

    permissions = {"POST": Permission.SUBMIT}
    change: ClassVar[Callable[[Actor, str], None]]

    def post(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Change the workload *uid*."""
        reader, _ = self.fields(request, ())
        reader.finish()
        type(self).change(self.actor, uid)
        return Response({"ids": [uid]}, status=202)


class _Many(OrgView):
    """An endpoint for the workloads in the body of the request, each for itself."""

    permissions = {"POST": Permission.SUBMIT}
    change: ClassVar[Callable[[Actor, Iterable[str]], list[Result]]]

    def post(self, request: Request, **kwargs: Any) -> Response:
        """Change the workloads of the request."""
        reader, fields = self.fields(request, ("ids",), required=("ids",))
        reader.finish()
        ids = read_ids(reader, fields["ids"], MOST_SELECTED)
        found = type(self).change(self.actor, ids)
        return results_answer(found, [each.uid for each in found if each.outcome in DONE])


def _one(operation: str, summary: str, description: str) -> Callable[[type], type]:
    schema = extend_schema(
        operation_id=operation,
        summary=summary,
        description=f"{description} The request can be repeated.",
        request=None,
        responses={202: schemas.Ids, **problems(409, 415)},
        examples=[example("The id", schemas.EXAMPLE_IDS)],
        tags=["workloads"],
    )
    return extend_schema_view(post=schema)


def _many(
    operation: str, summary: str, description: str, answer: dict[str, Any]
) -> Callable[[type], type]:
    schema = extend_schema(
        operation_id=operation,
        summary=summary,
        description=f"{description} 1 to {MOST_SELECTED} workloads, each for itself: `results` has "
        "the outcome of each in the order of the request. The request can be repeated.",
        request=schemas.Ids,
        responses={202: schemas.Activation, **problems(413, 415)},
        examples=[
            example("Ids", schemas.EXAMPLE_IDS, request=True),
            example("A result for each", answer),
        ],
        tags=["workloads"],
    )
    return extend_schema_view(post=schema)


@_one("deactivate_workload", "Deactivate a workload", _DEACTIVATED)
class DeactivateWorkload(_One):
    """Deactivates a workload."""

    change = deactivate_workload


@_one("activate_workload", "Activate a workload", _ACTIVATED)
class ActivateWorkload(_One):
    """Activates a workload."""

    change = activate_workload


@_many(
    "deactivate_workloads",
    "Deactivate several workloads",
    _DEACTIVATED,
    schemas.EXAMPLE_DEACTIVATED,
)
class DeactivateWorkloads(_Many):
    """Deactivates several workloads."""

    change = deactivate_each


@_many("activate_workloads", "Activate several workloads", _ACTIVATED, schemas.EXAMPLE_ACTIVATED)
class ActivateWorkloads(_Many):
    """Activates several workloads."""

    change = activate_each
