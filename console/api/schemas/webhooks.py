"""The shapes of webhooks and of the log of their deliveries."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.webhooks.models import CHOSEN_KINDS, Delivery, Kind, Webhook
from console.webhooks.outcome import Failure

_CHOSEN = [kind.value for kind in CHOSEN_KINDS]
_FAILURES = [failure.value for failure in Failure]

EXAMPLE_WEBHOOK = {
    "name": "pager",
    "url": "https://hooks.example.org/sluice",
    "kinds": ["workload.cannot_run", "config.reverted"],
    "queues": ["research"],
}


class WebhookIn(Schema):
    """A webhook as it is asked for."""

    name = serializers.CharField(max_length=100, help_text="Unique in the organization.")
    url = serializers.CharField(
        max_length=1000,
        help_text="`https://HOST/PATH`, without name or password. It has to lead to public "
        "addresses, or to networks that the settings allow.",
    )
    kinds = serializers.ListField(
        child=serializers.ChoiceField(_CHOSEN), help_text="What it is told."
    )
    queues = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Names of queues, at most 100: of workloads it is told only what becomes of "
        "theirs. Empty: of all, and of those that no queue took.",
    )
    paused = serializers.BooleanField(required=False, help_text="Whether nothing is sent.")


class WebhookPatch(Schema):
    """What changes of a webhook; what is absent stays."""

    name = serializers.CharField(max_length=100, required=False)
    url = serializers.CharField(max_length=1000, required=False)
    kinds = serializers.ListField(child=serializers.ChoiceField(_CHOSEN), required=False)
    queues = serializers.ListField(child=serializers.CharField(), required=False)
    paused = serializers.BooleanField(
        required=False, help_text="False sends again, also after it was paused by itself."
    )


class WebhookOut(Schema):
    """A webhook and how it goes."""

    id = serializers.CharField()
    name = serializers.CharField()
    url = serializers.CharField()
    kinds = serializers.ListField(child=serializers.ChoiceField(_CHOSEN))
    queues = serializers.ListField(child=serializers.CharField())
    paused = serializers.ChoiceField(
        Webhook.Paused.values,
        allow_null=True,
        help_text="Why nothing is sent: `by_hand`, `failing` for days, or `gone`: its receiver "
        "answered 410; null while it is told.",
    )
    failures = serializers.IntegerField(help_text="Attempts that failed, one after the other.")
    failing_since = serializers.DateTimeField(allow_null=True)
    last_success_at = serializers.DateTimeField(allow_null=True)
    old_secret_until = serializers.DateTimeField(
        allow_null=True, help_text="Until then the secret before the present one signs too."
    )
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()


class WebhookWithSecret(WebhookOut):
    """A webhook with its secret, which is told this once."""

    secret = serializers.CharField(help_text="`whsec_` and 32 bytes in Base64.")


class DeliverySummary(Schema):
    """One message and how far it is."""

    id = serializers.CharField(help_text="As in `webhook-id`; a repeat has the same.")
    type = serializers.ChoiceField(Kind.values)
    summary = serializers.CharField()
    state = serializers.ChoiceField(Delivery.State.values)
    attempts = serializers.IntegerField()
    next_attempt_at = serializers.DateTimeField(
        allow_null=True, help_text="At the earliest; null when it waits no more."
    )
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class Attempt(Schema):
    """One request and what came of it."""

    number = serializers.IntegerField()
    begun_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(
        allow_null=True, help_text="Null while it is under way, and when its worker is gone."
    )
    url = serializers.CharField()
    address = serializers.CharField(
        help_text="The public address that was connected to; empty without one."
    )
    status = serializers.IntegerField(allow_null=True)
    failure = serializers.ChoiceField(
        _FAILURES, allow_null=True, help_text="Null when it was accepted."
    )
    detail = serializers.CharField()
    response = serializers.CharField(help_text="The first 1,024 bytes of the answer.")


class DeliveryOut(DeliverySummary):
    """One message with its body and every attempt."""

    body = serializers.CharField(help_text="JSON, as it was signed and sent.")
    tries = Attempt(many=True)


class WebhookList(Schema):
    """All webhooks of an organization."""

    results = WebhookOut(many=True)
    next = serializers.CharField(allow_null=True, help_text="Always null: they are few.")


DeliveryPage = page_of(DeliverySummary, "DeliveryPage")
