"""The panel of changes that would start a workload, on its page and in the API."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from console.orgs.permissions import Actor
from console.workloads.models import Workload
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import read_page

org, owner = module_org()
made, world = module_world()


def uid_of(name: str) -> str:
    return Workload.objects.get(name=name).uid


def changes_panel(browser: Client, name: str) -> list[str]:
    """Return the changes in a workload's panel and the text below them."""
    page = read_page(browser.get(f"/o/here/workloads/{uid_of(name)}/changes"))
    (panel,) = page.all("section", id="changes")
    changes = [each.all("p")[0].text for each in panel.all("li")]
    return changes + [p.text for p in panel.all("p") if p.text not in changes]


EACH = "Each change is enough on its own. The engine tested it on a copy of the current workloads."


def test_a_pending_workload_lists_changes_that_would_start_it(
    world: World, browser: Client
) -> None:
    assert changes_panel(browser, "eval") == [
        "Request 2 GPUs instead of 4: it would start now.",
        "Request priority 51: it would start once train has been preempted.",
        (
            "Raise the nominal quota of spot/gpu in research from 8 to 10: it would start now; no "
            "other workload is affected. v1 L11"
        ),
        "Wait for train to end, or finish it: it would then start.",
        EACH,
    ]
    assert changes_panel(browser, "huge") == [
        "Request 2 GPUs instead of 80: it would start now.",
        (
            "Raise the nominal quota of spot/gpu in research from 8 to 90: it would start now; no "
            "other workload is affected. v1 L11"
        ),
        EACH,
        "Does not help: a higher priority, the end of a few running workloads.",
    ]


def test_a_running_workload_has_no_panel(world: World, browser: Client) -> None:
    assert changes_panel(browser, "train") == ["The workload is running."]
    assert changes_panel(browser, "done") == ["The workload has ended and cannot start again."]


def test_a_rejected_workload_lists_changes_that_would_accept_it(
    world: World, browser: Client, owner: Actor, api_for: Callable[[Actor], Client]
) -> None:
    uid = world.rejected.uid
    said = changes_panel(browser, world.rejected.name)
    assert said[0] == (
        "In the request: set team to research, to be accepted by rule 1, which routes to research."
    )
    assert said[-1] == "Changes for the submitter come first. Tested on the active config."
    page = read_page(browser.get(f"/o/here/workloads/{uid}"))
    on_page = [each.all("p")[0].text for each in page.id("advice").all("li")]
    assert on_page == said[:-1]
    # The API answers the same changes, without the config lines that a page links to.
    answer = api_for(owner).get(f"/api/v1/orgs/here/workloads/{uid}/explanation").json()
    changes = answer["changes"]
    assert all(shown.startswith(each["text"]) for shown, each in zip(on_page, changes, strict=True))
    assert [(each["kind"], each["subject"], each["from"], each["to"]) for each in changes] == [
        ("label", "team", changes[0]["from"], "research"),
        ("request", "", None, None),
        ("rule", "", None, 0),
        ("rule", "", None, 1),
    ]
    assert [each["queue"] for each in changes] == ["research", "default"] * 2
    assert (answer["changes_version"], answer["does_not_help"]) == (1, "")


def test_a_rejected_workload_without_changes_has_a_sentence(
    world: World, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.workloads.advice.accepting_changes", lambda *_: ())
    assert changes_panel(browser, world.rejected.name) == [
        (
            "The workload was rejected and does not wait. No single change of its request or of a "
            "rule would get it accepted. Submit it again after you change the workload or the "
            "config."
        )
    ]


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
