"""Resource-time by queue, user, project, flavor or label."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponseBase
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.accounting.export import EXPORTED, exported_rows, file_name
from console.accounting.queries.accounts import Accounts as Answer
from console.accounting.queries.accounts import accounts
from console.accounting.window import Step, account_window
from console.api.answers.accounts import accounts_answer
from console.api.base import PAGING, OrgView
from console.api.schemas import accounts as schemas
from console.api.schemas.common import EXPORT, PAGED, or_files, problems, query
from console.errors import BadRequest, FieldError
from console.expensive import Kind, take_place
from console.exports import PARAMETER, export_answer, requested_format
from console.paging import read_cursor
from console.reading import QueryReader

_PARAMETERS = {
    "by": "`queue`, `user`, `project`, `flavor`, or `label.` and the key of a label. Default: "
    "`queue`.",
    "since": "Start, rounded down to a step. Default: seven days before `until`.",
    "until": "End, rounded up to a step. Default: now.",
    "resource": "The resource that orders the values, and that the series have. Default: the first "
    "of `resources`.",
}


class Accounts(OrgView):
    """Resource-time of the values of a dimension."""

    parameters = (*_PARAMETERS, "step", PARAMETER, *PAGING)

    @extend_schema(
        operation_id="list_accounts",
        summary="List resource-time by queue, user, project, flavor or label",
        description="What running workloads held, multiplied by its time, in resource-seconds: "
        "exact, finished workloads included. The largest consumer comes first. Steps are aligned "
        "to UTC; weeks begin on Monday. With `as`, all values are one file: "
        "its columns `used_hours` and `quota_hours` are the amounts in resource-hours, and `from` "
        "and `to` the time range, which ends now at the latest. The quota is that of the queue, or "
        "else of the whole organization.",
        parameters=[
            *(query(name, text) for name, text in _PARAMETERS.items()),
            query(
                "step",
                "Length of a step. Default: one that suits the time range.",
                enum=Step.values,
            ),
            EXPORT,
            *PAGED,
        ],
        responses={**or_files(schemas.Accounts), **problems()},
        tags=["usage"],
    )
    def get(self, request: Request, **kwargs: Any) -> HttpResponseBase:
        """Return one page of values, or all of them as a file."""
        reader = QueryReader(request.query_params)
        since, until = reader.time("since"), reader.time("until")
        step, resource = reader.choice("step", Step.values), reader.text("resource")
        by = reader.text("by") or "queue"
        reader.finish()
        form = requested_format(request.query_params)
        now = timezone.now()
        window = account_window(since, until, Step(step) if step else None, now)
        found = accounts(self.actor, by, window, now, resource)
        _check_resource(resource, found)
        if form:
            place = take_place(Kind.EXPORT, self.actor.org.pk, self.actor.key)
            return export_answer(
                place, form, file_name(by), EXPORTED, exported_rows(found, by, now)
            )
        (first,) = read_cursor(request.query_params.get("cursor")) or (0,)
        return Response(accounts_answer(self.actor.org, found, by, first, self.limit(request)))


def _check_resource(resource: str | None, found: Answer) -> None:
    """Raise BadRequest for a *resource* that does not occur, unless no resource does."""
    if resource is not None and found.resources and found.resource != resource:
        choices = ", ".join(found.resources)
        message = f"resource has to be one that occurs in this time range: {choices}."
        raise BadRequest([FieldError("resource", "invalid_choice", message)])
