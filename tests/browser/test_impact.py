"""The impact of an old version: a run in progress, its end, and links from its numbers."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitors
from tests.browser.documents import CAP, m5
from tests.browser.place import Place
from tests.product import Product

#: Version 1 matches all workloads; version 2 matches none without an instance type.
_CLOSED = CAP.replace("  - resource_queue: default\n", "")

#: No worker runs this impact, so it has to look active for as long as the test may take.
_OPEN = """
from datetime import timedelta
from django.utils import timezone
from console.configs.models import ImpactRun
run = ImpactRun.objects.filter(org__slug={slug!r}).first()
seen_at = timezone.now() + timedelta(hours=1)
facts = dict(state={state!r}, done=30, total=120, result=None, seen_at=seen_at)
ImpactRun.objects.filter(pk=run.pk).update(**facts)
"""
_ANSWER = """
from console.configs.services.run_impact import run_impact
run_impact(run.pk)
"""


def _between(place: Place) -> None:
    place.apply(CAP, "The first")
    place.submit(m5("capped"), {"name": "other"})
    place.apply(_CLOSED, "Closed")


def test_running_impact_updates_by_itself(page: Page, place: Place, product: Product) -> None:
    _between(place)
    page.goto(place.url("config/impact?to=1"))
    product.manage("shell", "-c", _OPEN.format(slug=place.slug, state="running"))
    page.reload()
    expect(page.get_by_role("heading", name="Computing the impact")).to_be_visible()
    expect(page.get_by_role("progressbar", name="Progress")).to_have_attribute("value", "25")
    # The button stays in place while the page updates.
    cancel = page.get_by_role("button", name="Cancel")
    cancel.focus()
    with page.expect_response("**/config/impact/*"):
        pass
    with page.expect_response("**/config/impact/*"):
        pass
    expect(cancel).to_be_focused()
    product.manage("shell", "-c", _OPEN.format(slug=place.slug, state="waiting") + _ANSWER)
    expect(page.get_by_role("heading", name="Recorded history")).to_be_visible()
    expect(page.get_by_role("progressbar")).to_have_count(0)


def test_numbers_link_to_their_shapes_also_without_scripts(
    visitors: Visitors, place: Place
) -> None:
    _between(place)
    page = visitors.page(place, scripts=False, width=320)
    page.goto(place.url("config/impact?to=1"))
    expect(page.get_by_role("row")).to_have_count(1 + 1)
    expect(page.locator("[data-outcome=accepted] .tile__number")).to_have_text("1")
    page.locator("[data-outcome=unchanged]").click()
    expect(page.get_by_role("row", name="instance-type=m5.2xlarge")).to_contain_text("Unchanged")
    expect(page.locator("[data-outcome=unchanged]")).to_have_attribute("aria-current", "true")
    page.get_by_role("button", name="Run again").click()
    expect(page.locator("[data-outcome=accepted] .tile__number")).to_have_text("1")
