"""Schemas of audit entries."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.orgs.audit import ACTIONS, KINDS


class AuditEntry(Schema):
    """One action of a person or token."""

    number = serializers.IntegerField(
        allow_null=True,
        help_text="Position in the audit chain, from 1 without gaps; null until the entry is "
        "sealed, a few seconds after the action.",
    )
    id = serializers.IntegerField()
    time = serializers.DateTimeField()
    action = serializers.ChoiceField(ACTIONS)
    kind = serializers.ChoiceField(KINDS, help_text="Kind of the changed object.")
    subject = serializers.CharField(help_text="The changed object; empty for several objects.")
    actor = serializers.CharField(help_text="E-mail address of a person or name of a token.")
    actor_key = serializers.CharField(
        help_text="`user:7`, `token:3`, `command` for a management command, `timer` for an "
        "unconfirmed config or the end of a hold, or `webhook` for a receiver that cannot "
        "be reached."
    )
    before = serializers.DictField(allow_null=True, help_text="Values before the action.")
    after = serializers.DictField(allow_null=True, help_text="Values after the action.")
    ip = serializers.CharField(help_text="Client address of the request; empty without one.")
    agent = serializers.CharField(help_text="The `User-Agent` of the client.")
    request_id = serializers.CharField(
        help_text="The request id of the log lines and of `X-Request-ID`."
    )
    digest = serializers.CharField(
        help_text="Hash of this entry and all entries before it; empty until sealed."
    )


AuditPage = page_of(AuditEntry, "AuditPage")
