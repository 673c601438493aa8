"""Organizations: list the caller's organizations, and get the state of one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.authentication import signed_in_user
from console.api.base import JSONView, OrgView, results
from console.api.schemas.common import problems
from console.api.schemas.state import Org, OrgName, OrgPage
from console.orgs.models import ApiToken
from console.orgs.permissions import Permission
from console.orgs.queries import orgs_of
from console.orgs.services.rename_org import rename_org
from console.policies.queries import active_number
from console.workloads.queries import state_counts


class Orgs(JSONView):
    """The organizations of a person or token."""

    @extend_schema(
        operation_id="list_orgs",
        summary="List your organizations",
        description="A token belongs to one organization; a person may belong to many.",
        responses={200: OrgPage, **problems()},
        tags=["organizations"],
    )
    def get(self, request: Request) -> Response:
        """List the organizations by slug."""
        if isinstance(request.auth, ApiToken):
            orgs = [request.auth.org]
        else:
            orgs = list(orgs_of(signed_in_user(request)))
        return results([{"slug": org.slug, "name": org.name} for org in orgs], None)


class OneOrg(OrgView):
    """One organization."""

    permissions = {"PATCH": Permission.MANAGE_ORG}

    @extend_schema(
        operation_id="get_org",
        summary="Get an organization",
        description="Your role, the active config version, and the number of workloads in each "
        "state.",
        responses={200: Org, **problems()},
        tags=["organizations"],
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return an organization."""
        return self._answer()

    @extend_schema(
        operation_id="rename_org",
        summary="Rename an organization",
        description="The slug, which addresses use, stays. Organizations are created in the "
        "console or on the command line: a token belongs to one organization.",
        request=OrgName,
        responses={200: Org, **problems(413, 415)},
        tags=["organizations"],
    )
    def patch(self, request: Request, **kwargs: Any) -> Response:
        """Change the name of an organization."""
        reader, fields = self.fields(request, ("name",), required=("name",))
        reader.finish()
        rename_org(self.actor, fields["name"])
        return self._answer()

    def _answer(self) -> Response:
        org = self.actor.org
        return Response(
            {
                "slug": org.slug,
                "name": org.name,
                "role": self.actor.role,
                "config_version": active_number(org),
                "counts": state_counts(org),
                "simulated_until": time_answer(org.simulated_until),
            }
        )
