"""The page on which members subscribe to e-mail, and the link that ends it, without scripts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

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


def confirmed(actor: Actor) -> Actor:
    """Return *actor* with a confirmed address."""
    assert actor.user is not None
    actor.user.address_confirmed_at = timezone.now()
    actor.user.save()
    return actor


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


def test_the_page_links_what_works_without_mail(
    browser: Client, client_for: Callable[[Actor], Client], viewer: Actor
) -> None:
    """Owners can create a webhook; others see their workloads and the documentation."""
    docs = "/docs/notifications/#set-up-the-mail-server"
    webhook = "/o/here/settings/webhooks/new?kind=workload.rejected&kind=workload.preempted"
    for client, expected in (
        (browser, ["/o/here/workloads/mine", webhook, docs]),
        (client_for(viewer), ["/o/here/workloads/mine", docs]),
    ):
        page = read_page(client.get(HERE))
        buttons = [a for a in page.id("main").all("a") if a.attrs.get("class") == "button"]
        assert [a.attrs["href"] for a in buttons] == expected
    form = read_page(browser.get(webhook))
    boxes = [each.attrs for each in form.all("input", name="kinds")]
    assert [each["value"] for each in boxes if "checked" in each] == [
        "workload.rejected",
        "workload.preempted",
    ]


@pytest.mark.usefixtures("has_mail")
def test_a_member_subscribes_tests_and_unsubscribes(
    client_for: Callable[[Actor], Client], viewer: Actor
) -> None:
    browser = client_for(confirmed(viewer))
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


@pytest.mark.usefixtures("has_mail")
def test_an_address_is_confirmed_first(
    client_for: Callable[[Actor], Client], viewer: Actor, owner: Actor
) -> None:
    browser = client_for(viewer)
    said = text_of(browser.get(HERE))
    assert "Confirm this address first." in said
    assert "No e-mail about workloads is sent to viewer@here.example before" in said
    form = {"do": "save", "kinds": ["workload.admitted"], "timing": "at_once"}
    assert browser.post(HERE, form).status_code == 302
    buttons = [each.text for each in read_page(browser.get(HERE)).id("main").all("button")]
    assert buttons == ["Send confirmation e-mail", "Save"]
    assert browser.post(HERE, {"do": "test"}).status_code == 409
    assert browser.post(HERE, {"do": "confirm"}).headers["Location"] == HERE
    said = text_of(browser.get(HERE))
    assert "Another one can be sent in" in said
    assert "Confirmation of your address" in said
    assert browser.post(HERE, {"do": "confirm"}).status_code == 409
    assert deliver_due(Webhook.objects.get().pk) == 1
    (sent,) = mail.outbox
    (line,) = [each for each in str(sent.body).splitlines() if "/confirm/" in each]
    link = "/confirm/" + line.rpartition("/confirm/")[2]

    stranger = Client().get(link)
    assert stranger.headers["Location"].startswith("/login?next=%2Fconfirm%2F")
    for answer in (client_for(owner).get(link), client_for(owner).post(link)):
        assert (answer.status_code, "another account" in text_of(answer)) == (409, True)
    assert "Confirm viewer@here.example" in text_of(browser.get(link))
    assert "Confirm this address first." in text_of(browser.get(HERE))
    assert browser.post(link).headers["Location"] == HERE
    said = text_of(browser.get(HERE))
    assert "The address viewer@here.example is confirmed." in said
    assert "Confirm this address first." not in said
    assert browser.post(HERE, {"do": "test"}).status_code == 302
    assert browser.get("/confirm/forged").status_code == 404
