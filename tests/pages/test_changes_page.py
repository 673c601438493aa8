"""What would start a workload: the panel on its page, and what the API says of it."""

from __future__ import annotations

from django.test import Client

from console.workloads.models import Workload
from tests.pages.conftest import World
from tests.pages.page import read_page


def uid_of(name: str) -> str:
    return Workload.objects.get(name=name).uid


def told(browser: Client, name: str) -> list[str]:
    """Return the changes of a workload's panel, and what it says below them."""
    page = read_page(browser.get(f"/o/here/workloads/{uid_of(name)}/changes"))
    (panel,) = page.all("section", id="changes")
    changes = [each.text for each in panel.all("li")]
    return changes + [p.text for p in panel.all("p") if p.text not in changes]


EACH = (
    "Each one alone is enough. The engine has tried it on a copy of what runs and waits at this "
    "moment."
)


def test_a_pending_workload_is_told_what_would_start_it(world: World, browser: Client) -> None:
    assert told(browser, "eval") == [
        "Ask for 2 gpu instead of 4: it would start now.",
        "Ask for priority 51: it would start once train has stopped for it.",
        (
            "Raise the nominal quota of spot/gpu in research from 8 to 10: it would start now; "
            "nobody loses. v1 L11"
        ),
        "Wait for train to end, or finish it: it would start then.",
        EACH,
    ]
    assert told(browser, "huge") == [
        "Ask for 2 gpu instead of 80: it would start now.",
        (
            "Raise the nominal quota of spot/gpu in research from 8 to 90: it would start now; "
            "nobody loses. v1 L11"
        ),
        EACH,
        "Does not help: a higher priority, the end of a few running workloads.",
    ]


def test_nothing_is_asked_of_one_that_does_not_wait(world: World, browser: Client) -> None:
    assert told(browser, "train") == ["It runs."]
    assert told(browser, "done") == ["It has ended, and cannot start again."]


def test_the_page_of_a_workload_fetches_the_panel_and_links_to_it(
    world: World, browser: Client
) -> None:
    where = f"/o/here/workloads/{uid_of('eval')}"
    (panel,) = read_page(browser.get(where)).all("section", id="changes")
    (link,) = panel.all("a")
    assert (panel.attrs["hx-get"], link.attrs["href"]) == (f"{where}/changes", f"{where}/changes")
    assert not read_page(browser.get(f"/o/here/workloads/{uid_of('train')}")).all(
        "section", id="changes"
    )
