"""API tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.people import token_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import people as schemas
from console.api.schemas.common import PAGED, example, problems, query
from console.errors import BadRequest, FieldError
from console.orgs.identities import read_identity
from console.orgs.models import Role
from console.orgs.permissions import Permission
from console.orgs.services.issue_token import LONGEST_NAME, MOST_DAYS, USUAL_DAYS, create_token
from console.orgs.services.revoke_token import revoke_token
from console.orgs.services.rotate_token import rotate_token
from console.orgs.token_secrets import Issued
from console.orgs.tokens import get_token, list_tokens

_TAG = ["people and tokens"]
_OWNERS = dict.fromkeys(("GET", "POST", "DELETE"), Permission.MANAGE_ORG)
_STATES = ("working", "ended")

#: Default and maximum of the hours that the old secret stays valid after a rotation.
_USUAL_OVERLAP = 24
_MOST_OVERLAP = 720


class Tokens(OrgView):
    """API tokens of an organization."""

    parameters = ("state", *PAGING)
    permissions = _OWNERS

    def accepts_parameter(self, name: str) -> bool:
        """Accept no query parameters in a POST."""
        return self.verb == "GET" and super().accepts_parameter(name)

    @extend_schema(
        operation_id="list_tokens",
        summary="List tokens",
        description="Newest first, without secrets.",
        parameters=[
            query("state", "Valid tokens or ended ones. Default: valid tokens.", enum=_STATES),
            *PAGED,
        ],
        responses={200: schemas.TokenPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List tokens."""
        given = request.query_params
        state = given.get("state") or "working"
        if state not in _STATES:
            message = f"Use one of: {', '.join(_STATES)}."
            raise BadRequest([FieldError("state", "invalid_choice", message)])
        page = list_tokens(
            self.actor.org,
            ended=state == "ended",
            limit=self.limit(request),
            cursor=given.get("cursor"),
        )
        return results([token_answer(each) for each in page.results], page.next)

    @extend_schema(
        operation_id="create_token",
        summary="Create a token",
        description="The response has the secret, which is returned only once and is not stored.",
        request=schemas.TokenRequest,
        responses={201: schemas.FreshToken, **problems(409, 413, 415)},
        examples=[
            example(
                "For a pipeline",
                {"name": "nightly pipeline", "role": "submitter", "expires_in_days": 30},
                request=True,
            )
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Create a token."""
        known = ("name", "role", "expires_in_days", "user", "groups")
        reader, fields = self.fields(request, known, required=known[:2])
        name = ""
        if "name" in fields:
            name = reader.text(fields["name"], "name", LONGEST_NAME, blank=False)
        role = reader.choice(fields["role"], "role", Role.values) if "role" in fields else ""
        days = fields.get("expires_in_days", USUAL_DAYS)
        ends = None
        if days is not None:
            days = reader.integer(days, "expires_in_days", 1, MOST_DAYS)
            ends = timezone.now() + timedelta(days=days)
        identity = read_identity(reader, fields.get("user"), fields.get("groups"))
        reader.finish()
        return _with_secret(create_token(self.actor, role, name, ends, identity))


class OneToken(OrgView):
    """One token."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="get_token",
        summary="Get a token",
        responses={200: schemas.Token, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Return a token."""
        return Response(token_answer(get_token(self.actor.org, number)))

    @extend_schema(
        operation_id="revoke_token",
        summary="Revoke a token",
        description="The next request with the token fails. Revoking a revoked token has no "
        "effect.",
        request=None,
        responses={200: schemas.Token, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Revoke a token."""
        return Response(token_answer(revoke_token(self.actor, number)))


class RotateToken(OrgView):
    """Replaces a token by one with a new secret."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="rotate_token",
        summary="Rotate a token",
        description="Creates a token with the same name, role, user, groups and lifetime. The old "
        "token stays valid for `overlap_hours`, so that clients can be updated without "
        "interruption.",
        request=schemas.TokenRotation,
        responses={201: schemas.FreshToken, **problems(409, 413, 415)},
        examples=[example("Revoke the old token immediately", {"overlap_hours": 0}, request=True)],
        tags=_TAG,
    )
    def post(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Rotate a token."""
        reader, fields = self.fields(request, ("overlap_hours",))
        hours = fields.get("overlap_hours", _USUAL_OVERLAP)
        hours = reader.integer(hours, "overlap_hours", 0, _MOST_OVERLAP)
        reader.finish()
        return _with_secret(rotate_token(self.actor, number, timedelta(hours=hours)))


def _with_secret(issued: Issued) -> Response:
    return Response({**token_answer(issued.token), "secret": issued.secret}, status=201)
