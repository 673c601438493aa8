"""Scheduled changes: applies at a time, and the ends of temporary quotas."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.scheduled_changes import full_scheduled_answer, scheduled_answer
from console.api.base import PAGING, OrgView, results
from console.api.config_text import REJECTED, read_config
from console.api.schemas import scheduled_changes as schemas
from console.api.schemas.common import PAGED, example, problems, query
from console.api.terms import read_terms
from console.api.views.configs import STALE
from console.configs.models import ScheduledChange
from console.configs.queries import get_scheduled, list_scheduled
from console.configs.services.carry_out_changes import carry_out_now
from console.configs.services.reschedule_change import cancel_change, reschedule_change
from console.configs.services.schedule_apply import schedule_apply
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.reading import QueryReader, Reader

_TAG = ["config"]


class ScheduledChanges(OrgView):
    """Scheduled changes of the organization."""

    parameters = ("state", *PAGING)
    permissions = {"POST": Permission.APPLY}

    @extend_schema(
        operation_id="list_scheduled_changes",
        summary="List scheduled changes",
        description="Newest first, without texts. Those in the state `proposed` are listed only "
        "on request.",
        parameters=[
            query("state", "State of the change.", enum=ScheduledChange.State.values),
            *PAGED,
        ],
        responses={200: schemas.ScheduledChangePage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List scheduled changes."""
        asked = request.query_params
        reader = QueryReader(asked)
        state = reader.choice("state", ScheduledChange.State.values) or ""
        reader.finish()
        page = list_scheduled(self.actor.org, self.limit(request), asked.get("cursor"), state=state)
        return results([scheduled_answer(each) for each in page.results], page.next)

    @extend_schema(
        operation_id="schedule_apply",
        summary="Schedule an apply",
        description="Applies a text at a time. It is checked now and at its time. If another "
        "version is active then, the text is merged with it if that is safe and no approval is "
        "required; otherwise the change fails. To change a quota until a time, use `until` of "
        "`POST queues/{queue}/quota`.",
        request=schemas.ScheduledApplyIn,
        responses={201: schemas.FullScheduledChange, **problems(413, 415), **STALE, **REJECTED},
        examples=[example("Tonight", schemas.EXAMPLE_SCHEDULED, request=True)],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Schedule an apply."""
        reader, fields = self.fields(
            request,
            ("dialect", "text", "expected_version", "apply_at", "message", "accept"),
            required=("text", "expected_version", "apply_at"),
        )
        dialect, text = read_config(reader, fields)
        expected = (
            reader.integer(fields["expected_version"], "expected_version")
            if "expected_version" in fields
            else 0
        )
        apply_at = _time(reader, fields, "apply_at")
        message = reader.text(fields.get("message"), "message", 500)
        terms = read_terms(reader, fields)
        reader.finish()
        assert apply_at is not None, "a missing time was refused"
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            change = schedule_apply(
                self.actor, dialect, text, message, expected, apply_at, accept=terms.accept
            )
        return Response(full_scheduled_answer(change), status=201)


class OneScheduledChange(OrgView):
    """One scheduled change."""

    permissions = {"PATCH": Permission.APPLY, "DELETE": Permission.APPLY}

    @extend_schema(
        operation_id="get_scheduled_change",
        summary="Get a scheduled change",
        responses={200: schemas.FullScheduledChange, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Return a scheduled change."""
        return _full(get_scheduled(self.actor.org, number))

    @extend_schema(
        operation_id="reschedule_change",
        summary="Move a scheduled change to another time",
        description="Temporary changes of the same number end in reverse order of their start.",
        request=schemas.ScheduledTimeIn,
        responses={200: schemas.FullScheduledChange, **problems(409, 413, 415)},
        examples=[example("Later", {"due_at": "2026-01-31T20:00:00Z"}, request=True)],
        tags=_TAG,
    )
    def patch(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Move a scheduled change to another time."""
        reader, fields = self.fields(request, ("due_at",), required=("due_at",))
        due_at = _time(reader, fields, "due_at")
        reader.finish()
        assert due_at is not None, "a missing time was refused"
        return _full(reschedule_change(self.actor, number, due_at))

    @extend_schema(
        operation_id="cancel_scheduled_change",
        summary="Cancel a scheduled change",
        description="The change stays listed in the state `canceled`. The numbers of a temporary "
        "change stay as they are.",
        responses={200: schemas.FullScheduledChange, **problems(409)},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Cancel a scheduled change."""
        return _full(cancel_change(self.actor, number))


class CarryOut(OrgView):
    """Carries a scheduled change out before its time."""

    permissions = {"POST": Permission.APPLY}

    @extend_schema(
        operation_id="carry_out_scheduled_change",
        summary="Carry out a scheduled change now",
        description="Makes the version of the change before its time. If that is impossible, the "
        "response is `not_carried_out` with the problem, and the change stays scheduled.",
        request=None,
        responses={200: schemas.FullScheduledChange, **problems(413, 415), **STALE},
        tags=_TAG,
    )
    def post(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Carry out a scheduled change now."""
        change = get_scheduled(self.actor.org, number)
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(change.text)):
            carry_out_now(self.actor, number)
        return _full(get_scheduled(self.actor.org, number))


def _time(reader: Reader, fields: Mapping[str, Any], name: str) -> datetime | None:
    """Return the required time *name*; an absent one was refused already."""
    if name in fields and fields[name] is None:
        reader.refuse(name, "required", f"{name} must not be null.")
    return reader.moment(fields.get(name), name)


def _full(change: ScheduledChange) -> Response:
    return Response(full_scheduled_answer(change))
