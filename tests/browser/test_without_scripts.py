"""The main tasks in a browser without scripts."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP
from tests.browser.place import PASSWORD, Place, sign_in, wait_until


def test_a_config_is_edited_checked_reviewed_and_applied_and_work_submitted_and_explained(
    visitors: Visitors, place: Place
) -> None:
    page = visitors.page(place, scripts=False)
    page.goto(place.url("config/edit"))
    page.locator("form.sample", has_text="Cap one instance type").get_by_role("button").click()
    text = page.get_by_label("Config text")
    assert text.input_value().replace("\r\n", "\n") == CAP
    text.fill(CAP.replace("resource_queue: default", "resource_queue: defalt"))
    page.get_by_role("button", name="Check").click()
    problems = page.get_by_role("region", name="Problems")
    expect(problems).to_contain_text('Queue "defalt" is not defined')
    expect(problems).to_contain_text("column 21")
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("main")).to_contain_text("cannot be applied yet")
    page.get_by_role("link", name="Back to the editor").click()
    text.fill(CAP)
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("button", name="Review changes").click()
    expect(page.get_by_role("region", name="Changes")).to_contain_text("q-m5-2xlarge-cap3")
    page.get_by_label("Message").fill("By hand")
    page.get_by_role("button", name="Apply version 1").click()
    expect(page.get_by_role("main")).to_contain_text("Version 1 is active")

    page.get_by_role("link", name="Workloads").click()
    page.get_by_role("link", name="Submit workloads").click()
    page.get_by_label("Name", exact=True).fill("plain")
    page.get_by_label("Copies").fill("4")
    page.get_by_label("Instance type").fill("m5.2xlarge")
    page.get_by_label("cpu").fill("8")
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("4 workloads are submitted")
    wait_until(lambda: place.api.get("/queues/q-m5-2xlarge-cap3")["counts"]["pending"] == 1)
    page.get_by_role("link", name="Reload").click()
    page.get_by_role("link", name="plain-4").click()
    expect(page.get_by_role("main")).to_contain_text("Waiting for quota")
    expect(page.get_by_role("region", name="Why, step by step")).to_contain_text("m5-2xlarge")
    page.get_by_role("button", name="Withdraw").click()
    wait_until(lambda: place.api.get("/queues/q-m5-2xlarge-cap3")["counts"]["pending"] == 0)
    page.get_by_role("link", name="Reload").click()
    expect(page.locator("#headline")).to_contain_text("Withdrawn")


def test_account_pages_and_rollback_work_without_scripts(visitors: Visitors, place: Place) -> None:
    place.apply(CAP, "The first")
    place.apply(CAP.replace("default: 50", "default: 60"), "The second")
    email = f"{place.slug}-plain@example.com"
    owner = visitors.page(place, scripts=False)
    owner.goto(place.url("settings/invitations/new"))
    owner.get_by_label("E-mail address").fill(email)
    owner.get_by_role("radio", name="owner").check()
    owner.get_by_role("button", name="Create link").click()
    link = owner.get_by_label("Link").input_value()

    page = visitors.page(scripts=False)
    page.goto(link)
    page.get_by_label("Choose a password").fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Join as owner").click()

    page.goto(place.url())
    page.locator("summary", has=page.get_by_role("img", name="Theme")).click()
    page.get_by_role("button", name="Dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    page.goto(place.url("config/history"))
    page.get_by_role("link", name="Roll back to version 1").click()
    page.get_by_role("button", name=re.compile("Roll back to version 1")).click()
    expect(page.get_by_role("main")).to_contain_text("Version 3 is active")

    page.goto(f"{place.base}/password")
    page.get_by_label("Old password").fill(PASSWORD)
    page.get_by_label("New password", exact=True).fill(PASSWORD + " anew")
    page.get_by_label("New password confirmation").fill(PASSWORD + " anew")
    page.get_by_role("button", name="Change password").click()
    page.goto(place.url())
    page.locator("summary", has=page.get_by_role("img", name="Your account")).click()
    page.get_by_role("button", name="Sign out").click()
    sign_in(page, place.base, email, PASSWORD + " anew")
    page.wait_for_url("**/o/**")
