"""Pages of hierarchical queues: users and groups, placement rules, and settings of a queue."""

from __future__ import annotations

import pytest
from django.test import Client

from console.engine.disciplines.hierarchy.user_report import HolderUse, LevelLine
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.pages.presenters.hierarchy.users import holder_heading, holder_rows, queues_of
from console.workloads.models import Workload
from tests.hierarchy import fill_hierarchy
from tests.pages.page import Element, complaints, read_page


def get(browser: Client, path: str, status: int = 200) -> Element:
    """Return the page, and fail unless its markup is valid."""
    response = browser.get(f"/o/here/{path}")
    assert response.status_code == status
    page = read_page(response)
    assert complaints(page) == []
    return page


def cells(rows: list[Element]) -> list[list[str]]:
    return [[cell.text for cell in row.children if isinstance(cell, Element)] for row in rows]


def test_pages_of_hierarchical_queues(people: dict[str, Client], owner: Actor) -> None:
    # One test, because the engine decides about each workload first.
    fill_hierarchy(owner)
    viewer = people["viewer"]
    _users(viewer)
    _one_user(viewer)
    _placement_rules(viewer)
    _settings(viewer)
    _created_queue(viewer)
    _why(viewer, owner.org)


def _users(viewer: Client) -> None:
    assert cells(get(viewer, "users").id("user-rows").all("tr")) == [
        ["sue", "user", "1", "3 of 4 vcore in root.dev", "75 %"],
        ["bob", "user", "2", "1 of 2 workloads in root.dev", "50 %"],
        ["staff", "group", "1", "1 of 2 workloads in root.dev", "50 %"],
    ]
    found = get(viewer, "users?kind=group&q=STA").id("user-rows").all("tr")
    assert [row[0] for row in cells(found)] == ["staff"]
    assert "No user or group matches." in get(viewer, "users?q=nobody").text
    refused = get(viewer, "users?kind=robot", status=400)
    assert "kind" in refused.text
    past = get(viewer, "users?kind=user&cursor=50").id("users-region")
    assert "There are no users and groups on this page of the list." in past.text
    assert [each.attrs["href"] for each in past.all("a")][:1] == ["/o/here/users?kind=user"]
    page = get(viewer, "users?kind=user&q=s")
    (link,) = page.id("user-rows").all("a")
    assert link.attrs["href"] == "/o/here/users?kind=user&q=s&of=sue&of_kind=user"
    choose = "Choose a user or group to see what it uses in each queue."
    assert choose in page.id("users-detail").text


def _one_user(viewer: Client) -> None:
    detail = get(viewer, "users?of=sue&of_kind=user").id("users-detail")
    assert cells(detail.all("tr"))[1:] == [
        ["root", "running workloads", "1", "none"],
        ["root", "memory", "1000", "none"],
        ["root", "vcore", "3", "none"],
        ["root.dev", "running workloads", "1", "2"],
        ["root.dev", "memory", "1000", "none"],
        ["root.dev", "vcore", "3", "4 tightest"],
        ["root.dev.tools", "running workloads", "1", "none"],
        ["root.dev.tools", "memory", "1000", "none"],
        ["root.dev.tools", "vcore", "3", "none"],
    ]

    (close, *queues, workloads) = detail.all("a")
    assert close.attrs["href"] == "/o/here/users"
    assert [each.text for each in queues] == ["root", "root.dev", "root.dev.tools"]
    assert workloads.attrs["href"] == "/o/here/workloads?user=sue"
    detail = get(viewer, "users?of=bob&of_kind=user&q=b").id("users-detail")
    (close, *queues, _) = detail.all("a")
    assert close.attrs["href"] == "/o/here/users?q=b"
    assert [each.text for each in queues] == [
        *("root", "root.dev", "root.dev.web", "root.spaces", "root.spaces.shop")
    ]
    gone = get(viewer, "users?of=gone&of_kind=user").id("users-detail")
    assert "gone has no running workloads, and no limit names it." in gone.text


def _placement_rules(viewer: Client) -> None:
    page = get(viewer, "placement-rules")
    (table,) = page.all("table")
    assert [row[:5] for row in cells(table.all("tr"))[1:]] == [
        ["default", "1", "The queue that the submission names.", "the next rule is asked", "3"],
        [
            "default",
            "2",
            "The queue named like the tag namespace, below root.spaces.",
            "it is created",
            "1",
        ],
        ["default", "3", "The queue named like the user. Not for users bot.", "it is created", "0"],
    ]
    assert "0 workloads got a queue without a rule of the config, and 1 none." in page.text
    past = get(viewer, "placement-rules?cursor=50").text
    assert "There are no rules on this page of the list. Show the first rules" in past


def _settings(viewer: Client) -> None:
    tools = get(viewer, "queues/root.dev.tools").id("queue-settings")
    facts = [each.text for each in tools.all("dd")]
    assert facts == [
        "all users by root",
        "user ann, and group ops by root.dev.tools",
        "any number of applications",
        "fifo by root.dev",
        "20s by root.dev.tools",
    ]
    assert [row[:3] for row in cells(tools.all("tr"))[1:]] == [
        [
            "root.dev",
            "user sue, every other user and group staff small teams",
            "2 applications and 4 vcore",
        ]
    ]
    created = get(viewer, "queues/root.spaces.shop?tab=rules")
    assert created.id("queue-settings").text.startswith(
        "Settings Users and groups A placement rule has created this queue with the template of "
        "root.spaces . It exists as long as it has workloads."
    )
    assert "Placement rules find the queue of each workload." in created.text


def _created_queue(viewer: Client) -> None:
    links = get(viewer, "queues").all("a")
    (link,) = (each for each in links if each.text == "root.spaces. shop")
    assert link.attrs["title"] == (
        "root.spaces.shop · below root.spaces · created by a placement rule · preemption: takes "
        "back its guarantee from queues above theirs"
    )


def _why(viewer: Client, org: Organization) -> None:
    late = Workload.objects.get(org=org, name="late")
    page = get(viewer, f"workloads/{late.uid}").text
    for text in (
        (
            "Waiting in root.dev.web: the limit of user sue in root.dev is 4 vcore, of which 3 is "
            "used, and a pod requests 2."
        ),
        "The limit of user sue in root.dev: 2 applications, 1 running.",
        "The maximum of root.dev: 12 vcore, 4 used, 2 requested.",
        "YuniKorn reports: Not enough user quota",
    ):
        assert text in page
    lost = Workload.objects.get(org=org, name="lost")
    page = get(viewer, f"workloads/{lost.uid}").text
    for text in (
        "Rule 1 (provided) answers root.nowhere, which does not exist, and it creates no queue.",
        "The filter of rule 3 (user) does not accept the user.",
        (
            f"YuniKorn reports: failed to place application {lost.uid}: application rejected: no "
            "placement rule matched"
        ),
    ):
        assert text in page


def test_the_group_of_every_other_user_has_words() -> None:
    others = HolderUse(name="*", is_group=True)
    assert holder_heading(others) == "All users without a named group"
    assert [row.title for row in holder_rows([others], lambda name, kind: "")] == [
        "all users without a named group"
    ]
    assert holder_heading(HolderUse(name="dev", is_group=True)) == "Group dev"


def test_queues_that_exist_only_above_others_have_no_page() -> None:
    lines = LevelLine(queue="root", used=1), LevelLine(queue="root.new", used=1, is_between=True)
    found = queues_of(HolderUse(name="sue", lines=lines))
    assert [(each.queue, each.has_page) for each in found] == [("root", True), ("root.new", False)]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("users", "No limits for users and groups in the active config"),
        ("placement-rules", "No placement rules in the active config"),
    ],
)
def test_other_schedulers_have_none_of_these(
    people: dict[str, Client], config: None, org: Organization, path: str, text: str
) -> None:
    assert text in get(people["viewer"], path).text
