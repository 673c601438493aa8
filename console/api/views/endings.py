"""Reports about workloads: finished, withdrawn, or released after a preemption."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.schemas import workloads as schemas
from console.api.schemas.common import example, problems
from console.logs import bind_workloads
from console.orgs.permissions import Permission
from console.reading import Reader
from console.workloads.selection import DONE, MOST_SELECTED, Result
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_each,
    withdraw_workloads,
)
from console.workloads.submissions import MOST_AT_ONCE

#: Description of each report.
_FINISHED = "The workload has finished; its quota becomes free."
_WITHDRAWN = "Cancels a pending or running workload."
_RELEASED = "A preempted workload has stopped; its quota becomes free, and it is pending again."
_TAG = ["workloads"]


class _End(OrgView):
    """An endpoint that reports one or more workloads."""

    permissions = {"POST": Permission.SUBMIT}

    def end(self, uids: Iterable[str]) -> None:
        """Call the service for the workloads *uids*."""
        raise NotImplementedError

    def answer(self, ids: list[str]) -> Response:
        """Report the workloads *ids*, and return them in the response."""
        self.end(ids)
        return Response({"ids": ids}, status=202)


class _EndOne(_End):
    """An endpoint for the workload in the URL."""

    def post(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """Report the workload *uid*."""
        reader, _ = self.fields(request, ())
        reader.finish()
        return self.answer([uid])


class _EndMany(_End):
    """An endpoint for the workloads in the body of the request."""

    def post(self, request: Request, **kwargs: Any) -> Response:
        """Report the workloads of the request."""
        reader, fields = self.fields(request, ("ids",), required=("ids",))
        reader.finish()
        ids = read_ids(reader, fields["ids"], MOST_AT_ONCE)
        answer = self.answer(ids)
        bind_workloads(ids)
        return answer


def read_ids(reader: Reader, value: Any, most: int) -> list[str]:
    """Return 1 to *most* ids in the list *value*; raises BadRequest."""
    items = reader.items(value, "ids", 1, most)
    ids = [reader.text(item, f"ids[{i}]", 100, blank=False) for i, item in enumerate(items)]
    reader.finish()
    return ids


def results_answer(results: Sequence[Result], ids: list[str]) -> Response:
    """Return the response with the result of each workload, and the *ids* of a request."""
    rows = [
        {
            "id": each.uid,
            "outcome": each.outcome.value,
            "message": each.message,
            "workload": each.made or None,
        }
        for each in results
    ]
    bind_workloads(each.uid for each in results)
    return Response({"ids": ids, "results": rows}, status=202)


def _documented(
    operation: str, summary: str, description: str, *, many: bool = False
) -> Callable[[type], type]:
    bound = f" 1 to {MOST_AT_ONCE:,} workloads, all or none." if many else ""
    title = "Ids" if many else "The id"
    schema = extend_schema(
        operation_id=operation,
        summary=summary,
        description=f"{description}{bound} The request can be repeated.",
        request=schemas.Ids if many else None,
        responses={202: schemas.Ids, **problems(409, 415, *((413,) if many else ()))},
        examples=[example(title, schemas.EXAMPLE_IDS, request=many)],
        tags=_TAG,
    )
    return extend_schema_view(post=schema)


class _Finish(_End):
    def end(self, uids: Iterable[str]) -> None:
        """Finish the workloads *uids*."""
        finish_workloads(self.actor, uids)


class _Withdraw(_End):
    def end(self, uids: Iterable[str]) -> None:
        """Withdraw the workloads *uids*."""
        withdraw_workloads(self.actor, uids)


class _Release(_End):
    def end(self, uids: Iterable[str]) -> None:
        """Release the workloads *uids*."""
        release_workloads(self.actor, uids)


@_documented("finish_workload", "Finish a workload", _FINISHED)
class FinishWorkload(_Finish, _EndOne):
    """Reports that a workload has finished."""


@_documented("withdraw_workload", "Withdraw a workload", _WITHDRAWN)
class WithdrawWorkload(_Withdraw, _EndOne):
    """Withdraws a workload."""


@_documented("release_workload", "Release a workload", _RELEASED)
class ReleaseWorkload(_Release, _EndOne):
    """Reports that a preempted workload has stopped."""


@_documented("finish_workloads", "Finish several workloads", _FINISHED, many=True)
class FinishWorkloads(_Finish, _EndMany):
    """Reports that several workloads have finished."""


@extend_schema_view(
    post=extend_schema(
        operation_id="withdraw_workloads",
        summary="Withdraw several workloads",
        description=f"{_WITHDRAWN} 1 to {MOST_AT_ONCE:,} workloads, all or none. With `each`, 1 to "
        f"{MOST_SELECTED} workloads, and each is withdrawn if it is possible: `results` has the "
        "outcome of each in the order of the request, and `ids` those that are withdrawn. The "
        "request can be repeated.",
        request=schemas.Withdrawals,
        responses={202: schemas.Withdrawn, **problems(409, 413, 415)},
        examples=[
            example("Ids", schemas.EXAMPLE_IDS, request=True),
            example("Each for itself", schemas.EXAMPLE_EACH_IN, request=True),
            example("Ids", schemas.EXAMPLE_IDS),
            example("A result for each", schemas.EXAMPLE_EACH),
        ],
        tags=_TAG,
    )
)
class WithdrawWorkloads(_Withdraw, _EndMany):
    """Withdraws several workloads: all or none, or each for itself."""

    def post(self, request: Request, **kwargs: Any) -> Response:
        """Withdraw the workloads of the request."""
        reader, fields = self.fields(request, ("ids", "each"), required=("ids",))
        is_each = fields.get("each") is not None and reader.flag(fields["each"], "each")
        reader.finish()
        ids = read_ids(reader, fields["ids"], MOST_SELECTED if is_each else MOST_AT_ONCE)
        if is_each:
            found = withdraw_each(self.actor, ids)
            return results_answer(found, [each.uid for each in found if each.outcome in DONE])
        answer = self.answer(ids)
        bind_workloads(ids)
        return answer


@_documented("release_workloads", "Release several workloads", _RELEASED, many=True)
class ReleaseWorkloads(_Release, _EndMany):
    """Reports that several preempted workloads have stopped."""
