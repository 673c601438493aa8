"""A webhook: created, tested on a receiver that is down, repaired, and delivered again."""

from __future__ import annotations

import json
import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.place import Place
from tests.receiver import answer, receiving


@pytest.mark.parametrize("scripts", [True, False])
def test_owner_creates_a_webhook_and_sees_its_deliveries(
    visitors: Visitors, place: Place, scripts: bool
) -> None:
    page = visitors.page(place, scripts=scripts)
    with receiving() as receiver:
        receiver.answering = lambda handler: answer(handler, 503, b"restarting")
        page.goto(place.url("settings/webhooks"))
        page.get_by_role("link", name="New webhook").last.click()
        page.get_by_label("Name", exact=True).fill("pager")
        page.get_by_label("Address", exact=True).fill("https://10.0.0.1/hook")
        page.get_by_label("Config applied").check()
        page.get_by_label("Queue", exact=True).fill("research")
        page.get_by_role("button", name="Add queue").click()
        expect(page.get_by_label("research")).to_be_checked()
        page.get_by_role("button", name="Create").click()
        expect(page.get_by_role("alert")).to_contain_text(
            "Webhooks may not be sent to this address: they reach public addresses only."
        )
        expect(page.get_by_label("Config applied")).to_be_checked()
        page.get_by_label("Address", exact=True).fill(receiver.url)
        page.get_by_role("button", name="Create").click()
        expect(page.get_by_label("Signing secret")).to_have_value(re.compile("^whsec_"))
        page.get_by_role("button", name="Send test").click()
        _until(page, "Attempt 1: Answered 503", scripts)
        receiver.answering = lambda handler: answer(handler, 200, b"thank you")
        page.get_by_role("button", name="Send again").click()
        # If the button is pressed late, the automatic retry comes first.
        _until(page, re.compile(r"Attempt \d: Answered 200"), scripts)
        first, *_, last = receiver.got
        assert first.headers["webhook-id"] == last.headers["webhook-id"]

        version = place.apply("{}", "Nothing at all")
        page.goto(place.url("settings/webhooks"))
        page.get_by_role("link", name="pager").click()
        _until(page, f"Config version {version} was applied: Nothing at all", scripts)
        page.get_by_role("link", name="Config applied").click()
        _until(page, "Attempt 1: Answered 200", scripts)
        told = json.loads(receiver.got[-1].body)
        assert (told["type"], told["data"]["version"]) == ("config.applied", version)
        # The link in the delivery opens the version.
        page.goto(place.base + urlsplit(told["url"]).path)
        expect(page.get_by_role("heading", level=1)).to_contain_text(str(version))


def _until(page: Page, text: str | re.Pattern[str], scripts: bool) -> None:
    """Wait until the page contains *text*, by live updates or, without scripts, by reloads."""
    if not scripts:
        for _ in range(100):
            if page.get_by_text(text).count():
                break
            page.wait_for_timeout(200)
            page.reload()
    expect(page.get_by_text(text).first).to_be_visible()
