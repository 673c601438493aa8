"""Subscribe a member to e-mail about own workloads, change or end the subscription, or test it."""

from __future__ import annotations

from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from console.errors import Conflict, NotFound
from console.orgs.audit import record
from console.orgs.models import Membership
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.reading import Reader
from console.webhooks.models import MEMBER_KINDS, Delivery, Kind, Webhook
from console.webhooks.queries import subscription_of
from console.webhooks.reported_classes import mark_as_reported, reports_cannot_run
from console.webhooks.services.send_test import write_test
from console.webhooks.unsubscribe_links import member_of_link

#: Values of *timing*: an e-mail for each event, or one for each day.
TIMINGS: Final = ("at_once", "daily")


def subscribe(actor: Actor, given: Any) -> Webhook | None:
    """
    Store the kinds of messages that the member *actor* gets by e-mail; without any, none.

    *given* has ``kinds`` and ``timing``, one of `TIMINGS`. Returns the subscription, or None if it
    ended. Until the member has confirmed the address, nothing is sent to it. Raises NotAllowed,
    BadRequest, and Conflict if the console sends no e-mail.
    """
    kinds, timing = _read(given)
    with transaction.atomic():
        lock_org(actor.org)
        member = receiving_member(actor)
        found = subscription_of(actor)
        if not kinds:
            if found is not None and found.kinds:
                _end(actor, found, member)
            return None
        refuse_without_mail()
        before = _facts(found)
        was_reported = reports_cannot_run(actor.org)
        row = found or new_subscription(member)
        row.kinds, row.is_digest = kinds, timing == "daily"
        row.changed_at = timezone.now()
        # Columns written by the workers are not changed.
        row.save(update_fields=["kinds", "is_digest", "changed_at"])
        if Kind.CANNOT_RUN in kinds and not was_reported:
            mark_as_reported(actor.org)
        if before != _facts(row):
            _record(actor, member, before, _facts(row))
    return row


def send_subscription_test(actor: Actor) -> Delivery:
    """
    Create and return a test e-mail to the member *actor*, which a worker sends immediately.

    Raises NotAllowed, NotFound without a subscription, and Conflict if several tests wait, the
    address is not confirmed (``address_not_confirmed``), or the console sends no e-mail.
    """
    member = receiving_member(actor)
    refuse_without_mail()
    with transaction.atomic():
        lock_org(actor.org)
        found = subscription_of(actor)
        if found is None or not found.kinds:
            raise NotFound("You get no e-mail: choose events and save them first.")
        if member.user.address_confirmed_at is None:
            raise Conflict(
                "address_not_confirmed",
                f"The address {member.user.email} is not confirmed: send a confirmation e-mail "
                "first, and open its link.",
            )
        delivery = write_test(found, actor.name, "your notifications")
        record(
            actor,
            "notifications.test",
            kind="member",
            subject=member.user.email,
            after={"delivery": delivery.uid},
        )
    return delivery


def unsubscribe_by_link(text: str) -> None:
    """End the subscription that *text*, the end of a signed link, names; raises NotFound."""
    number = member_of_link(text)
    with transaction.atomic():
        rows = Webhook.objects.select_related("org", "member__user")
        found = rows.filter(member=number).first()
        if found is not None and found.member is not None and found.kinds:
            member = found.member
            actor = Actor.from_user(found.org, member.user, member.role)
            _end(actor, found, member)


def new_subscription(member: Membership) -> Webhook:
    """Create and return a subscription of *member* without any events."""
    return Webhook.objects.create(
        org=member.org,
        member=member,
        # Names of webhooks have no space around them, so none can be the same.
        name=f" e-mail to member {member.pk}",
        created_by=member.user.email,
    )


def receiving_member(actor: Actor) -> Membership:
    """Return the membership of *actor*; raises NotFound for tokens and commands."""
    actor.require(Permission.READ)
    found = None
    if actor.user is not None and actor.token is None:
        rows = Membership.objects.select_related("org", "user")
        found = rows.filter(org=actor.org, user=actor.user).first()
    if found is None:
        raise NotFound("Only members of the organization can get e-mail.")
    return found


def refuse_without_mail() -> None:
    """Raise Conflict if the console has no mail server."""
    if not settings.EMAIL_HOST:
        raise Conflict(
            "mail_is_off",
            "This console sends no e-mail: its operator has to set EMAIL_HOST.",
        )


def _end(actor: Actor, subscription: Webhook, member: Membership) -> None:
    before = _facts(subscription)
    subscription.delete()
    _record(actor, member, before, _facts(None))


def _record(
    actor: Actor, member: Membership, before: dict[str, Any], after: dict[str, Any]
) -> None:
    subject = member.user.email
    record(
        actor, "notifications.update", kind="member", subject=subject, before=before, after=after
    )


def _facts(subscription: Webhook | None) -> dict[str, Any]:
    if subscription is None or not subscription.kinds:
        return {"kinds": []}
    return {
        "kinds": subscription.kinds,
        "timing": TIMINGS[1] if subscription.is_digest else TIMINGS[0],
    }


def _read(given: Any) -> tuple[list[str], str]:
    reader = Reader()
    fields = reader.mapping(given, "", ("kinds", "timing"), ("kinds", "timing"))
    known = [kind.value for kind in MEMBER_KINDS]
    items = reader.items(fields.get("kinds", []), "kinds", 0, len(known))
    chosen = {reader.choice(item, f"kinds[{place}]", known) for place, item in enumerate(items)}
    timing = str(reader.choice(fields.get("timing", ""), "timing", TIMINGS))
    reader.finish()
    return [kind for kind in known if kind in chosen], timing
