"""The rule tester and expectations with a language whose rules read the user and groups."""

from __future__ import annotations

import csv
import io
from urllib.parse import urlencode

import pytest
from django.test import Client

from console.configs.models import Expectation
from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from tests.pages.page import complaints, read_page

TESTER = "/o/here/tools/route"
TEXT = """\
partitions:
  - name: default
    placementrules:
      - name: user
        create: true
        filter: {type: allow, groups: [dev]}
        parent: {name: fixed, value: root.people}
      - name: fixed
        value: root.others
    queues:
      - name: root
        submitacl: "*"
        queues:
          - {name: people, parent: true}
          - name: others
"""


@pytest.fixture(autouse=True)
def _applied(owner: Actor) -> None:
    apply_config(owner, "yunikorn", TEXT, "", 0)


def _page(browser: Client, **query: str) -> str:
    typed = {"key": "", "value": "", "requests": "cpu=1", **query}
    page = read_page(browser.get(f"{TESTER}?{urlencode(typed)}", follow=True))
    assert complaints(page) == []
    return " ".join(page.text.split())


def test_user_and_groups_lead_to_queues(browser: Client) -> None:
    assert "It is routed to root.people.sue with priority 0." in _page(
        browser, user="sue", groups="ops, with comma\ndev"
    )
    assert "It is routed to root.others with priority 0." in _page(browser, user="sue")


def test_other_languages_have_no_fields_of_users(browser: Client, owner: Actor) -> None:
    assert "Groups" in _page(browser)
    text = "resource_queues: [{name: a}]\nscheduling_rules: [{resource_queue: a}]\n"
    apply_config(owner, "native", text, "", 1)
    assert "Groups" not in _page(browser)


def test_many_workloads_state_users(browser: Client) -> None:
    sets = "- {labels: {}, user: sue, groups: [dev]}\n- {labels: {}, user: bob}\n"
    answer = browser.post(f"{TESTER}/many", {"config": "active", "sets": sets})
    text = " ".join(read_page(answer).text.split())
    assert "for sue root.people.sue" in text
    assert "for bob root.others" in text
    sets = '[{"labels": {}, "user": "sue", "groups": ["ops, all", "dev"]}]'
    answer = browser.post(f"{TESTER}/many", {"config": "active", "sets": sets, "as": "csv"})
    (row,) = csv.DictReader(io.StringIO(answer.content.decode(), newline=""))
    assert (row["User"], row["Groups"]) == ("sue", "ops, all\ndev")


def test_an_expectation_has_a_user(browser: Client) -> None:
    form = {
        "name": "developers have their own queue",
        "queue": "root.people.sue",
        "user": "sue",
        "groups": "dev",
    }
    answer = browser.post("/o/here/tools/expectations/new", {**form, "do": "save"}, follow=True)
    assert "for sue" in " ".join(read_page(answer).text.split())
    saved = Expectation.objects.get()
    assert (saved.user, saved.groups) == ("sue", ["dev"])
    edit = read_page(browser.get(f"/o/here/tools/expectations/{saved.pk}", follow=True))
    assert complaints(edit) == []


@pytest.mark.parametrize("reads_users", [True, False])
def test_an_expectation_keeps_its_user_and_groups(
    browser: Client, owner: Actor, reads_users: bool
) -> None:
    form = {"name": "a", "queue": "root.others", "user": "sue", "groups": "ops, all\nops"}
    browser.post("/o/here/tools/expectations/new", {**form, "do": "save"})
    saved = Expectation.objects.get()
    assert saved.groups == ["ops, all", "ops"]
    if not reads_users:
        text = "resource_queues: [{name: a}]\nscheduling_rules: [{resource_queue: a}]\n"
        apply_config(owner, "native", text, "", 1)
    address = f"/o/here/tools/expectations/{saved.pk}"
    edit = read_page(browser.get(address, follow=True))
    assert complaints(edit) == []
    user, groups = edit.id("f-user").attrs["value"], "".join(map(str, edit.id("f-groups").children))
    browser.post(address, {**form, "user": user, "groups": groups, "do": "save"})
    saved = Expectation.objects.get()
    assert (saved.user, saved.groups) == ("sue", ["ops, all", "ops"])


def test_a_wrong_group_is_marked(browser: Client) -> None:
    form = {"name": "a", "queue": "root.others", "groups": "g" * 201, "do": "save"}
    answer = browser.post("/o/here/tools/expectations/new", form)
    assert answer.status_code == 422
    assert "tester-errors" in read_page(answer).id("f-groups").attrs["aria-describedby"]
