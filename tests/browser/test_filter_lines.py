"""A line of text filters the list, with words that continue it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.axe import audit
from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_line_is_completed_and_becomes_chips(
    visitors: Visitors, place: Place, scheme: str, width: int
) -> None:
    place.apply(CAP)
    place.submit(*(m5(f"line-{number}", tags={"team": "ml"}) for number in range(5)))
    page = visitors.page(place, scheme=scheme, width=width)
    page.goto(place.url("workloads"))
    line = page.get_by_role("textbox", name="Add filters")
    line.press_sequentially("priority:>=50 sta")
    words = page.get_by_role("list", name="Filters that continue the line")
    expect(words.get_by_role("link").first).to_have_text("state:pending")
    assert audit(page) == []
    words.get_by_role("link", name="state:pending").click()
    chips = page.locator(".filter-chips")
    expect(chips.locator(".chip")).to_have_count(2)
    expect(page.locator("#workload-rows tr")).to_have_count(2)
    line.fill("tema:ml stat:pending")
    line.press("Enter")
    mistakes = page.locator("#f-line-mistakes")
    expect(mistakes).to_contain_text("There is no filter stat")
    expect(line).to_have_value("tema:ml stat:pending")
    assert audit(page) == []
    box = page.locator("#main").bounding_box()
    assert box is not None
    assert box["width"] <= width
    mistakes.get_by_role("link").click()
    expect(chips.locator(".chip")).to_have_count(3)
    chips.locator(".chip", has_text="tema").click()
    expect(chips.locator(".chip")).to_have_count(2)
    assert page.url.endswith("?priority=%3E%3D50&state=pending")
