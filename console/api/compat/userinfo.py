"""The user of a token, which the client requests first, and its usage reports."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.compat.base import ClientView, email_of, result
from console.orgs.models import Organization, Role


class UserInfo(ClientView):
    """The token as a user of its organization."""

    def get(self, request: Request) -> Response:
        """Return the user."""
        actor = self.actor
        is_owner = actor.role == Role.OWNER
        return result(
            {
                # Versions and events name the actor by this id.
                "id": actor.name,
                "email": email_of(actor.name) or "",
                "name": actor.name,
                "username": actor.name,
                "verified": True,
                "organization_permission_level": "owner" if is_owner else "collaborator",
                "organization_ids": [actor.org.slug],
                "organizations": [_organization(actor.org)],
                # Keys of third-party services that only the client's own server uses.
                "ld_hash": "",
                "ld_hash_fields": [],
                "pylon_hash": "",
            }
        )


class Usage(ClientView):
    """The usage report that the command line sends after every command."""

    def post(self, request: Request) -> Response:
        """Accept the report without storing it."""
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
