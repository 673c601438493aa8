"""Queries of the webhooks of an organization, the e-mail of its members, and their deliveries."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django.db.models import Count, Max, QuerySet

from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.paging import Page, newest_first
from console.webhooks.models import Attempt, Delivery, Kind, Webhook

#: Filters of the log.
FILTERS = ("state", "kind")


def webhooks_of(org: Organization) -> QuerySet[Webhook]:
    """Return the webhooks of *org* by name."""
    return Webhook.objects.filter(org=org, member=None).order_by("name")


def get_webhook(org: Organization, number: int) -> Webhook:
    """Return one of the webhooks of *org*; raises NotFound."""
    webhook = Webhook.objects.select_related("org").filter(org=org, pk=number, member=None).first()
    if webhook is None:
        raise NotFound(f"There is no webhook {number} in {org.slug}.")
    return webhook


def webhooks_version(org: Organization) -> str:
    """Return a text that changes with all data that pages show about the webhooks of *org*."""
    found = Webhook.objects.filter(org=org).aggregate(newest=Max("changed_at"), count=Count("pk"))
    return f"{found['count']}.{found['newest'].timestamp() if found['newest'] else 0}"


def subscription_of(actor: Actor) -> Webhook | None:
    """Return the e-mail subscription of the member *actor*, or None."""
    rows = Webhook.objects.select_related("org", "member__user")
    return rows.filter(org=actor.org, member__user=actor.user).first() if actor.user else None


def get_delivery(webhook: Webhook, uid: str) -> Delivery:
    """Return a delivery of *webhook* with its attempts; raises NotFound."""
    rows = Delivery.objects.prefetch_related("attempts").filter(webhook=webhook, uid=uid)
    delivery = rows.first()
    if delivery is None:
        raise NotFound(f"{webhook.name} has no delivery {uid}; it may have been deleted.")
    return delivery


def list_deliveries(
    webhook: Webhook, asked: Mapping[str, Any], limit: int, cursor: str | None
) -> Page[Delivery]:
    """
    Return a page of the log of *webhook*, newest first, without bodies.

    *asked* can have a ``state`` and a ``kind``. Raises BadRequest for unknown ones.
    """
    state = _chosen(asked, "state", Delivery.State.values)
    kind = _chosen(asked, "kind", Kind.values)
    rows = Delivery.objects.filter(webhook=webhook).defer("body")
    # Each filter has its own index.
    if state:
        rows = rows.filter(state=state)
    if kind:
        rows = rows.filter(kind=kind)
    return newest_first(rows, None, limit, cursor)


def last_attempts(deliveries: Collection[Delivery]) -> dict[int, Attempt]:
    """Return the latest attempt of each of *deliveries* that has one, by key of the delivery."""
    found: dict[int, Attempt] = {}
    of_these = Attempt.objects.filter(delivery__in=[each.pk for each in deliveries])
    for attempt in of_these.defer("response", "response_headers").order_by("number"):
        found[attempt.delivery_id] = attempt
    return found


def _chosen(asked: Mapping[str, Any], name: str, choices: Collection[str]) -> str:
    value = str(asked.get(name) or "")
    if value and value not in choices:
        message = f"Use one of these values for {name}: {', '.join(choices)}."
        raise BadRequest([FieldError(name, "invalid_choice", message)])
    return value
