"""Send a confirmation e-mail to a member, and confirm the address by its link."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from console.errors import Conflict, NotFound
from console.orgs.audit import record, record_person
from console.orgs.models import Membership, Organization, User
from console.orgs.permissions import Actor
from console.orgs.queries import lock_org
from console.webhooks.confirmation_links import read_confirmation_link
from console.webhooks.confirmation_waits import next_confirmation
from console.webhooks.models import Delivery, Kind, Webhook
from console.webhooks.outbox import write_deliveries
from console.webhooks.payloads import confirmation_message
from console.webhooks.reported_classes import mark_as_reported, reports_cannot_run
from console.webhooks.services.subscribe import (
    new_subscription,
    receiving_member,
    refuse_without_mail,
)


def request_confirmation(actor: Actor) -> Delivery:
    """
    Create and return the confirmation e-mail to the member *actor*, sent immediately by a worker.

    Raises NotAllowed, NotFound for a token, and Conflict if the console sends no e-mail, the
    address is confirmed (``address_confirmed``), or one was sent shortly before
    (``confirmation_sent``).
    """
    member = receiving_member(actor)
    refuse_without_mail()
    with transaction.atomic():
        lock_org(actor.org)
        _lock_accounts(member.user.email)
        account = User.objects.get(pk=member.user_id)
        if account.address_confirmed_at is not None:
            raise Conflict("address_confirmed", f"The address {account.email} is confirmed.")
        now = timezone.now()
        earliest = next_confirmation(account.email)
        if earliest is not None and earliest > now:
            raise Conflict(
                "confirmation_sent",
                "A confirmation e-mail has been sent. Another one can be sent from "
                f"{earliest:%Y-%m-%d %H:%M:%S} UTC.",
            )
        User.objects.filter(pk=account.pk).update(
            confirmation_sent_at=now, confirmations_sent=F("confirmations_sent") + 1
        )
        row = Webhook.objects.filter(member=member).first() or new_subscription(member)
        # The e-mail does not wait for the interval between others.
        Webhook.objects.filter(pk=row.pk).update(rest_until=None)
        message = confirmation_message(actor.org, now)
        (delivery,) = write_deliveries(actor.org, [(row, Kind.CONFIRM.value, message)], now)
        record(
            actor,
            "notifications.confirm",
            kind="member",
            subject=account.email,
            after={"delivery": delivery.uid},
        )
    return delivery


def confirm_address(user: User, text: str) -> Organization:
    """
    Confirm the address of *user* by *text*, the end of a link, and return its organization.

    An address that is confirmed stays so. Raises NotFound and Conflict as `member_to_confirm`.
    """
    with transaction.atomic():
        member = member_to_confirm(user, text)
        rows = User.objects.filter(pk=user.pk, address_confirmed_at=None)
        unreported = _orgs_without_reports(user)
        if rows.update(address_confirmed_at=timezone.now(), confirmations_sent=0):
            record_person(member.user, "account.confirm_address")
            for org in unreported:
                mark_as_reported(org)
    return member.org


def member_to_confirm(user: User, text: str) -> Membership:
    """
    Return the membership whose address *text*, the end of a link, confirms.

    Raises NotFound for a link that is invalid, has expired, or is of a former member, and Conflict
    (``other_account``) if *user* signed in with another account.
    """
    link = read_confirmation_link(text)
    rows = Membership.objects.select_related("org", "user")
    member = rows.filter(pk=link.member, user__email=link.email).first()
    if member is None:
        raise NotFound(
            "This link is no longer valid: its account has left the organization. Send another "
            "confirmation e-mail on the page Notifications, in the settings of an organization."
        )
    if member.user_id != user.pk:
        raise Conflict(
            "other_account",
            f"This link is for {member.user.email} with the account of {member.org.slug}, and you "
            f"are signed in as {user.email} with another account. Sign out, sign in with that "
            "account, and open the link again.",
        )
    return member


def _orgs_without_reports(user: User) -> list[Organization]:
    """
    Return the organizations that begin to report workloads that cannot run to *user*, locked.

    Those that wait already are not reported then, as at the start of a subscription.
    """
    rows = Webhook.objects.select_related("org").filter(member__user=user).order_by("org_id")
    found = [row.org for row in rows if Kind.CANNOT_RUN in row.kinds]
    for org in found:
        lock_org(org)
    return [org for org in found if not reports_cannot_run(org)]


def _lock_accounts(email: str) -> None:
    """Lock all accounts of an address, so that of two simultaneous requests the second waits."""
    accounts = User.objects.with_address(email).select_for_update(no_key=True)
    list(accounts.order_by("pk").values_list("pk", flat=True))
