"""The page on which members subscribe to e-mail, and the link that ends it, without scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from console.orgs.permissions import Actor
from console.webhooks.models import Webhook
from console.webhooks.services.deliver_due import deliver_due
from tests.pages.page import complaints, read_page

HERE = "/o/here/settings/notifications"


@pytest.fixture
def has_mail(settings: Any) -> None:
    """Turn e-mail on; Django keeps the messages in memory."""
    settings.EMAIL_HOST = "mail.example"
    settings.DEFAULT_FROM_EMAIL = "sluice@console.example"


def text_of(response: Any) -> str:
    page = read_page(response)
    assert complaints(page) == []
    return str(page.id("main").text)


def test_the_page_says_that_mail_is_off(browser: Client) -> None:
    said = text_of(browser.get(HERE))
    assert "E-mail is off" in said
    assert "Workload admitted" not in said
    refused = browser.post(HERE, {"do": "save", "kinds": "workload.admitted", "timing": "daily"})
    assert refused.status_code == 409
    assert "its operator has to set EMAIL_HOST" in text_of(refused)


@pytest.mark.usefixtures("has_mail")
def test_a_member_subscribes_tests_and_unsubscribes(
    client_for: Callable[[Actor], Client], viewer: Actor
) -> None:
    browser = client_for(viewer)
    assert "goes to viewer@here.example" in text_of(browser.get(HERE))
    form = {
        "do": "save",
        "kinds": ["workload.admitted", "workload.preempted"],
        "timing": "daily",
    }
    assert browser.post(HERE, form).headers["Location"] == HERE
    page = read_page(browser.get(HERE))
    inputs = [each.attrs for each in page.id("main").all("input")]
    assert [each["value"] for each in inputs if "checked" in each] == [
        "workload.admitted",
        "workload.preempted",
        "daily",
    ]
    assert "No e-mails yet" in page.id("main").text
    assert browser.post(HERE, {"do": "test"}).status_code == 302
    row = Webhook.objects.get()
    assert deliver_due(row.pk) == 1
    (sent,) = mail.outbox
    assert sent.to == ["viewer@here.example"]
    assert sent.subject == ("[here] A test of your notifications, requested by viewer@here.example")
    said = text_of(browser.get(HERE))
    assert "Delivered" in said
    assert "Answered 250." in said

    link = "/unsubscribe/" + sent.extra_headers["List-Unsubscribe"].strip("<>").rpartition("/")[2]
    stranger = Client(enforce_csrf_checks=True)
    assert "Unsubscribe" in stranger.get(link).content.decode()
    assert Webhook.objects.exists()
    done = stranger.post(link, {"List-Unsubscribe": "One-Click"})
    assert (done.status_code, "You are unsubscribed" in done.content.decode()) == (200, True)
    assert not Webhook.objects.exists()
    assert stranger.post("/unsubscribe/1:forged").status_code == 404


@pytest.mark.usefixtures("has_mail")
def test_bad_forms_are_refused(browser: Client) -> None:
    assert browser.post(HERE, {"do": "x"}).status_code == 400
    assert browser.post(HERE, {"do": "save", "kinds": "test", "timing": "daily"}).status_code == 400
    assert browser.post(HERE, {"do": "test"}).status_code == 404
    assert not Webhook.objects.exists()
