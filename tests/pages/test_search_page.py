"""The search page: objects and pages that match a text, with their links."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client

from console.capacity.services.report_cluster import report_cluster
from console.orgs.permissions import Actor
from tests.module_fixtures import module_org
from tests.pages.conftest import World
from tests.pages.module_fixtures import module_world
from tests.pages.page import read_page

org, owner = module_org()
made, world = module_world()


def found(browser: Client, world: World, text: str) -> list[tuple[str, str]]:
    """Return title and address below the organization of every result in it."""
    home = f"/o/{world.org.slug}/"
    page = read_page(browser.get(f"{home}search", {"q": text}))
    return [
        (" ".join(link.text.split()), link.attrs["href"].removeprefix(home))
        for link in page.all("a")
        if "data-found" in link.attrs and link.attrs["href"].startswith(home)
    ]


def documented(browser: Client, world: World, text: str) -> list[tuple[str, str]]:
    """Return text and address of every section of the documentation among the results."""
    page = read_page(browser.get(f"/o/{world.org.slug}/search", {"q": text}))
    return [
        (" ".join(link.text.split()), link.attrs["href"])
        for link in page.all("a")
        if "data-found" in link.attrs and link.attrs["href"].startswith("/docs/")
    ]


def test_a_name_finds_what_bears_it_and_a_number_its_version(
    world: World, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(owner)
    assert found(browser, world, "RESEAR") == [("research", "queues/research")]
    uid = world.waiting.uid
    ((title, url),) = found(browser, world, uid)
    assert title.startswith(world.waiting.name)
    assert url == f"workloads/{uid}"
    assert found(browser, world, "v1")[0][1] == "config/v/1"
    assert found(browser, world, "v99") == []
    assert found(browser, world, "no such thing") == []


def test_clusters_are_found_by_a_part_of_their_name(
    world: World, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    for name in ("zz-east", "east-zz", "west"):
        report_cluster(owner, name, {"nodes": []})
    assert found(client_for(owner), world, "ZZ") == [
        ("zz-east", "capacity/zz-east"),
        ("east-zz", "capacity/east-zz"),
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("hold", ("Queues", "queues")),
        ("dark", ("Appearance", "settings/appearance")),
        ("gpu hours", ("Usage over time", "usage")),
        ("mine", ("My workloads", "workloads/mine")),
    ],
)
def test_pages_are_found_by_what_is_done_there(
    world: World,
    owner: Actor,
    client_for: Callable[[Actor], Client],
    text: str,
    first: tuple[str, str],
) -> None:
    assert found(client_for(owner), world, text)[0] == first


def test_pages_are_offered_by_their_other_words_and_only_those_one_may_open(
    world: World, owner: Actor, viewer: Actor, client_for: Callable[[Actor], Client]
) -> None:
    assert found(client_for(owner), world, "settings people") == [
        ("Members", "settings/members"),
        ("Invitations", "settings/invitations"),
    ]
    assert found(client_for(viewer), world, "settings people") == [("Members", "settings/members")]


@pytest.mark.parametrize("text", ["", "\0", "%", "x" * 5000])
def test_any_text_is_answered(
    text: str, world: World, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(owner)
    assert browser.get(f"/o/{world.org.slug}/search", {"q": text}).status_code == 200


def test_no_page_that_is_offered_is_missing(
    world: World, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(owner)
    offered = found(browser, world, "")
    assert len(offered) > 20
    answers = {
        url: browser.get(f"/o/{world.org.slug}/{url}", follow=True).status_code
        for _, url in offered
    }
    assert {url for url, status in answers.items() if status != 200} == set()


def test_sections_of_the_documentation_are_found_by_title_first(
    world: World, owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    browser = client_for(owner)
    assert documented(browser, world, "")[0] == ("Documentation", "/docs/")
    assert documented(browser, world, "glossary")[0] == (
        "Glossary Concepts",
        "/docs/concepts/#glossary",
    )
    assert documented(browser, world, "NAT020")[0] == (
        "NAT020 No rule matches every workload Diagnostics",
        "/docs/diagnostics/#nat020-no-rule-matches-every-workload",
    )
    for text in ("executor", "receive decisions"):
        (_, first), *_ = documented(browser, world, text)
        assert first == "/docs/api/#read-and-execute-decisions-executor"
    assert documented(browser, world, "nosuchthing") == []


@pytest.mark.parametrize(
    ("text", "section"),
    [
        # Words of the pages that the sections explain; the sections do not contain them.
        ("slack notifications", "/docs/webhooks/"),
        ("settings second approver", "/docs/approval/"),
        # Words of the text.
        ("Grafana dashboard", "/docs/metrics/#dashboard"),
    ],
)
def test_sections_are_found_by_the_words_of_their_page_and_by_their_text(
    text: str,
    section: str,
    world: World,
    owner: Actor,
    client_for: Callable[[Actor], Client],
) -> None:
    found = documented(client_for(owner), world, text)
    assert section in [url for _, url in found]
    assert len(found) <= 8
    assert len({url for _, url in found}) == len(found)
