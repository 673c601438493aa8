"""Schemas of members, invitations and tokens."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.orgs.identities import LONGEST_USER, MOST_GROUPS
from console.orgs.models import Role


def _group_names(help_text: str, **options: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=LONGEST_USER),
        max_length=MOST_GROUPS,
        help_text=help_text,
        **options,
    )


class OrgMember(Schema):
    """A member of the organization."""

    id = serializers.CharField()
    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.values)
    user = serializers.CharField(
        help_text="User of the workloads that the member submits: the e-mail address, unless an "
        "owner chose another one."
    )
    groups = _group_names("Groups of these workloads.")
    joined_at = serializers.DateTimeField()
    last_active_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="Accurate to five minutes; null before the first request. Returned to owners "
        "only.",
    )


class MemberRole(Schema):
    """A new role."""

    role = serializers.ChoiceField(Role.values)
    keep_tokens = serializers.BooleanField(
        required=False,
        help_text="Whether tokens of the member that grant more than the new role stay valid and "
        "become yours. Otherwise they are revoked.",
    )


class MemberIdentity(Schema):
    """The user and groups of a member."""

    user = serializers.CharField(
        allow_null=True,
        max_length=LONGEST_USER,
        help_text="User of the member's workloads; null for the e-mail address.",
    )
    groups = _group_names("All groups of the member; empty for none.")


class Invitation(Schema):
    """An invitation to join the organization."""

    id = serializers.CharField()
    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.values)
    author = serializers.CharField(help_text="The owner or token that created it.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(help_text="Expiry of the link; can be in the past.")


class ChangedMember(OrgMember):
    """A member whose role was changed or removed, with the affected tokens and invitations."""

    ended_tokens = serializers.IntegerField(help_text="Number of revoked API tokens.")
    kept_tokens = serializers.IntegerField(help_text="Number of API tokens that became yours.")
    open_invitations = Invitation(
        many=True, help_text="Open invitations by the member that grant more than the new role."
    )


class FreshInvitation(Invitation):
    """An invitation with its link, which is returned only once."""

    link = serializers.CharField(help_text="The link to join. Send it over a private channel.")


class InvitationRequest(Schema):
    """An invitation to create."""

    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.values)
    expires_in_days = serializers.IntegerField(
        required=False, min_value=1, max_value=30, help_text="Default: 7."
    )


class Token(Schema):
    """An API token without its secret."""

    id = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(Role.values)
    user = serializers.CharField(
        help_text="User of the workloads that it submits without stating another; can be empty."
    )
    groups = _group_names("Groups of these workloads.")
    prefix = serializers.CharField(help_text="The first characters of the secret.")
    author = serializers.CharField(help_text="The member or token that created it.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="Null if the token does not expire."
    )
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="Accurate to one minute.")
    last_used_ip = serializers.CharField(help_text="Empty before the first use.")
    last_used_agent = serializers.CharField(help_text="The `User-Agent` of the client.")
    is_unused = serializers.BooleanField(
        help_text="Whether the token is valid and was not used for 30 days."
    )
    successor = serializers.CharField(
        allow_null=True, help_text="Id of the token that replaces it after a rotation."
    )


class FreshToken(Token):
    """A token with its secret, which is returned only once."""

    secret = serializers.CharField()


class TokenRequest(Schema):
    """A token to create."""

    name = serializers.CharField(max_length=100)
    role = serializers.ChoiceField(Role.values)
    user = serializers.CharField(
        required=False,
        allow_null=True,
        max_length=LONGEST_USER,
        help_text="User of the workloads that it submits without stating another. Default: none.",
    )
    groups = _group_names("Groups of these workloads.", required=False, allow_null=True)
    expires_in_days = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=3650,
        help_text="Default: 90. Null creates a token that does not expire.",
    )


class TokenRotation(Schema):
    """How long the old secret stays valid."""

    overlap_hours = serializers.IntegerField(
        required=False,
        min_value=0,
        max_value=720,
        help_text="Default: 24. 0 revokes the old secret immediately.",
    )


MemberPage = page_of(OrgMember, "OrgMemberPage")
InvitationPage = page_of(Invitation, "InvitationPage")
TokenPage = page_of(Token, "TokenPage")
