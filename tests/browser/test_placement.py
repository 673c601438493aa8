"""Pages of jobs that wait for clusters, in the browser: verdicts, and changes that would help."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.place import Place
from tests.browser.walks import broken_pages

_DEV = {"filters": [{"name": "dev", "match_labels": {"purpose": "dev"}}]}
_LONG = f"west-{'x' * 60}"


def _prepare(place: Place, settings: str) -> list[str]:
    """Return the ids of two jobs, of which the second one has no room on the only dev cluster."""
    text = f"kind: Scheduler\nspec: {{{settings}}}\n"
    body = {"dialect": "skyshift", "text": text, "expected_version": 0}
    place.api.post("/config/versions", body, 201)
    for name, purpose in (("east", "dev"), (_LONG, "prod")):
        nodes = [{"name": "n1", "allocatable": {"cpu": 4}}]
        cluster = {"labels": {"purpose": purpose}, "nodes": nodes}
        assert place.api.request("PUT", f"/capacity/clusters/{name}", cluster).status == 201
    ids: list[str] = []
    for name in ("first", "second"):
        job = {"name": name, "requests": {"cpu": 3}, "placement": _DEV}
        ids += place.api.post("/workloads", {"workloads": [job]})["ids"]
    return ids


@pytest.mark.parametrize(
    ("settings", "title", "headline"),
    [
        ("on_unplaceable: wait", "How to start it", "Waiting: no node has room"),
        ("on_unplaceable: fail", "How to get it accepted", "Rejected: no placement was possible"),
    ],
)
def test_page_of_a_job_without_room_suggests_changes(
    page: Page, place: Place, settings: str, title: str, headline: str
) -> None:
    _, second = _prepare(place, settings)
    page.goto(place.url(f"workloads/{second}"))
    expect(page.get_by_text(headline).first).to_be_visible()
    panel = page.get_by_role("region", name=title)
    expect(panel).to_contain_text("Remove the filter dev: it would start now.")
    expect(panel).to_contain_text(f"Set the label purpose of cluster {_LONG} to dev")
    expect(panel).to_contain_text("Wait for first to end, or finish it: it would then start.")
    paths = (f"workloads/{second}", f"workloads/{second}/changes")
    assert broken_pages(page, map(place.url, paths)) == {}
