"""Confirmation of addresses: nothing else is sent before, by one link of the right account."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.core import mail
from django.utils import timezone

from console.errors import Conflict, NotFound
from console.orgs.models import AuditEntry, Membership, Organization, Proof, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.create_user import create_user
from console.orgs.services.remove_member import remove_member
from console.webhooks.confirmation_links import VALID_FOR, read_confirmation_link
from console.webhooks.confirmation_waits import next_confirmation
from console.webhooks.models import Delivery, ToldClass, Webhook
from console.webhooks.outbox import active_webhooks
from console.webhooks.services.confirm_address import confirm_address, request_confirmation
from console.webhooks.services.deliver_due import deliver_due, due_webhooks
from console.webhooks.services.subscribe import (
    send_subscription_test,
    subscribe,
    unsubscribe_by_link,
)
from console.webhooks.unsubscribe_links import unsubscribe_url
from tests.conftest import PASSWORD
from tests.services.conftest import RACERS
from tests.services.test_member_races import owners

Race = Callable[[Callable[[int], Any]], list[Any]]
ALL = ["workload.admitted", "workload.rejected", "workload.cannot_run", "workload.preempted"]
MIGRATION = import_module("console.orgs.migrations.0014_confirm_addresses_of_the_provider")


@pytest.fixture(autouse=True)
def _mail(settings: Any) -> Iterator[None]:
    """Turn e-mail on; Django keeps the messages in memory."""
    settings.EMAIL_HOST = "mail.example"
    settings.DEFAULT_FROM_EMAIL = "Sluice <sluice@console.example>"
    settings.PUBLIC_URL = "https://console.example"
    mail.outbox = []
    yield
    mail.outbox = []


def user_of(actor: Actor) -> User:
    assert actor.user is not None
    return User.objects.get(pk=actor.user.pk)


def sent_link(actor: Actor) -> str:
    """Request a confirmation, send it, and return the end of its link."""
    User.objects.update(confirmation_sent_at=None)
    request_confirmation(actor)
    row = Webhook.objects.get(member__user=actor.user, org=actor.org)
    assert deliver_due(row.pk) == 1
    (line,) = [each for each in mail.outbox[-1].body.splitlines() if "/confirm/" in each]
    return line.removeprefix("https://console.example/confirm/")


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(Conflict) as caught:
        call()
    return caught.value.code


def test_the_link_of_the_e_mail_confirms_the_address(owner: Actor) -> None:
    link = sent_link(owner)
    (sent,) = mail.outbox
    assert (sent.to, sent.subject) == (["owner@here.example"], "Confirm your e-mail address")
    # The name of the organization is not sent to an address that asked for nothing.
    assert "here" not in sent.body.replace("owner@here.example", "")
    assert set(sent.extra_headers) == {"Message-ID", "Auto-Submitted"}
    assert user_of(owner).address_confirmed_at is None
    assert confirm_address(user_of(owner), link) == owner.org
    account = user_of(owner)
    assert account.address_confirmed_at is not None
    assert account.confirmations_sent == 0
    first = account.address_confirmed_at
    assert confirm_address(account, link) == owner.org
    assert user_of(owner).address_confirmed_at == first
    assert code_of(lambda: request_confirmation(owner)) == "address_confirmed"
    recorded = AuditEntry.objects.exclude(action="org.create").order_by("pk")
    entries = recorded.values_list("action", "subject")
    assert list(entries) == [
        ("notifications.confirm", "owner@here.example"),
        ("account.confirm_address", "owner@here.example"),
    ]


def test_nothing_else_is_sent_before(owner: Actor) -> None:
    row = subscribe(owner, {"kinds": ALL, "timing": "at_once"})
    assert row is not None
    assert row.kinds == ALL
    assert active_webhooks(owner.org) == []
    assert code_of(lambda: send_subscription_test(owner)) == "address_not_confirmed"
    # A message of an earlier version, which did not ask, waits for the confirmation.
    Delivery.objects.create(webhook=row, kind="workload.admitted", summary="x", body="{}")
    assert (due_webhooks(9), deliver_due(row.pk), mail.outbox) == ([], 0, [])
    link = sent_link(owner)
    assert [each.subject for each in mail.outbox] == ["Confirm your e-mail address"]
    Webhook.objects.update(rest_until=None)
    assert (due_webhooks(9), deliver_due(row.pk)) == ([], 0)
    confirm_address(user_of(owner), link)
    assert [each.pk for each in active_webhooks(owner.org)] == [row.pk]
    assert due_webhooks(9) == [row.pk]
    Delivery.objects.filter(kind="workload.admitted").delete()
    send_subscription_test(owner)
    assert deliver_due(row.pk) == 1
    assert len(mail.outbox) == 2


def test_workloads_that_cannot_run_already_are_not_reported(owner: Actor) -> None:
    subscribe(owner, {"kinds": ALL, "timing": "at_once"})
    ToldClass.objects.create(org=owner.org, key="an outdated mark")
    confirm_address(user_of(owner), sent_link(owner))
    assert not ToldClass.objects.exists()


def test_a_request_is_no_subscription(owner: Actor) -> None:
    request_confirmation(owner)
    row = Webhook.objects.get()
    assert (row.kinds, row.member is not None) == ([], True)
    User.objects.update(address_confirmed_at=timezone.now())
    with pytest.raises(NotFound, match="choose events"):
        send_subscription_test(owner)
    # Saving no events keeps the e-mail that waits.
    assert subscribe(owner, {"kinds": [], "timing": "daily"}) is None
    assert Delivery.objects.get().kind == "address.confirm"
    assert subscribe(owner, {"kinds": ALL, "timing": "daily"}) == row
    assert row.member is not None
    unsubscribe_by_link(unsubscribe_url(row.member).rpartition("/")[2])
    assert not Webhook.objects.exists()
    facts = AuditEntry.objects.filter(action="notifications.update").order_by("pk")
    assert [(each.before, each.after) for each in facts] == [
        ({"kinds": []}, {"kinds": ALL, "timing": "daily"}),
        ({"kinds": ALL, "timing": "daily"}, {"kinds": []}),
    ]


def test_another_account_cannot_use_the_link(owner: Actor, viewer: Actor) -> None:
    link = sent_link(owner)
    twin = User.objects.create_user(owner.name, proof=Proof.INVITATION)
    for stranger in (user_of(viewer), twin):
        assert code_of(lambda user=stranger: confirm_address(user, link)) == "other_account"  # type: ignore[misc]
    assert not User.objects.exclude(address_confirmed_at=None).exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda link: "",
        lambda link: "x",
        lambda link: link[:-1],
        lambda link: f"{link}x",
        lambda link: link.swapcase(),
        lambda link: link.replace(":", "é"),
        lambda link: unsubscribe_url(Membership.objects.get()).rpartition("/")[2],
    ],
)
def test_forged_links_are_refused(owner: Actor, change: Callable[[str], str]) -> None:
    link = sent_link(owner)
    with pytest.raises(NotFound, match="not valid"):
        confirm_address(user_of(owner), change(link))
    assert user_of(owner).address_confirmed_at is None


def test_a_link_expires(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    link = sent_link(owner)
    assert read_confirmation_link(link).email == owner.name
    monkeypatch.setattr("console.webhooks.confirmation_links.VALID_FOR", -VALID_FOR)
    with pytest.raises(NotFound, match="expired"):
        confirm_address(user_of(owner), link)


def test_a_link_ends_with_the_membership_and_the_address(owner: Actor, viewer: Actor) -> None:
    link = sent_link(viewer)
    User.objects.filter(email=viewer.name).update(email="other@here.example")
    with pytest.raises(NotFound, match="no longer valid"):
        confirm_address(user_of(viewer), link)
    User.objects.filter(email="other@here.example").update(email=viewer.name)
    remove_member(owner, Membership.objects.get(user=viewer.user).pk)
    with pytest.raises(NotFound, match="no longer valid"):
        confirm_address(user_of(viewer), link)


def test_each_request_doubles_the_wait_for_all_accounts_of_the_address(
    owner: Actor, other_org: Organization
) -> None:
    twin = User.objects.create_user(owner.name.upper(), proof=Proof.INVITATION)
    Membership.objects.create(org=other_org, user=twin, role=Role.VIEWER)
    actors = [owner, Actor.from_user(other_org, twin, Role.VIEWER)]
    assert next_confirmation(owner.name) is None
    waits = []
    for number in range(14):
        request_confirmation(actors[number % 2])
        earliest = next_confirmation(owner.name)
        assert earliest is not None
        waits.append(round((earliest - timezone.now()) / timedelta(minutes=1)))
        for actor in actors:
            assert code_of(lambda actor=actor: request_confirmation(actor)) == "confirmation_sent"  # type: ignore[misc]
        # The wait is over.
        past = timezone.now() - timedelta(days=1)
        User.objects.exclude(confirmation_sent_at=None).update(confirmation_sent_at=past)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440, 1440]
    # Other addresses do not wait.
    other = create_user("other@here.example", PASSWORD)
    Membership.objects.create(org=owner.org, user=other, role=Role.VIEWER)
    request_confirmation(Actor.from_user(owner.org, other, Role.VIEWER))


def test_leaving_and_unsubscribing_do_not_shorten_the_wait(owner: Actor) -> None:
    request_confirmation(owner)
    subscribe(owner, {"kinds": ALL, "timing": "daily"})
    subscribe(owner, {"kinds": [], "timing": "daily"})
    assert not Webhook.objects.exists()
    assert code_of(lambda: request_confirmation(owner)) == "confirmation_sent"


def test_without_a_mail_server_or_a_person_there_is_no_request(owner: Actor, settings: Any) -> None:
    with pytest.raises(NotFound):
        request_confirmation(Actor.from_command(owner.org))
    settings.EMAIL_HOST = ""
    assert code_of(lambda: request_confirmation(owner)) == "mail_is_off"
    assert not Delivery.objects.exists()


def test_requests_at_once_send_one_e_mail(race: Race) -> None:
    (owner,) = owners(1)
    results = race(lambda _: request_confirmation(owner))
    assert sorted(type(each).__name__ for each in results) == [
        *["Conflict"] * (RACERS - 1),
        "Delivery",
    ]
    assert user_of(owner).confirmations_sent == 1


@pytest.mark.parametrize("at_once", [1, 1_000])
def test_the_migration_confirms_what_the_provider_verified(
    at_once: int, owner: Actor, viewer: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MIGRATION, "_AT_ONCE", at_once)
    User.objects.filter(email=viewer.name).update(proof=Proof.PROVIDER)
    for _ in range(2):
        MIGRATION.confirm(apps, None)
        assert user_of(viewer).address_confirmed_at is not None
        assert user_of(owner).address_confirmed_at is None
