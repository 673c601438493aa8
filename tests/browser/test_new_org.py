"""A permitted person creates an organization: suggested slug, errors, first draft, narrow."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visitors
from tests.browser.place import PEOPLE, Place
from tests.browser.rules import broken, hold_still
from tests.product import Product

RULES = ("structure", "width", "targets", "colors")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_a_person_creates_an_organization(
    visitors: Visitors, place: Place, product: Product, width: int, scheme: str
) -> None:
    product.manage("allow_creating_orgs", PEOPLE[1], "--existing")
    page = visitors.page(place, 1, width=width, scheme=scheme)
    hold_still(page)
    page.goto(place.url())
    page.locator("summary", has_text=place.slug.replace("place-", "Place ")).click()
    page.get_by_role("link", name="New organization").click()
    page.get_by_label("Name", exact=True).fill(f"Über {place.slug}")
    slug = page.get_by_label("Slug")
    expect(slug).to_have_value(f"uber-{place.slug}")
    assert broken(page, *RULES) == []

    slug.fill("login")
    page.get_by_label("Name", exact=True).fill(f"Über {place.slug}!")
    page.get_by_role("button", name="Create organization").click()
    expect(page.get_by_role("alert")).to_contain_text("The slug login is not available")
    assert broken(page, *RULES) == []

    slug.fill("")
    page.get_by_label("First config").select_option(label="Empty config in YuniKorn")
    page.get_by_role("button", name="Create organization").click()
    page.wait_for_url(re.compile(rf"/o/uber-{place.slug}/config/drafts/\d+$"))
    expect(page.get_by_role("main")).to_contain_text("is created, and you are its owner")
    page.goto(f"{place.base}/o/uber-{place.slug}/settings/organization")
    page.get_by_label("Name", exact=True).fill("Renamed")
    assert broken(page, *RULES) == []
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Name", exact=True)).to_have_value("Renamed")
