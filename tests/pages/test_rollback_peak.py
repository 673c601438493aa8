"""Pages of a rollback to less quota than is used: the review and the banner name the peak."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from console.policies.queries import active_number
from tests.pages.test_review_pages import CONFIRM, REVIEW, consequence_boxes, opened
from tests.services.test_rollback_consequences import LANGUAGES, LOWERED, fill

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_banner_leads_to_the_review_that_names_the_peak(
    name: str, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    language, (code, sentence) = LANGUAGES[name], LOWERED[name]
    apply_config(owner, name, language.of(4), "", 0)
    larger = language.of(8, "ml:v2" if name == "native" else "ml")
    apply_config(owner, name, larger, "", 1, revert_after=timedelta(minutes=10))
    fill(owner, language)
    browser = client_for(owner)
    answer = browser.post(CONFIRM, {"do": "revert", "version": "2", "next": "/"})
    assert answer.headers["Location"] == f"{REVIEW}?to=1"
    assert active_number(owner.org) == 2
    page = opened(browser, f"{REVIEW}?to=1")
    boxes = consequence_boxes(page)
    assert list(boxes) == [code]
    lists = page.all("ul", class_="consequences")
    items = [item.text for each in lists for item in each.all("li")]
    # Items of a list have no period.
    assert sentence.rstrip(".") in " ".join((boxes[code], *items))
