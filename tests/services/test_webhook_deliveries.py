"""Webhook deliveries: signatures, retries with a constant id, failures and pausing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler
from ipaddress import ip_network
from typing import Any

import pytest
from django.utils import timezone

from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry
from console.orgs.permissions import Actor
from console.overview.system_items import webhook_items
from console.webhooks.models import Attempt, Delivery, Webhook
from console.webhooks.outcome import Answer, Failure
from console.webhooks.queries import get_webhook, list_deliveries
from console.webhooks.sending import send
from console.webhooks.services.create_webhook import MOST_WEBHOOKS, create_webhook
from console.webhooks.services.delete_webhook import delete_webhook
from console.webhooks.services.deliver_due import deliver_due, due_webhooks, has_due
from console.webhooks.services.forget_deliveries import forget_deliveries
from console.webhooks.services.replay_delivery import replay_delivery
from console.webhooks.services.rotate_secret import rotate_secret
from console.webhooks.services.send_test import send_test
from console.webhooks.services.update_webhook import update_webhook
from console.webhooks.waits import ATTEMPT_EXPIRY, JITTER, PATIENCE, RETRIES, with_jitter
from tests.receiver import Receiver, answer, receiving

LOOPBACK = [ip_network("127.0.0.0/8")]


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOWED_NETWORKS = LOOPBACK
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Return a function that makes requests call another function and then fail."""

    def arrange(happens: Callable[[], object]) -> None:
        def send(*_: Any) -> Answer:
            happens()
            return Answer(failure=Failure.REFUSED, status=500)

        monkeypatch.setattr("console.webhooks.services.deliver_due.send", send)

    return arrange


def create_hook(owner: Actor, receiver: Receiver, **fields: Any) -> tuple[Webhook, str]:
    given = {"name": "hook", "url": receiver.url, "kinds": ["workload.rejected"], **fields}
    return create_webhook(owner, given)


def refusing(status: int, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    return lambda handler: answer(handler, status, b"no", **headers)


def due_now() -> None:
    """Make all retries due."""
    now = timezone.now()
    Delivery.objects.filter(state="waiting").update(due_at=now)
    Webhook.objects.update(rest_until=None)


def signature(secret: str, headers: dict[str, str], body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def test_a_test_is_sent_signed_and_its_answer_kept(owner: Actor, receiver: Receiver) -> None:
    webhook, secret = create_hook(owner, receiver)
    delivery = send_test(owner, webhook.pk)
    assert deliver_due(webhook.pk) == 1
    (got,) = receiver.got
    assert (got.path, got.headers["Content-Type"]) == (
        "/hook?x=1",
        "application/json; charset=utf-8",
    )
    assert got.headers["Host"] == f"127.0.0.1:{receiver.port}"
    assert got.headers["webhook-id"] == delivery.uid
    assert abs(int(got.headers["webhook-timestamp"]) - time.time()) < 60
    assert got.headers["webhook-signature"] == signature(secret, got.headers, got.body)
    delivery.refresh_from_db()
    assert got.body.decode() == delivery.body
    said = json.loads(got.body)
    assert (said["version"], said["type"], said["org"]) == (1, "test", "here")
    assert (delivery.state, delivery.attempts_begun) == ("delivered", 1)
    attempt = delivery.attempts.get()
    assert (attempt.status, attempt.failure, attempt.response, attempt.address) == (
        200,
        "",
        "thank you",
        "127.0.0.1",
    )
    webhook.refresh_from_db()
    assert (webhook.failures, webhook.runner, webhook.busy_until) == (0, "", None)
    assert webhook.last_success_at is not None
    assert not has_due(webhook.pk)


def test_after_a_rotation_both_secrets_sign_for_a_day(owner: Actor, receiver: Receiver) -> None:
    webhook, old = create_hook(owner, receiver)
    _, new = rotate_secret(owner, webhook.pk)
    assert old != new
    send_test(owner, webhook.pk)
    deliver_due(webhook.pk)
    Webhook.objects.update(old_seed_until=timezone.now() - timedelta(seconds=1))
    send_test(owner, webhook.pk)
    deliver_due(webhook.pk)
    both, one = receiver.got
    by_each = [signature(secret, both.headers, both.body) for secret in (new, old)]
    assert both.headers["webhook-signature"] == " ".join(by_each)
    assert one.headers["webhook-signature"] == signature(new, one.headers, one.body)
    assert AuditEntry.objects.filter(action="webhook.rotate").count() == 1


def test_no_secret_is_stored_anywhere(owner: Actor, receiver: Receiver) -> None:
    webhook, secret = create_hook(owner, receiver)
    rows = [*Webhook.objects.values(), *AuditEntry.objects.values()]
    assert secret.removeprefix("whsec_") not in str(rows)
    assert str(webhook.seed) not in str(list(AuditEntry.objects.values()))


@pytest.mark.parametrize(
    ("answering", "failure", "status"),
    [
        (refusing(500), Failure.REFUSED, 500),
        (refusing(404), Failure.REFUSED, 404),
        (refusing(302, Location="http://127.0.0.1:1/"), Failure.REDIRECTED, 302),
        (refusing(307, Location="/hook"), Failure.REDIRECTED, 307),
        (lambda handler: handler.wfile.write(b"what?\r\n\r\n"), Failure.BROKEN, None),
        (lambda handler: handler.connection.close(), Failure.BROKEN, None),
    ],
)
def test_a_failed_delivery_is_retried_with_the_same_id(
    owner: Actor, receiver: Receiver, answering: Any, failure: Failure, status: int | None
) -> None:
    webhook, _ = create_hook(owner, receiver)
    receiver.answering = answering
    delivery = send_test(owner, webhook.pk)
    deliver_due(webhook.pk)
    first = delivery.attempts.get()
    assert (first.failure, first.status) == (failure, status)
    # The webhook pauses between attempts, and the delivery waits.
    assert deliver_due(webhook.pk) == 0
    delivery.refresh_from_db()
    assert delivery.state == "waiting"
    assert delivery.due_at - timezone.now() > RETRIES[0] / 2
    receiver.answering = refusing(200)
    due_now()
    deliver_due(webhook.pk)
    ids = {each.headers["webhook-id"] for each in receiver.got}
    bodies = {each.body for each in receiver.got}
    assert (len(receiver.got), ids, len(bodies)) == (2, {delivery.uid}, 1)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts_begun) == ("delivered", 2)


def test_the_waits_grow_until_it_is_given_up_and_can_be_replayed(
    owner: Actor, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.webhooks.services.deliver_due.with_jitter", lambda wait: wait)
    webhook, _ = create_hook(owner, receiver)
    receiver.answering = refusing(503)
    delivery = send_test(owner, webhook.pk)
    waits = []
    for _ in RETRIES:
        due_now()
        before = timezone.now()
        assert deliver_due(webhook.pk) == 1
        delivery.refresh_from_db()
        waits.append(round((delivery.due_at - before).total_seconds() / 10))
    assert waits == [round(wait.total_seconds() / 10) for wait in RETRIES]
    due_now()
    deliver_due(webhook.pk)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts_begun) == ("failed", 7)
    due_now()
    assert deliver_due(webhook.pk) == 0
    replay_delivery(owner, webhook.pk, delivery.uid)
    assert deliver_due(webhook.pk) == 1
    delivery.refresh_from_db()
    # It has all its retries again.
    assert (delivery.state, delivery.attempts_begun, delivery.attempts_before) == ("waiting", 8, 7)
    receiver.answering = refusing(204)
    replay_delivery(owner, webhook.pk, delivery.uid)
    assert deliver_due(webhook.pk) == 1
    delivery.refresh_from_db()
    assert delivery.state == "delivered"
    assert {each.headers["webhook-id"] for each in receiver.got} == {delivery.uid}
    assert [each.number for each in delivery.attempts.all()] == list(range(1, 10))


def test_a_webhook_that_fails_for_days_is_paused_and_told_of(
    owner: Actor, receiver: Receiver
) -> None:
    webhook, _ = create_hook(owner, receiver)
    receiver.answering = refusing(500)
    send_test(owner, webhook.pk)
    deliver_due(webhook.pk)
    Webhook.objects.update(failing_since=timezone.now() - PATIENCE)
    due_now()
    deliver_due(webhook.pk)
    webhook.refresh_from_db()
    assert (webhook.paused, webhook.paused_at is None) == ("failing", False)
    assert AuditEntry.objects.filter(action="webhook.pause").count() == 1
    due_now()
    assert (due_webhooks(10), deliver_due(webhook.pk)) == ([], 0)
    with pytest.raises(Conflict, match="is paused"):
        send_test(owner, webhook.pk)
    receiver.answering = refusing(200)
    update_webhook(owner, webhook.pk, {"paused": False})
    assert deliver_due(webhook.pk) == 1
    webhook.refresh_from_db()
    assert (webhook.paused, webhook.failures, webhook.failing_since) == ("", 0, None)


@pytest.mark.parametrize(
    ("status", "asked", "seconds"),
    [
        (429, "600", 600),
        (503, "Retry", 0),
        (503, "86400", 3600),
        (429, "9" * 400, 3600),
        (429, "-5", 0),
        (429, "Thu, 01 Jan 1970 00:00:00 GMT", 0),
        (500, "600", 0),
    ],
)
def test_a_receiver_may_ask_for_patience_within_bounds(
    owner: Actor, receiver: Receiver, status: int, asked: str, seconds: int
) -> None:
    webhook, _ = create_hook(owner, receiver)
    receiver.answering = refusing(status, **{"Retry-After": asked})
    delivery = send_test(owner, webhook.pk)
    before = timezone.now()
    assert deliver_due(webhook.pk) == 1
    delivery.refresh_from_db()
    webhook.refresh_from_db()
    assert webhook.rest_until is not None
    waits = [(at - before).total_seconds() for at in (delivery.due_at, webhook.rest_until)]
    # The requested wait counts if it is longer than the regular one.
    own = [RETRIES[0].total_seconds(), 5]
    for wait, least in zip(waits, own, strict=True):
        low, high = max(seconds, least), max(seconds, least * (1 + JITTER))
        assert low <= wait < high + 5


def test_a_date_may_be_asked_for(owner: Actor, receiver: Receiver) -> None:
    webhook, _ = create_hook(owner, receiver)
    until = timezone.now().replace(microsecond=0) + timedelta(minutes=20)
    receiver.answering = refusing(503, **{"Retry-After": format_datetime(until, usegmt=True)})
    delivery = send_test(owner, webhook.pk)
    deliver_due(webhook.pk)
    delivery.refresh_from_db()
    assert delivery.due_at == until


def test_many_do_not_come_back_at_the_same_moment() -> None:
    waits = {with_jitter(timedelta(minutes=5)) for _ in range(50)}
    assert len(waits) > 40
    assert timedelta(minutes=5) <= min(waits)
    assert max(waits) <= timedelta(minutes=6)


def test_a_receiver_that_is_gone_pauses_its_webhook_with_a_note(
    owner: Actor, receiver: Receiver
) -> None:
    webhook, _ = create_hook(owner, receiver)
    receiver.answering = refusing(410)
    delivery = send_test(owner, webhook.pk)
    assert deliver_due(webhook.pk) == 1
    assert delivery.attempts.get().failure == Failure.GONE
    webhook.refresh_from_db()
    assert (webhook.paused, webhook.paused_at is None) == ("gone", False)
    due_now()
    assert (due_webhooks(10), deliver_due(webhook.pk)) == ([], 0)
    note = AuditEntry.objects.get(action="webhook.pause")
    assert (note.actor, note.actor_key, note.subject) == ("hook", "webhook", str(webhook.pk))
    assert note.before is not None
    assert note.after == note.before | {"paused": "gone"}
    (item,) = webhook_items(owner.org, timezone.now())
    assert [each.number for each in item.subjects] == [webhook.pk]
    # Once repaired and resumed, the webhook gets the waiting deliveries.
    receiver.answering = refusing(200)
    update_webhook(owner, webhook.pk, {"paused": False})
    assert deliver_due(webhook.pk) == 1
    delivery.refresh_from_db()
    assert delivery.state == "delivered"


def test_a_worker_that_died_while_sending_is_not_waited_for_long(
    owner: Actor, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook, _ = create_hook(owner, receiver)
    delivery = send_test(owner, webhook.pk)

    def die(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr("console.webhooks.services.deliver_due._record_result", die)
    with pytest.raises(SystemExit):
        deliver_due(webhook.pk)
    monkeypatch.undo()
    # Nothing is cleaned up, as if the worker had been killed.
    Webhook.objects.update(runner="dead", busy_until=timezone.now() + ATTEMPT_EXPIRY)
    assert deliver_due(webhook.pk) == 0
    past = timezone.now() - timedelta(seconds=1)
    Webhook.objects.update(busy_until=past)
    assert deliver_due(webhook.pk) == 0
    Delivery.objects.update(due_at=past)
    assert deliver_due(webhook.pk) == 1
    first, second = receiver.got
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == delivery.uid
    assert first.body == second.body
    ends = [attempt.ended_at is None for attempt in delivery.attempts.all()]
    delivery.refresh_from_db()
    assert (ends, delivery.state) == ([True, False], "delivered")


def test_a_worker_taken_for_dead_that_failed_has_no_say(owner: Actor, receiver: Receiver) -> None:
    webhook, _ = create_hook(owner, receiver)
    delivery = send_test(owner, webhook.pk)

    def overtaken(handler: BaseHTTPRequestHandler) -> None:
        answer(handler, 500, b"")

    receiver.answering = overtaken
    from console.webhooks.services import deliver_due as module

    shard = module._claim(webhook.pk)
    assert shard is not None
    slow = module._begin(webhook.pk, shard)
    assert slow is not None
    # Another worker has begun the next attempt meanwhile.
    Delivery.objects.update(attempts_begun=2)
    module._send(*slow)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts_begun) == ("waiting", 2)
    assert delivery.due_at - slow[2].begun_at == ATTEMPT_EXPIRY


def test_a_replay_during_the_last_attempt_gets_all_retries(
    owner: Actor, receiver: Receiver, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    webhook, _ = create_hook(owner, receiver)
    delivery = send_test(owner, webhook.pk)
    Delivery.objects.update(attempts_begun=len(RETRIES))
    meanwhile(lambda: replay_delivery(owner, webhook.pk, delivery.uid))
    assert deliver_due(webhook.pk) == 1
    delivery.refresh_from_db()
    assert (delivery.state, delivery.ended_at) == ("waiting", None)
    assert delivery.due_at <= timezone.now()
    assert delivery.attempts_begun == delivery.attempts_before == len(RETRIES) + 1


def test_the_failure_of_an_address_says_nothing_of_the_one_in_its_place(
    owner: Actor, receiver: Receiver, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    webhook, _ = create_hook(owner, receiver)
    Webhook.objects.update(failures=9, failing_since=timezone.now() - 2 * PATIENCE)
    delivery = send_test(owner, webhook.pk)
    meanwhile(lambda: update_webhook(owner, webhook.pk, {"url": f"{receiver.url}&moved=1"}))
    assert deliver_due(webhook.pk) == 1
    webhook.refresh_from_db()
    assert (webhook.paused, webhook.failures, webhook.failing_since) == ("", 0, None)
    assert webhook.rest_until is None
    assert delivery.attempts.get().failure == Failure.REFUSED


def test_a_webhook_deleted_during_a_request_stays_deleted(
    owner: Actor, receiver: Receiver, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    webhook, _ = create_hook(owner, receiver)
    send_test(owner, webhook.pk)
    meanwhile(lambda: delete_webhook(owner, webhook.pk))
    assert deliver_due(webhook.pk) == 1
    assert [model.objects.count() for model in (Webhook, Delivery, Attempt)] == [0, 0, 0]


def test_two_workers_never_send_the_same_attempt(race: Any, settings: Any) -> None:
    from console.orgs.models import Membership
    from console.orgs.services.create_org import create_org
    from console.orgs.services.create_user import create_user

    settings.WEBHOOK_ALLOWED_NETWORKS = LOOPBACK
    org = create_org("here", "Here", owner=None)
    user = create_user("owner@here.example", "correct horse battery")
    Membership.objects.create(org=org, user=user, role="owner")
    owner = Actor.from_user(org, user, "owner")
    with receiving() as receiver:
        webhook, _ = create_hook(owner, receiver)
        uids = {send_test(owner, webhook.pk).uid for _ in range(5)}
        came = race(lambda _: deliver_due(webhook.pk))
        # Workers that found the shard taken may have come too late, so one has to check again.
        deliver_due(webhook.pk)
        assert [each for each in came if isinstance(each, Exception)] == []
        assert sorted(each.headers["webhook-id"] for each in receiver.got) == sorted(uids)
        assert Attempt.objects.count() == 5


def test_one_organization_does_not_use_all_workers(owner: Actor, receiver: Receiver) -> None:
    until = timezone.now() + ATTEMPT_EXPIRY
    for number in range(4):
        webhook, _ = create_hook(owner, receiver, name=f"slow {number}")
        Webhook.objects.filter(pk=webhook.pk).update(runner="other", busy_until=until)
    fifth, _ = create_hook(owner, receiver, name="fifth")
    send_test(owner, fifth.pk)
    assert deliver_due(fifth.pk) == 0
    Webhook.objects.filter(name="slow 0").update(busy_until=None)
    assert deliver_due(fifth.pk) == 1


def test_a_receiver_that_answers_drop_by_drop_is_cut_off(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drip(handler: BaseHTTPRequestHandler) -> None:
        for _ in range(100):
            handler.wfile.write(b"H")
            handler.wfile.flush()
            time.sleep(0.05)

    receiver.answering = drip
    monkeypatch.setattr("console.webhooks.sending.TOTAL", 0.5)
    assert send(receiver.url, b"{}", {}, LOOPBACK).failure is Failure.TIMED_OUT


def test_only_the_beginning_of_a_large_answer_is_read(receiver: Receiver) -> None:
    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(10**9))
        handler.send_header("X-Long", "v" * 1000)
        handler.end_headers()
        try:
            for _ in range(1000):
                handler.wfile.write(b"\x00\xff" * 500_000)
        except OSError:
            return

    receiver.answering = flood
    found = send(receiver.url, b"{}", {}, LOOPBACK)
    assert (found.failure, found.status, len(found.body)) == (None, 200, 1024)
    assert "\0" not in found.body
    assert max(len(value) for _, value in found.headers) == 200


def test_only_owners_manage_and_only_their_own(
    owner: Actor, editor: Actor, operator: Actor, viewer: Actor, receiver: Receiver, other_org: Any
) -> None:
    webhook, _ = create_hook(owner, receiver)
    foreign = Actor.from_command(other_org)
    acts: list[Callable[[Actor], Any]] = [
        lambda actor: update_webhook(actor, webhook.pk, {"paused": True}),
        lambda actor: rotate_secret(actor, webhook.pk),
        lambda actor: send_test(actor, webhook.pk),
        lambda actor: replay_delivery(actor, webhook.pk, "msg_x"),
        lambda actor: delete_webhook(actor, webhook.pk),
    ]
    for act in acts:
        for actor in (editor, operator, viewer):
            with pytest.raises(NotAllowed):
                act(actor)
        with pytest.raises(NotFound):
            act(foreign)
    with pytest.raises(NotAllowed):
        create_hook(editor, receiver, name="other")
    assert not get_webhook(owner.org, webhook.pk).paused


def test_everything_that_is_wrong_is_named(owner: Actor, receiver: Receiver) -> None:
    with pytest.raises(BadRequest) as refused:
        create_webhook(owner, {"name": " ", "kinds": ["test", "x"], "queues": 3, "colour": 1})
    assert [(each.path, each.code) for each in refused.value.errors] == [
        ("colour", "unknown_field"),
        ("url", "required"),
        ("name", "blank"),
        ("kinds[0]", "invalid_choice"),
        ("kinds[1]", "invalid_choice"),
        ("queues", "wrong_type"),
    ]
    with pytest.raises(BadRequest) as refused:
        create_hook(owner, receiver, url="https://169.254.169.254/latest/meta-data")
    (error,) = refused.value.errors
    assert (error.path, error.code) == ("url", "address_not_allowed")
    assert error.message.startswith("Webhooks may not be sent to this address")
    assert "169.254" not in error.message
    assert not Webhook.objects.exists()


def test_names_are_taken_once_and_there_are_not_too_many(owner: Actor, receiver: Receiver) -> None:
    create_hook(owner, receiver, name="0")
    with pytest.raises(Conflict, match="name 0 already exists"):
        create_hook(owner, receiver, name="0")
    for number in range(1, MOST_WEBHOOKS):
        create_hook(owner, receiver, name=str(number))
    with pytest.raises(Conflict, match="at most 20"):
        create_hook(owner, receiver, name="one more")


def test_actions_are_recorded(owner: Actor, receiver: Receiver) -> None:
    webhook, _ = create_hook(owner, receiver)
    update_webhook(owner, webhook.pk, {"queues": ["a", "a", "b"]})
    update_webhook(owner, webhook.pk, {"queues": ["a", "b"]})
    sent = send_test(owner, webhook.pk)
    replay_delivery(owner, webhook.pk, sent.uid)
    delete_webhook(owner, webhook.pk)
    entries = AuditEntry.objects.filter(kind="webhook").order_by("pk")
    subject = str(webhook.pk)
    assert [(each.action, each.subject) for each in entries] == [
        ("webhook.create", subject),
        ("webhook.update", subject),
        ("webhook.test", subject),
        ("webhook.redeliver", subject),
        ("webhook.delete", subject),
    ]
    assert (entries[1].before["queues"], entries[1].after["queues"]) == ([], ["a", "b"])
    assert not Delivery.objects.exists()


def test_the_log_is_paged_and_forgotten(owner: Actor, receiver: Receiver) -> None:
    webhook, _ = create_hook(owner, receiver)
    for _ in range(5):
        send_test(owner, webhook.pk)
    deliver_due(webhook.pk)
    waiting = send_test(owner, webhook.pk)
    first = list_deliveries(webhook, {}, 4, None)
    rest = list_deliveries(webhook, {}, 4, first.next)
    assert [len(first.results), len(rest.results), rest.next] == [4, 2, None]
    delivered = list_deliveries(webhook, {"state": "delivered", "kind": "test"}, 50, None)
    assert len(delivered.results) == 5
    with pytest.raises(BadRequest):
        list_deliveries(webhook, {"state": "strange"}, 50, None)
    assert forget_deliveries(30) == 0
    Delivery.objects.update(created_at=timezone.now() - timedelta(days=31))
    assert forget_deliveries(30) == 5
    assert [each.uid for each in Delivery.objects.all()] == [waiting.uid]
    assert not Attempt.objects.exists()
