"""The form that moves a rule, without scripts."""

from __future__ import annotations

import pytest
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_version
from tests.dialects.test_moving import RULES, TEXT, move
from tests.pages.page import Element, complaints, read_page

URL = "/o/here/config/rules/move"


@pytest.fixture
def native(owner: Actor) -> None:
    """Apply a native config with three rules."""
    apply_config(owner, "native", TEXT, "", 0)


def sent(do: str, rule: str, to: str, **more: str) -> dict[str, str]:
    return {"expected_version": "1", "message": "", "do": do, "rule": rule, "to": to, **more}


def rows(page: Element) -> list[str]:
    return [row.text for row in page.id("rule-places").all("tr")[1:]]


def active(org: Organization) -> tuple[int, str]:
    version = active_version(org)
    assert version is not None
    return version.number, version.text


def test_the_form_lists_the_rules(browser: Client, native: None) -> None:
    page = read_page(browser.get(f"{URL}?rule=2"))
    assert complaints(page) == []
    assert [row.split(" v1")[0] for row in rows(page)] == [
        "1 Rule 1 to a",
        "2 Rule 2 to b",
        "3 Rule 3 to a",
    ]
    assert page.id("rule").attrs["value"] == "2"


def test_a_preview_applies_nothing_and_an_apply_moves_the_lines(
    browser: Client, org: Organization, native: None
) -> None:
    page = read_page(browser.post(URL, sent("preview", "1", "2")))
    assert complaints(page) == []
    preview = page.id("rule-preview")
    assert "Nothing here needs your confirmation." in preview.text
    assert "# The first." in preview.text
    assert active(org) == (1, TEXT)
    answer = browser.post(URL, sent("apply", "1", "2"))
    assert (answer.status_code, answer["Location"]) == (302, f"{URL}?rule=2")
    assert active(org) == (2, move(dialects()["native"], TEXT, 0, 1))


def test_wrong_positions_are_at_their_fields(
    browser: Client, org: Organization, native: None
) -> None:
    answer = browser.post(URL, sent("apply", "9", ""))
    assert answer.status_code == 422
    text = read_page(answer).id("rule-places").text
    assert text.count("Enter a position from 1 to 3.") == 2
    assert browser.post(URL, sent("preview", "x", "1")).status_code == 200
    answer = browser.post(URL, sent("apply", "1", "1"))
    assert "has this position already" in read_page(answer).text
    assert active(org)[0] == 1


def test_consequences_are_ticked_before_an_apply(
    browser: Client, org: Organization, native: None
) -> None:
    answer = browser.post(URL, sent("apply", "3", "1"))
    page = read_page(answer)
    assert (answer.status_code, "Nothing applied yet" in page.text) == (422, True)
    codes = [each.attrs["value"] for each in page.all("input", name="accept")]
    form = sent("apply", "3", "1") | {"accept": codes}
    assert browser.post(URL, form).status_code == 302
    assert active(org)[0] == 2


def test_a_version_in_between_keeps_what_was_typed(
    browser: Client, owner: Actor, native: None
) -> None:
    apply_config(owner, "native", f"{TEXT}# More.\n", "", 1)
    answer = browser.post(URL, sent("apply", "1", "2"))
    page = read_page(answer)
    assert answer.status_code == 409
    assert "Version 2 was applied after you opened this form" in page.text
    assert page.id("to").attrs["value"] == "2"


def test_a_move_into_another_partition_is_left_to_the_editor(browser: Client, owner: Actor) -> None:
    apply_config(owner, "yunikorn", RULES, "", 0)
    answer = browser.post(URL, sent("apply", "1", "3"))
    assert answer.status_code == 422
    assert "Move the rule in the editor." in read_page(answer).text


def test_the_rules_of_a_queue_lead_to_the_form(browser: Client, native: None) -> None:
    page = read_page(browser.get("/o/here/queues/b?tab=rules"))
    links = [link.attrs.get("href") for link in page.all("a")]
    assert f"{URL}?rule=2" in links


def test_a_config_without_such_rules_has_a_way_to_the_editor(browser: Client, owner: Actor) -> None:
    assert "no rules that a form can move" in read_page(browser.get(URL)).text
    sample = next(iter(dialects()["kueue"].samples().values()))
    apply_config(owner, "kueue", sample, "", 0)
    assert "no rules that a form can move" in read_page(browser.get(URL)).text
