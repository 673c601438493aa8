"""Webhooks: settings, tests and the delivery log."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.webhooks import delivery_answer, delivery_summary, webhook_answer
from console.api.base import PAGING, OrgView, results
from console.api.schemas import webhooks as schemas
from console.api.schemas.common import PAGED, example, problems, query
from console.orgs.permissions import Permission
from console.webhooks.queries import (
    FILTERS,
    get_delivery,
    get_webhook,
    list_deliveries,
    webhooks_of,
)
from console.webhooks.services.create_webhook import create_webhook
from console.webhooks.services.delete_webhook import delete_webhook
from console.webhooks.services.replay_delivery import replay_delivery
from console.webhooks.services.rotate_secret import rotate_secret
from console.webhooks.services.send_test import send_test
from console.webhooks.services.update_webhook import update_webhook

_TAG = ["webhooks"]
_OWNERS = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), Permission.MANAGE_ORG)


class Webhooks(OrgView):
    """The webhooks of an organization."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="list_webhooks",
        summary="List webhooks",
        responses={200: schemas.WebhookList, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List the webhooks by name."""
        return results([webhook_answer(each) for each in webhooks_of(self.actor.org)], None)

    @extend_schema(
        operation_id="create_webhook",
        summary="Create a webhook",
        description="The response has the secret with which the receiver verifies deliveries. It "
        "is returned only once. Messages for Slack (`format`) are not signed.",
        request=schemas.WebhookIn,
        responses={201: schemas.WebhookWithSecret, **problems(409, 413, 415)},
        examples=[
            example(
                "Workloads of one queue that cannot run", schemas.EXAMPLE_WEBHOOK, request=True
            ),
            example("Messages for Slack", schemas.EXAMPLE_SLACK, request=True),
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Create a webhook."""
        webhook, secret = create_webhook(self.actor, request.data)
        return Response({**webhook_answer(webhook), "secret": secret}, status=201)


class OneWebhook(OrgView):
    """One webhook."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="get_webhook",
        summary="Get a webhook",
        responses={200: schemas.WebhookOut, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Return a webhook."""
        return Response(webhook_answer(get_webhook(self.actor.org, number)))

    @extend_schema(
        operation_id="update_webhook",
        summary="Change a webhook",
        description="Absent fields keep their values. While a webhook is paused, no new "
        "deliveries are created; deliveries that already waited are sent after it is resumed.",
        request=schemas.WebhookPatch,
        responses={200: schemas.WebhookOut, **problems(409, 413, 415)},
        examples=[example("Pause it", {"paused": True}, request=True)],
        tags=_TAG,
    )
    def patch(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Change a webhook."""
        return Response(webhook_answer(update_webhook(self.actor, number, request.data)))

    @extend_schema(
        operation_id="delete_webhook",
        summary="Delete a webhook",
        description="Also deletes its log; waiting deliveries are not sent. The response is the "
        "deleted webhook.",
        request=None,
        responses={200: schemas.WebhookOut, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Delete a webhook."""
        return Response(webhook_answer(delete_webhook(self.actor, number)))


class RotateSecret(OrgView):
    """Replaces the secret of a webhook."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="rotate_webhook_secret",
        summary="Replace the secret of a webhook",
        description="For a day, deliveries have two signatures, one for each secret, so that the "
        "receiver can be updated. An older secret is revoked immediately.",
        request=None,
        responses={200: schemas.WebhookWithSecret, **problems(409, 413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Replace the secret of a webhook."""
        webhook, secret = rotate_secret(self.actor, number)
        return Response({**webhook_answer(webhook), "secret": secret})


class SendTest(OrgView):
    """Sends a test delivery of a webhook."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="test_webhook",
        summary="Send a test",
        description="A worker sends the test immediately. The delivery shows its result.",
        request=None,
        responses={202: schemas.DeliverySummary, **problems(409, 413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Send a test."""
        return Response(delivery_summary(send_test(self.actor, number)), status=202)


class Deliveries(OrgView):
    """Deliveries of a webhook."""

    permissions = _OWNERS
    parameters = (*FILTERS, *PAGING)

    @extend_schema(
        operation_id="list_deliveries",
        summary="List deliveries",
        description="Newest first.",
        parameters=[
            query("state", "State: `waiting`, `delivered` or `failed`."),
            query("kind", "Kind of the message, such as `workload.rejected`."),
            *PAGED,
        ],
        responses={200: schemas.DeliveryPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """List deliveries."""
        webhook = get_webhook(self.actor.org, number)
        asked = request.query_params
        page = list_deliveries(webhook, asked, self.limit(request), asked.get("cursor"))
        return results([delivery_summary(each) for each in page.results], page.next)


class OneDelivery(OrgView):
    """One delivery."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="get_delivery",
        summary="Get a delivery",
        description="With its body, and all attempts with the responses of the receiver.",
        responses={200: schemas.DeliveryOut, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, delivery: str, **kwargs: Any) -> Response:
        """Return a delivery."""
        webhook = get_webhook(self.actor.org, number)
        return Response(delivery_answer(webhook, get_delivery(webhook, delivery)))


class ReplayDelivery(OrgView):
    """Sends a delivery again."""

    permissions = _OWNERS

    @extend_schema(
        operation_id="replay_delivery",
        summary="Send a delivery again",
        description="The id and the body stay the same, and all retries are available again. The "
        "next attempt of a waiting delivery is made immediately.",
        request=None,
        responses={202: schemas.DeliverySummary, **problems(409, 413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, number: int, delivery: str, **kwargs: Any) -> Response:
        """Send a delivery again."""
        return Response(delivery_summary(replay_delivery(self.actor, number, delivery)), status=202)
