"""Webhook pages: an owner creates, tests, changes and deletes a webhook without scripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.orgs.permissions import Actor
from console.webhooks.models import CHOSEN_KINDS, Delivery, Webhook
from console.webhooks.services.deliver_due import deliver_due
from tests.pages.page import complaints, read_page
from tests.receiver import Receiver, answer, receiving

HERE = "/o/here/settings/webhooks"


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOWED_NETWORKS = [ip_network("127.0.0.0/8")]
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def webhook(browser: Client, receiver: Receiver) -> Webhook:
    """Create a webhook with the form."""
    form = {"name": "pager", "url": receiver.url, "kinds": ["workload.rejected"]}
    assert browser.post(f"{HERE}/new", form).status_code == 200
    return Webhook.objects.get()


def text_of(response: Any) -> str:
    page = read_page(response)
    assert complaints(page) == []
    return str(page.id("main").text)


def test_the_empty_list_leads_to_the_form(browser: Client) -> None:
    page = read_page(browser.get(HERE))
    assert complaints(page) == []
    assert "No webhooks yet" in page.id("main").text
    links = [link.attrs["href"] for link in page.id("main").all("a")]
    assert f"{HERE}/new" in links


def test_the_secret_is_shown_once(browser: Client, receiver: Receiver) -> None:
    form = {
        "name": "pager",
        "url": receiver.url,
        "kinds": ["config.applied", "workload.rejected"],
        "queues": ["research"],
        "queue": "  serving ",
    }
    made = browser.post(f"{HERE}/new", form)
    assert complaints(read_page(made)) == []
    assert made.content.count(b"whsec_") == 1
    webhook = Webhook.objects.get()
    assert webhook.kinds == ["workload.rejected", "config.applied"]
    assert webhook.queues == ["research", "serving"]
    for path in (HERE, f"{HERE}/{webhook.pk}", f"{HERE}/{webhook.pk}/edit"):
        response = browser.get(path)
        assert "pager" in text_of(response)
        assert b"whsec_" not in response.content


def test_errors_are_shown_and_the_input_is_kept(browser: Client) -> None:
    form = {"name": "pager", "url": "https://127.0.0.1/hook", "kinds": ["config.applied"]}
    response = browser.post(f"{HERE}/new", form)
    assert response.status_code == 422
    said = text_of(response)
    assert "Webhooks may not be sent to this address" in said
    assert "this machine" not in said
    assert b'value="https://127.0.0.1/hook"' in response.content
    response = browser.post(f"{HERE}/new", {"name": "", "url": ""})
    said = text_of(response)
    assert all(each in said for each in ("name", "url", "kinds", f"1 to {len(CHOSEN_KINDS)} items"))
    assert not Webhook.objects.exists()


def test_a_test_leads_to_how_it_went(browser: Client, webhook: Webhook, receiver: Receiver) -> None:
    receiver.answering = lambda handler: answer(handler, 500, b"<b>out of order</b>")
    here = f"{HERE}/{webhook.pk}"
    sent = browser.post(here, {"do": "test"})
    delivery = Delivery.objects.get()
    assert sent.headers["Location"] == f"{here}/deliveries/{delivery.uid}"
    waiting = browser.get(sent.headers["Location"])
    assert "No attempt yet" in text_of(waiting)
    version = read_page(waiting).id("live-poll").attrs["data-version"]
    assert browser.get(sent.headers["Location"], {"v": version}).status_code == 204
    deliver_due(webhook.pk)
    tried = browser.get(sent.headers["Location"], {"v": version})
    said = text_of(tried)
    assert "Attempt 1: Answered 500. The receiver rejected the delivery." in said
    assert "next attempt" in said.lower()
    assert b"&lt;b&gt;out of order" in tried.content
    assert "Failed once" in text_of(browser.get(HERE))

    receiver.answering = lambda handler: answer(handler, 200, b"ok")
    browser.post(sent.headers["Location"], {"do": "replay"})
    deliver_due(webhook.pk)
    said = text_of(browser.get(sent.headers["Location"]))
    assert "Attempt 2: Answered 200." in said
    assert "Delivered" in said
    assert "Works" in text_of(browser.get(HERE))


def test_the_log_is_filtered_and_paged(browser: Client, webhook: Webhook) -> None:
    Delivery.objects.bulk_create(
        Delivery(
            webhook=webhook,
            kind="workload.rejected" if number % 2 else "config.applied",
            summary=f"number {number}",
            body="{}",
            state="failed" if number % 3 else "delivered",
        )
        for number in range(120)
    )
    here = f"{HERE}/{webhook.pk}"
    seen = []
    url: str | None = here
    while url:
        page = read_page(browser.get(url))
        assert complaints(page) == []
        seen += [row.attrs["id"] for row in page.id("delivery-rows").all("tr")]
        ahead = [link.attrs["href"] for link in page.all("a") if link.attrs.get("rel") == "next"]
        url = ahead[0] if ahead else None
    assert seen == list(Delivery.objects.order_by("-pk").values_list("uid", flat=True))
    page = read_page(browser.get(here, {"state": "delivered", "kind": "config.applied"}))
    assert len(page.id("delivery-rows").all("tr")) == 20
    assert "Nothing matches" in text_of(browser.get(here, {"state": "waiting"}))
    assert browser.get(here, {"state": "strange"}).status_code == 400
    assert browser.get(f"{here}/deliveries/unknown").status_code == 404


def test_it_is_changed_paused_resumed_and_deleted(browser: Client, webhook: Webhook) -> None:
    here = f"{HERE}/{webhook.pk}"
    form = {"name": "chat", "url": webhook.url, "kinds": ["config.reverted"], "queues": "a/b"}
    assert browser.post(f"{here}/edit", form).headers["Location"] == here
    said = text_of(browser.get(here))
    assert "Config reverted" in said
    assert "a/b" in said
    browser.post(here, {"do": "pause"})
    assert "new events create no deliveries" in text_of(browser.get(here))
    assert browser.post(here, {"do": "test"}).status_code == 409
    Webhook.objects.update(paused="failing", failing_since=timezone.now() - timedelta(days=4))
    assert "every attempt has failed since" in text_of(browser.get(here))
    assert "Paused: failing for days" in text_of(browser.get(HERE))
    browser.post(here, {"do": "resume"})
    assert "Resumed: waiting deliveries are sent now." in text_of(browser.get(here))
    assert "Send test" in text_of(browser.get(here))
    fresh = browser.post(here, {"do": "rotate"})
    assert "The old secret also signs until" in text_of(fresh)
    assert browser.post(here, {"do": "strange"}).status_code == 400
    assert browser.post(here, {"do": "delete"}).headers["Location"] == HERE
    assert browser.get(here).status_code == 404


def test_only_owners_see_webhooks(
    webhook: Webhook,
    editor: Actor,
    operator: Actor,
    viewer: Actor,
    outsider: Any,
    client_for: Callable[[Actor], Client],
) -> None:
    delivery = Delivery.objects.create(webhook=webhook, kind="test", summary="", body="{}")
    here = f"{HERE}/{webhook.pk}"
    paths = [HERE, f"{HERE}/new", here, f"{here}/edit", f"{here}/deliveries/{delivery.uid}"]
    for actor in (editor, operator, viewer):
        browser = client_for(actor)
        assert [browser.get(path).status_code for path in paths] == [403] * 5
        assert [browser.post(path, {"do": "test"}).status_code for path in paths[1:]] == [403] * 4
        assert b"settings/webhooks" not in browser.get("/o/here/settings/members").content
    stranger = Client()
    stranger.force_login(outsider)
    assert [stranger.get(path).status_code for path in paths] == [404] * 5
    assert Delivery.objects.count() == 1


def test_the_number_of_queries_does_not_grow_with_the_log(
    browser: Client, webhook: Webhook, django_assert_max_num_queries: Any
) -> None:
    Delivery.objects.bulk_create(
        Delivery(webhook=webhook, kind="test", summary="x", body="{}") for _ in range(300)
    )
    with django_assert_max_num_queries(16):
        browser.get(f"{HERE}/{webhook.pk}")


def test_a_queue_is_added_to_the_form_before_it_is_saved(browser: Client) -> None:
    form = {
        "name": "pager",
        "url": "https://8.8.8.8/hook",
        "format": "slack",
        "kinds": ["workload.rejected"],
        "queues": ["research"],
        "queue": "serving",
        "do": "add",
    }
    response = browser.post(f"{HERE}/new", form)
    page = read_page(response)
    assert (response.status_code, complaints(page)) == (200, [])
    boxes = [each.attrs for each in page.id("main").all("input")]
    assert [(each["name"], each["value"]) for each in boxes if "checked" in each] == [
        ("format", "slack"),
        ("kinds", "workload.rejected"),
        ("queues", "research"),
        ("queues", "serving"),
    ]
    assert not Webhook.objects.exists()


def test_a_message_for_slack_is_sent_and_its_result_is_shown(
    browser: Client, receiver: Receiver
) -> None:
    form = {
        "name": "channel",
        "url": receiver.url,
        "format": "slack",
        "kinds": ["config.applied"],
        # Enter in a field presses the first button of the form.
        "do": "add",
    }
    made = browser.post(f"{HERE}/new", form)
    webhook = Webhook.objects.get()
    assert (made.status_code, made.headers["Location"]) == (302, f"{HERE}/{webhook.pk}")
    said = text_of(browser.get(f"{HERE}/{webhook.pk}"))
    assert "Message for Slack" in said
    assert "Replace the secret" not in said
    sent = browser.post(f"{HERE}/{webhook.pk}", {"do": "test"})
    assert deliver_due(webhook.pk) == 1
    (got,) = receiver.got
    assert json.loads(got.body) == {
        "text": "[here] A test of this webhook, requested by owner@\u200bhere.example"
        "\nhttp://127.0.0.1:8000/o/here/"
    }
    assert "webhook-signature" not in {name.lower() for name in got.headers}
    said = text_of(browser.get(sent.headers["Location"]))
    assert "Attempt 1: Answered 200." in said
    assert "webhook-signature" not in said
    assert webhook.format == "slack"
    changed = browser.post(f"{HERE}/{webhook.pk}/edit", form)
    assert changed.status_code == 422
    assert "format" in text_of(changed)
    assert browser.post(f"{HERE}/{webhook.pk}", {"do": "rotate"}).status_code == 409
