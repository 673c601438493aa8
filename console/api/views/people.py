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
from console.links import join_link
from console.orgs.models import Role
from console.orgs.people import get_member, list_invitations, search_members
from console.orgs.permissions import Permission
from console.orgs.services.change_role import change_role
from console.orgs.services.invite import MOST_DAYS, USUAL_DAYS, invite, revoke_invitation
from console.orgs.services.remove_member import remove_member
from console.reading import QueryReader

_TAG = ["people and tokens"]
_LONGEST_ADDRESS = 254


class Members(OrgView):
    """Who belongs to the organization."""

    parameters = ("q", "role", *PAGING)

    @extend_schema(
        operation_id="list_members",
        summary="List members",
        description="In the order they joined. Every role may see who the others are; when they "
        "were active is told to owners alone. People come in by an invitation.",
        parameters=[
            query("q", "Part of an e-mail address."),
            query("role", "Only members with this role.", enum=Role.values),
            *PAGED,
        ],
        responses={200: schemas.MemberPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List them."""
        given = request.query_params
        role = given.get("role", "")
        if role and role not in Role.values:
            message = f"This has to be one of: {', '.join(Role.values)}."
            raise BadRequest([FieldError("role", "invalid_choice", message)])
        page = search_members(
            self.actor.org, given.get("q", ""), role, self.limit(request), given.get("cursor")
        )
        return results([member_answer(self.actor, each) for each in page.results], page.next)


class OneMember(OrgView):
    """One member."""

    parameters = ("keep_tokens",)
    permissions = dict.fromkeys(("PATCH", "DELETE"), Permission.MANAGE_ORG)

    def knows(self, name: str) -> bool:
        """Accept parameters in a DELETE alone."""
        return self.verb == "DELETE" and super().knows(name)

    @extend_schema(
        operation_id="get_member",
        summary="Look at a member",
        responses={200: schemas.OrgMember, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Show them."""
        return Response(member_answer(self.actor, get_member(self.actor.org, number)))

    @extend_schema(
        operation_id="change_role",
        summary="Change a member's role",
        description="It counts from the person's next request on. API tokens that they made and "
        "that grant more than the new role end; with `keep_tokens` they go on and are yours. The "
        "answer lists open invitations by them that grant more, so that you can take those back. "
        "The last owner stays one.",
        request=schemas.MemberRole,
        responses={200: schemas.ChangedMember, **problems(409, 413, 415)},
        examples=[example("An operator", {"role": "operator"}, request=True)],
        tags=_TAG,
    )
    def patch(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Change it."""
        reader, fields = self.fields(request, ("role", "keep_tokens"), required=("role",))
        role = reader.choice(fields["role"], "role", Role.values) if "role" in fields else ""
        keep = reader.flag(fields.get("keep_tokens"), "keep_tokens")
        reader.finish()
        change = change_role(self.actor, number, role, keep_tokens=keep)
        return Response(changed_member_answer(self.actor, change, change.membership.role))

    @extend_schema(
        operation_id="remove_member",
        summary="Remove a member",
        description="The person loses access at once and is signed out of every browser. API "
        "tokens that they made end; with `keep_tokens` they go on and are yours. The answer lists "
        "open invitations by them, so that you can take those back. The last owner cannot be "
        "removed.",
        parameters=[query("keep_tokens", "Whether tokens go on.", enum=("true", "false"))],
        request=None,
        responses={200: schemas.ChangedMember, **problems(409)},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Remove them."""
        reader = QueryReader(request.query_params)
        keep = reader.flag("keep_tokens", default=False)
        reader.finish()
        change = remove_member(self.actor, number, keep_tokens=keep)
        return Response(changed_member_answer(self.actor, change, None))


class Invitations(OrgView):
    """Who may join."""

    parameters = PAGING
    permissions = dict.fromkeys(("GET", "POST"), Permission.MANAGE_ORG)

    def knows(self, name: str) -> bool:
        """Accept nothing in a POST."""
        return self.verb == "GET" and super().knows(name)

    @extend_schema(
        operation_id="list_invitations",
        summary="List open invitations",
        description="Newest first; links that are too old are listed until they are taken back.",
        parameters=PAGED,
        responses={200: schemas.InvitationPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List them."""
        cursor = request.query_params.get("cursor")
        page = list_invitations(self.actor.org, self.limit(request), cursor)
        return results([invitation_answer(each) for each in page.results], page.next)

    @extend_schema(
        operation_id="invite",
        summary="Invite somebody",
        description="The answer has a link, told this once, by which the person with that address "
        "joins. Nothing is sent. An earlier link for the address stops working.",
        request=schemas.InvitationRequest,
        responses={201: schemas.FreshInvitation, **problems(409, 413, 415)},
        examples=[
            example(
                "A viewer, for three days",
                {"email": "somebody@example.com", "role": "viewer", "expires_in_days": 3},
                request=True,
            )
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Invite them."""
        known = ("email", "role", "expires_in_days")
        reader, fields = self.fields(request, known, required=known[:2])
        email = reader.text(fields.get("email"), "email", _LONGEST_ADDRESS)
        role = reader.choice(fields["role"], "role", Role.values) if "role" in fields else ""
        days = fields.get("expires_in_days", USUAL_DAYS)
        days = reader.integer(days, "expires_in_days", 1, MOST_DAYS)
        reader.finish()
        invited = invite(self.actor, email, role, days)
        link = join_link(request._request, invited.secret)  # noqa: SLF001
        return Response({**invitation_answer(invited.invitation), "link": link}, status=201)


class OneInvitation(OrgView):
    """One open invitation."""

    permissions = {"DELETE": Permission.MANAGE_ORG}

    @extend_schema(
        operation_id="revoke_invitation",
        summary="Take an invitation back",
        description="Its link stops working at once.",
        request=None,
        responses={200: schemas.Invitation, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Take it back."""
        return Response(invitation_answer(revoke_invitation(self.actor, number)))
