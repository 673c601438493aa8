"""The shapes of audit entries."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.orgs.audit import ACTIONS, KINDS


class AuditEntry(Schema):
    """What a person or a token did."""

    number = serializers.IntegerField(
        allow_null=True,
        help_text="Its place in the chain, from 1 without gaps; null until it is sealed, a few "
        "seconds after it was written.",
    )
    id = serializers.IntegerField()
    time = serializers.DateTimeField()
    action = serializers.ChoiceField(ACTIONS)
    kind = serializers.ChoiceField(KINDS, help_text="What it was done to.")
    subject = serializers.CharField(help_text="Which one of them; empty for several.")
    actor = serializers.CharField(help_text="E-mail address of a person or name of a token.")
    actor_key = serializers.CharField(
        help_text="`user:7`, `token:3`, `command` on the machine itself, `timer`: a config that "
        "nobody confirmed, or a hold that is over, or `webhook`: one that cannot be reached."
    )
    before = serializers.DictField(allow_null=True, help_text="What was so before.")
    after = serializers.DictField(allow_null=True, help_text="What is so afterwards.")
    ip = serializers.CharField(help_text="Address that the request came from; empty without one.")
    agent = serializers.CharField(help_text="What the program called itself.")
    request_id = serializers.CharField(help_text="As in the log lines and X-Request-ID.")
    digest = serializers.CharField(help_text="Of this entry and all before; empty until sealed.")


AuditPage = page_of(AuditEntry, "AuditPage")
