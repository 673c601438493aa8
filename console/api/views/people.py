"""Members and invitations."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.people import changed_member_answer, invitation_answer, member_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import people as schemas
from console.api.schemas.common import PAGED, example, problems, query
from console.errors import BadRequest, FieldError
from console.links import invitation_link
from console.orgs.identities import Identity, read_groups, read_user
from console.orgs.models import Role
from console.orgs.people import get_member, list_invitations, search_members
from console.orgs.permissions import Permission
from console.orgs.services.change_role import change_role
from console.orgs.services.invite import MOST_DAYS, USUAL_DAYS, invite, revoke_invitation
from console.orgs.services.remove_member import remove_member
from console.orgs.services.set_identity import set_identity
from console.reading import QueryReader

_TAG = ["people and tokens"]
_LONGEST_ADDRESS = 254


class Members(OrgView):
    """Members of an organization."""

    parameters = ("q", "role", *PAGING)

    @extend_schema(
        operation_id="list_members",
        summary="List members",
        description="In the order in which they joined. All members can see the list; "
        "`last_active_at` is returned to owners only. New members join by an invitation.",
        parameters=[
            query("q", "Part of an e-mail address."),
            query("role", "Role of the member.", enum=Role.values),
            *PAGED,
        ],
        responses={200: schemas.MemberPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List members."""
        given = request.query_params
        role = given.get("role", "")
        if role and role not in Role.values:
            message = f"Use one of: {', '.join(Role.values)}."
            raise BadRequest([FieldError("role", "invalid_choice", message)])
        page = search_members(
            self.actor.org, given.get("q", ""), role, self.limit(request), given.get("cursor")
        )
        return results([member_answer(self.actor, each) for each in page.results], page.next)


class OneMember(OrgView):
    """One member."""

    parameters = ("keep_tokens",)
    permissions = dict.fromkeys(("PATCH", "DELETE"), Permission.MANAGE_ORG)

    def accepts_parameter(self, name: str) -> bool:
        """Accept query parameters in a DELETE only."""
        return self.verb == "DELETE" and super().accepts_parameter(name)

    @extend_schema(
        operation_id="get_member",
        summary="Get a member",
        responses={200: schemas.OrgMember, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Return a member."""
        return Response(member_answer(self.actor, get_member(self.actor.org, number)))

    @extend_schema(
        operation_id="change_role",
        summary="Change a member's role",
        description="The role applies from the next request of the member. API tokens created by "
        "the member that grant more than the new role are revoked; with `keep_tokens` they stay "
        "valid and become yours. The response lists open invitations by the member that grant "
        "more, so that you can revoke them. The role of the last owner cannot be changed.",
        request=schemas.MemberRole,
        responses={200: schemas.ChangedMember, **problems(409, 413, 415)},
        examples=[example("An operator", {"role": "operator"}, request=True)],
        tags=_TAG,
    )
    def patch(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Change a member's role."""
        reader, fields = self.fields(request, ("role", "keep_tokens"), required=("role",))
        role = reader.choice(fields["role"], "role", Role.values) if "role" in fields else ""
        keep = reader.flag(fields.get("keep_tokens"), "keep_tokens")
        reader.finish()
        change = change_role(self.actor, number, role, keep_tokens=keep)
        return Response(changed_member_answer(self.actor, change, change.membership.role))

    @extend_schema(
        operation_id="remove_member",
        summary="Remove a member",
        description="The member loses access immediately and is signed out of all browsers. API "
        "tokens created by the member are revoked; with `keep_tokens` they stay valid and become "
        "yours. The response lists open invitations by the member, so that you can revoke them. "
        "The last owner cannot be removed.",
        parameters=[
            query(
                "keep_tokens",
                "Whether the API tokens of the member stay valid.",
                enum=("true", "false"),
            )
        ],
        request=None,
        responses={200: schemas.ChangedMember, **problems(409)},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Remove a member."""
        reader = QueryReader(request.query_params)
        keep = reader.flag("keep_tokens", default=False)
        reader.finish()
        change = remove_member(self.actor, number, keep_tokens=keep)
        return Response(changed_member_answer(self.actor, change, None))


class MemberIdentity(OrgView):
    """The user and groups of a member."""

    permissions = {"PUT": Permission.MANAGE_ORG}

    @extend_schema(
        operation_id="set_member_identity",
        summary="Set a member's user and groups",
        description="Workloads that the member submits from now on have this user and these "
        "groups, in place of all earlier ones, unless they state a part of the groups.",
        request=schemas.MemberIdentity,
        responses={200: schemas.OrgMember, **problems(409, 413, 415)},
        examples=[
            example("Two groups", {"user": None, "groups": ["research", "gpu-users"]}, request=True)
        ],
        tags=_TAG,
    )
    def put(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Set the user and groups of a member."""
        known = ("user", "groups")
        reader, fields = self.fields(request, known, required=known)
        user = read_user(reader, fields.get("user"))
        groups = read_groups(reader, fields["groups"]) if "groups" in fields else ()
        reader.finish()
        changed = set_identity(self.actor, number, Identity(user, groups))
        return Response(member_answer(self.actor, changed))


class Invitations(OrgView):
    """Invitations to an organization."""

    parameters = PAGING
    permissions = dict.fromkeys(("GET", "POST"), Permission.MANAGE_ORG)

    def accepts_parameter(self, name: str) -> bool:
        """Accept no query parameters in a POST."""
        return self.verb == "GET" and super().accepts_parameter(name)

    @extend_schema(
        operation_id="list_invitations",
        summary="List open invitations",
        description="Newest first. Expired invitations are listed until they are revoked.",
        parameters=PAGED,
        responses={200: schemas.InvitationPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List open invitations."""
        cursor = request.query_params.get("cursor")
        page = list_invitations(self.actor.org, self.limit(request), cursor)
        return results([invitation_answer(each) for each in page.results], page.next)

    @extend_schema(
        operation_id="invite",
        summary="Create an invitation",
        description="The response has a link to join, which is returned only once. Sluice sends no "
        "e-mail. An earlier link for the same address is revoked.",
        request=schemas.InvitationRequest,
        responses={201: schemas.FreshInvitation, **problems(409, 413, 415)},
        examples=[
            example(
                "A viewer, for three days",
                {"email": "viewer@example.com", "role": "viewer", "expires_in_days": 3},
                request=True,
            )
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Create an invitation."""
        known = ("email", "role", "expires_in_days")
        reader, fields = self.fields(request, known, required=known[:2])
        email = reader.text(fields.get("email"), "email", _LONGEST_ADDRESS)
        role = reader.choice(fields["role"], "role", Role.values) if "role" in fields else ""
        days = fields.get("expires_in_days", USUAL_DAYS)
        days = reader.integer(days, "expires_in_days", 1, MOST_DAYS)
        reader.finish()
        invited = invite(self.actor, email, role, days)
        link = invitation_link(request._request, invited.secret)  # noqa: SLF001
        return Response({**invitation_answer(invited.invitation), "link": link}, status=201)


class OneInvitation(OrgView):
    """One open invitation."""

    permissions = {"DELETE": Permission.MANAGE_ORG}

    @extend_schema(
        operation_id="revoke_invitation",
        summary="Revoke an invitation",
        description="The link stops working immediately.",
        request=None,
        responses={200: schemas.Invitation, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Revoke an invitation."""
        return Response(invitation_answer(revoke_invitation(self.actor, number)))
