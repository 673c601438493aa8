"""Links from pages and diagnostics into the documentation: none is dead, and each is shown."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urldefrag

import pytest
from django.test import Client
from django.urls import reverse

from console.dialects import dialects
from console.dialects.catalogue import every_code
from console.documentation.library import library
from console.orgs.permissions import Actor
from console.pages.help_links import SECTIONS, code_page, help_url, reference_url
from console.pages.urls import urlpatterns
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import read_page

org, owner = module_org()
made, world = module_world()


def is_there(url: str) -> bool:
    """Return whether the address is that of a document or of one of its sections."""
    path, anchor = urldefrag(url)
    documents = {each.url: each for each in library().documents.values()}
    if path not in documents:
        return False
    return not anchor or anchor in {each.anchor for each in documents[path].sections}


def test_every_section_of_the_table_exists_and_explains_a_page() -> None:
    assert {page: url for page in SECTIONS if not is_there(url := help_url(page))} == {}
    assert set(SECTIONS) - {route.name for route in urlpatterns} == set()
    assert help_url("no-such-page") == ""


def test_every_language_has_a_reference() -> None:
    references = {name: reference_url(name) for name in dialects()}
    assert [name for name, url in references.items() if not is_there(url)] == []
    assert len(set(references.values())) == len(references)
    assert reference_url("no-such-language") == ""


def test_every_code_leads_to_its_section() -> None:
    (document,) = (each for each in library().documents.values() if each.name == "diagnostics")
    described = {each.code for each in document.sections if each.code}
    codes = {each.code for each in every_code()}
    assert codes == described
    assert {code_page("here", code) for code in codes} == {"/docs/diagnostics/"}
    # A code of an added scheduler has its entry on the page of the organization.
    assert code_page("here", "FIF001") == reverse("pages:config-codes", args=["here"])


def test_anchors_of_codes_are_on_the_page(client: Client) -> None:
    page = read_page(client.get("/docs/diagnostics/"))
    ids = {each.attrs["id"] for each in page.walk() if "id" in each.attrs}
    assert {each.code for each in every_code()} <= ids


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("", "overview/"),
        ("queues", "queues/#the-list"),
        ("queues/research", "queues/#the-page-of-a-queue"),
        ("workloads", "workloads/#the-list"),
        ("workloads/{uid}", "workloads/#one-workload"),
        ("usage", "usage-over-time/"),
        ("capacity", "capacity/#the-page-capacity"),
        ("events", "events-and-audit/#reading-the-logs"),
        ("config/edit", "editor/#the-parts-of-the-editor"),
        ("config/history", "history/#the-history"),
        ("config/scheduled", "scheduled-changes/"),
        ("config/reviews", "approval/#review-requests"),
        ("settings/members", "people-and-tokens/#roles"),
        ("settings/webhooks", "webhooks/"),
        ("settings/notifications", "notifications/#how-it-works"),
    ],
)
def test_pages_link_the_section_beside_their_title(
    path: str,
    section: str,
    world: World,
    owner: Actor,
    client_for: Callable[[Actor], Client],
) -> None:
    page = read_page(
        client_for(owner).get(f"/o/{world.org.slug}/{path.format(uid=world.waiting.uid)}")
    )
    assert [each.attrs["href"] for each in page.all("a", class_="help")] == [f"/docs/{section}"]


def test_the_editor_links_the_reference_of_the_language(
    world: World, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    page = read_page(client_for(owner).get(f"/o/{world.org.slug}/config/edit"))
    (link,) = (each for each in page.all("a") if "data-reference-link" in each.attrs)
    assert link.attrs["href"] == reference_url("native")
    offered = {
        each.attrs["value"]: each.attrs["data-reference"]
        for each in page.all("option")
        if "data-reference" in each.attrs
    }
    assert offered == {name: reference_url(name) for name in dialects()}


def test_codes_in_the_editor_and_in_the_review_link_the_documentation(
    world: World, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(owner)
    url = f"/o/{world.org.slug}/config/edit"
    text = "resource_queues: [{ name: a, nominal: 3 }]\n"
    page = read_page(
        browser.post(url, {"dialect": "native", "text": text, "do": "check", "base": 1})
    )
    linked = {
        each.text: each.attrs["href"]
        for each in page.all("a")
        if each.attrs["href"].startswith("/docs/diagnostics/")
    }
    assert linked
    assert all(href == f"/docs/diagnostics/#{code}" for code, href in linked.items())


def test_the_help_of_the_bar_leads_to_the_documentation(world: World, browser: Client) -> None:
    page = read_page(browser.get("/o/here/queues"))
    (button,) = [each for each in page.all("button") if "data-keys-help" in each.attrs]
    (drawing,) = button.all("svg")
    assert drawing.attrs["aria-label"] == "Help and keyboard shortcuts"
    link = page.id("keys-help").all("a")[0]
    assert (link.text, link.attrs["href"]) == ("Documentation", "/docs/")
