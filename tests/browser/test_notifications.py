"""A member subscribes to e-mail, gets a test and a message about a workload, and unsubscribes."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.mail_server import Mailbox


@pytest.mark.parametrize("width", [1280, 390])
def test_member_subscribes_and_unsubscribes(
    visitors: Visitors, place: Place, mailbox: Mailbox, width: int
) -> None:
    page = visitors.page(place, width=width)
    page.goto(place.url("settings/notifications"))
    page.get_by_label("Workload admitted").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("No e-mails yet")).to_be_visible()
    page.get_by_role("button", name="Send test").click()
    expect(page.get_by_text("Answered 250.")).to_be_visible()
    assert mailbox.recipients[-1] == "first@example.com"
    link = urlsplit(str(mailbox.got[-1]["List-Unsubscribe"]).strip(" <>")).path
    stranger = visitors.page()
    stranger.goto(place.base + link)
    stranger.get_by_role("button", name="Unsubscribe").click()
    expect(stranger.get_by_role("heading", name="You are unsubscribed")).to_be_visible()
    page.goto(place.url("settings/notifications"))
    expect(page.get_by_label("Workload admitted")).not_to_be_checked()
