"""Helpers for the review of a draft: open it, accept consequences, and apply."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.editor import Editor
from tests.browser.place import Place
from tests.product import Product

#: A queue with quota, a rule that routes to it, and a catch-all rule.
CONFIG = """\
resource_flavors:
  - name: spot
resource_queues:
  - name: lab
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources:
              - { name: gpu, nominal_quota: 4 }
  - name: default
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [lab] }]
    resource_queue: lab
    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }
  - resource_queue: default
"""
CATCH_ALL = "  - resource_queue: default\n"
RULE = "  - selector: [{ key: team, operator: in, values: [web] }]\n    resource_queue: default\n"

#: Makes a revert timer due, instead of waiting for minutes.
_HURRY = (
    "from django.utils import timezone\n"
    "from console.configs.models import RevertTimer\n"
    "print(RevertTimer.objects.filter(org__slug={slug!r}).update(due_at=timezone.now()))"
)


def lab(number: int) -> dict[str, object]:
    """Return a workload of the lab, two of which fill its quota."""
    return {"name": f"w{number}", "tags": {"team": "lab"}, "requests": {"gpu": 2}}


def draft(page: Page, place: Place, text: str) -> None:
    """Write *text* into the editor and go to its review."""
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.replace(text)
    editor.expect_saved()
    page.get_by_role("button", name="Review changes").click()
    expect_review(page)


def expect_review(page: Page) -> None:
    """Expect the review of a draft."""
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"Review of draft \d+"))


def apply_button(page: Page) -> Locator:
    """Return the button that applies or rolls back."""
    return page.get_by_role("button", name=re.compile("^(Apply|Roll back to) version"))


def tick_all(page: Page) -> None:
    """Accept every consequence that has to be ticked."""
    # The button is below the consequences, so all of them are present when it is.
    apply_button(page).wait_for()
    for box in page.locator("input[name=accept]").all():
        box.check()


def expect_active(page: Page, number: int) -> None:
    """Expect the notice that version *number* has become active."""
    expect(page.get_by_role("status").first).to_contain_text(f"Version {number} is active")


def make_due(product: Product, place: Place) -> None:
    """Let the time to confirm the active version expire."""
    assert product.manage("shell", "-c", _HURRY.format(slug=place.slug)).endswith("1")
