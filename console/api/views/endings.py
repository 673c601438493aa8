"""Workloads end, one or many at once: finished, withdrawn, or released once preempted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.schemas import workloads as schemas
from console.api.schemas.common import example, problems
from console.logs import bind_workloads
from console.orgs.permissions import Permission
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.submissions import MOST_AT_ONCE

#: What each says of a workload.
_FINISHED = "Its work is done, and the quota it holds becomes free."
_WITHDRAWN = "It is not wanted any more, whether it waits or runs."
_RELEASED = "A preempted workload has stopped: it gives back its quota and waits again."
_TAG = ["workloads"]


class _End(OrgView):
    """One way in which workloads end."""

    permissions = {"POST": Permission.SUBMIT}

    def end(self, uids: Iterable[str]) -> None:
        """Call the service."""
        raise NotImplementedError

    def answer(self, ids: list[str]) -> Response:
        """End these, and answer with them."""
        self.end(ids)
        return Response({"ids": ids}, status=202)


class _EndOne(_End):
    def post(self, request: Request, uid: str, **kwargs: Any) -> Response:
        """End it."""
        reader, _ = self.fields(request, ())
        reader.finish()
        return self.answer([uid])


class _EndMany(_End):
    def post(self, request: Request, **kwargs: Any) -> Response:
        """End them."""
        reader, fields = self.fields(request, ("ids",), required=("ids",))
        reader.finish()
        items = reader.items(fields["ids"], "ids", 1, MOST_AT_ONCE)
        ids = [reader.text(item, f"ids[{i}]", 100, blank=False) for i, item in enumerate(items)]
        reader.finish()
        answer = self.answer(ids)
        bind_workloads(ids)
        return answer


def _documented(
    operation: str, summary: str, description: str, *, many: bool = False
) -> Callable[[type], type]:
    bound = f" 1 to {MOST_AT_ONCE:,} at once, all of them or none." if many else ""
    title = "Ids" if many else "Its id"
    schema = extend_schema(
        operation_id=operation,
        summary=summary,
        description=f"{description}{bound} Asking again is harmless.",
        request=schemas.Ids if many else None,
        responses={202: schemas.Ids, **problems(409, 415, *((413,) if many else ()))},
        examples=[example(title, schemas.EXAMPLE_IDS, request=many)],
        tags=_TAG,
    )
    return extend_schema_view(post=schema)


class _Finish(_End):
    def end(self, uids: Iterable[str]) -> None:
        """Finish them."""
        finish_workloads(self.actor, uids)


class _Withdraw(_End):
    def end(self, uids: Iterable[str]) -> None:
        """Withdraw them."""
        withdraw_workloads(self.actor, uids)


class _Release(_End):
    def end(self, uids: Iterable[str]) -> None:
        """Release them."""
        release_workloads(self.actor, uids)


@_documented("finish_workload", "Finish a workload", _FINISHED)
class FinishWorkload(_Finish, _EndOne):
    """A workload whose work is done."""


@_documented("withdraw_workload", "Withdraw a workload", _WITHDRAWN)
class WithdrawWorkload(_Withdraw, _EndOne):
    """A workload that is not wanted any more."""


@_documented("release_workload", "Release a workload", _RELEASED)
class ReleaseWorkload(_Release, _EndOne):
    """A preempted workload that has stopped."""


@_documented("finish_workloads", "Finish many workloads", _FINISHED, many=True)
class FinishWorkloads(_Finish, _EndMany):
    """Many workloads whose work is done."""


@_documented("withdraw_workloads", "Withdraw many workloads", _WITHDRAWN, many=True)
class WithdrawWorkloads(_Withdraw, _EndMany):
    """Many workloads that are not wanted any more."""


@_documented("release_workloads", "Release many workloads", _RELEASED, many=True)
class ReleaseWorkloads(_Release, _EndMany):
    """Many preempted workloads that have stopped."""
