"""The shapes of members, invitations and tokens."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.orgs.models import Role


class OrgMember(Schema):
    """Somebody who belongs to the organization."""

    id = serializers.CharField()
    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.values)
    joined_at = serializers.DateTimeField()
    last_active_at = serializers.DateTimeField(
        required=False,
        allow_null=True,
        help_text="To five minutes; null before the first time. Only owners are told.",
    )


class MemberRole(Schema):
    """A role to give."""

    role = serializers.ChoiceField(Role.values)
    keep_tokens = serializers.BooleanField(
        required=False,
        help_text="Whether tokens that grant more than the role go on, and belong to you.",
    )


class Invitation(Schema):
    """A person who may join."""

    id = serializers.CharField()
    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.values)
    author = serializers.CharField(help_text="Who invited.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(help_text="When the link ends; it may have ended.")


class ChangedMember(OrgMember):
    """A member whose role changed or ended, with what else it was about."""

    ended_tokens = serializers.IntegerField(help_text="API tokens that granted more, and ended.")
    kept_tokens = serializers.IntegerField(help_text="API tokens that are yours from now on.")
    open_invitations = Invitation(
        many=True, help_text="Open invitations by the person that grant more than their role."
    )


class FreshInvitation(Invitation):
    """An invitation with its link, which is told this once."""

    link = serializers.CharField(help_text="Pass it on by a way that nobody else reads.")


class InvitationRequest(Schema):
    """Whom to invite."""

    email = serializers.EmailField()
    role = serializers.ChoiceField(Role.values)
    expires_in_days = serializers.IntegerField(
        required=False, min_value=1, max_value=30, help_text="7 when absent."
    )


class Token(Schema):
    """An API token without its secret."""

    id = serializers.CharField()
    name = serializers.CharField()
    role = serializers.ChoiceField(Role.values)
    prefix = serializers.CharField(help_text="The first characters of the secret.")
    author = serializers.CharField(help_text="Who made it.")
    created_at = serializers.DateTimeField()
    expires_at = serializers.DateTimeField(allow_null=True, help_text="Null: it has no end.")
    revoked_at = serializers.DateTimeField(allow_null=True)
    last_used_at = serializers.DateTimeField(allow_null=True, help_text="To a minute.")
    last_used_ip = serializers.CharField(help_text="Empty before the first use.")
    last_used_agent = serializers.CharField(help_text="What the program called itself.")
    is_unused = serializers.BooleanField(help_text="It works, and nothing used it for 30 days.")
    successor = serializers.CharField(
        allow_null=True, help_text="Id of the token that takes its place, once it is rotated."
    )


class FreshToken(Token):
    """A token with its secret, which is told this once."""

    secret = serializers.CharField()


class TokenRequest(Schema):
    """What token to make."""

    name = serializers.CharField(max_length=100)
    role = serializers.ChoiceField(Role.values)
    expires_in_days = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=3650,
        help_text="90 when absent; null makes one without an end.",
    )


class TokenRotation(Schema):
    """How long the old secret goes on."""

    overlap_hours = serializers.IntegerField(
        required=False, min_value=0, max_value=720, help_text="24 when absent; 0 ends it at once."
    )


MemberPage = page_of(OrgMember, "OrgMemberPage")
InvitationPage = page_of(Invitation, "InvitationPage")
TokenPage = page_of(Token, "TokenPage")
