"""Webhooks: who is told what, tests, and the log of what was sent."""

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
_EVERY = dict.fromkeys(("GET", "POST", "PATCH", "DELETE"), Permission.MANAGE_ORG)


class Webhooks(OrgView):
    """The webhooks of an organization."""

    permissions = _EVERY

    @extend_schema(
        operation_id="list_webhooks",
        summary="List webhooks",
        responses={200: schemas.WebhookList, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, **kwargs: Any) -> Response:
        """List them by name."""
        return results([webhook_answer(each) for each in webhooks_of(self.actor.org)], None)

    @extend_schema(
        operation_id="create_webhook",
        summary="Create a webhook",
        description="The answer has the secret by which its receiver recognizes deliveries; it is "
        "told this once.",
        request=schemas.WebhookIn,
        responses={201: schemas.WebhookWithSecret, **problems(409, 413, 415)},
        examples=[
            example("What can never run in one queue", schemas.EXAMPLE_WEBHOOK, request=True)
        ],
        tags=_TAG,
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Create one."""
        webhook, secret = create_webhook(self.actor, request.data)
        return Response({**webhook_answer(webhook), "secret": secret}, status=201)


class OneWebhook(OrgView):
    """One webhook."""

    permissions = _EVERY

    @extend_schema(
        operation_id="get_webhook",
        summary="See a webhook",
        responses={200: schemas.WebhookOut, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Show it."""
        return Response(webhook_answer(get_webhook(self.actor.org, number)))

    @extend_schema(
        operation_id="update_webhook",
        summary="Change a webhook",
        description="What is absent stays. While it is paused nothing is noted for it; what waited "
        "before is sent when it is resumed.",
        request=schemas.WebhookPatch,
        responses={200: schemas.WebhookOut, **problems(409, 413, 415)},
        examples=[example("Pause it", {"paused": True}, request=True)],
        tags=_TAG,
    )
    def patch(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Change it."""
        return Response(webhook_answer(update_webhook(self.actor, number, request.data)))

    @extend_schema(
        operation_id="delete_webhook",
        summary="Delete a webhook",
        description="With its log; what waits for it is not sent any more. The answer is what it "
        "was.",
        request=None,
        responses={200: schemas.WebhookOut, **problems()},
        tags=_TAG,
    )
    def delete(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Delete it."""
        return Response(webhook_answer(delete_webhook(self.actor, number)))


class RotateSecret(OrgView):
    """The secret of a webhook."""

    permissions = _EVERY

    @extend_schema(
        operation_id="rotate_webhook_secret",
        summary="Replace the secret of a webhook",
        description="For a day deliveries have two signatures, one by each secret, so that "
        "receivers can change theirs in between. One replaced before ends at once.",
        request=None,
        responses={200: schemas.WebhookWithSecret, **problems(413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Replace it."""
        webhook, secret = rotate_secret(self.actor, number)
        return Response({**webhook_answer(webhook), "secret": secret})


class SendTest(OrgView):
    """A test of a webhook."""

    permissions = _EVERY

    @extend_schema(
        operation_id="test_webhook",
        summary="Send a test",
        description="A worker sends it at once; look at the delivery for how it went.",
        request=None,
        responses={202: schemas.DeliverySummary, **problems(409, 413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, number: int, **kwargs: Any) -> Response:
        """Send one."""
        return Response(delivery_summary(send_test(self.actor, number)), status=202)


class Deliveries(OrgView):
    """The log of a webhook."""

    permissions = _EVERY
    parameters = (*FILTERS, *PAGING)

    @extend_schema(
        operation_id="list_deliveries",
        summary="List deliveries",
        description="Newest first.",
        parameters=[
            query("state", "`waiting`, `delivered` or `failed`."),
            query("kind", "Such as `workload.rejected`."),
            *PAGED,
        ],
        responses={200: schemas.DeliveryPage, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, **kwargs: Any) -> Response:
        """List them."""
        webhook = get_webhook(self.actor.org, number)
        asked = request.query_params
        page = list_deliveries(webhook, asked, self.limit(request), asked.get("cursor"))
        return results([delivery_summary(each) for each in page.results], page.next)


class OneDelivery(OrgView):
    """One delivery."""

    permissions = _EVERY

    @extend_schema(
        operation_id="get_delivery",
        summary="See a delivery",
        description="Its body, and every attempt with what the receiver answered.",
        responses={200: schemas.DeliveryOut, **problems()},
        tags=_TAG,
    )
    def get(self, request: Request, number: int, delivery: str, **kwargs: Any) -> Response:
        """Show it."""
        webhook = get_webhook(self.actor.org, number)
        return Response(delivery_answer(get_delivery(webhook, delivery)))


class ReplayDelivery(OrgView):
    """A delivery that is sent again."""

    permissions = _EVERY

    @extend_schema(
        operation_id="replay_delivery",
        summary="Send a delivery again",
        description="Under the same id and with the same body, with all its retries before it. "
        "One that waits gets its next attempt at once.",
        request=None,
        responses={202: schemas.DeliverySummary, **problems(409, 413, 415)},
        tags=_TAG,
    )
    def post(self, request: Request, number: int, delivery: str, **kwargs: Any) -> Response:
        """Send it again."""
        return Response(delivery_summary(replay_delivery(self.actor, number, delivery)), status=202)
