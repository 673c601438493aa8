"""E-mail to members about own workloads: to a real mail server, once each, at once or daily."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.errors import BadRequest, Conflict, NotFound
from console.orgs.models import AuditEntry, Membership, Organization, User
from console.orgs.permissions import Actor
from console.orgs.services.remove_member import remove_member
from console.webhooks.models import Attempt, Delivery, Webhook
from console.webhooks.queries import webhooks_of
from console.webhooks.services.deliver_due import _hand_over, deliver_due, due_webhooks
from console.webhooks.services.forget_deliveries import forget_deliveries
from console.webhooks.services.subscribe import (
    send_subscription_test,
    subscribe,
    unsubscribe_by_link,
)
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions
from tests.conftest import member
from tests.mail_server import Mailbox, receiving_mail
from tests.services.test_webhook_telling import CONFIG

ALL = ["workload.admitted", "workload.rejected", "workload.cannot_run", "workload.preempted"]


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    """Run a mail server, and send e-mail to it."""
    with receiving_mail() as mailbox:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST = "127.0.0.1"
        settings.EMAIL_PORT = mailbox.port
        settings.EMAIL_USE_TLS = False
        settings.DEFAULT_FROM_EMAIL = "Sluice <sluice@console.example>"
        settings.PUBLIC_URL = "https://console.example"
        yield mailbox


@pytest.fixture
def submit(owner: Actor, settle: Callable[[Organization], int]) -> Callable[..., None]:
    """Apply the config and return a function that submits workloads of an actor, and decides."""
    apply_config(owner, "native", CONFIG, "The first", 0)
    settle(owner.org)

    def submit(actor: Actor, count: int = 1, gpu: int = 1, **fields: Any) -> None:
        one = {"requests": {"gpu": gpu}, "tags": {"team": "research"}, **fields}
        values = [{"name": f"train-{number}", **one} for number in range(count)]
        submit_workloads(actor, read_submissions(values))
        settle(actor.org)

    return submit


def subscribed(actor: Actor, timing: str = "at_once", kinds: list[str] = ALL) -> Webhook:
    """Subscribe a member with a confirmed address."""
    assert actor.user is not None
    User.objects.filter(pk=actor.user.pk).update(address_confirmed_at=timezone.now())
    row = subscribe(actor, {"kinds": kinds, "timing": timing})
    assert row is not None
    return row


def deliver_all(row: Webhook) -> int:
    """Send all deliveries, without the time between them and until the next digest."""
    made = 0
    while Delivery.objects.filter(webhook=row, state="waiting").update(due_at=timezone.now()):
        Webhook.objects.update(rest_until=None)
        sent = deliver_due(row.pk)
        if not sent:
            break
        made += sent
    return made


def subjects(mailbox: Mailbox) -> list[tuple[str, str]]:
    return [
        (to, str(each["Subject"])) for to, each in zip(mailbox.recipients, mailbox.got, strict=True)
    ]


def test_a_member_gets_mail_about_own_workloads_alone(
    owner: Actor, operator: Actor, submit: Callable[..., None], mailbox: Mailbox
) -> None:
    mine = subscribed(operator)
    other = subscribed(owner, kinds=["workload.rejected"])
    submit(owner)
    submit(operator)
    assert due_webhooks(9) == [mine.pk]
    assert (deliver_all(mine), deliver_all(other)) == (1, 0)
    assert subjects(mailbox) == [
        ("operator@here.example", "[here] train-0 was admitted: quota reserved")
    ]
    uid = Delivery.objects.get().uid
    (got,) = mailbox.got
    assert got["Message-ID"] == f"<{uid}@console.example>"
    assert got["From"] == "Sluice <sluice@console.example>"
    link = got["List-Unsubscribe"].strip(" <>")
    assert link.startswith("https://console.example/unsubscribe/")
    text = mailbox.text()
    assert text.startswith("train-0 was admitted: quota reserved.\n\n* train-0: Quota reserved\n")
    assert "https://console.example/o/here/workloads/" in text
    assert f"Unsubscribe: {link}\n" in text


def test_every_kind_is_sent(owner: Actor, submit: Callable[..., None], mailbox: Mailbox) -> None:
    row = subscribed(owner)
    submit(owner, gpu=8)
    submit(owner, gpu=9)
    submit(owner, tags={"team": "none"})
    submit(owner, gpu=8, priority=90)
    assert deliver_all(row) == 4
    assert [subject for _, subject in subjects(mailbox)] == [
        "[here] train-0 was admitted: quota reserved",
        "[here] train-0 can never run: can never run under this config",
        "[here] train-0 was rejected: accepted by no rule",
        "[here] train-0 was preempted: preempted",
    ]
    assert "preemptor" not in mailbox.text()


def test_events_are_combined_while_a_message_waits(
    owner: Actor, submit: Callable[..., None], mailbox: Mailbox
) -> None:
    row = subscribed(owner)
    submit(owner, count=2)
    submit(owner, count=3)
    assert deliver_due(row.pk) == 1
    assert subjects(mailbox)[0][1] == "[here] 5 workloads were admitted: quota reserved"
    submit(owner)
    # One e-mail each minute.
    assert deliver_due(row.pk) == 0
    row.refresh_from_db()
    assert row.rest_until is not None
    assert timedelta(seconds=50) < row.rest_until - timezone.now() <= timedelta(minutes=1)


def test_a_digest_is_one_message_a_day(
    owner: Actor, submit: Callable[..., None], mailbox: Mailbox
) -> None:
    row = subscribed(owner, "daily")
    submit(owner, count=2)
    submit(owner, tags={"team": "none"})
    submit(owner)
    delivery = Delivery.objects.get()
    due = delivery.due_at.astimezone(UTC)
    assert (due.hour, due.minute) == (7, 0)
    assert timedelta() < due - timezone.now() <= timedelta(days=1)
    assert deliver_due(row.pk) == 0
    assert deliver_all(row) == 1
    assert subjects(mailbox) == [
        (
            "owner@here.example",
            (
                "[here] Daily digest: 3 workloads were admitted: quota reserved; "
                "train-0 was rejected: accepted by no rule"
            ),
        )
    ]
    assert mailbox.text().count("\n* train-0: ") == 3


def test_a_message_is_not_repeated_after_a_crash(
    owner: Actor, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = subscribed(owner)
    delivery = send_subscription_test(owner)

    class Killed(BaseException):
        """Ends the worker."""

    def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("console.webhooks.services.deliver_due._record_result", killed)
        with pytest.raises(Killed):
            deliver_due(row.pk)
    assert len(mailbox.got) == 1
    assert deliver_all(row) == 0
    delivery.refresh_from_db()
    attempt = Attempt.objects.get()
    assert (delivery.state, attempt.failure, len(mailbox.got)) == ("failed", "uncertain", 1)


def test_a_message_is_repeated_if_the_server_has_not_got_it(
    owner: Actor, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = subscribed(owner)
    delivery = send_subscription_test(owner)

    class Killed(BaseException):
        """Ends the worker."""

    def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("console.webhooks.services.deliver_due._hand_over", killed)
        with pytest.raises(Killed):
            deliver_due(row.pk)
    assert mailbox.got == []
    assert deliver_all(row) == 1
    delivery.refresh_from_db()
    assert (delivery.state, len(mailbox.got)) == ("delivered", 1)


def test_a_late_worker_does_not_send_what_another_has(
    owner: Actor, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = subscribed(owner)
    delivery = send_subscription_test(owner)

    def hand_over_late(*given: Any) -> bool:
        # Meanwhile the attempt has expired, and another worker has begun the next one.
        Delivery.objects.update(attempts_begun=2)
        return _hand_over(*given)

    monkeypatch.setattr("console.webhooks.services.deliver_due._hand_over", hand_over_late)
    assert deliver_due(row.pk) == 1
    delivery.refresh_from_db()
    assert (mailbox.got, delivery.state, delivery.handed_over_at) == ([], "waiting", None)


@pytest.mark.parametrize(
    ("answer", "state", "failure", "status"),
    [
        ("451 try later", "waiting", "refused", 451),
        ("554 no", "waiting", "refused", 554),
        # The message may have arrived.
        ("", "failed", "uncertain", None),
    ],
)
def test_failures_are_kept_and_repeated_if_that_is_safe(
    owner: Actor, mailbox: Mailbox, answer: str, state: str, failure: str, status: int | None
) -> None:
    row = subscribed(owner)
    delivery = send_subscription_test(owner)
    mailbox.answer = answer
    assert deliver_due(row.pk) == 1
    delivery.refresh_from_db()
    attempt = delivery.attempts.get()
    assert (delivery.state, attempt.failure, attempt.status) == (state, failure, status)
    mailbox.answer = "250 accepted"
    repeated = state == "waiting"
    assert deliver_all(row) == repeated
    delivery.refresh_from_db()
    assert len(mailbox.got) == repeated
    assert delivery.state == ("delivered" if repeated else "failed")


def test_a_mail_server_that_is_down_pauses_nobody(
    owner: Actor, mailbox: Mailbox, settings: Any
) -> None:
    row = subscribed(owner)
    delivery = send_subscription_test(owner)
    settings.EMAIL_PORT = 1
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=9))
    assert deliver_due(row.pk) == 1
    row.refresh_from_db()
    delivery.refresh_from_db()
    assert (row.paused, delivery.state) == ("", "waiting")
    assert Attempt.objects.get().failure == "not_reached"
    settings.EMAIL_PORT = mailbox.port
    assert deliver_all(row) == 1
    assert len(mailbox.got) == 1


def test_former_members_get_nothing(
    owner: Actor, operator: Actor, submit: Callable[..., None], mailbox: Mailbox
) -> None:
    row = subscribed(operator)
    submit(operator)
    assert operator.user is not None
    remove_member(owner, Membership.objects.get(user=operator.user).pk)
    assert deliver_due(row.pk) == 0
    assert (mailbox.got, Delivery.objects.count()) == ([], 0)


def test_nothing_is_sent_for_another_organization(
    owner: Actor, other_org: Organization, submit: Callable[..., None], mailbox: Mailbox
) -> None:
    there = member(other_org, "owner")
    assert owner.user is not None
    Membership.objects.create(org=other_org, user=owner.user, role="viewer")
    mine_there = subscribed(Actor.from_user(other_org, owner.user, "viewer"))
    subscribed(there)
    submit(owner)
    assert Delivery.objects.count() == 0
    assert deliver_all(mine_there) == 0


def test_mail_is_off_without_a_server(
    owner: Actor, submit: Callable[..., None], mailbox: Mailbox, settings: Any
) -> None:
    row = subscribed(owner)
    send_subscription_test(owner)
    settings.EMAIL_HOST = ""
    with pytest.raises(Conflict) as refused:
        subscribe(owner, {"kinds": ALL, "timing": "daily"})
    assert refused.value.code == "mail_is_off"
    with pytest.raises(Conflict):
        send_subscription_test(owner)
    submit(owner)
    assert (due_webhooks(9), deliver_due(row.pk), Delivery.objects.count()) == ([], 0, 1)
    # A subscription can still be ended.
    assert subscribe(owner, {"kinds": [], "timing": "daily"}) is None
    assert not Webhook.objects.exists()


def test_a_link_ends_the_subscription(owner: Actor, mailbox: Mailbox) -> None:
    row = subscribed(owner)
    send_subscription_test(owner)
    deliver_due(row.pk)
    link = str(mailbox.got[0]["List-Unsubscribe"]).strip(" <>").rpartition("/")[2]
    with pytest.raises(NotFound):
        unsubscribe_by_link(f"{link}x")
    unsubscribe_by_link(link)
    assert not Webhook.objects.exists()
    unsubscribe_by_link(link)
    entries = AuditEntry.objects.filter(action="notifications.update").order_by("pk")
    assert [(each.actor, each.subject, each.after) for each in entries] == [
        ("owner@here.example", "owner@here.example", {"kinds": ALL, "timing": "at_once"}),
        ("owner@here.example", "owner@here.example", {"kinds": []}),
    ]


def test_subscriptions_are_no_webhooks_and_are_validated(owner: Actor, mailbox: Mailbox) -> None:
    subscribed(owner)
    assert list(webhooks_of(owner.org)) == []
    with pytest.raises(BadRequest) as refused:
        subscribe(owner, {"kinds": ["config.applied"], "timing": "weekly"})
    assert [error.path for error in refused.value.errors] == ["kinds[0]", "timing"]
    with pytest.raises(NotFound):
        subscribe(Actor.from_command(owner.org), {"kinds": ALL, "timing": "daily"})


def test_old_messages_are_deleted(owner: Actor, mailbox: Mailbox) -> None:
    row = subscribed(owner)
    send_subscription_test(owner)
    deliver_due(row.pk)
    Delivery.objects.update(created_at=datetime(2020, 1, 1, tzinfo=UTC))
    assert forget_deliveries(30) == 1
    assert Delivery.objects.count() == 0
