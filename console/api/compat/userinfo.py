"""Who the token is: the client asks before everything else, and reports what it was used for."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.compat.base import ClientView, email_of, result
from console.orgs.models import Organization, Role


class UserInfo(ClientView):
    """The token as a user of its organization."""

    def get(self, request: Request) -> Response:
        """Show it."""
        actor = self.actor
        is_owner = actor.role == Role.OWNER
        return result(
            {
                # By this name versions and events say who it was.
                "id": actor.name,
                "email": email_of(actor.name) or "",
                "name": actor.name,
                "username": actor.name,
                "verified": True,
                "organization_permission_level": "owner" if is_owner else "collaborator",
                "organization_ids": [actor.org.slug],
                "organizations": [_organization(actor.org)],
                # Of services that the client's own server uses.
                "ld_hash": "",
                "ld_hash_fields": [],
                "pylon_hash": "",
            }
        )


class Usage(ClientView):
    """What the command line tells of its use after every command."""

    def post(self, request: Request) -> Response:
        """Take note of nothing."""
        return result({})


def _organization(org: Organization) -> dict[str, Any]:
    return {
        "id": org.slug,
        "name": org.name,
        "public_identifier": org.slug,
        "is_general_platform_enabled": False,
        "is_private_endpoints_enabled": False,
        "is_usage_blocked": False,
    }
