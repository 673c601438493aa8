"""A member confirms the address, subscribes to e-mail, gets a test, and unsubscribes."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.mail_server import Mailbox


def confirm(page: Page, mailbox: Mailbox) -> None:
    """Confirm the address of the visitor, unless an earlier test has."""
    send = page.get_by_role("button", name="Send confirmation e-mail")
    if not send.is_visible():
        return
    before = len(mailbox.got)
    send.click()
    expect(page.get_by_text("Answered 250.")).to_be_visible()
    assert len(mailbox.got) == before + 1
    (line,) = [each for each in mailbox.text().splitlines() if "/confirm/" in each]
    page.goto(line)
    page.get_by_role("button", name="Confirm first@example.com").click()
    expect(page.get_by_text("The address first@example.com is confirmed.")).to_be_visible()


@pytest.mark.parametrize("width", [1280, 390])
def test_member_subscribes_and_unsubscribes(
    visitors: Visitors, place: Place, mailbox: Mailbox, width: int
) -> None:
    page = visitors.page(place, width=width)
    page.goto(place.url("settings/notifications"))
    page.get_by_label("Workload admitted").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    confirm(page, mailbox)
    page.get_by_role("button", name="Send test").click()
    row = page.locator("tr", has_text="A test of your notifications")
    expect(row.get_by_text("Answered 250.")).to_be_visible()
    assert mailbox.recipients[-1] == "first@example.com"
    link = urlsplit(str(mailbox.got[-1]["List-Unsubscribe"]).strip(" <>")).path
    stranger = visitors.page()
    stranger.goto(place.base + link)
    stranger.get_by_role("button", name="Unsubscribe").click()
    expect(stranger.get_by_role("heading", name="You are unsubscribed")).to_be_visible()
    page.goto(place.url("settings/notifications"))
    expect(page.get_by_label("Workload admitted")).not_to_be_checked()
