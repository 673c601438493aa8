"""Moves a rule of the active config to another position, as a version."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.schemas import configs as schemas
from console.api.schemas.common import example, problems
from console.api.terms import read_terms
from console.api.views.configs import APPLIED, REJECTED, STALE, applied_response
from console.configs.services.lint_config import lint_config
from console.configs.services.move_rule import move_rule
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.policies.queries import active_version


class MoveRule(OrgView):
    """Moves a rule of the active config."""

    permissions = {"POST": Permission.APPLY}

    @extend_schema(
        operation_id="move_rule",
        summary="Move a rule",
        description="Writes a rule of the active version at another position of the text and "
        "applies it; its comments move along, and all other lines stay. Consequences, confirmation "
        "and responses are those of `POST config/versions`. 404 if the language of the config has "
        "no rules in order.",
        request=schemas.RuleMove,
        responses={**APPLIED, **problems(413, 415), **STALE, **REJECTED},
        examples=[
            example(
                "The third rule comes first",
                {"rule": 2, "to": 0, "expected_version": 3},
                request=True,
            )
        ],
        tags=["config"],
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Move a rule."""
        reader, fields = self.fields(
            request,
            ("rule", "to", "message", "expected_version", "accept"),
            required=("rule", "to", "expected_version"),
        )
        rule, to, expected = (
            reader.integer(fields.get(name, 0), name) for name in ("rule", "to", "expected_version")
        )
        message = reader.text(fields.get("message"), "message", 500)
        terms = read_terms(reader, fields)
        reader.finish()
        active = active_version(self.actor.org)
        size = len(active.text) if active else 0
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=size):
            version, _ = move_rule(self.actor, rule, to, message, expected, accept=terms.accept)
            checked = lint_config(self.actor, version.dialect, version.text)
            return applied_response(request, version, checked, expected)
