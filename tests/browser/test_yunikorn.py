"""Configs of YuniKorn are pasted with mistakes, repaired by quick fixes, and share the nodes."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.editor import Editor
from tests.browser.place import Place, wait_until
from tests.browser.walks import broken_pages
from tests.dialects.yunikorn.test_first_configs import FINDINGS, LIMITS, NAMESPACES, TEMPLATES

#: Two teams with guarantees, a limited user, and queues that a rule creates for users.
TEAMS = """\
partitions:
  - name: default
    placementrules:
      - name: provided
      - name: user
        create: true
        parent:
          name: fixed
          value: root.users
    queues:
      - name: root
        submitacl: "*"
        queues:
          - name: research
            resources:
              guaranteed: {vcore: 2}
            properties:
              preemption.delay: 1s
          - name: batch
            resources:
              guaranteed: {vcore: 1}
            limits:
              - limit: one core for bob
                users: [bob]
                maxresources: {vcore: 1}
          - name: users
            parent: true
            childtemplate:
              maxapplications: 1
"""


def _repair(page: Page, editor: Editor) -> None:
    """Apply the first fix of the first problem that has one until none has."""
    fixes = page.locator("[data-problems] .problem__fixes button")
    while fixes.count():
        count = editor.problems.count()
        fixes.first.click()
        expect(editor.problems).not_to_have_count(count)


def _apply(page: Page, place: Place, text: str, version: int, codes: set[str]) -> None:
    page.goto(place.url("config/edit"))
    editor = Editor(page)
    editor.replace(text)
    if version == 1:
        page.get_by_role("button", name="Switch to YuniKorn").click()
    for code in codes:
        expect(editor.problems.filter(has_text=code).first).to_be_visible()
    _repair(page, editor)
    editor.expect_saved()
    page.get_by_role("button", name="Review changes").click()
    for consequence in page.get_by_role("group", name="Consequences").get_by_role("checkbox").all():
        consequence.check()
    page.get_by_role("button", name=f"Apply version {version}").click()
    expect(page).to_have_url(re.compile(rf"/config/v/{version}\?applied=1$"))


def _submit(place: Place, name: str, queue: str = "", **job: Any) -> str:
    tags = {"queue": queue} if queue else {}
    body = {"name": name, "tags": tags, "requests": {"cpu": 1}, **job}
    return place.submit(body)[0]


def test_configs_are_repaired_applied_and_decide(page: Page, place: Place) -> None:
    nodes = [{"name": "n1", "allocatable": {"cpu": 4, "memory": "16Gi"}}]
    assert place.api.request("PUT", "/capacity/clusters/east", {"nodes": nodes}).status == 201
    for version, text in enumerate((NAMESPACES, LIMITS, TEMPLATES), start=1):
        _apply(page, place, text, version, codes={code for code, _, _ in FINDINGS[text]})
    _apply(page, place, TEAMS, 4, codes=set())
    assert place.api.get("/config")["dialect"] == "yunikorn"

    pods = [{"name": "main", "count": 3, "requests": {"cpu": 1}}]
    large = place.submit(
        {"name": "large", "user": "ann", "tags": {"queue": "root.batch"}, "pod_sets": pods}
    )[0]
    wait_until(lambda: place.state(large) == "admitted")
    limited = [_submit(place, f"bob-{each}", "root.batch", user="bob") for each in (1, 2)]
    wait_until(lambda: place.state(limited[0]) == "admitted")
    page.goto(place.url(f"workloads/{limited[1]}"))
    expect(page.locator("#headline")).to_contain_text("limit of user bob")

    due = _submit(place, "due", "root.research", user="cid")
    # The youngest pod stops first.
    wait_until(lambda: place.state(limited[0]) == "preempting")
    page.goto(place.url(f"workloads/{limited[0]}"))
    expect(page.locator("#headline")).to_contain_text("root.research")
    place.api.post(f"/workloads/{limited[0]}/release", {}, 202)
    wait_until(lambda: place.state(due) == "admitted")

    own = _submit(place, "own", user="dan")
    page.goto(place.url(f"workloads/{own}"))
    expect(page.locator("main")).to_contain_text("root.users.dan")
    lost = _submit(place, "lost", "root.users", user="dan")
    page.goto(place.url(f"workloads/{lost}"))
    paths = (
        *(
            "queues",
            "queues/root.batch",
            "queues/root.users.dan",
            "users",
            "users?of=bob",
            "placement-rules",
        ),
        *(f"workloads/{uid}" for uid in (large, limited[1], due, own, lost)),
    )
    assert broken_pages(page, map(place.url, paths)) == {}
