"""The review of a draft under a person's hands: what follows is ticked, a button applies."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.editor import Editor
from tests.browser.place import Place
from tests.product import Product

#: A queue with quota, a rule that leads to it, and one that takes everything else.
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

#: What the timer's row is given instead of minutes of waiting.
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
    """Return the button that applies, which says what that does."""
    return page.get_by_role("button", name=re.compile("^(Apply|Roll back to) version"))


def tick_all(page: Page) -> None:
    """Accept every consequence that has to be ticked."""
    # The button is below them: when it is there, all of them are.
    apply_button(page).wait_for()
    for box in page.locator("input[name=accept]").all():
        box.check()


def expect_active(page: Page, number: int) -> None:
    """Expect that version *number* has just become active."""
    expect(page.get_by_role("status").first).to_contain_text(f"Version {number} is active")


def make_due(product: Product, place: Place) -> None:
    """Let the time be over in which somebody may confirm the active version."""
    assert product.manage("shell", "-c", _HURRY.format(slug=place.slug)).endswith("1")
