"""Schemas of webhooks and their deliveries."""

from __future__ import annotations

from rest_framework import serializers

from console.api.schemas.common import Schema, page_of
from console.webhooks.models import CHOSEN_KINDS, Delivery, Format, Kind, Webhook
from console.webhooks.outcome import Failure

_CHOSEN = [kind.value for kind in CHOSEN_KINDS]
_FAILURES = [failure.value for failure in Failure]

EXAMPLE_WEBHOOK = {
    "name": "pager",
    "url": "https://hooks.example.org/sluice",
    "kinds": ["workload.cannot_run", "config.reverted"],
    "queues": ["research"],
}


EXAMPLE_SLACK = {
    "name": "channel",
    "url": "https://hooks.slack.com/services/T0/B0/secret",
    "format": "slack",
    "kinds": ["workload.preempted"],
}


class WebhookIn(Schema):
    """A webhook to create."""

    name = serializers.CharField(max_length=100, help_text="Unique in the organization.")
    url = serializers.CharField(
        max_length=1000,
        help_text="`https://HOST/PATH`, without user name or password. It has to resolve to public "
        "addresses, or to networks that the settings allow.",
    )
    format = serializers.ChoiceField(
        Format.values,
        required=False,
        help_text="`json` (default): a signed JSON text for a program. `slack`: a sentence and a "
        "link, for incoming webhooks of Slack and compatible chats. It cannot be changed later.",
    )
    kinds = serializers.ListField(
        child=serializers.ChoiceField(_CHOSEN), help_text="The kinds of messages to send."
    )
    queues = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Names of queues, at most 100, whose workloads are reported. Empty: all "
        "queues, and workloads without a queue.",
    )
    paused = serializers.BooleanField(required=False, help_text="Whether the webhook is paused.")


class WebhookPatch(Schema):
    """Changes to a webhook; absent fields keep their values."""

    name = serializers.CharField(max_length=100, required=False)
    url = serializers.CharField(max_length=1000, required=False)
    kinds = serializers.ListField(child=serializers.ChoiceField(_CHOSEN), required=False)
    queues = serializers.ListField(child=serializers.CharField(), required=False)
    paused = serializers.BooleanField(
        required=False, help_text="False resumes the webhook, also after an automatic pause."
    )


class WebhookOut(Schema):
    """A webhook and the state of its deliveries."""

    id = serializers.CharField()
    name = serializers.CharField()
    url = serializers.CharField()
    format = serializers.ChoiceField(Format.values)
    kinds = serializers.ListField(child=serializers.ChoiceField(_CHOSEN))
    queues = serializers.ListField(child=serializers.CharField())
    paused = serializers.ChoiceField(
        Webhook.Paused.values,
        allow_null=True,
        help_text="Why the webhook is paused: `by_hand`, `failing` for days, or `gone` if the "
        "receiver answered 410; null while it is active.",
    )
    failures = serializers.IntegerField(help_text="Number of consecutive failed attempts.")
    failing_since = serializers.DateTimeField(allow_null=True)
    last_success_at = serializers.DateTimeField(allow_null=True)
    old_secret_until = serializers.DateTimeField(
        allow_null=True, help_text="Until then deliveries are also signed with the previous secret."
    )
    created_by = serializers.CharField()
    created_at = serializers.DateTimeField()


class WebhookWithSecret(WebhookOut):
    """A webhook with its secret, which is returned only once."""

    secret = serializers.CharField(
        allow_null=True,
        help_text="`whsec_` followed by 32 bytes in Base64; null for messages for Slack.",
    )


class DeliverySummary(Schema):
    """One message and the state of its delivery."""

    id = serializers.CharField(
        help_text="The value of the header `webhook-id`; a retry has the same id."
    )
    type = serializers.ChoiceField(Kind.values)
    summary = serializers.CharField()
    state = serializers.ChoiceField(Delivery.State.values)
    attempts = serializers.IntegerField()
    next_attempt_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Earliest time of the next attempt; null if no attempt is planned.",
    )
    created_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(allow_null=True)


class Attempt(Schema):
    """One request and its result."""

    number = serializers.IntegerField()
    begun_at = serializers.DateTimeField()
    ended_at = serializers.DateTimeField(
        allow_null=True,
        help_text="Null while the request is in progress, and if its worker has ended.",
    )
    url = serializers.CharField()
    address = serializers.CharField(
        help_text="The public IP address of the connection; empty without one."
    )
    status = serializers.IntegerField(allow_null=True)
    failure = serializers.ChoiceField(
        _FAILURES, allow_null=True, help_text="Null if the receiver accepted the request."
    )
    detail = serializers.CharField()
    response = serializers.CharField(help_text="The first 1,024 bytes of the response.")


class DeliveryOut(DeliverySummary):
    """One message with its body and all attempts."""

    body = serializers.CharField(help_text="The JSON text that is sent.")
    tries = Attempt(many=True)


class WebhookList(Schema):
    """All webhooks of an organization."""

    results = WebhookOut(many=True)
    next = serializers.CharField(allow_null=True, help_text="Always null: the list has one page.")


DeliveryPage = page_of(DeliverySummary, "DeliveryPage")
