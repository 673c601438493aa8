"""Changes the quota of a queue or cohort: other numbers in the active config, as a version."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.number_changes import read_numbers
from console.api.schemas import configs as schemas
from console.api.schemas.common import example, problems
from console.api.terms import read_terms
from console.api.views.configs import APPLIED, REJECTED, STALE, applied_response
from console.configs.services.change_numbers import change_numbers
from console.configs.services.lint_config import lint_config
from console.dialects.editable_numbers import COHORT, ObjectKey
from console.engine.diff.objects import QUEUE
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.policies.queries import active_version

_DESCRIPTION = (
    "Writes other numbers into the text of the active version and applies it; comments and layout "
    "stay. A number is named by its field, flavor and resource as the text has them. Consequences, "
    "confirmation and responses are those of `POST config/versions`. With `until`, the numbers get "
    "their former values at that time, as a scheduled change."
)
_SCHEMA: dict[str, Any] = {
    "request": schemas.QuotaChange,
    "responses": {**APPLIED, **problems(413, 415), **STALE, **REJECTED},
    "examples": [example("More GPUs", schemas.EXAMPLE_QUOTA_CHANGE, request=True)],
}


class _ChangeNumbers(OrgView):
    """Changes the numbers of an object in the active config."""

    permissions = {"POST": Permission.APPLY}

    def change(self, request: Request, owner: ObjectKey) -> Response:
        """Apply the numbers of the request to *owner*."""
        reader, fields = self.fields(
            request,
            ("numbers", "message", "expected_version", "accept", "until"),
            required=("numbers", "expected_version"),
        )
        changes = read_numbers(reader, fields.get("numbers", ()), least=1)
        message = reader.text(fields.get("message"), "message", 500)
        expected = reader.integer(fields.get("expected_version", 0), "expected_version")
        until = reader.moment(fields.get("until"), "until")
        terms = read_terms(reader, fields)
        reader.finish()
        active = active_version(self.actor.org)
        size = len(active.text) if active else 0
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=size):
            version, _ = change_numbers(
                self.actor, owner, changes, message, expected, accept=terms.accept, until=until
            )
            checked = lint_config(self.actor, version.dialect, version.text)
            return applied_response(request, version, checked, expected)


class ChangeQuota(_ChangeNumbers):
    """Changes the numbers of a queue."""

    @extend_schema(
        operation_id="change_quota",
        summary="Change the quota of a queue",
        description=f"{_DESCRIPTION} If the language fixes the numbers of a queue, the version "
        "has a queue with a new name in its place.",
        tags=["queues"],
        **_SCHEMA,
    )
    def post(self, request: Request, queue: str, **kwargs: Any) -> Response:
        """Change the quota of a queue."""
        return self.change(request, ObjectKey(QUEUE, queue))


class ChangeCohortQuota(_ChangeNumbers):
    """Changes the numbers of a cohort."""

    @extend_schema(
        operation_id="change_cohort_quota",
        summary="Change the quota of a cohort",
        description=_DESCRIPTION,
        tags=["cohorts"],
        **_SCHEMA,
    )
    def post(self, request: Request, cohort: str, **kwargs: Any) -> Response:
        """Change the quota of a cohort."""
        return self.change(request, ObjectKey(COHORT, cohort))
