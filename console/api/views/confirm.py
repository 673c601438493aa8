"""Confirmation of a version with a revert timer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.configs import timer_answer, version_answer
from console.api.base import OrgView
from console.api.schemas import configs as schemas
from console.api.schemas.common import example, problems
from console.configs.queries import revert_timer_of
from console.configs.services.confirm_config import confirm_config
from console.errors import NotFound
from console.orgs.permissions import Permission
from console.policies.queries import active_number, get_version

_TAG = ["config"]


class ConfigConfirm(OrgView):
    """The version that waits for confirmation."""

    permissions = {"POST": Permission.APPLY}

    @extend_schema(
        operation_id="get_confirm",
        summary="Get the version that waits for confirmation",
        responses={200: schemas.ConfigTimer, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the revert timer of the version; 404 if no version waits for confirmation."""
        timer = revert_timer_of(self.actor.org)
        if timer is None:
            raise NotFound(f"No version of {self.actor.org.slug} waits for confirmation.")
        return Response(timer_answer(timer))

    @extend_schema(
        operation_id="confirm_config",
        summary="Confirm a version",
        description="Keeps a version that was applied with `revert_after_minutes`. To revert it "
        "immediately, roll back to the previous version.",
        request=schemas.ConfigConfirm,
        responses={200: schemas.VersionSummary, **problems(409, 413, 415)},
        examples=[example("The version to confirm", {"version": 2}, request=True)],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Confirm a version."""
        reader, fields = self.fields(request, ("version",), required=("version",))
        number = reader.integer(fields["version"], "version") if "version" in fields else 0
        reader.finish()
        org = self.actor.org
        confirm_config(self.actor, number)
        return Response(version_answer(get_version(org, number), active=active_number(org)))
